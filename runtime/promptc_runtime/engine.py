"""Runs a verified plan: what is in the cache is read, what is still needed is computed, the rest is left out.

A kernel is a module with `run(op, inputs, context)`, and may have `run_batch(ops, inputs, context)` with
`batch_size(op, context)`, the number of ops that one call takes at most. The built-in ones are in
`promptc_runtime.ops`; an op from an entry point has its kernel in its own module.
"""

from __future__ import annotations

import importlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache as cached
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from promptc.plan.op import Op, Ref, Type
from promptc.plan.ops.denoise import Denoise
from promptc.plan.ops.store import Store
from promptc.plan.plan import Plan
from promptc.plan.registry import specs
from promptc.plan.verify import verify
from promptc_runtime.cache import Cache, open_cache
from promptc_runtime.cache.disk import default_folder
from promptc_runtime.cache.key import KEPT, keys
from promptc_runtime.context import Context, RunError
from promptc_runtime.progress import Progress, Silent
from promptc_runtime.result import Event, Interrupted, Result, Timing
from promptc_runtime.sampling.samplers import steps_left

if TYPE_CHECKING:
    import torch

    from promptc_runtime.models import Models

__all__ = ["Context", "Device", "Result", "RunError", "Runtime", "run"]

Device = Literal["auto", "cpu", "cuda"]
MEMORY = 256 * 2**20
"""Bytes of results that are kept in memory."""
DISK = 4 * 2**30
"""Bytes of results that are kept on disk."""
_NO_MEMORY = ("out of memory", "not enough memory", "can't allocate memory")
"""How torch says it, on the accelerator and on the CPU."""
_LOG = logging.getLogger("promptc")


