"""The contact sheet: all that was said, nothing that runs, paths that move with the folder."""

from html.parser import HTMLParser

from promptc_runtime.metadata.record import Record
from promptc_runtime.sheet import Picture, Step, sheet

HOSTILE = "<script>alert(1)</script> \"&' <img src=x onerror=alert(1)>"
VOID = {"meta", "img", "br"}


class Reader(HTMLParser):
    """Collects a page's tags, attributes and text, and checks that every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(key, value or "") for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def record(prompt: str = "a barn", **fields: object) -> Record:
    return Record(generator="promptc 0.1.0", prompt=prompt, seed=102, width=64, height=48, **fields)  # type: ignore[arg-type]


STEPS = [
    Step("ab" * 16, "denoise", 1.5, False),
    Step("cd" * 16, "denoise", 0.0, True),
    Step("ef" * 16, "decode", 0.04, False),
]


def test_everything_is_on_the_page() -> None:
    made = record(
        negative="blur", template="a {thing}", values={"thing": "barn"}, model="landscape", steps=20, guidance=7.0
    )
    page = Reader(
        sheet("barns", [Picture(made, ("barn.webp", "barn-512.webp"))], STEPS, "%1 = denoise()", ["slow disk"])
    )
    for words in (
        "barns",
        "a barn",
        "102",
        "blur",
        "a {thing}",
        "barn",
        "landscape",
        "64 × 48",
        "%1 = denoise()",
        "slow disk",
    ):
        assert words in page.text
    assert "1 picture · 3 ops, 1 from the cache · 1.54 s" in page.text
    assert ("src", "barn.webp") in page.attributes
    assert ("href", "barn-512.webp") in page.attributes


def test_files_are_named_by_their_format_where_that_is_enough() -> None:
    page = Reader(sheet("x", [Picture(record(), ("a.webp", "a-512.webp", "a.tiff"))], [], ""))
    assert "a.webp · a-512.webp · tiff" in page.text


def test_nothing_of_a_prompt_is_markup() -> None:
    made = record(HOSTILE, negative=HOSTILE, values={HOSTILE: HOSTILE}, model=HOSTILE, notes=(HOSTILE,))
    page = Reader(
        sheet(HOSTILE, [Picture(made, ("a.webp",))], [Step(HOSTILE, HOSTILE, 1.0, False)], HOSTILE, [HOSTILE])
    )
    assert "script" not in page.tags
    assert page.tags.count("img") == 1
    assert not [key for key, _ in page.attributes if key.startswith("on")]
    assert page.text.count(HOSTILE) >= 8


def test_placeholders_of_the_page_are_no_part_of_the_texts() -> None:
    page = Reader(sheet("{body}", [Picture(record("{style}"), ("a.webp",))], [], "{title}"))
    assert "{style}" in page.text
    assert page.text.count("{body}") == 2
    assert page.tags.count("figure") == 1


def test_paths_are_urls() -> None:
    page = Reader(sheet("x", [Picture(record(), ('a b#"?.webp', "javascript:x.png"))], [], ""))
    assert ("src", "a%20b%23%22%3F.webp") in page.attributes
    assert ("href", "javascript%3Ax.png") in page.attributes


def test_a_format_that_browsers_do_not_show_is_linked() -> None:
    page = Reader(sheet("x", [Picture(record(), ("a.tiff",))], [], ""))
    assert "img" not in page.tags
    assert ("href", "a.tiff") in page.attributes


def test_the_page_needs_nothing_else() -> None:
    page = sheet("x", [Picture(record(), ("a.webp",))], STEPS, "plan")
    assert "http:" not in page.replace("http-equiv", "")
    assert "https:" not in page
    assert "@import" not in page
    assert "prefers-color-scheme: dark" in page


def test_an_empty_run_is_a_page_too() -> None:
    assert "0 pictures · 0 ops" in Reader(sheet("x", [], [], "")).text
