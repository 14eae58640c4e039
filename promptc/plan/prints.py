"""Ops of other packages as values of `--print`: `--print vignette(strength=0.4)`."""

from collections.abc import Mapping
from importlib.metadata import entry_points

from promptc.parameters import Spec


def prints() -> Mapping[str, Mapping[str, Spec]]:
    """Every op that another package registers, and its fields as arguments. That it makes an image of an image is
    checked when it is used. Raises ValueError for a package that cannot be used."""
    if not entry_points(group="promptc.ops"):
        return {}  # without a plug-in, a misspelt name must not cost the import of every op
    from promptc.plan import ops
    from promptc.plan.registry import specs
    from promptc.reflect import kind_of, limited
    from promptc.types import Str

    found: dict[str, Mapping[str, Spec]] = {}
    for name, spec in specs().items():
        if not spec.module.startswith(ops.__name__ + "."):
            found[name] = {
                field: Spec(
                    field,
                    "value",
                    limited(kind_of(info.annotation), info.metadata) or Str(),
                    info.description or "",
                    default=None if info.is_required() else info.get_default(),
                )
                for field, info in spec.model.model_fields.items()
                if field not in ("op", "inputs")
            }
    return found
