"""Loss curves as SVG: `python -m landscape.curves LOG.jsonl OUT.svg NAME …` draws the numbers NAME over the minutes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import click

WIDTH, HEIGHT, MARGIN = 640, 320, 56
INKS = ("#2b5c8a", "#b5522b", "#3d7a45", "#7a4a86")


def read(log: Path, name: str) -> list[tuple[float, float]]:
    """Minutes of processor time and value, for the lines of a log that have the number."""
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    return [(entry["minutes"], entry[name]) for entry in entries if name in entry]


def draw(curves: dict[str, list[tuple[float, float]]]) -> str:
    """An SVG with one line a curve, all on one pair of axes."""
    points = [point for curve in curves.values() for point in curve]
    if not points:
        raise ValueError("none of the numbers is in the log")
    last = max(x for x, _ in points) or 1.0
    low, high = min(y for _, y in points), max(y for _, y in points)
    step = 10 ** math.floor(math.log10((high - low) or 1.0))
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step or step
    high = high if high > low else low + step

    def place(x: float, y: float) -> str:
        across = MARGIN + x / last * (WIDTH - 2 * MARGIN)
        return f"{across:.1f},{HEIGHT - MARGIN - (y - low) / (high - low) * (HEIGHT - 2 * MARGIN):.1f}"

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<polyline fill="none" stroke="#888" points="{place(0, high)} {place(0, low)} {place(last, low)}"/>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">minutes of processor time ({last:.0f})</text>',
    ]
    for k in range(5):
        y = low + (high - low) * k / 4
        across, down = place(0, y).split(",")
        out.append(f'<text x="{float(across) - 6}" y="{float(down) + 4}" text-anchor="end">{y:.4g}</text>')
    for i, (name, curve) in enumerate(curves.items()):
        ink = INKS[i % len(INKS)]
        line = " ".join(place(x, y) for x, y in curve)
        out.append(f'<polyline fill="none" stroke="{ink}" stroke-width="1.5" points="{line}"/>')
        out.append(f'<text x="{MARGIN + 12 + 110 * i}" y="{MARGIN - 16}" fill="{ink}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


@click.command()
@click.argument("log", type=click.Path(path_type=Path, exists=True))
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1, required=True)
def main(log: Path, out: Path, names: tuple[str, ...]) -> None:
    """Draw the numbers NAMES of a stage's LOG over time."""
    out.write_text(draw({name: read(log, name) for name in names}), encoding="utf-8")


if __name__ == "__main__":
    main()
