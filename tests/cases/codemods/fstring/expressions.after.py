from dataclasses import dataclass, field
import promptc


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
        make_prompt(str(promptc.prompt("a {user_name} and {user_name}, {subject}, {camel_case}, {table_key}, {name}")(user_name=user.name, subject=SUBJECT, camel_case=camelCase, table_key=table['key'], name=self.name))),
        make_prompt(str(promptc.prompt("a {n: int} cats, {price} each, {flag}, {small}")(n=n, price=f"{price}", flag=f"{flag}", small=f"{small}"))),
        make_prompt(str(promptc.prompt("a {price} {n}| {user_name} {n_2}")(price=f"{price:.2f}", n=f"{n:>4}", user_name=f"{user.name!r}", n_2=f"{n!s:>{n}}"))),
        make_prompt(str(promptc.prompt("a {count} then {count_2}")(count=f"{count()}", count_2=f"{count()}"))),
        make_prompt(str(promptc.prompt("a {user_tags_0} {n_1} {x_if_flag_else_y} {table} {table_2} {lambda_1}")(user_tags_0=user.tags[0], n_1=f"{n + 1}", x_if_flag_else_y=f"{'x' if flag else 'y'}", table=f"{[*table]}", table_2=f"{*table,}", lambda_1=f"{(lambda: 1)()}"))),
        make_prompt(str(promptc.prompt('''a {table_key} "quoted" it's {n: int}''')(table_key=table["key"], n=n))),
        make_prompt(str(promptc.prompt("a {user_name} {user_name_2} {user_name}")(user_name=user.name, user_name_2=f"{user.name:>5}"))),
        make_prompt(str(promptc.prompt("a \N{BULLET} \u00e9 \\ \x41 é {user_name}")(user_name=user.name))),
    ]


def make_prompt(text: str) -> str:
    return text