class Runtime:
    """Runs plans on one device, and keeps models and results between runs. Safe to use from several threads.

    `cache` is the folder of the results' cache: `auto` takes `PROMPTC_CACHE` or the user's cache folder, None keeps
    nothing. `precision` is the one of the UNet and the autoencoder; `auto` is float32 on the CPU and float16 on CUDA.
    Raises RunError `no-device`.
    """

    def __init__(
        self,
        device: Device = "auto",
        cache: Path | str | None = "auto",
        precision: Literal["auto", "float32", "float16", "bfloat16"] = "auto",
        note: Callable[[str], None] | None = None,
    ) -> None:
        self.note = note or _LOG.warning
        self.wanted_device = device
        self.precision = precision
        folder = default_folder() if cache == "auto" else None if cache is None else Path(cache)
        self.cache = open_cache(folder, MEMORY if cache is not None else 0, DISK, self.note)
        self._hashes = None if folder is None else folder / "models-1"
        self._models: Models | None = None
        self._lock = threading.Lock()
        if device == "cuda":
            _device(device)

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the models go."""
        with self._lock:
            self._models = None

    @property
    def models(self) -> Models:
        """The checkpoints of this runtime."""
        if self._models is None:
            import torch

            from promptc_runtime.models import Models

            device = _device(self.wanted_device)
            usual = "float32" if device.type == "cpu" else "float16"
            dtype = getattr(torch, usual if self.precision == "auto" else self.precision)
            self._models = Models(device, dtype, self._hashes)
        return self._models

    def run(
        self,
        plan: Plan,
        out: Path | str | None = None,
        *,
        source: Path | str = Path(),
        progress: Progress | None = None,
    ) -> Result:
        """Make what a plan wants. Files go into the folder `out`; without it none is written, and images are returned.

        Relative paths of the plan start at `source`. Raises PlanError for a plan that cannot run, RunError for a run
        that cannot go on, and Interrupted on Ctrl-C, after which every file is whole.
        """
        import torch

        from promptc_runtime.ops.store import ready

        types = verify(plan)
        if out is not None:
            ready(plan, Path(out))
        with self._lock:
            notes: list[str] = []

            def note(text: str) -> None:
                notes.append(text)
                self.note(text)

            models = self.models
            context = Context(
                plan=plan,
                types=types,
                device=models.device,
                dtype=models.dtype,
                models=models,
                source=Path(source),
                directory=Path() if out is None else Path(out),
                generator=f"promptc {_version('promptc-toolkit')}",
                progress=progress or Silent(),
                note=note,
            )
            with torch.inference_mode(), _repeatable(models.device):
                job = _Job(context, self.cache, files=out is not None)
                job.run()
            return job.result(tuple(notes))


def run(
    plan: Plan,
    out: Path | str | None = None,
    *,
    device: Device = "auto",
    cache: Path | str | None = "auto",
    source: Path | str = Path(),
    progress: Progress | None = None,
) -> Result:
    """Make what a plan wants, once. A `Runtime` keeps its models for the next run."""
    with Runtime(device, cache) as runtime:
        return runtime.run(plan, out, source=source, progress=progress)


class _Job:
    """One run of one plan."""

    def __init__(self, context: Context, cache: Cache, *, files: bool) -> None:
        self.context = context
        self.cache = cache
        self.ops = context.plan.by_id
        self.files = files
        self.shown = _shown(context.plan, context.types)
        self.targets = tuple(dict.fromkeys((*self._outputs(), *self.shown)))
        reached = _reached(self.ops, self.targets)
        self.uses = dict.fromkeys(reached, 0)
        for ref in (*self.targets, *(ref for user in reached for ref in self.ops[user].inputs)):
            self.uses[ref] += 1
        self.keys = self._keys([op for op in context.plan.ops if op.id in reached])
        self.batches = {ref: batch for batch in context.plan.batches for ref in batch}
        self.values: dict[Ref, Any] = {}
        self.settled: set[Ref] = set()
        self.timings: dict[Ref, Timing] = {}
        self.trace: list[Event] = []
        self.begun = time.perf_counter()

    def _outputs(self) -> Iterator[Ref]:
        """The plan's outputs, without the files where none are to be written."""
        for ref in self.context.plan.outputs:
            if self.files or self.context.types[ref].kind not in ("file", "bytes", "record"):
                yield ref

    def _keys(self, ops: Sequence[Op]) -> dict[Ref, str]:
        context = self.context
        versions = {name: _version(name) for name in ("promptc-toolkit", "torch", "diffusers", "transformers")}
        surroundings = {**versions, "device": context.device.type, "precision": str(context.dtype)}
        digests = cached(lambda name: context.models.digest(name, context.source))
        return keys(ops, digests, surroundings)

    def run(self) -> None:
        progress = self.context.progress
        steps = sum(steps_left(op) for op in map(self.ops.__getitem__, self.uses) if isinstance(op, Denoise))
        progress.start(len(self.shown), steps)
        try:
            for target in self._by_picture():
                self._make(target)
                if target in self.shown:
                    progress.picture()
        except KeyboardInterrupt:
            done = sum(ref in self.values for ref in self.shown)
            raise Interrupted(self._paths(), done, len(self.shown)) from None
        finally:
            progress.stop()

    def _by_picture(self) -> Iterator[Ref]:
        """The targets, each picture right before its files, so that an interrupted run has whole pictures."""
        order: dict[Ref, None] = {}
        for ref in self.targets:
            image = _image(self.ops, self.context.types, ref)
            if image is not None and image in self.shown:
                order.setdefault(image)
            order.setdefault(ref)
        return iter(order)

    def _make(self, target: Ref) -> None:
        """Have the value of an op, and before it those of its inputs; no recursion, whatever the depth of the plan."""
        stack = [target]
        while stack:
            ref = stack[-1]
            if ref in self.values or self._read(ref):
                stack.pop()
                continue
            group = self._group(ref)
            missing = [need for each in group for need in self.ops[each].inputs if need not in self.values]
            if missing:
                stack.extend(reversed(dict.fromkeys(missing)))
                continue
            self._compute(group)
            stack.pop()

    def _read(self, ref: Ref) -> bool:
        """Take a result from the cache, if it is there."""
        if self.context.types[ref].kind not in KEPT:
            return False
        start = time.perf_counter()
        value = self.cache.get(self.keys[ref])
        if value is None:
            return False
        self._keep(ref, value.to(self.context.device))
        self._timed([ref], start, cached=True)
        return True

    def _group(self, ref: Ref) -> list[Ref]:
        """The ops that run in one call with this one, which comes first."""
        op = self.ops[ref]
        module = kernel(op.op)
        batch = self.batches.get(ref, ())
        if len(batch) < 2 or not hasattr(module, "run_batch"):
            return [ref]
        limit = module.batch_size(op, self.context) if hasattr(module, "batch_size") else len(batch)
        others = (
            other
            for other in batch
            if other != ref and other in self.uses and other not in self.settled and not self._read(other)
        )
        group = [ref]
        while len(group) < limit and (other := next(others, None)) is not None:
            group.append(other)
        return group

    def _compute(self, group: Sequence[Ref]) -> None:
        ops = [self.ops[ref] for ref in group]
        inputs = [[self.values[need] for need in op.inputs] for op in ops]
        module = kernel(ops[0].op)
        self.context.progress.say(ops[0].op.replace("_", " "))
        start = time.perf_counter()
        try:
            if len(group) == 1:
                made = [module.run(ops[0], inputs[0], self.context)]
            else:
                made = module.run_batch(ops, inputs, self.context)
        except (MemoryError, RuntimeError) as error:
            if not isinstance(error, MemoryError) and not any(sign in str(error) for sign in _NO_MEMORY):
                raise
            size = self.context.types[group[0]]
            raise RunError(
                "out-of-memory", f"there is too little memory for {ops[0].op} of {size}; use a smaller size"
            ) from error
        self._timed(group, start)
        for ref, value in zip(group, made, strict=True):
            if self.context.types[ref].kind in KEPT:
                self.cache.put(self.keys[ref], value)
            self._keep(ref, value)

    def _keep(self, ref: Ref, value: Any) -> None:
        self.values[ref] = value
        self._settle(ref)

    def _settle(self, ref: Ref) -> None:
        """An op is done, or nobody needs it: its inputs have one use less, and go when that was the last."""
        waiting = [ref]
        while waiting:
            done = waiting.pop()
            if done in self.settled:
                continue
            self.settled.add(done)
            op = self.ops[done]
            if isinstance(op, Denoise) and done not in self.values:
                self.context.progress.skip(steps_left(op))
            for need in op.inputs:
                self.uses[need] -= 1
                if not self.uses[need]:
                    self.values.pop(need, None)
                    waiting.append(need)

    def _timed(self, group: Sequence[Ref], start: float, *, cached: bool = False) -> None:
        end = time.perf_counter()
        for ref in group:
            self.timings[ref] = Timing(self.ops[ref].op, (end - start) / len(group), cached)
        self.trace.append(Event(self.ops[group[0]].op, tuple(group), start - self.begun, end - self.begun, cached))
        op = self.ops[group[0]]
        if cached and isinstance(op, Denoise):
            self.context.progress.skip(steps_left(op))

    def _paths(self) -> tuple[Path, ...]:
        """The files written so far, in the order of the outputs."""
        return tuple(self.values[ref].path for ref in self._outputs() if ref in self.values and self._is_file(ref))

    def _is_file(self, ref: Ref) -> bool:
        return isinstance(self.ops[ref], Store)

    def result(self, notes: tuple[str, ...]) -> Result:
        """To be called outside of inference mode: what is given out can be changed, and takes gradients."""
        images = tuple(self.values[ref].detach().to("cpu", copy=True) for ref in self.shown)
        return Result(
            images=images,
            seeds=tuple(_seed(self.ops, ref) for ref in self.shown),
            files=self._paths(),
            values={ref: self.values[ref] for ref in self._outputs()},
            timings=self.timings,
            trace=tuple(self.trace),
            seconds=time.perf_counter() - self.begun,
            notes=notes,
            seed_of={self.values[ref].path: _seed(self.ops, ref) for ref in self._outputs() if self._is_file(ref)},
        )


