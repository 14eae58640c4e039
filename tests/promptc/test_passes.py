"""Each pass does what its cases say, keeps every id, and leaves a plan that holds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from promptc.plan import passes
from promptc.plan.op import Op, Type
from promptc.plan.passes import PASSES, optimize
from promptc.plan.plan import Plan
from promptc.plan.registry import specs
from promptc.plan.verify import verify

CASES = Path(__file__).parent.parent / "cases" / "passes"
DENOISE = {
    "model": "m",
    "width": 64,
    "height": 64,
    "steps": 4,
    "sampler": "ddim",
    "guidance": 4.0,
    "positive": [{"schedule": [{"last": 4, "text": 0}]}],
    "negative": {"schedule": [{"last": 4, "text": 1}]},
}
"""What the cases leave out of a denoise."""


def cases() -> Iterator[Any]:
    for path in sorted(CASES.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield pytest.param(path.stem, case, id=f"{path.stem}: {case['name']}")


def read_ops(rows: list[dict[str, Any]]) -> list[Op]:
    ops: list[Op] = []
    for row in rows:
        fields = DENOISE | row if row["op"] == "denoise" else row
        inputs = [ops[int(name[1:])].id for name in row.get("inputs", ())]
        ops.append(specs()[row["op"]].model.model_validate({**fields, "inputs": inputs}))
    return ops


@pytest.mark.parametrize(("name", "case"), list(cases()))
def test_pass(name: str, case: dict[str, Any]) -> None:
    ops = read_ops(case["before"])

    def refs(names: list[str]) -> tuple[str, ...]:
        return tuple(ops[int(name[1:])].id for name in names)

    before = Plan(ops=tuple(ops), outputs=refs(case["outputs"]))
    after: Plan = getattr(passes, name)(before)

    assert [op.id for op in after.ops] == list(refs(case["after"]))
    assert after.outputs == refs(case.get("outputs_after", case["outputs"]))
    assert after.batches == tuple(refs(batch) for batch in case.get("batches", ()))
    verify(after)


def test_every_pass_has_cases() -> None:
    assert {one.__name__ for one in PASSES} == {path.stem for path in CASES.glob("*.yaml")}


@pytest.mark.parametrize(("name", "case"), list(cases()))
def test_all_passes_together_change_no_wanted_result(name: str, case: dict[str, Any]) -> None:
    ops = read_ops(case["before"])
    wanted = tuple(ops[int(name[1:])].id for name in case["outputs"])
    plan = Plan(ops=tuple(ops), outputs=wanted)

    once = optimize(plan)

    types: dict[str, Type] = verify(once)
    assert once.outputs == tuple(dict.fromkeys(wanted))
    assert set(once.outputs) <= types.keys()
    assert optimize(once) == once
