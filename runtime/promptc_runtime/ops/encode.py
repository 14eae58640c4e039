"""Image and record -> the bytes of a file."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from promptc.formats import formats
from promptc.plan.ops.encode import Encode
from promptc_runtime.context import Context, RunError
from promptc_runtime.imaging.encode import Encoded, EncodingError, encode
from promptc_runtime.metadata.record import Record


def run(op: Encode, inputs: Sequence[object], context: Context) -> Encoded:
    """[3, H, W] and its record -> a checked file in memory."""
    image, record = inputs
    assert isinstance(image, Tensor)
    assert isinstance(record, Record)
    # What the format does not know is not said: the quality of a PNG means nothing.
    quality = op.quality if formats()[op.format].quality is not None else None
    record = replace(record, quality=quality, effort=op.effort)
    try:
        return encode(image, record, op.format, quality=op.quality, effort=op.effort)
    except EncodingError as error:
        raise RunError("encoding", str(error)) from None
