"""Budget, learning rate, checkpoints and averages of a training stage."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
import torch
from torch import nn

from landscape import stage as stage_module
from landscape.export import write_checkpoint
from landscape.stage import Settings, Stage


class Clock:
    """Processor time that passes by one second at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def process_time(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage_module, "time", Clock())


def trained(folder: Path, *, minutes: float = 0.5, resume: bool = False) -> tuple[Stage, nn.Linear, list[float]]:
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    stage = Stage("line", Settings(folder, minutes, resume), {"model": model}, rate=0.05, warmup=4)
    rates = []
    for _ in stage.steps():
        x = torch.randn(16, 3)
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        stage.update(loss, {"loss": loss.item()})
        rates.append(stage.optimizer.param_groups[0]["lr"])
    return stage, model, rates


def test_a_budget_is_processor_time(tmp_path: Path) -> None:
    stage, _, _ = trained(tmp_path)
    assert stage.progress.step == 29  # half a minute, a second a look
    assert stage.progress.run_minutes == pytest.approx(0.5)


def test_the_rate_rises_stays_and_falls(tmp_path: Path) -> None:
    _, _, rates = trained(tmp_path)
    assert rates[:4] == pytest.approx([0.0125, 0.025, 0.0375, 0.05])
    assert rates[10] == 0.05
    assert rates[-1] < 0.2 * 0.05


def test_a_finished_stage_gets_a_new_budget(tmp_path: Path) -> None:
    first, model, _ = trained(tmp_path)
    second, again, _ = trained(tmp_path, resume=True)
    assert second.progress.step == first.progress.step + 29
    assert second.progress.minutes == pytest.approx(1.0)
    assert not torch.equal(model.weight, again.weight)


def test_an_interrupted_stage_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    stage = Stage("line", Settings(tmp_path, 0.5), {"model": model}, rate=0.05)
    steps = stage.steps()
    for _ in range(10):
        next(steps)
        stage.update(model(torch.ones(1, 3)).square().mean(), {})
    monkeypatch.setattr(stage_module, "stop", threading.Event())
    stage_module.stop.set()
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    stage_module.stop.clear()
    moments = stage.optimizer.state_dict()["state"][0]["exp_avg"].clone()
    fresh = nn.Linear(3, 1)
    resumed = Stage("line", Settings(tmp_path, 99.0, resume=True), {"model": fresh}, rate=0.05)
    assert torch.equal(fresh.weight, model.weight)
    assert torch.equal(resumed.optimizer.state_dict()["state"][0]["exp_avg"], moments)
    for _ in resumed.steps():
        resumed.update(fresh(torch.ones(1, 3)).square().mean(), {})
    assert 27 <= resumed.progress.step <= 31  # the rest of the first budget, not 99 minutes


def test_without_resume_a_stage_starts_anew(tmp_path: Path) -> None:
    trained(tmp_path)
    again, _, _ = trained(tmp_path)
    assert again.progress.step == 29


def test_averaged_weights_are_put_in_and_taken_out(tmp_path: Path) -> None:
    stage, model, _ = trained(tmp_path)
    kept = model.weight.detach().clone()
    with stage.averaged():
        assert torch.equal(model.weight, stage.average["model.weight"])
        assert not torch.equal(model.weight, kept)
    assert torch.equal(model.weight, kept)
    stage.finish()
    assert torch.equal(model.weight, stage.average["model.weight"])


def test_a_small_checkpoint_is_taken_up(tmp_path: Path) -> None:
    stage, model, _ = trained(tmp_path / "first")
    stage.finish()
    write_checkpoint({"model": model}, tmp_path / "second" / "line" / "checkpoint", 0.5, 29)
    fresh = nn.Linear(3, 1)
    resumed = Stage("line", Settings(tmp_path / "second", 1.0, resume=True), {"model": fresh}, rate=0.05)
    assert torch.allclose(fresh.weight, model.weight, atol=1e-3)
    assert resumed.progress.step == 29
    assert resumed.progress.budget == 1.0


def test_the_log_is_one_object_a_line(tmp_path: Path) -> None:
    trained(tmp_path, minutes=2.0)
    entries = [json.loads(line) for line in (tmp_path / "line" / "log.jsonl").read_text().splitlines()]
    assert len(entries) >= 3
    assert entries[-1]["loss"] < entries[0]["loss"]
    assert entries[-1]["step"] == 119
