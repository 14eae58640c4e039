"""From bound prompts to plans: what is said counts, what is not said has its default, what cannot be done is refused."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import jsonschema
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import promptc
from promptc import BindError, Plan, PlanError, PromptError, prompt
from promptc.plan import schema
from promptc.plan.op import Op
from promptc.plan.ops.decode import Decode
from promptc.plan.ops.denoise import Denoise
from promptc.plan.ops.describe import Describe
from promptc.plan.ops.encode import Encode
from promptc.plan.ops.encode_image import EncodeImage
from promptc.plan.ops.encode_text import EncodeText
from promptc.plan.ops.load_image import LoadImage
from promptc.plan.ops.resize import Resize
from promptc.plan.ops.store import Store
from promptc.plan.ops.ziatype import Ziatype
from promptc.plan.plan import dumps, loads
from promptc.plan.verify import verify
from promptc.settings import DEFAULT
from promptc.size import fit

AnyOp = TypeVar("AnyOp", bound=Op)


def plan_of(text: str, **options: object) -> Plan:
    plan = promptc.compile(prompt(text)(), **options)  # type: ignore[arg-type]
    verify(plan)
    jsonschema.validate(json.loads(dumps(plan)), schema.published())
    assert loads(dumps(plan)) == plan
    return plan


def every(plan: Plan, kind: type[AnyOp]) -> list[AnyOp]:
    return [op for op in plan.ops if isinstance(op, kind)]


def the(plan: Plan, kind: type[AnyOp]) -> AnyOp:
    (found,) = every(plan, kind)
    return found


def parts(plan: Plan) -> list[list[list[tuple[str, float]]]]:
    """What is encoded for each text of the first denoise, in its order."""
    denoise = every(plan, Denoise)[0]
    texts = [plan.by_id[ref] for ref in denoise.inputs]
    return [[list(part) for part in op.parts] for op in texts if isinstance(op, EncodeText)]


def codes(text: str, **options: object) -> list[str]:
    with pytest.raises(PromptError) as error:
        promptc.compile(prompt(text)(), **options)  # type: ignore[arg-type]
    return [one.code for one in error.value.diagnostics]


# The whole road


def test_a_plain_prompt() -> None:
    plan = plan_of("a red sailboat")
    assert [op.op for op in plan.ops] == [
        "encode_text",
        "encode_text",
        "denoise",
        "decode",
        "describe",
        "encode",
        "store",
    ]
    denoise = the(plan, Denoise)
    assert (denoise.model, denoise.width, denoise.height, denoise.steps) == ("landscape", 128, 128, 20)
    assert (denoise.seed, denoise.sampler, denoise.guidance, denoise.guidance_rescale) == (0, "ddim", 4.0, 0.7)
    assert parts(plan) == [[[("a red sailboat", 1.0)]], [[]]]
    assert plan.outputs == (the(plan, Store).id,)


def test_an_empty_prompt_is_one_empty_part() -> None:
    assert [op.parts for op in every(plan_of(""), EncodeText)] == [((),)]


def test_weights_branches_breaks_and_schedules() -> None:
    assert parts(plan_of("a (red:1.5) sky BREAK fog"))[0] == [
        [("a ", 1.0), ("red", 1.5), (" sky", 1.0)],
        [("fog", 1.0)],
    ]
    two = the(plan_of("a cat :1.2 AND a dog :-0.5"), Denoise)
    assert [guide.weight for guide in two.positive] == [1.2, -0.5]
    night = the(plan_of("[day:night:0.25] sky --steps 8"), Denoise)
    assert [until.last for until in night.positive[0].schedule] == [2, 8]
    turns = the(plan_of("[a|b] --steps 4"), Denoise)
    assert [(until.last, until.text) for until in turns.positive[0].schedule] == [(1, 0), (2, 1), (3, 0), (4, 1)]
    assert len(turns.inputs) == 3


def test_what_is_given_wins_over_the_defaults() -> None:
    plan = plan_of(
        "fog --size 64x96 --steps 7 --guidance 0 --guidance-rescale 0 --sampler euler_a --seed 12 --clip-skip 2 "
        "--weighting comfy --tile"
    )
    op = the(plan, Denoise)
    assert (op.width, op.height, op.steps, op.guidance, op.guidance_rescale) == (64, 96, 7, 0.0, 0.0)
    assert (op.sampler, op.seed, op.tile) == ("euler_a", 12, True)
    assert {(text.clip_skip, text.weighting) for text in every(plan, EncodeText)} == {(2, "comfy")}
    assert the(plan, Decode).tile


# Seeds, batches, repeats


def test_each_picture_has_a_seed_of_its_own() -> None:
    plan = plan_of("fog --seed 100 --batch 4")
    assert [op.seed for op in every(plan, Denoise)] == [100, 101, 102, 103]
    assert [(op.about.seed, op.about.batch_index) for op in every(plan, Describe)] == [
        (100, 0),
        (101, 1),
        (102, 2),
        (103, 3),
    ]
    assert len(set(plan.outputs)) == 4
    assert plan.batches == (tuple(op.id for op in every(plan, Denoise)),)


def test_a_picture_of_a_batch_is_the_picture_of_its_seed() -> None:
    batch = every(plan_of("fog --seed 1 --batch 4"), Denoise)
    alone = the(plan_of("fog --seed 3"), Denoise)
    assert batch[2].id == alone.id


def test_repeats_count_seeds_on() -> None:
    plan = plan_of("fog --seed 5 --batch 2 --repeat 3")
    assert [op.seed for op in every(plan, Denoise)] == [5, 6, 7, 8, 9, 10]
    assert [op.about.batch_index for op in every(plan, Describe)] == [0, 1, 2, 3, 4, 5]


def test_choices_follow_the_seed_and_not_the_place_in_a_batch() -> None:
    plan = plan_of("a {red|green|blue|white|black} rose --seed 3 --batch 4")
    assert len({op.about.prompt for op in every(plan, Describe)}) == 1
    plan = plan_of("a {red|green|blue|white|black} rose --seed 3 --repeat 12")
    assert len({op.about.prompt for op in every(plan, Describe)}) > 1


def test_a_seed_of_the_caller_wins() -> None:
    assert the(plan_of("fog --seed 4", seed=9), Denoise).seed == 9
    assert the(plan_of("fog", seed=9), Denoise).seed == 9
    assert the(plan_of("fog --seed 4"), Denoise).seed == 4


def test_seeds_end_where_json_is_exact() -> None:
    assert the(plan_of(f"fog --seed {2**53 - 1}"), Denoise).seed == 2**53 - 1
    assert codes(f"fog --seed {2**53 - 1} --batch 2") == ["E1302"]


# Sizes


@pytest.mark.parametrize(
    ("ratio", "size"),
    [
        ("1:1", (128, 128)),
        ("16:9", (168, 96)),
        ("9:16", (96, 168)),
        ("4:5", (104, 128)),
        ("4:3", (128, 96)),
        ("16:1", (512, 32)),
    ],
)
def test_a_ratio_keeps_to_the_pixels_of_the_model(ratio: str, size: tuple[int, int]) -> None:
    op = the(plan_of(f"fog --ar {ratio}"), Denoise)
    assert (op.width, op.height) == size


@hypothesis_settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from([128, 512, 768, 1024]), st.sampled_from([8, 16, 64]))
def test_every_ratio_has_a_size(width: int, height: int, side: int, step: int) -> None:
    found = fit((width, height), (side, side), step)
    assert found[0] % step == found[1] % step == 0
    assert 0 < found[0] * found[1] <= side * side
    assert fit((height, width), (side, side), step) == found[::-1]


def test_outputs_have_their_widths() -> None:
    plan = plan_of("fog --size 128x96 --out 256,128,64 --format png,webp")
    assert [(op.width, op.height) for op in every(plan, Resize)] == [(256, 192), (64, 48)]
    types = verify(plan)
    assert [str(types[ref]) for ref in plan.outputs] == [
        "file[256x192]",
        "file[256x192]",
        "file[128x96]",
        "file[128x96]",
        "file[64x48]",
        "file[64x48]",
    ]
    assert [name.rpartition(".")[2] for name in names(plan)] == ["png", "webp"] * 3
    # A record speaks of the picture that it is in.
    assert [(op.about.width, op.about.height) for op in every(plan, Describe)] == [(256, 192), (128, 96), (64, 48)]


def test_a_format_that_is_too_small_is_refused_at_its_place() -> None:
    assert codes("fog --out 16384 --format webp") == ["E1302"]
    plan_of("fog --out 16383 --format webp")
    plan_of("fog --out 16384 --format png")


def names(plan: Plan) -> list[str]:
    by_id = plan.by_id
    return [op.name for ref in plan.outputs if isinstance(op := by_id[ref], Store)]


def test_file_names_are_slugs_and_differ() -> None:
    (name,) = names(plan_of('"fox": a study?'))
    assert name.startswith("fox-a-study-")
    assert name.endswith(".webp")
    assert len(name) == len("fox-a-study-") + 8 + len(".webp")
    many = names(plan_of("fog --batch 3 --out 64,128 --format png,webp"))
    assert len(set(many)) == 12
    assert names(plan_of("a (red:1.2) fox BREAK snow"))[0].startswith("a-red-fox-snow-")
    (long,) = names(plan_of("very " * 60 + "long fog"))
    assert len(long.encode()) <= 120
    assert names(plan_of("写真"))[0].endswith(".webp")
    assert not names(plan_of("con"))[0].startswith("con-")


def test_quality_is_the_formats_own_where_none_is_given() -> None:
    assert {op.format: op.quality for op in every(plan_of("fog --format webp,jpeg"), Encode)} == {
        "webp": 90,
        "jpeg": 92,
    }
    assert {op.quality for op in every(plan_of("fog --format webp,jpeg --quality 50"), Encode)} == {50}


# Negatives


def test_a_negative_is_a_prompt_of_its_own() -> None:
    assert parts(plan_of("fog --no blur, (watermark:1.3)"))[1] == [[("blur, ", 1.0), ("watermark", 1.3)]]
    night = the(plan_of("fog --no [blur:noise:0.5] --steps 4"), Denoise)
    assert [until.last for until in night.negative.schedule] == [2, 4]
    assert codes("fog --no a AND b") == ["E1504"]


def test_values_in_a_negative_are_data() -> None:
    plan = promptc.compile(prompt("fog --no {what}, blur"), what="(x:1.5)")
    assert parts(plan)[1] == [[("(x:1.5), blur", 1.0)]]


def test_several_negatives_add_up(tmp_path: Path) -> None:
    path = tmp_path / "card.prompt"
    path.write_text("---\nnegative: blurry, {artifact = watermark}\n---\nfog --no text --no (red:1.2)\n")
    plan = promptc.compile(prompt.file(path))
    assert parts(plan)[1] == [[("blurry, watermark, text, ", 1.0), ("red", 1.2)]]
    assert the(plan, Describe).about.negative == "blurry, watermark, text, (red:1.2)"


# Prints


def test_a_print_has_its_arguments() -> None:
    plan = plan_of("fog --print ziatype(density=2, paper=vellum)")
    op = the(plan, Ziatype)
    assert (op.density, op.gamma, op.paper) == (2.0, 2.2, "vellum")
    assert the(plan_of("fog --print ziatype"), Ziatype) == Ziatype(inputs=the(plan_of("fog"), Describe).inputs)


def test_changing_the_print_changes_nothing_before_it() -> None:
    one, two = plan_of("fog --print ziatype(gamma=2)"), plan_of("fog --print ziatype(gamma=3)")
    assert the(one, Decode).id == the(two, Decode).id
    assert the(one, Ziatype).id != the(two, Ziatype).id


VIGNETTE = '''
"""Image -> image with dark corners."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from promptc.plan.op import InvalidOp, Op, Type, expect


