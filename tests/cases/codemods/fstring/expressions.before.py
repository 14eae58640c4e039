from dataclasses import dataclass, field


@dataclass
class User:
    name: str = "Ada"
    tags: list[str] = field(default_factory=lambda: ["old"])


SUBJECT = "a fox"
calls: list[int] = []


def count() -> int:
    calls.append(1)
    return len(calls)


def result() -> object:
    user = User()
    price, n, flag, small = 2.5, 3, True, 1e-7
    camelCase = "camel"
    table = {"key": "value"}
    self = user
    return [
        make_prompt(f"a {user.name} and {user.name}, {SUBJECT}, {camelCase}, {table['key']}, {self.name}"),
        make_prompt(f"a {n} cats, {price} each, {flag}, {small}"),
        make_prompt(f"a {price:.2f} {n:>4}| {user.name!r} {n!s:>{n}}"),
        make_prompt(f"a {count()} then {count()}"),
        make_prompt(f"a {user.tags[0]} {n + 1} {'x' if flag else 'y'} {[*table]} {*table,} {(lambda: 1)()}"),
        make_prompt(f'''a {table["key"]} "quoted" it's {n}'''),
        make_prompt(f"a {user.name} {user.name:>5} {user.name}"),
        make_prompt(f"a \N{BULLET} \u00e9 \\ \x41 é {user.name}"),
    ]


def make_prompt(text: str) -> str:
    return text
