"""A loss curve is an SVG whose lines have the log's points."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from landscape.curves import draw, main


def test_a_log_becomes_a_picture(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    entries = [{"minutes": i, "loss": 1 / (1 + i)} for i in range(6)] + [{"minutes": 6, "psnr": 30.0}]
    log.write_text("".join(json.dumps(e) + "\n" for e in entries))
    result = CliRunner().invoke(main, [str(log), str(tmp_path / "loss.svg"), "loss"], catch_exceptions=False)
    assert result.exit_code == 0
    root = ElementTree.parse(tmp_path / "loss.svg").getroot()
    lines = [e.attrib["points"].split() for e in root if e.tag.endswith("polyline")]
    assert len(lines) == 2  # the axes and the loss
    heights = [float(p.split(",")[1]) for p in lines[1]]
    assert len(heights) == 6
    assert heights == sorted(heights)  # a falling loss goes down


def test_a_flat_curve_is_drawn() -> None:
    assert draw({"a": [(0.0, 2.0), (1.0, 2.0)]}).count("polyline") == 2


def test_a_log_without_the_number_is_refused() -> None:
    with pytest.raises(ValueError, match="none of the numbers"):
        draw({"a": []})
