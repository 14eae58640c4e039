"""The key of an op's result: the op, and everything else that its value depends on."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping

from promptc.plan.op import Op, Ref

KEPT = frozenset({"conditioning", "latents", "image"})
"""Kinds of results that are kept: tensors that take time to make."""


def keys(ops: Iterable[Op], digest: Callable[[str], str], surroundings: Mapping[str, str]) -> dict[Ref, str]:
    """A key for every op, in SSA order.

    It covers the op's id, the digests of the models that it and its inputs use, and `surroundings`: the versions,
    precision and kind of device of this run.
    """
    models: dict[Ref, frozenset[str]] = {}
    found: dict[Ref, str] = {}
    for op in ops:
        own = getattr(op, "model", None)
        used = frozenset[str]().union(*(models[ref] for ref in op.inputs), {own} if isinstance(own, str) else ())
        models[op.id] = used
        said = [op.id, sorted([name, digest(name)] for name in used), sorted(surroundings.items())]
        found[op.id] = hashlib.blake2b(json.dumps(said).encode(), digest_size=20).hexdigest()
    return found
