"""Where the data of a package lies."""

from importlib.util import find_spec
from pathlib import Path


def package(name: str) -> Path:
    """The folder of a package, found without an import of it. Raises FileNotFoundError."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"the package {name} is not installed")
    return Path(spec.submodule_search_locations[0])
