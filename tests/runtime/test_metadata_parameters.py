"""The web-UI text: read as other tools write it, written so that every text comes back."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from promptc_runtime.metadata import parameters
from promptc_runtime.metadata.parameters import plain_number, read, write
from promptc_runtime.metadata.record import Record

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "cases" / "metadata" / "parameters.json").read_text("utf-8")
)
SETTINGS: dict[str, parameters.Setting] = {"Steps": 20, "Seed": 5, "Version": "promptc 0.1.0"}

TRICKY = st.sampled_from(
    [
        "Negative prompt: blur",
        "Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 5",
        "Template: x",
        "\n",
        "\r\n",
        " ",
        '"',
        "\\",
        ",",
        ": ",
        "\x00",
        "\x85",
        "\u2028",
        "\ufffe",
        "写真",
        "fox",
    ]
)
TEXT = st.one_of(st.text(max_size=40), st.lists(TRICKY, max_size=6).map("".join))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["about"]))
def test_reading(case: dict[str, Any]) -> None:
    found = read(case["text"])
    assert (found.prompt, found.negative, dict(found.settings)) == (case["prompt"], case["negative"], case["settings"])


@settings(max_examples=300, deadline=None)
@given(TEXT, TEXT, TEXT)
@example("\ud800 half a pair", "", "")
def test_what_is_written_is_read_back(prompt: str, negative: str, template: str) -> None:
    text = write(prompt, negative, {**SETTINGS, "Template": template})
    found = read(text)
    assert (found.prompt, found.negative) == (prompt, negative)
    assert dict(found.settings) == {"Steps": "20", "Seed": "5", "Version": "promptc 0.1.0", "Template": template}


@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT, TEXT)
def test_the_text_is_fit_for_every_container(prompt: str, negative: str, template: str) -> None:
    """No control characters, no half surrogate pairs; and the settings are one line, the last."""
    text = write(prompt, negative, {**SETTINGS, "Template": template})
    text.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", text)
    assert text.split("\n")[-1].startswith("Steps: 20, Seed: 5, ")


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_reading_never_raises(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ("plain words", "plain words"),
        ("a, b", '"a, b"'),
        ("a: b", '"a: b"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("back\\slash", '"back\\\\slash"'),
        ("two\nlines", '"two\\nlines"'),
        (" edge", '" edge"'),
        ("", '""'),
        ("写真", "写真"),
    ],
)
def test_values_that_would_break_the_line_are_quoted(value: str, spelled: str) -> None:
    assert write("x", "", {**SETTINGS, "Template": value}).endswith(f"Template: {spelled}")


def test_unknown_values_are_left_out() -> None:
    text = write("x", "", {**SETTINGS, "CFG scale": None, "Strength": float("nan"), "Model": None})
    assert text == "x\nSteps: 20, Seed: 5, Version: promptc 0.1.0"


@settings(max_examples=200)
@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_have_no_exponent(value: int | float) -> None:
    spelled = plain_number(value)
    assert re.fullmatch(r"-?\d+(\.\d+)?", spelled)
    assert float(spelled) == float(value)


def test_too_few_settings_would_be_text() -> None:
    with pytest.raises(ValueError, match="needs 3 settings, and has 1"):
        write("x", "", {"Steps": 20})


def test_a_record_names_what_other_tools_look_for() -> None:
    record = Record(
        generator="promptc 0.1.0",
        prompt="red rose",
        negative="blur",
        template="{red|blue} rose, wide",
        choices=(0,),
        values={"tone": "red, deep"},
        seed=102,
        batch_index=2,
        width=512,
        height=640,
        steps=20,
        sampler="euler_a",
        guidance=7.0,
        model="landscape",
        model_digest="0123456789abcdef",
    )
    text = parameters.of_record(record)
    assert text == (
        "red rose\n"
        "Negative prompt: blur\n"
        "Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 102, Size: 512x640, Model hash: 0123456789, Model: landscape, "
        'Batch index: 2, Template: "{red|blue} rose, wide", Values: "{\\"tone\\": \\"red, deep\\"}", Choices: [0], '
        "Version: promptc 0.1.0"
    )


def test_reading_is_linear_in_the_length() -> None:
    """Work is counted as the settings found and the letters kept: a long line is passed once."""
    line = "word " * 50_000
    assert read(line).prompt == line.strip()
    assert len(read(", ".join(f"Key {n}: {n}" for n in range(5_000))).settings) == 5_000
