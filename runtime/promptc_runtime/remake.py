"""A picture once more, from the record in its file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from promptc.formats import formats
from promptc.names import file_name
from promptc.plan.op import Op, Ref
from promptc.plan.ops.describe import Describe, Described
from promptc.plan.ops.encode import Encode
from promptc.plan.ops.load_image import LoadImage
from promptc.plan.ops.store import Store
from promptc.plan.plan import Plan
from promptc_runtime.metadata.read import ImageError, read_file
from promptc_runtime.metadata.record import Record


class NotOurs(ValueError):
    """A picture that cannot be made again; the message says why."""


def plan_of(image: Path) -> Plan:
    """The plan that makes a picture and its file, which gets the picture's own name. Raises NotOurs."""
    try:
        found = read_file(image)
    except ImageError as error:
        raise NotOurs(f"{image}: {error}") from None
    except OSError as error:
        raise NotOurs(f"{image} cannot be read: {(error.strerror or str(error)).lower()}") from None
    record = found.record
    if record is None or record.plan is None:
        maker = f"it was made by {found.generator}" if found.generator and record is None else "it holds no plan"
        raise NotOurs(f"{image} cannot be made again: {maker}. `promptc read` shows what it says")
    try:
        plan = Plan.model_validate(dict(record.plan))
    except ValueError as error:
        raise NotOurs(f"{image} holds a plan that this version does not understand: {_last_line(error)}") from None
    if len(plan.outputs) != 1:
        raise NotOurs(f"{image} holds a plan of {len(plan.outputs)} results, and one is wanted")
    try:
        tail = tuple(_tail(plan.outputs[0], record, found.format, image))
    except ValueError as error:
        raise NotOurs(f"{image} holds a record that this version does not understand: {_last_line(error)}") from None
    return Plan(ops=(*plan.ops, *tail), outputs=(tail[-1].id,))


def _last_line(error: ValueError) -> str:
    return str(error).strip().splitlines()[-1].strip()


def _tail(picture: Ref, record: Record, kind: str, image: Path) -> Iterator[Op]:
    """The ops that make a file of a picture, with the settings of its record, or those taken where a prompt names none."""
    known = {name: getattr(record, name) for name in Described.model_fields}
    about = Described.model_validate({name: value for name, value in known.items() if value is not None})
    describe = Describe(inputs=(picture,), about=about)
    yield describe
    row = formats()[kind]
    settings = {
        "quality": row.quality if record.quality is None else record.quality,
        "effort": row.effort if record.effort is None else record.effort,
    }
    encode = Encode.model_validate(
        {
            "inputs": (picture, describe.id),
            "format": kind,
            **{name: value for name, value in settings.items() if value is not None},
        }
    )
    yield encode
    yield Store(inputs=(encode.id,), name=_name(image, encode.id, row.suffix))


def _name(image: Path, identity: str, suffix: str) -> str:
    """The picture's own file name, where the system that reads the plan takes it."""
    try:
        Store(name=image.name)
    except ValueError:
        return file_name(image.stem, identity, suffix)
    return image.name


def source_of(plan: Plan, image: Path) -> Path:
    """The folder where the plan's relative paths start: the picture's own, or this one where all its files are here."""
    paths = [op.path for op in plan.ops if isinstance(op, LoadImage)]
    for folder in (image.parent, Path()):
        if paths and all((folder / path).is_file() for path in paths):
            return folder
    return image.parent


def same_pixels(one: Path, other: Path) -> bool:
    """Whether two files hold the same pixels, to the last bit."""
    import numpy as np

    a, b = _pixels(one), _pixels(other)
    return a.shape == b.shape and a.dtype == b.dtype and bool(np.array_equal(a, b))


def _pixels(path: Path) -> Any:
    """The samples of a file; a 16-bit TIFF's are 16 bits."""
    import numpy as np

    if path.suffix.lower() in (".tif", ".tiff"):
        import tifffile

        return tifffile.imread(path)
    from PIL import Image

    with Image.open(path) as opened:
        return np.asarray(opened.convert("RGB"))
