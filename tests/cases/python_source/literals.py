"""Every way to spell a literal."""

from typing import Final

import promptc as p
from promptc import Template as T
from promptc import prompt as q

q("plain {a}")
q('é雾 \u00e9 \N{BULLET} \x41 {a}')
q(r"raw \(b\) {a}")
q(u"old {a}")
q("unknown \(escape\) {a}")
q("""triple {a}
  # a comment
{b}""")
q(
    "one {a}, "  # the first
    'two {b}, '
    r"three \{c\}"
)
q("line \
continuation {a}")
q("sum " + "of {a}")
TEXT: Final = "constant {a}"
q(TEXT)
q(text="keyword {a}")
x = {"key": [q("nested {a}") for _ in ()], **{"other": p.prompt("deep {a}")}}
Card = T["Thing"]
Card("alias {a}")


class Mine(T["Thing"]):
    pass


Mine("subclass {a}")
card = q.file("card.prompt")
other = p.prompt.file(r"folder\card.prompt")
moved = q.file(path)


class Thing:
    a: str
#> prompt 9:4-9:13 'plain {a}'
#> prompt 10:4-10:33 'é雾 é • A {a}'
#> prompt 11:5-11:18 'raw \\(b\\) {a}'
#> prompt 12:5-12:12 'old {a}'
#> prompt 13:4-13:26 'unknown \\(escape\\) {a}'
#> prompt comments 14:6-16:4 'triple {a}\n  # a comment\n{b}'
#> prompt 18:6-20:18 'one {a}, two {b}, three \\{c\\}'
#> prompt 22:4-23:17 'line continuation {a}'
#> prompt 24:4-24:19 'sum of {a}'
#> prompt 25:16-25:28 'constant {a}'
#> prompt 27:9-27:20 'keyword {a}'
#> prompt 28:17-28:27 'nested {a}'
#> prompt 28:66-28:74 'deep {a}'
#> template 30:7-30:16 'alias {a}'
#>   Thing (incomplete)(a: str)
#> template 37:7-37:19 'subclass {a}'
#>   Thing (incomplete)(a: str)
#> file 38:15-38:28 'card.prompt'
#> file 39:24-39:44 'folder\\card.prompt'
#> error E1601 39:24-39:44
#> note W0941 40:16-40:20 its text is known only when the program runs
