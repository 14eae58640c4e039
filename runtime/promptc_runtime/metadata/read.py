"""Everything that a picture says about itself, from our files and from those of other tools."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from promptc_runtime.metadata import containers, exif, parameters, record, xmp
from promptc_runtime.metadata.containers import ImageError
from promptc_runtime.metadata.parameters import Parameters
from promptc_runtime.metadata.record import Record, RecordError

COMFY_KEYS = ("prompt", "workflow")

__all__ = ["Found", "ImageError", "read", "read_file"]


@dataclass(frozen=True, slots=True)
class Found:
    """What was found.

    `record` is ours, `parameters` a web UI's text (ours too), `graphs` ComfyUI's `prompt` and `workflow`.

    `generator` is the program that says it made the picture, or that its layout shows; `texts` is all other text.
    """

    format: str
    width: int
    height: int
    generator: str = ""
    record: Record | None = None
    parameters: Parameters | None = None
    graphs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    profile: bool = False
    notes: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the file says nothing of how it was made."""
        return not (self.record or self.parameters or self.graphs or self.texts or self.generator)


def read_file(path: Path) -> Found:
    """Read a file. Raises ImageError for what is no picture, OSError for what cannot be opened."""
    with path.open("rb") as file:
        return read(file)


def read(file: BinaryIO) -> Found:
    """Read from a seekable file. Raises ImageError."""
    contents = containers.read(file)
    notes = list(contents.notes)
    block = exif.read(contents.exif)
    packet = xmp.merge(_packet(contents.xmp, notes), _packet(contents.long_xmp, notes))
    texts = dict(contents.texts)
    own = _record(texts.pop("promptc", "") or packet.record, notes)
    text = texts.pop("parameters", "") or packet.parameters or _comment(block.comment)
    found = parameters.read(text) if text else None
    graphs = _graphs(texts, block)
    if own:
        for key in ("ImageDescription", "Software"):
            texts.pop(key, None)
    for key, value in (
        ("description", packet.description),
        ("comment", block.comment),
        ("description", block.description),
    ):
        if value and value != text and not own and key not in texts:
            texts[key] = value
    generator = _generator(own, found, graphs, texts, packet.creator or block.software)
    return Found(
        contents.format,
        contents.width,
        contents.height,
        generator,
        own,
        found,
        graphs,
        texts,
        bool(contents.icc),
        tuple(notes),
    )


def _packet(data: bytes, notes: list[str]) -> xmp.Xmp:
    if not data:
        return xmp.Xmp()
    try:
        return xmp.read(data)
    except xmp.PacketError as error:
        notes.append(str(error))
        return xmp.Xmp()


def _record(text: str, notes: list[str]) -> Record | None:
    if not text:
        return None
    try:
        return record.loads(text)
    except RecordError as error:
        notes.append(f"the promptc record is not used: {error}")
        return None


def _comment(text: str) -> str:
    """The EXIF comment, where it is a web UI's text and not something else."""
    return text if parameters.read(text).settings else ""


def _graphs(texts: dict[str, str], block: exif.Exif) -> dict[str, Mapping[str, Any]]:
    """ComfyUI's graphs, taken out of `texts`: PNG texts, or `prompt:{…}` in EXIF tags for the other formats."""
    candidates = {key: texts[key] for key in COMFY_KEYS if key in texts}
    for value in (block.make, block.model, block.description):
        key, colon, body = value.partition(":")
        if colon and key.lower() in COMFY_KEYS:
            candidates.setdefault(key.lower(), body)
    graphs: dict[str, Mapping[str, Any]] = {}
    for key, body in candidates.items():
        try:
            graph = json.loads(body)
        except (ValueError, RecursionError):
            continue
        if isinstance(graph, dict) and _is_graph(graph):
            graphs[key] = graph
            texts.pop(key, None)
    return graphs


def _is_graph(graph: dict[str, Any]) -> bool:
    if isinstance(graph.get("nodes"), list):
        return True
    return bool(graph) and all(isinstance(node, dict) and "class_type" in node for node in graph.values())


def _generator(
    own: Record | None, found: Parameters | None, graphs: object, texts: Mapping[str, str], tool: str
) -> str:
    """Who made it: what the file says outright comes before what its layout shows."""
    if own:
        return own.generator
    if found and found.settings.get("Version"):
        version = found.settings["Version"]
        return version if " " in version else f"web UI {version}"
    if tool or texts.get("Software"):
        return tool or texts["Software"]
    if graphs:
        return "ComfyUI"
    return "web UI" if found and found.settings else ""
