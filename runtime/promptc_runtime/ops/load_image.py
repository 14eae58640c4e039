"""A file -> image."""

from collections.abc import Sequence

from torch import Tensor

from promptc.plan.ops.load_image import LoadImage
from promptc_runtime.context import Context, RunError
from promptc_runtime.imaging.load import load
from promptc_runtime.imaging.resize import fit
from promptc_runtime.metadata.containers import ImageError


def run(op: LoadImage, inputs: Sequence[object], context: Context) -> Tensor:
    """[3, height, width], on the device of the run."""
    try:
        loaded = load(context.source / op.path, sha256=op.sha256)
    except ImageError as error:
        raise RunError("image", str(error)) from None
    for note in loaded.notes:
        context.note(f"{op.path}: {note}")
    return fit(loaded.image[0], op.width, op.height).to(context.device)
