"""Bytes -> a file."""

from collections.abc import Sequence
from pathlib import Path

from promptc.plan.ops.store import Store
from promptc.plan.plan import Plan
from promptc_runtime.context import Context, RunError
from promptc_runtime.imaging.encode import Encoded
from promptc_runtime.imaging.store import Stored, StoreError, check, store


def run(op: Store, inputs: Sequence[object], context: Context) -> Stored:
    """A file in the folder of the run."""
    (encoded,) = inputs
    assert isinstance(encoded, Encoded)
    try:
        return store(encoded.data, context.directory, op.name)
    except StoreError as error:
        raise RunError("store", str(error)) from None


def ready(plan: Plan, directory: Path) -> None:
    """Whether the files of a plan can be written, asked before a picture is made. Raises RunError."""
    try:
        check(directory, (op.name for op in plan.ops if isinstance(op, Store)))
    except StoreError as error:
        raise RunError("store", str(error)) from None
