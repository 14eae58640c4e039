"""What all training stages share: the budget, the learning rate over it, checkpoints, the average of weights, the log.

A budget counts the processor time that this process has used, not the clock: a machine that is busy or a process that is
stopped for a while costs nothing. A checkpoint is a folder of two files, `state.safetensors` and `state.json`; it is
replaced as a whole.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

Numbers = dict[str, float]

stop = threading.Event()
"""Set it (from a signal's handler, say) and the stage under way saves after the present step and ends."""


@dataclass(slots=True)
class Settings:
    """How long and where a stage trains."""

    folder: Path
    """Data, checkpoints and logs; not in the repository."""
    minutes: float
    """Budget of this run in minutes of processor time."""
    resume: bool = False
    pictures: int = 16_000
    seed: int = 0
    save_every: float = 3.0
    """Minutes of processor time between two checkpoints."""


@dataclass(slots=True)
class Progress:
    """Where a stage stands; kept in the checkpoint."""

    step: int = 0
    minutes: float = 0.0
    """All processor time of the stage so far, earlier runs included."""
    run_minutes: float = 0.0
    """That of the present run."""
    budget: float = 0.0


@dataclass
class Stage:
    """A named set of trained modules with one optimizer and an exponential average of the weights."""

    name: str
    settings: Settings
    modules: Mapping[str, nn.Module]
    rate: float
    warmup: int = 100
    decay_share: float = 0.35
    """The learning rate is constant, then falls linearly over the last part of the budget."""
    average_decay: float = 0.998
    weight_decay: float = 1e-4
    factors: Mapping[str, float] = field(default_factory=dict)
    """Factors of the learning rate for modules that shall move more slowly."""
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self.parameters = {
            f"{module_name}.{name}": parameter
            for module_name, module in self.modules.items()
            for name, parameter in module.named_parameters()
            if parameter.requires_grad
        }
        groups = [
            {
                "params": [p for name, p in self.parameters.items() if name.startswith(module + ".")],
                "factor": self.factors.get(module, 1.0),
            }
            for module in self.modules
        ]
        self.optimizer = torch.optim.AdamW(groups, self.rate, betas=(0.9, 0.99), weight_decay=self.weight_decay)
        self.average = {name: parameter.detach().clone() for name, parameter in self.parameters.items()}
        self.progress.budget = self.settings.minutes
        self.place = self.settings.folder / self.name
        self.smooth: Numbers = {}
        if self.settings.resume:
            self.load()

    # --- the loop

    def steps(self) -> Iterator[float]:
        """Yields the share of the budget that is used, once a step; saves on the way and at the end.

        Raises KeyboardInterrupt, after saving, once `stop` is set.
        """
        p = self.progress
        started, before_run, before_all = time.process_time(), p.run_minutes, p.minutes
        saved = logged = 0.0
        while True:
            used = (time.process_time() - started) / 60
            p.run_minutes, p.minutes = before_run + used, before_all + used
            share = p.run_minutes / p.budget
            if used - logged > 0.5 or share >= 1:
                self.log({"share": share})
                logged = used
            if used - saved > self.settings.save_every or share >= 1 or stop.is_set():
                self.save()
                saved = used
            if stop.is_set():
                raise KeyboardInterrupt
            if share >= 1:
                return
            warm = min(1.0, (p.step + 1) / self.warmup)
            fall = min(1.0, (1 - share) / self.decay_share)
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate * group["factor"] * warm * max(fall, 0.02)
            yield share

    def update(self, loss: Tensor, numbers: Numbers) -> None:
        """One step of the optimizer and of the average; `numbers` go to the log, smoothed."""
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self.parameters.values()), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.progress.step += 1
        keep = min(self.average_decay, (self.progress.step + 1) / (self.progress.step + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), [p.detach() for p in self.parameters.values()], 1 - keep)
        for name, value in numbers.items():
            self.smooth[name] = 0.98 * self.smooth.get(name, value) + 0.02 * value

    # --- the log and the checkpoint

    def log(self, numbers: Numbers) -> None:
        """Appends one line of JSON to the stage's log and prints it."""
        self.place.mkdir(parents=True, exist_ok=True)
        entry = {
            "step": self.progress.step,
            "minutes": round(self.progress.minutes, 3),
            **{name: round(value, 5) for name, value in (self.smooth | numbers).items()},
        }
        line = json.dumps(entry)
        with (self.place / "log.jsonl").open("a") as file:
            file.write(line + "\n")
        print(self.name, line, flush=True)

    def save(self) -> None:
        """Writes the checkpoint beside the old one, then takes its place."""
        tensors = {f"weights.{name}": p.detach() for name, p in self.parameters.items()}
        tensors |= {f"average.{name}": a for name, a in self.average.items()}
        names = list(self.parameters)
        for i, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{names[i]}.{key}": torch.as_tensor(value) for key, value in state.items()}
        fresh, old = self.place / "checkpoint.new", self.place / "checkpoint"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        save_file({name: t.contiguous() for name, t in tensors.items()}, fresh / "state.safetensors")
        p = self.progress
        state_json = {"step": p.step, "minutes": p.minutes, "run_minutes": p.run_minutes, "budget": p.budget}
        (fresh / "state.json").write_text(json.dumps(state_json))
        shutil.rmtree(old, ignore_errors=True)
        os.replace(fresh, old)

    def load(self) -> None:
        """Takes up the checkpoint, if there is one: an unfinished run goes on, a finished one gets a new budget."""
        folder = self.place / "checkpoint"
        if not (folder / "state.json").exists():
            return
        stored = json.loads((folder / "state.json").read_text())
        self.progress = Progress(
            step=stored["step"],
            minutes=stored["minutes"],
            run_minutes=stored["run_minutes"],
            budget=stored["budget"],
        )
        if stored["run_minutes"] >= stored["budget"]:
            self.progress.run_minutes, self.progress.budget = 0.0, self.settings.minutes
        tensors = load_file(folder / "state.safetensors")
        states: dict[int, dict[str, Tensor]] = {}
        with torch.no_grad():
            for i, (name, parameter) in enumerate(self.parameters.items()):
                average = tensors[f"average.{name}"]
                self.average[name].copy_(average)
                parameter.copy_(tensors.get(f"weights.{name}", average))  # a small checkpoint keeps the average alone
                prefix = f"optimizer.{name}."
                found = {key.removeprefix(prefix): t for key, t in tensors.items() if key.startswith(prefix)}
                if found:
                    states[i] = found
        self.optimizer.load_state_dict({"state": states, "param_groups": self.optimizer.state_dict()["param_groups"]})

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The modules hold the averaged weights inside the block."""
        with torch.no_grad():
            kept = {name: parameter.detach().clone() for name, parameter in self.parameters.items()}
            self._put(self.average)
            yield
            self._put(kept)

    def finish(self) -> None:
        """Puts the average into the modules: what is measured and exported."""
        self._put(self.average)

    def _put(self, values: Mapping[str, Tensor]) -> None:
        with torch.no_grad():
            for name, parameter in self.parameters.items():
                parameter.copy_(values[name])
