"""Mistakes that prompt tools have made, each as a kind: what promptc does instead, held by a case or a test.

The answers are data, in tests/cases/reports; docs/reports.md is made of them by `python -m tests.end_to_end.test_reports`.
"""

import ast
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from promptc.cli import promptc

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
PAGE = ROOT / "docs" / "reports.md"
REPORTS = ROOT.parent / "shared" / "data" / "reports.json"
AREAS = ("syntax", "template", "parameters", "tokens", "determinism", "metadata", "output")

Case = dict[str, Any]
ANSWERS: dict[str, dict[str, Case]] = {
    area: yaml.safe_load((TESTS / "cases" / "reports" / f"{area}.yaml").read_text("utf-8")) for area in AREAS
}
ENTRIES = {name: entry for answers in ANSWERS.values() for name, entry in answers.items()}
CASES = [
    pytest.param(case, id=f"{name}-{number}")
    for name, entry in ENTRIES.items()
    for number, case in enumerate(entry.get("cases", ()), 1)
]


# What is read of a case: one reader for each key. A reader gets what is expected, and gives what there is.


def ask(command: str, case: Case, *options: str) -> Result:
    """One command over the prompt of a case, given on standard input."""
    words = [command, "-", "--stdin-filename", "case.prompt", *options]
    if command in ("check", "inspect") and "target" in case:
        words += ["--target", case["target"]]
    if command != "check":
        words += case.get("values", [])
    result = CliRunner().invoke(promptc, words, input=case["prompt"].encode())
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def diagnostics(case: Case) -> list[Any]:
    result = ask("check", case, "--output-format", "json")
    found: list[Any] = json.loads(result.stdout)
    assert result.exit_code == any(one["severity"] == "error" for one in found)
    return found


def found(case: Case, _: Any) -> list[Any]:
    return [
        [one["code"], one["severity"], one["start"]["offset"], one["end"]["offset"]]
        for one in diagnostics(case)
    ]  # fmt: skip


def offers(case: Case, wanted: str) -> str:
    helps = [one.get("help") or "" for one in diagnostics(case)]
    return wanted if any(wanted in text for text in helps) else str(helps)


def says(case: Case, wanted: str) -> str:
    text = ask("check", case).stdout
    return wanted if wanted in text else text


def fixed(case: Case, _: Any, *options: str) -> str:
    return ask("check", case, "--fix", *(options or ("--unsafe-fixes",))).stdout


def safely(case: Case, _: Any) -> str:
    return fixed(case, _, "--output-format", "concise")


def inspected(case: Case) -> Any:
    steps = ["--steps", str(case["steps"])] if "steps" in case else []
    return json.loads(ask("inspect", case, "--output-format", "json", *steps).stdout)


def shows(case: Case, wanted: str) -> str:
    text = ask("inspect", case).stdout
    return wanted if wanted in text else text


def told(case: Case, _: Any) -> list[Any]:
    """The spans of each step, one list a step."""
    steps: list[Any] = []
    for segment in inspected(case)["detail"][0]["schedule"]:
        spans = [span for part in segment["parts"] for span in part]
        steps += [spans] * (segment["last"] - len(steps))
    return steps


def parts(case: Case, _: Any) -> Any:
    return inspected(case)["detail"][0]["schedule"][0]["parts"]


def networks(case: Case, _: Any) -> list[Any]:
    return [[one[key] for key in ("kind", "name", "te", "unet", "steps")] for one in inspected(case)["networks"]]


def expand(case: Case, _: Any) -> list[str]:
    prompts = json.loads(ask("expand", case, "--output-format", "json").stdout)["prompts"]
    return [" ".join(one["text"].split()) for one in prompts]


def refuses(case: Case, wanted: str) -> str:
    result = ask("expand", case)
    assert (result.exit_code, result.stdout) == (1, "")
    return wanted if wanted in result.stderr else result.stderr


def plan(case: Case, wanted: dict[str, Any]) -> dict[str, Any]:
    """What the plan says of each of its pictures; or the code by which it is refused."""
    result = ask("compile", case, "--emit", "json")
    if result.exit_code:
        return {"refused": ", ".join(re.findall(r"^error\[(\w+)\]", result.stderr, re.MULTILINE))}
    ops = json.loads(result.stdout)["ops"]
    about = [op["about"] for op in ops if op["op"] == "describe"]
    stored = [op["name"] for op in ops if op["op"] == "store"]
    keys = {
        "prompts": "prompt",
        "seeds": "seed",
        "places": "batch_index",
        "templates": "template",
        "choices": "choices",
    }
    there = {name: [one[key] for one in about] for name, key in keys.items()}
    there["sizes"] = [[op["width"], op["height"]] for op in ops if op["op"] == "denoise"]
    there["encoded"] = [op["parts"] for op in ops if op["op"] == "encode_text"]
    there["names"] = [name.rpartition("-")[0] for name in stored]
    return {name: there.get(name) for name in wanted}