def kernel(name: str) -> ModuleType:
    """The module that runs an op."""
    own = importlib.import_module(specs()[name].module)
    return own if hasattr(own, "run") else importlib.import_module(f"promptc_runtime.ops.{name}")


def _image(ops: Mapping[Ref, Op], types: Mapping[Ref, Type], ref: Ref) -> Ref | None:
    """The image that an output is, or was made of."""
    while types[ref].kind != "image":
        if types[ref].kind not in ("file", "bytes", "record") or not ops[ref].inputs:
            return None
        ref = ops[ref].inputs[0]
    return ref


def _shown(plan: Plan, types: Mapping[Ref, Type]) -> tuple[Ref, ...]:
    """The images of a plan's outputs, each once."""
    ops = plan.by_id
    return tuple(dict.fromkeys(image for ref in plan.outputs if (image := _image(ops, types, ref)) is not None))


def _seed(ops: Mapping[Ref, Op], ref: Ref) -> int | None:
    """The seed of the nearest denoise above an op."""
    level = [ref]
    while level:
        for found in level:
            op = ops[found]
            if isinstance(op, Denoise):
                return op.seed
        level = list(dict.fromkeys(need for found in level for need in ops[found].inputs))
    return None


def _reached(ops: Mapping[Ref, Op], targets: Sequence[Ref]) -> set[Ref]:
    reached, waiting = set[Ref](), list(targets)
    while waiting:
        ref = waiting.pop()
        if ref not in reached:
            reached.add(ref)
            waiting.extend(ops[ref].inputs)
    return reached


def _device(wanted: Device) -> torch.device:
    import torch

    there = torch.cuda.is_available()
    if wanted == "cuda" and not there:
        why = "this torch was built without CUDA" if torch.version.cuda is None else "torch finds no CUDA device"
        raise RunError("no-device", f"{why}; use the device cpu, or auto")
    return torch.device("cuda" if there and wanted != "cpu" else "cpu")


@contextmanager
def _repeatable(device: torch.device) -> Iterator[None]:
    """The same bits on every run: no choice of algorithms by their speed of the moment."""
    import torch

    with ExitStack() as stack:
        if device.type == "cuda":
            stack.enter_context(torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True))
        yield


@cached
def _version(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"
