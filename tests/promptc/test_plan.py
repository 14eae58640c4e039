"""Plans: ids, JSON, the verifier and the printers."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from promptc.plan import printers
from promptc.plan.op import Op
from promptc.plan.ops.decode import Decode
from promptc.plan.ops.denoise import Denoise, Guide, Until
from promptc.plan.ops.describe import Describe, Described
from promptc.plan.ops.encode import Encode
from promptc.plan.ops.encode_image import EncodeImage
from promptc.plan.ops.encode_text import EncodeText
from promptc.plan.ops.load_image import LoadImage
from promptc.plan.ops.resize import Resize
from promptc.plan.ops.store import Store
from promptc.plan.ops.ziatype import Ziatype
from promptc.plan.plan import Plan, dumps, loads
from promptc.plan.registry import specs
from promptc.plan.verify import PlanError, verify

FOX = EncodeText(model="landscape", parts=((("a fox", 1.0), (" in snow", 1.3)),))
EMPTY = EncodeText(model="landscape", parts=((),))
ABOUT = Described(
    prompt="a fox (in snow:1.3)", seed=7, width=64, height=96, steps=4, sampler="ddim", guidance=4.0, model="landscape"
)


def denoise(*inputs: Op, **changes: Any) -> Denoise:
    fields: dict[str, Any] = {
        "model": "landscape",
        "positive": (Guide(schedule=(Until(last=4, text=0),)),),
        "negative": Guide(schedule=(Until(last=4, text=1),)),
        "width": 64,
        "height": 96,
        "steps": 4,
        "seed": 7,
        "sampler": "ddim",
        "guidance": 4.0,
    }
    return Denoise(inputs=tuple(op.id for op in inputs), **(fields | changes))


def plan_of(*ops: Op, **fields: Any) -> Plan:
    return Plan(ops=ops, **{"outputs": (ops[-1].id,), **fields})


LATENTS = denoise(FOX, EMPTY)
IMAGE = Decode(inputs=(LATENTS.id,), model="landscape")
PRINT = Ziatype(inputs=(IMAGE.id,), paper="vellum")
SMALL = Resize(inputs=(PRINT.id,), width=32, height=48)
RECORD = Describe(inputs=(PRINT.id,), about=ABOUT)
FILE = Encode(inputs=(SMALL.id, RECORD.id), format="png")
STORE = Store(inputs=(FILE.id,), name="a-fox-in-snow-0a1b2c3d.png")
WHOLE = plan_of(FOX, EMPTY, LATENTS, IMAGE, PRINT, SMALL, RECORD, FILE, STORE)


def test_types_follow_the_ops() -> None:
    types = verify(WHOLE)
    assert [str(types[op.id]) for op in WHOLE.ops] == [
        "conditioning",
        "conditioning",
        "latents[64x96]",
        "image[64x96]",
        "image[64x96]",
        "image[32x48]",
        "record",
        "bytes[32x48]",
        "file[32x48]",
    ]


# Ids


def test_an_id_is_pinned() -> None:
    # If this changes, every cache and every stored plan is void: raise VERSION with it.
    assert EMPTY.id == "108ef89c6f710af3727b36825305b009"
    assert LATENTS.id == "c08a8afd1f9eebf7e3542061db27f493"
    assert WHOLE.id == "edff5c263f7fb3741b0ba4d63405c8c8"


def test_ids_are_equal_in_every_process() -> None:
    script = (
        "from promptc.plan.ops.encode_text import EncodeText\n"
        "from promptc.plan.ops.ziatype import Ziatype\n"
        "text = EncodeText(model='landscape', parts=((('a fox', 1.0), (' in snow', 1.3)),))\n"
        "print(text.id, Ziatype(inputs=(text.id,), density=0.1 + 0.2).id)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    here = f"{FOX.id} {Ziatype(inputs=(FOX.id,), density=0.1 + 0.2).id}\n"
    assert found == {here}


def test_an_id_covers_inputs_and_fields() -> None:
    assert denoise(FOX, EMPTY).id == LATENTS.id
    assert denoise(EMPTY, FOX).id != LATENTS.id
    assert denoise(FOX, EMPTY, seed=8).id != LATENTS.id


def test_where_a_picture_lies_is_no_part_of_its_id() -> None:
    one = LoadImage(path="a/fox.png", sha256="0" * 64, width=64, height=96)
    moved = one.model_copy(update={"path": "b/hare.png"})
    assert LoadImage.model_validate(moved.model_dump()).id == one.id
    assert LoadImage(path="a/fox.png", sha256="1" * 64, width=64, height=96).id != one.id


# JSON


def test_json_is_canonical_and_reads_back() -> None:
    text = dumps(WHOLE)
    assert loads(text) == WHOLE
    assert dumps(loads(text)) == text
    assert "\n" not in text
    assert loads(json.dumps(json.loads(text), indent=4)) == WHOLE


texts = st.text(max_size=20)
weights = st.floats(-10, 10)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(texts, weights), max_size=3), min_size=1, max_size=3))
def test_any_text_survives_json(parts: list[list[tuple[str, float]]]) -> None:
    plan = plan_of(EncodeText(model="m", parts=tuple(map(tuple, parts))))
    assert loads(dumps(plan)) == plan


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data["ops"][2].update(seed=8), "holds other content than its id says"),
        (lambda data: data["ops"][2].update(op="dream"), "unknown op 'dream'; known are "),
        (lambda data: data["ops"][2].update(sead=8), "Extra inputs are not permitted"),
        (lambda data: data["ops"][2].update(steps=0), "greater than or equal to 1"),
        (lambda data: data.update(version=2), "Input should be 1"),
        (lambda data: data.update(extra=1), "Extra inputs are not permitted"),
        (lambda data: data["ops"].append(3), "unknown op 3"),
    ],
)
def test_json_that_is_no_plan_is_refused(change: Any, reason: str) -> None:
    data = json.loads(dumps(WHOLE))
    change(data)
    with pytest.raises(ValidationError) as error:
        loads(json.dumps(data))
    assert reason in str(error.value)


def test_no_number_is_infinite() -> None:
    with pytest.raises(ValidationError):
        EncodeText(model="m", parts=((("a", float("nan")),),))


# The verifier


TWIN = denoise(FOX, EMPTY, seed=8)
WIDE = denoise(FOX, EMPTY, width=128)
START = EncodeImage(inputs=(IMAGE.id,), model="landscape")
OTHER = Store(inputs=(Encode(inputs=(IMAGE.id, RECORD.id)).id,), name=STORE.name)


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (plan_of(FOX, LATENTS), "%1 denoise: its input .* is made by no earlier op"),
        (plan_of(FOX, EMPTY, IMAGE, LATENTS), "%2 decode: its input .* is made by no earlier op"),
        (plan_of(FOX, outputs=(EMPTY.id,)), "the plan wants .*, which no op makes"),
        (plan_of(FOX, outputs=(FOX.id, FOX.id)), "wants one result twice"),
        (plan_of(FOX, Decode(inputs=(FOX.id,), model="m")), r"%1 decode: decode takes \(latents\), and was given"),
        (plan_of(FOX, denoise(FOX)), "denoise names the texts"),
        (plan_of(FOX, EMPTY, denoise(FOX, EMPTY, steps=5)), "must rise to the last step, 5"),
        (plan_of(FOX, EMPTY, denoise(FOX, EMPTY, width=100)), "width 100 is no multiple of 8"),
        (plan_of(FOX, EMPTY, denoise(FOX, EMPTY, FOX, strength=0.5)), "then latents when it has a strength"),
        (plan_of(EncodeText(model="m", parts=())), "at least one part"),
        (
            plan_of(FOX, EMPTY, LATENTS, IMAGE, START, denoise(FOX, EMPTY, START, strength=0.5, width=128)),
            r"the start is latents\[64x96\], and the picture 128x96",
        ),
        (
            plan_of(
                LoadImage(path="x", sha256="0" * 64, width=20000, height=8),
                RECORD.model_copy(update={"inputs": (LoadImage(path="x", sha256="0" * 64, width=20000, height=8).id,)}),
            ),
            None,
        ),
        (plan_of(Op(op="dream")), "%0: unknown op dream"),
        (
            plan_of(*WHOLE.ops, Encode(inputs=(IMAGE.id, RECORD.id)), OTHER),
            "an earlier op writes another file to a-fox-in-snow-0a1b2c3d.png",
        ),
        (plan_of(FOX, EMPTY, LATENTS, TWIN, batches=((LATENTS.id,),)), "does not hold at least two"),
        (plan_of(FOX, EMPTY, LATENTS, TWIN, batches=((LATENTS.id, LATENTS.id),)), "does not hold at least two"),
        (plan_of(FOX, EMPTY, LATENTS, TWIN, batches=((LATENTS.id, IMAGE.id),)), "which no op makes"),
        (plan_of(FOX, EMPTY, LATENTS, WIDE, batches=((LATENTS.id, WIDE.id),)), "ops of different shapes"),
        (plan_of(FOX, EMPTY, LATENTS, batches=((FOX.id, EMPTY.id),)), "an op that runs alone"),
        (plan_of(FOX, EMPTY, LATENTS, IMAGE, TWIN, batches=((LATENTS.id, TWIN.id),)), "is not one run of the plan"),
        (plan_of(FOX, EMPTY, LATENTS, TWIN, batches=((LATENTS.id, TWIN.id),) * 2), "shares an op with another"),
        (plan_of(FOX, EMPTY, LATENTS, TWIN, batches=((LATENTS.id, TWIN.id),)), None),
    ],
)
def test_the_verifier_names_what_does_not_hold(plan: Plan, reason: str | None) -> None:
    if reason is None:
        verify(plan)
    else:
        with pytest.raises(PlanError, match=reason):
            verify(plan)


@pytest.mark.parametrize(("width", "holds"), [(16383, True), (16384, False)])
def test_a_format_that_cannot_hold_a_picture_is_refused(width: int, holds: bool) -> None:
    image = LoadImage(path="x", sha256="0" * 64, width=width, height=8)
    record = Describe(inputs=(image.id,), about=ABOUT)
    plan = plan_of(image, record, Encode(inputs=(image.id, record.id), format="webp"))
    if holds:
        verify(plan)
    else:
        with pytest.raises(PlanError, match="webp takes at most 16383 pixels a side, and the picture has 16384"):
            verify(plan)
    verify(plan_of(image, record, Encode(inputs=(image.id, record.id), format="png")))


# Printers

ABOUT_TEXT = (
    '{"guidance":4.0,"height":96,"model":"landscape","prompt":"a fox (in snow:1.3)","sampler":"ddim","seed":7,"steps":4,'
    '"width":64}'
)


def test_text_has_one_op_a_line() -> None:
    assert printers.write(WHOLE, "text").splitlines() == [
        f"plan {WHOLE.id}",
        '%0 = encode_text() model=landscape parts=[[["a fox",1.0],[" in snow",1.3]]]',
        "%1 = encode_text() model=landscape parts=[[]]",
        "%2 = denoise(%0, %1) model=landscape positive=%0 negative=%1 size=64x96 steps=4 seed=7 sampler=ddim guidance=4.0",
        "%3 = decode(%2) model=landscape",
        "%4 = ziatype(%3) paper=vellum",
        "%5 = resize(%4) size=32x48",
        "%6 = describe(%4) about=" + ABOUT_TEXT,
        "%7 = encode(%5, %6) format=png",
        "%8 = store(%7) name=a-fox-in-snow-0a1b2c3d.png",
        "return %8",
    ]


def test_text_shows_branches_schedules_and_batches() -> None:
    two = denoise(
        FOX,
        EMPTY,
        FOX,
        positive=(
            Guide(weight=1.2, schedule=(Until(last=1, text=0), Until(last=4, text=1))),
            Guide(weight=-0.5, schedule=(Until(last=4, text=0),)),
        ),
        negative=Guide(schedule=(Until(last=4, text=2),)),
    )
    plan = plan_of(FOX, EMPTY, two, LATENTS, TWIN, batches=((LATENTS.id, TWIN.id),))
    lines = printers.write(plan, "text").splitlines()
    assert "positive=1.2*[%0..1,%1..4]+-0.5*%0 negative=%0" in lines[3]
    assert lines[-2:] == ["batch %3, %4", "return %4"]


def test_every_printer_prints_every_plan() -> None:
    assert printers.names() == ["dot", "json", "mermaid", "text"]
    nasty = EncodeText(model="m", parts=((('say "hi"\n\\ | <b> {x} `y` #1;', 1.0),),))
    for name in printers.names():
        text = printers.write(plan_of(nasty), name)
        assert "encode_text" in text
        assert not text.endswith("\n")
    with pytest.raises(ValueError, match="unknown printer svg; known are dot, json, mermaid, text"):
        printers.write(WHOLE, "svg")


def test_dot_escapes_quotes_and_marks_batches() -> None:
    plan = plan_of(EncodeText(model='a "b" \\', parts=((),)))
    assert 'model=\\"a \\\\\\"b\\\\\\" \\\\\\\\\\"' in printers.write(plan, "dot")
    plan = plan_of(FOX, EMPTY, LATENTS, TWIN, batches=((LATENTS.id, TWIN.id),))
    assert "subgraph cluster_0" in printers.write(plan, "dot")
    assert "  n0 -> n2;" in printers.write(plan, "dot").splitlines()


def test_mermaid_uses_entities() -> None:
    text = printers.write(plan_of(EncodeText(model='a "b"', parts=((),))), "mermaid")
    assert "a #92;#34;b#92;#34;" in text
    assert text.count('"') == 2


def test_built_in_ops_are_found() -> None:
    assert {"encode_text", "denoise", "decode", "ziatype", "resize", "encode", "describe", "store"} <= specs().keys()
