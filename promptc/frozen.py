"""`@dataclass(frozen=True, slots=True)` in a sixth of the time.

The compiler has some forty small classes, and a check imports them all: with the methods that the standard library
generates for each they take longer than the parser library. Here all methods but `__init__` are shared.
`dataclasses.fields`, `replace` and `match` work as usual. To a type checker the classes are plain dataclasses:

    if TYPE_CHECKING:
        from dataclasses import dataclass
    else:
        from promptc.frozen import dataclass
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from dataclasses import dataclass as standard
from typing import Any, Literal, NoReturn, TypeVar

T = TypeVar("T")


def dataclass(*, frozen: Literal[True], slots: Literal[True]) -> Callable[[type[T]], type[T]]:
    """Make a frozen, slotted dataclass. Fields may have defaults, but no factories."""
    return _make


def _make(cls: type[T]) -> type[T]:
    made: Any = standard(init=False, repr=False, eq=False, slots=True)(cls)
    made.__init__ = _init(made)
    for name, method in _SHARED.items():
        setattr(made, name, method)
    found: type[T] = made
    return found


def _init(cls: Any) -> Callable[..., None]:
    names = [field.name for field in fields(cls)]
    # The slots' own setters: an instance cannot be changed through attributes.
    scope: dict[str, Any] = {f"_{name}": getattr(cls, name).__set__ for name in names}
    arguments = []
    for field in fields(cls):
        if field.default is not MISSING:
            scope[f"_default_{field.name}"] = field.default
            arguments.append(f"{field.name}=_default_{field.name}")
        else:
            arguments.append(field.name)
    body = "".join(f"\n _{name}(self, {name})" for name in names)
    exec(f"def __init__(self, {', '.join(arguments)}):{body or ' pass'}", scope)
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__match_args__)


def _shown(self: Any) -> str:
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({inside})"


def _equal(self: object, other: object) -> bool:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _hashed(self: object) -> int:
    return hash((type(self), _values(self)))


def _set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _reduced(self: object) -> tuple[Any, ...]:
    return type(self), _values(self)


_SHARED = {
    "__repr__": _shown,
    "__eq__": _equal,
    "__hash__": _hashed,
    "__setattr__": _set,
    "__delattr__": _delete,
    "__reduce__": _reduced,
}
