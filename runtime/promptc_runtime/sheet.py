"""The contact sheet of a run: one HTML page with the pictures, what they were made from, the times and the plan.

It holds its own style and no script, and names the pictures by relative paths, so the folder can be moved or zipped.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from promptc_runtime.metadata.parameters import plain_number
from promptc_runtime.metadata.record import Record

SHOWN = (".webp", ".png", ".jpg", ".jpeg", ".avif")
"""What browsers show; other files are linked."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture and its files, as paths relative to the page; the first one that browsers show is shown."""

    record: Record
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One op that was run, or taken from the cache."""

    id: str
    op: str
    seconds: float
    cached: bool


def sheet(title: str, pictures: Sequence[Picture], steps: Sequence[Step], plan: str, notes: Iterable[str] = ()) -> str:
    """The page. `plan` is the plan's text; every text is escaped."""
    seconds = sum(step.seconds for step in steps)
    cached = sum(step.cached for step in steps)
    summary = (
        f"{_count(len(pictures), 'picture')} · {_count(len(steps), 'op')}, {cached} from the cache · {_time(seconds)}"
    )
    body = "\n".join(
        [
            f"<header><h1>{escape(title)}</h1><p>{summary}</p></header>",
            *(f'<p class="note">{escape(note)}</p>' for note in notes),
            '<main class="sheet">',
            *(_figure(picture) for picture in pictures),
            "</main>",
            *(_times(steps, seconds) if steps else ()),
            f"<section><h2>Plan</h2><pre>{escape(plan)}</pre></section>",
        ]
    )
    return _PAGE.format(title=escape(title), style=_STYLE, body=body)


def _figure(picture: Picture) -> str:
    record = picture.record
    shown = next((file for file in picture.files if file.lower().endswith(SHOWN)), None)
    size = f'width="{record.width}" height="{record.height}"'
    if shown is None:
        frame = '<div class="frame blank">browsers do not show this format</div>'
    else:
        url = quote(shown)
        frame = (
            f'<a class="frame" href="{url}"><img src="{url}" {size} alt="{escape(record.prompt)}" loading="lazy"></a>'
        )
    kinds = [file.rpartition(".")[2] for file in picture.files]
    links = " · ".join(
        f'<a href="{quote(file)}" title="{escape(file)}">{escape(kind if kinds.count(kind) == 1 else file)}</a>'
        for file, kind in zip(picture.files, kinds, strict=True)
    )
    facts = "".join(f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in _facts(record))
    return (
        f'<figure>{frame}<figcaption><p class="prompt">{escape(record.prompt) or "(empty prompt)"}</p>'
        f'<dl>{facts}</dl><p class="files">{links}</p></figcaption></figure>'
    )


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    """What differs between pictures, in the order in which people look for it."""
    yield "seed", str(record.seed)
    for key, value in record.values.items():
        yield key, value if isinstance(value, str) else str(value)
    if record.negative:
        yield "without", record.negative
    if record.template is not None and record.template != record.prompt:
        yield "template", record.template
    if record.model:
        yield "model", record.model
    if record.steps is not None:
        yield "steps", " · ".join(filter(None, [str(record.steps), record.sampler]))
    if record.guidance is not None:
        yield "guidance", plain_number(record.guidance)
    yield "size", f"{record.width} × {record.height}"
    for note in record.notes:
        yield "note", note


def _times(steps: Sequence[Step], total: float) -> Iterator[str]:
    kinds: dict[str, list[Step]] = {}
    for step in steps:
        kinds.setdefault(step.op, []).append(step)
    rows = []
    for op, group in kinds.items():
        seconds = sum(step.seconds for step in group)
        share = 100 * seconds / total if total else 0.0
        cached = sum(step.cached for step in group)
        rows.append(
            f"<tr><th>{escape(op)}</th><td>{len(group)}</td><td>{cached or '–'}</td><td>{_time(seconds)}</td>"
            f'<td class="bar"><span style="width:{share:.1f}%"></span></td></tr>'
        )
    each = "".join(
        f"<tr><th>{escape(step.op)}</th><td><code>{escape(step.id[:12])}</code></td>"
        f"<td>{'cached' if step.cached else 'run'}</td><td>{_time(step.seconds)}</td></tr>"
        for step in steps
    )
    yield (
        "<section><h2>Times</h2><table><thead><tr><th>op</th><td>count</td><td>cached</td><td>time</td><td></td></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
        f"<details><summary>Every op</summary><table><tbody>{each}</tbody></table></details></section>"
    )


def _time(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 60 else f"{int(seconds // 60)} min {seconds % 60:.0f} s"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""

_STYLE = """
:root { --ground: #f4f1ea; --card: #fffdf8; --ink: #2b2622; --soft: #756c62; --line: #ddd5c8; --mark: #a8835a; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #181614; --card: #211e1b; --ink: #ece6dc; --soft: #a0968a; --line: #38332d; --mark: #c39a6b; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 92rem; padding: 2rem clamp(1rem, 4vw, 3rem) 4rem;
  background: var(--ground); color: var(--ink); font: 15px/1.5 ui-sans-serif, system-ui, "Segoe UI", sans-serif; }
h1 { margin: 0; font: 600 1.9rem/1.2 Georgia, "Iowan Old Style", serif; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .75rem; font: 600 1.2rem/1.3 Georgia, serif; }
header p, .files, dt { color: var(--soft); }
header p { margin: .35rem 0 1.75rem; }
.note { border-left: 3px solid var(--mark); padding: .25rem .75rem; }
.sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1.25rem;
  align-items: start; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.frame { display: block; }
.frame img { display: block; width: 100%; height: auto; }
.blank { display: grid; place-items: center; aspect-ratio: 4 / 3; color: var(--soft);
  border-bottom: 1px dashed var(--line); }
figcaption { padding: .85rem 1rem 1rem; }
.prompt { margin: 0 0 .7rem; font: 1rem/1.45 Georgia, serif; white-space: pre-wrap; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .75rem; margin: 0; font-size: .84rem; }
dt { max-width: 8rem; overflow: hidden; text-overflow: ellipsis; }
dd { margin: 0; overflow-wrap: anywhere; }
.files { margin: .7rem 0 0; font-size: .8rem; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--mark); text-underline-offset: .15em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; max-width: 44rem; }
th { text-align: left; font-weight: 600; }
th, td { padding: .28rem .9rem .28rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th, thead td { font-weight: 400; color: var(--soft); font-size: .84rem; }
.bar { width: 40%; padding-right: 0; }
.bar span { display: block; height: .5rem; min-width: 1px; background: var(--mark); border-radius: 2px; }
details { margin-top: .8rem; }
summary { cursor: pointer; color: var(--soft); }
pre { margin: 0; padding: 1rem; overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; font: .82rem/1.5 ui-monospace, "SF Mono", Consolas, monospace; }
"""
