"""What `promptc check` may cost before it does anything: pre-commit and editors call it for every save."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

HEAVY = ("torch", "libcst", "mypy", "pydantic", "rich", "numpy", "transformers", "diffusers", "PIL")


def test_a_check_imports_nothing_heavy(tmp_path: Path) -> None:
    path = tmp_path / "card.prompt"
    path.write_text("---\nparams:\n  subject: str\n---\na {subject}, {red|blue} sky, (snow:1.2) --ar 4:5\n")
    source = tmp_path / "hero.py"
    source.write_text("from promptc import prompt\nhero = prompt('a {subject}')\n")
    script = (
        "import json, sys\nfrom promptc.cli import promptc\n"
        f"status = promptc.main(['check', {str(path)!r}, {str(source)!r}], standalone_mode=False)\n"
    )
    script = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules}))))\n"
        + script
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert "lark" in loaded
    assert not set(HEAVY) & set(loaded)


def test_a_check_starts_within_twice_the_import_of_its_parser(tmp_path: Path) -> None:
    path = tmp_path / "card.prompt"
    path.write_text("a {subject}, (snow:1.2) --ar 4:5\n")
    lark = [sys.executable, "-c", "import lark"]
    check = [sys.executable, "-m", "promptc", "check", str(path)]
    _cpu(check)  # the first run writes the bytecode
    # Processor time, best of several taken in turn: a ratio on one machine, whatever else that does.
    times = [(_cpu(lark), _cpu(check)) for _ in range(7)]
    assert min(ours for _, ours in times) <= 2 * min(theirs for theirs, _ in times)


def _cpu(command: list[str]) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