def of_inspect(key: str) -> Callable[[Case, Any], Any]:
    return lambda case, _: inspected(case)[key]


def of_tokens(key: str) -> Callable[[Case, Any], Any]:
    return lambda case, _: {row["encoder"]: row[key] for row in inspected(case)["tokens"] if key in row}


READERS: dict[str, Callable[[Case, Any], Any]] = {
    "found": found,  # [code, severity, start, end] of each finding; the exit status follows from them
    "offers": offers,  # in the help of one of them
    "says": says,  # in the report for people
    "fixed": fixed,  # the text after all fixes
    "safely": safely,  # the text after the safe ones
    "shows": shows,  # in what `inspect` prints for people
    "spans": of_inspect("spans"),  # [text, weight], of the first step of the first branch
    "told": told,  # the same of each step
    "parts": parts,  # the same by chunk
    "schedule": of_inspect("schedule"),  # [last step, text]
    "branches": of_inspect("branches"),  # [text, weight]
    "negative": lambda case, _: inspected(case)["negative"]["spans"],
    "networks": networks,  # [kind, name, weight in the encoder, in the UNet, [first step, last step]s]
    "parameters": of_inspect("parameters"),
    "tokens": of_tokens("parts"),  # by encoder, of each chunk
    "markers": of_tokens("markers"),
    "overflow": of_tokens("overflow"),  # what becomes of the rest: truncate, chunk
    "over": of_tokens("over"),  # whether the window is exceeded: always, may, never
    "count": lambda case, _: int(ask("expand", case, "--count").stdout),
    "expand": expand,
    "refuses": refuses,  # in what is said when nothing is expanded
    "plan": plan,
}
GIVEN = {"prompt", "files", "values", "target", "steps"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_a_case_holds(case: Case, folder: Path) -> None:
    for name, text in case.get("files", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    wanted = {"found": [], **{key: value for key, value in case.items() if key not in GIVEN}}
    assert {key: READERS[key](case, value) for key, value in wanted.items()} == wanted


# Runs: a few small pictures of the embedded model, made once for all tests.

PROMPT = "{red|blue} (hill:1.2), {name} --no blur --size 64x96 --steps 2 --sampler euler_a"
NAME = 'café 写真 🌅: "x", \\y'
FORMATS = ("png", "webp", "tiff", "jpeg")


def run(file: Path, out: Path, *options: str) -> list[Path]:
    """The pictures that a prompt makes, in the order of their seeds."""
    words = ["run", str(file), *options, "--out", str(out), "--device", "cpu", "--no-cache"]
    result = CliRunner().invoke(promptc, words)
    assert result.exit_code == 0, result.output
    return [Path(line.partition("  seed ")[0]) for line in result.stdout.splitlines() if "  seed " in line]


def read(picture: Path) -> dict[str, Any]:
    result = CliRunner().invoke(promptc, ["read", str(picture), "--output-format", "json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `all`, two pictures in every format; `again`, the same; and `alone`, the second one by its seed."""
    home = tmp_path_factory.mktemp("reports")
    file = home / "all.prompt"
    file.write_text(f"{PROMPT} --batch 2 --format {','.join(FORMATS)}", "utf-8")
    run(file, home / "all", f"name={NAME}", "--seed", "100")
    run(file, home / "again", f"name={NAME}", "--seed", "100")
    file.write_text(f"{PROMPT} --format png", "utf-8")
    run(file, home / "alone", f"name={NAME}", "--seed", "101")
    return home


def of_seed(folder: Path, seed: int, kind: str = "png") -> Path:
    suffix = {"jpeg": "jpg"}.get(kind, kind)
    (path,) = (path for path in folder.glob(f"*.{suffix}") if read(path)["record"]["seed"] == seed)
    return path


def pixels(path: Path) -> bytes:
    from PIL import Image

    with Image.open(path) as picture:
        return picture.tobytes()


def test_a_picture_of_a_batch_is_made_again_alone(made: Path) -> None:
    first, second = (of_seed(made / "all", seed) for seed in (100, 101))
    assert pixels(of_seed(made / "alone", 101)) == pixels(second)
    assert pixels(first) != pixels(second)


def test_two_runs_give_the_same_bytes(made: Path) -> None:
    once, again = (
        {path.name: path.read_bytes() for path in (made / name).iterdir() if path.suffix != ".html"}
        for name in ("all", "again")
    )
    assert len(once) == 2 * len(FORMATS)
    assert once == again


def test_each_file_says_its_own_seed(made: Path) -> None:
    for seed, place in ((100, 0), (101, 1)):
        for kind in FORMATS:
            record = read(of_seed(made / "all", seed, kind))["record"]
            assert (record["seed"], record.get("batch_index", 0)) == (seed, place)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_everything_back(made: Path, kind: str) -> None:
    there = read(of_seed(made / "all", 100, kind))
    record, parameters = there["record"], there["parameters"]
    assert (there["format"], there["width"], there["height"], there["profile"]) == (kind, 64, 96, True)
    assert re.fullmatch(r"promptc \d+\.\d+\.\d+\S*", there["generator"])
    (pick,) = record["choices"]
    told = [[f"{('red', 'blue')[pick]} ", 1.0], ["hill", 1.2], [f", {NAME}", 1.0]]
    assert inspected({"prompt": record["prompt"]})["spans"] == told
    assert record["template"].startswith(PROMPT)
    assert record["values"] == {"name": NAME}
    assert (parameters["prompt"], parameters["negative"]) == (record["prompt"], "blur")
    assert parameters["settings"]["Size"] == "64x96"
    assert parameters["settings"]["Version"] == there["generator"]


def test_settings_are_plain(made: Path) -> None:
    settings = read(of_seed(made / "all", 100))["parameters"]["settings"]
    assert not {"", "None", "null", "nan", "NaN"} & set(settings.values())
    for key in ("Steps", "CFG scale", "Seed", "Clip skip"):
        assert re.fullmatch(r"-?\d+(\.\d+)?", settings[key])


def test_a_picture_from_a_picture_is_its_seeds(made: Path) -> None:
    start = of_seed(made / "all", 100)
    file = made / "from.prompt"
    # Four steps: the last one draws no noise, and those before it must.
    text = f"night --init {start} --strength 0.9 --size 64x96 --steps 4 --sampler euler_a --format png"
    file.write_text(f"{text} --batch 3", "utf-8")
    run(file, made / "from", "--seed", "7")
    file.write_text(text, "utf-8")
    run(file, made / "from alone", "--seed", "8")
    batch = [pixels(of_seed(made / "from", seed)) for seed in (7, 8, 9)]
    assert pixels(of_seed(made / "from alone", 8)) == batch[1]
    assert len(set(batch)) == 3


# The answers themselves.


@cache
def functions(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("name", ENTRIES)
def test_an_answer_is_held_by_something(name: str) -> None:
    entry = ENTRIES[name]
    if "left" in entry:
        assert entry.keys() == {"left"}
        return
    assert entry.keys() <= {"answer", "cases", "tests"}
    assert entry["answer"]
    assert entry.get("cases") or entry.get("tests")
    for case in entry.get("cases", ()):
        assert case.keys() <= GIVEN | READERS.keys()
    for node in entry.get("tests", ()):
        file, _, test = node.partition("::")
        assert test in functions(file), node


@pytest.mark.skipif(not REPORTS.is_file(), reason="the reports lie beside the project, and are not here")
@pytest.mark.parametrize("area", AREAS)
def test_every_report_has_its_answer(area: str) -> None:
    wanted = [one["id"] for one in json.loads(REPORTS.read_text("utf-8")) if one["area"] == area]
    assert sorted(ANSWERS[area]) == sorted(wanted)


def page() -> str:
    """docs/reports.md: every answer, by area."""
    lines = [
        "# What promptc does where prompt tools have gone wrong",
        "",
        "Each row is one kind of mistake that prompt tools are known for, by its number in the list that the tests go by.",
        "What promptc does is held by cases in `tests/cases/reports/`, by other tests, or by both; `left` says why there are none.",
    ]
    for area, answers in ANSWERS.items():
        lines += ["", f"## {area.capitalize()}", "", "| report | what promptc does |", "|---|---|"]
        for name, entry in answers.items():
            text = f"left: {entry['left']}" if "left" in entry else entry["answer"]
            lines.append(f"| {name} | {text.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `python -m tests.end_to_end.test_reports`"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
