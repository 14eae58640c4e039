"""Runs plans: the torch pipeline behind `promptc run`."""

from promptc_runtime.context import Context, RunError
from promptc_runtime.engine import Device, Runtime, run
from promptc_runtime.progress import Progress
from promptc_runtime.result import Event, Interrupted, Result, Timing

__all__ = ["Context", "Device", "Event", "Interrupted", "Progress", "Result", "RunError", "Runtime", "Timing", "run"]
