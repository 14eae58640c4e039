"""Which prompts are found in a Python source, where, and against which context: `tests/cases/python_source/*.py`.

Each case ends in lines that begin with `#>`, one for each thing found. `PROMPTC_UPDATE=1 pytest` rewrites them.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.source import Source, Span, decode
from promptc.types import describe, show_value
from promptc_plugins.python_source import Embedded, Found, find

CASES = Path(__file__).parents[1] / "cases" / "python_source"


def found_in(text: str, path: str = "case.py") -> Found:
    return find(Source(path, text))


def place(source: Source, span: Span) -> str:
    start, end = source.position(span.start), source.position(span.end)
    return f"{start.line}:{start.column}-{end.line}:{end.column}"


def context_lines(one: Embedded) -> list[str]:
    if one.context is None:
        return []
    state = "" if one.context.complete else " (incomplete)"
    fields = []
    for parameter in one.context.parameters:
        kind = describe(parameter.type) if parameter.type is not None else "?"
        default = (
            "" if parameter.required else " = …" if parameter.default is None else f" = {show_value(parameter.default)}"
        )
        fields.append(f"{parameter.name}: {kind}{default}")
    return [f"#>   {one.context.name}{state}({'; '.join(fields)})"]


def shown(source: Source, found: Found) -> list[str]:
    lines = []
    for one in found.prompts:
        comments = " comments" if one.fragment.comments else ""
        span = place(source, one.fragment.span(0, len(one.fragment.text)))
        lines.append(f"#> {one.kind}{comments} {span} {one.fragment.text!r}")
        lines += context_lines(one)
    lines += [f"#> file {place(source, one.span)} {one.path!r}" for one in found.references]
    lines += [f"#> {one.severity} {one.code} {place(source, one.span)} {one.label}".rstrip() for one in found.problems]
    return lines


@pytest.mark.parametrize("path", sorted(CASES.glob("*.py")), ids=lambda path: path.stem)
def test_cases(path: Path) -> None:
    source = decode(path.read_bytes(), str(path))
    body = [line for line in source.text.splitlines() if not line.startswith("#>")]
    expected = [line for line in source.text.splitlines() if line.startswith("#>")]
    actual = shown(source, find(source, root=CASES))
    if os.environ.get("PROMPTC_UPDATE") and actual != expected:
        path.write_text("\n".join([*body, *actual]) + "\n", encoding="utf-8", newline="")
    assert actual == expected


@pytest.mark.parametrize(
    "text",
    [
        "def prompt(text): ...\nprompt('{')",
        "from questionary import prompt\nprompt('{') # promptc",
        "import promptc\ndef f(prompt): prompt('{')",
        "from promptc import prompt\ndef f(prompt): prompt('{')",
        "from promptc import prompt\nfor prompt in []: prompt('{')",
        "from promptc import prompt\n[prompt('{') for prompt in []]",
        "from promptc import prompt\nprompt = print\nprompt('{')",
        "from promptc import prompt\nlambda prompt: prompt('{')",
        "import promptc.cli as prompt\nprompt('{')",
        "from string import Template\nTemplate('{')  # not promptc's",
        "# promptc\nx.prompt('{')",
    ],
)
def test_a_name_that_does_not_come_from_promptc_is_left_alone(text: str) -> None:
    assert found_in(text) == Found([], [], [], [])


@pytest.mark.parametrize(
    "text",
    [
        "import promptc\npromptc.prompt('a')",
        "import promptc as p\np.prompt('a')",
        "import promptc.template\npromptc.prompt('a')",
        "from promptc import prompt\nprompt('a')",
        "from promptc import prompt as q\nq('a')",
        "from promptc import *\nprompt('a')",
        "def f():\n    from promptc import prompt\n    prompt('a')",
        "from promptc import prompt\nclass C:\n    prompt = 3\n    def f(self): prompt('a')",
        "try:\n    from promptc import prompt\nexcept ImportError:\n    prompt = None\nprompt('a')",
        "import promptc\nmake = promptc.prompt\nmake('a')",
        "from promptc import prompt\ndef f():\n    global T\n    T = 1\nT2 = 'a'\nprompt(T2)",
        "from promptc import prompt\nasync def f(): return [prompt('a') for _ in ()]",
        "from promptc import prompt\n@decorate(prompt('a'))\nclass C: ...",
        "from promptc import prompt\nif (x := prompt('a')): ...",
        "from promptc import prompt\nmatch prompt('a'):\n    case _: ...",
        "from promptc import Template\nTemplate('a')",
    ],
)
def test_every_spelling_of_the_name_counts(text: str) -> None:
    assert [one.fragment.text for one in found_in(text).prompts] == ["a"]


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("f'a {x}'", "warning"),
        ("f'a'", "warning"),
        ("'a' f'{x}'", "warning"),
        ("b'a'", "warning"),
        ("3", "warning"),
        ("'a' + x", "warning"),
        ("'a %s' % x", "warning"),
        ("'a {}'.format(x)", "warning"),
        ("x", "note"),
        ("x()", "note"),
        ("x.y", "note"),
        ("TWICE", "note"),
    ],
)
def test_what_is_no_literal_is_said_at_the_argument(text: str, severity: str) -> None:
    source = f"from promptc import prompt\nTWICE = 'a'\nTWICE = 'b'\nprompt({text})\n"
    (problem,) = found_in(source).problems
    assert (problem.code, problem.severity) == ("W0941", severity)
    assert source[problem.span.start : problem.span.end] == text


def test_a_file_that_is_no_python_is_one_warning_with_a_place() -> None:
    source = Source("case.py", "from promptc import prompt\nprompt('{'\nx = 1\n")
    (problem,) = find(source).problems
    assert (problem.code, problem.label) == ("W0942", "'(' was never closed")
    assert source.position(problem.span.start)[:2] == (2, 7)


@pytest.mark.parametrize(
    "text",
    ["x = \0 # promptc", "# promptc\n" + "(" * 5000, "# promptc\n" + "-" * 100_000 + "1", "\ufeff# promptc\n\ufeff"],
)
def test_no_text_raises(text: str) -> None:
    assert len(found_in(text).problems) == 1


def test_a_long_sum_needs_no_recursion() -> None:
    text = "from promptc import prompt\nprompt(" + " + ".join(["'a'"] * 600) + ")\n"
    assert found_in(text).prompts[0].fragment.text == "a" * 600


def test_one_constant_used_twice_is_one_prompt() -> None:
    found = found_in("from promptc import prompt\nT = 'a {b}'\nprompt(T)\nprompt(T)\n")
    assert len(found.prompts) == 1


def test_places_are_the_same_for_every_line_end() -> None:
    text = 'from promptc import prompt\n\nx = prompt("""é {a}\n  {b}""")\n'
    places = []
    for end in ("\n", "\r\n", "\r"):
        source = Source("case.py", text.replace("\n", end))
        fragment = find(source).prompts[0].fragment
        start = fragment.text.index("{b}")
        places.append((fragment.text, place(source, fragment.span(start, start + 3))))
    assert places == [("é {a}\n  {b}", "4:3-4:6")] * 3


def test_imports_of_first_party_modules_are_followed(tmp_path: Path) -> None:
    package = tmp_path / "app"
    package.mkdir()
    (package / "__init__.py").write_text("from .models import Portrait as Public\n")
    (package / "models.py").write_text(
        "from pydantic import BaseModel\nfrom .cycle import Mood\nclass Portrait(BaseModel):\n    subject: str\n    mood: Mood\n"
    )
    (package / "cycle.py").write_text("from typing import Literal\nfrom . import models\nMood = Literal['calm']\n")
    text = (
        "import app.models\nfrom app import Public\nfrom app.models import Portrait as P\nfrom . import models\n"
        "from promptc import Template\n"
        "Template[P]('a'); Template[Public]('b'); Template[app.models.Portrait]('c'); Template[models.Portrait]('d')\n"
    )
    found = find(Source(str(package / "use.py"), text))
    contexts = [one.context for one in found.prompts]
    assert all(context is not None and context.complete for context in contexts)
    assert [[parameter.name for parameter in context.parameters] for context in contexts if context] == [
        ["subject", "mood"]
    ] * 4


def test_no_module_of_the_user_is_ever_run(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text("raise SystemExit('run')\n")
    found = find(
        Source(str(tmp_path / "use.py"), "from models import C\nfrom promptc import Template\nTemplate[C]('a')")
    )
    assert found.prompts[0].context is None


def test_the_fast_path_brings_in_no_heavy_module() -> None:
    code = (
        "import sys; from promptc.source import Source; from promptc_plugins.python_source import find;"
        "find(Source('a.py', 'from promptc import prompt; prompt(\"{a}\")'));"
        "print([name for name in ('libcst', 'mypy', 'torch', 'numpy', 'pydantic', 'yaml', 'rich') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_missing_prompt_file_is_an_error_at_its_name(tmp_path: Path) -> None:
    (tmp_path / "card.prompt").write_text("a {x}")
    path = tmp_path / "use.py"
    text = 'from promptc import prompt\nprompt.file("card.prompt")\nprompt.file("crad.prompt")\n'
    path.write_text(text)
    (problem,) = find(Source(str(path), text)).problems
    assert (problem.code, text[problem.span.start : problem.span.end]) == ("E1601", '"crad.prompt"')
    assert "`card.prompt`" in problem.help


def test_a_source_that_is_no_file_has_no_folder_to_look_in() -> None:
    assert found_in('from promptc import prompt\nprompt.file("card.prompt")\n', "<stdin>").problems == []


def test_a_byte_order_mark_moves_nothing() -> None:
    source = decode(b"\xef\xbb\xbffrom promptc import prompt; prompt('{a}')\n", "case.py")
    fragment = find(source).prompts[0].fragment
    assert place(source, fragment.span(0, 3)) == "1:37-1:40"


SOURCES = [path.read_text(encoding="utf-8") for path in sorted(CASES.glob("*.py"))]


@given(st.sampled_from(SOURCES), st.data())
@settings(max_examples=60, deadline=None)
def test_a_damaged_source_never_raises(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 60)))
    put = data.draw(st.sampled_from(["", "\n", "(", '"', "'''", "prompt(", "\t", "é", "\\", "\r"]))
    damaged = text[:start] + put + text[end:]
    found = found_in(damaged)
    spans = [one.fragment.span(0, len(one.fragment.text)) for one in found.prompts] + [
        one.span for one in found.problems
    ]
    assert all(0 <= first <= last <= len(damaged) for first, last in spans)