class Vignette(Op):
    """Darken the corners."""

    op: Literal["vignette"] = "vignette"
    strength: Annotated[float, Field(ge=0, le=1)]
    shape: Literal["round", "oval"] = "round"


class Twice(Op):
    """Not a print: it changes the size."""

    op: Literal["twice"] = "twice"
    factor: int = 2


def infer(op: Op, inputs: Sequence[Type]) -> Type:
    expect(op, inputs, "image")
    if isinstance(op, Twice):
        return Type(kind="image", width=inputs[0].width * op.factor, height=inputs[0].height * op.factor)
    if op.strength == 0.9:
        raise InvalidOp("too dark")
    return inputs[0]


def run(op: Vignette, inputs: Sequence[Any], context: Any) -> Any:
    import torch

    (image,) = inputs
    height, width = image.shape[-2:]
    y = torch.linspace(-1, 1, height).view(-1, 1)
    x = torch.linspace(-1, 1, width).view(1, -1)
    return image * (1 - op.strength * (x**2 + y**2) / 2)
'''


@pytest.fixture(scope="module")
def with_vignette(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds an installed package of one module, which registers an op."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "vignette.py").write_text(VIGNETTE)
    info = folder / "vignette-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vignette\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[promptc.ops]\nvignette = vignette\n")
    return folder


def command(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(folder), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "promptc", *arguments],
        input=text,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("vignette(strength=0.4)", "vignette(%3) strength=0.4"),
        ("vignette(strength=0.5, shape=oval)", "vignette(%3) strength=0.5 shape=oval"),
        ("ziatype(paper=vellum)", "ziatype(%3) paper=vellum"),
    ],
)
def test_an_op_of_another_package_prints(with_vignette: Path, call: str, wanted: str) -> None:
    found = command(with_vignette, "compile", "-", text=f"fog --print {call}\n")
    assert found.returncode == 0, found.stderr
    assert wanted in found.stdout


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("vignete(strength=0.4)", "did you mean `vignette`?"),
        ("vignette(strenght=0.4)", "did you mean `strength`?"),
        ("vignette(strength=1.5)", "1.5 is above 1"),
        ("vignette(shape=ovel)", "did you mean `oval`?"),
        ("vignette(strength=0.9)", "too dark"),
        ("vignette", "strength: Field required"),
        ("twice", "something else than an image of the same size"),
    ],
)
def test_mistakes_in_its_arguments_are_found(with_vignette: Path, call: str, reason: str) -> None:
    found = command(with_vignette, "compile", "-", text=f"fog --print {call}\n")
    assert found.returncode == 1, found.stdout
    assert reason in found.stderr


def test_a_package_that_cannot_be_used_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('no luck')")
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[promptc.ops]\nbroken = broken\n")
    found = command(tmp_path, "compile", "-", text="fog\n")
    assert found.returncode == 0
    assert "the ops of broken cannot be used: no luck" in found.stderr


# Images


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "start.png"
    path.write_bytes(b"not opened by the compiler")
    return path


def test_a_start_is_loaded_by_its_content(picture: Path) -> None:
    settings = replace(DEFAULT, root=picture.parent)
    plan = plan_of("fog --init start.png --strength 0.4 --size 64x96", settings=settings)
    loaded = the(plan, LoadImage)
    assert (loaded.path, loaded.width, loaded.height) == ("start.png", 64, 96)
    assert loaded.sha256 == hashlib.sha256(picture.read_bytes()).hexdigest()
    denoise = the(plan, Denoise)
    assert denoise.strength == 0.4
    assert denoise.inputs[-1] == the(plan, EncodeImage).id
    assert the(plan_of("fog --init start.png", settings=settings), Denoise).strength == 0.75


def test_a_bound_image_is_loaded(picture: Path) -> None:
    template = prompt("fog --init {start}")
    plan = promptc.compile(template, start=promptc.Image(picture))
    assert the(plan, LoadImage).path == str(picture)


def test_an_image_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    template = prompt("fog --init {start}")
    for image in ("nowhere.png", "https://img.example/a.png"):
        with pytest.raises(PromptError) as error:
            promptc.compile(template, start=str(tmp_path / image) if "://" not in image else image)
        assert [one.code for one in error.value.diagnostics] == ["E1601"]


# What this version cannot do


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("fog <lora:film:0.8>", "<lora:film:0.8>"),
        ("fog <embedding:grain>", "<embedding:grain>"),
        ("fog --sref print.png::2", "--sref print.png::2"),
        ("{fog|<lora:film:0.8>}", "<lora:film:0.8>"),
    ],
)
def test_what_is_not_run_is_refused_at_its_place(text: str, quoted: str) -> None:
    with pytest.raises(PromptError) as error:
        promptc.compile(prompt(text)())
    (found,) = error.value.diagnostics
    assert found.code == "E1504"
    assert text[found.span.start : found.span.end].strip() == quoted


def test_models_that_are_not_run_are_refused() -> None:
    assert codes("fog --model sdxl") == ["E1505"]
    assert codes("fog --model nowhere/at-all") == ["E1505"]
    assert codes("fog", model="flux") == ["E1505"]


def test_a_folder_says_what_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    for name, content in {
        "model_index.json": {"unet": ["diffusers", "UNet2DConditionModel"]},
        "unet/config.json": {"sample_size": 8, "cross_attention_dim": 768},
        "vae/config.json": {"block_out_channels": [8, 8, 8, 8]},
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    op = the(plan_of(f"fog --model {folder}"), Denoise)
    assert (op.width, op.height, op.guidance, op.model) == (64, 64, 7.5, str(folder))
    (folder / "unet" / "config.json").write_text("{")
    assert codes(f"fog --model {folder}") == ["E1505"]


# Records


def test_a_record_has_template_values_and_choices() -> None:
    template = prompt("a {red|red} {thing} in {n: int} (fog:{w}) --seed 3")
    about = the(promptc.compile(template, thing="rose", n=2, w=1.2), Describe).about
    assert about.prompt == "a red rose in 2 (fog:1.2)"
    assert about.template == template.text
    assert about.values == {"thing": "rose", "n": 2, "w": 1.2}
    assert about.choices in ((0,), (1,))
    assert (about.seed, about.steps, about.sampler, about.model) == (3, 20, "ddim", "landscape")


def test_the_prompt_of_a_record_reads_as_it_was_told() -> None:
    template = prompt("# for the sea\na {thing},\n# and the fog\n(fog:1.2) --seed 3")
    plan = promptc.compile(template, thing="(rose:2)")
    about = the(plan, Describe).about
    assert about.prompt == "a \\(rose:2\\),\n(fog:1.2)"
    assert parts(plan_of(about.prompt)) == parts(plan)


# Several prompts


def test_common_work_is_done_once() -> None:
    template = prompt("a {thing} --no blur")
    plan = promptc.compile([template(thing="fox"), template(thing="hare"), template(thing="fox")])
    assert len(every(plan, EncodeText)) == 3
    assert len(every(plan, Denoise)) == 2
    assert len(plan.outputs) == 2
    assert plan.batches == (tuple(op.id for op in every(plan, Denoise)),)


def test_values_are_for_templates() -> None:
    with pytest.raises(BindError, match="x: the prompt is bound already"):
        promptc.compile(prompt("a")(), x=3)
    with pytest.raises(BindError, match="seed: the prompt has a placeholder of this name"):
        promptc.compile(prompt("a {seed}"), seed=3)


# Equal everywhere


def test_equal_prompts_have_equal_ids_in_every_process() -> None:
    script = (
        "import promptc\n"
        "plan = promptc.compile(promptc.prompt('a {red|blue} {thing}, (fog:1.3) --ar 4:5 --print ziatype'), thing='fox')\n"
        "print(plan.id, *(op.id for op in plan.ops))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "7", "4242")
    }
    assert len(found) == 1


def test_the_id_of_a_prompt_is_pinned() -> None:
    # If this changes, a prompt makes another plan than before: say so in the change log.
    assert promptc.compile("a red sailboat on the sea --seed 7").id == "2e974dcdd44d5eb4f1a30319de5609d6"


def test_a_plan_that_does_not_hold_is_no_plan() -> None:
    plan = plan_of("fog")
    broken = plan.model_copy(update={"ops": plan.ops[1:]})
    with pytest.raises(PlanError):
        verify(broken)
