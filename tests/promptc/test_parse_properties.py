"""What holds of every text: it has a tree, the tree has all of its characters, and each once."""

from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.parse import parse
from promptc.tree import Root
from promptc.walk import leaves, print_tree, walk

# Pieces that meet in interesting ways, and any other character now and then.
PIECES = st.sampled_from(
    [
        *"()[]{}<>|:_\\#$-,.'\"= \n\r\t5é狐\U0001f98a",
        *("{{", "}}", "$$", "__", "::", "--", "—", "–", "\r\n"),
        *("AND", "BREAK", "name", "str", "lora", "ar", "--ar ", "—ar ", " :", "1.2", "0.5", "3", "50%", "nan"),
        *("(fog:1.3)", "[a:b:0.5]", "{a|b}", "{n}", "{n: str = 'x}'}", "<lora:x:1>", "__a/b__", "{2$$", "# c\n"),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60))


@given(TEXTS, st.booleans())
@settings(max_examples=600, deadline=None)
def test_every_character_is_in_one_leaf(text: str, comments: bool) -> None:
    root = parse(text, comments=comments)
    at = 0
    for leaf in leaves(root):
        assert (leaf.start, leaf.end) == (at, at + len(leaf.text))
        assert text[leaf.start : leaf.end] == leaf.text
        at = leaf.end
    assert at == len(text)
    assert print_tree(root) == text


@given(TEXTS, st.booleans())
@settings(max_examples=300, deadline=None)
def test_parts_follow_each_other_and_fill_their_node(text: str, comments: bool) -> None:
    for node in walk(parse(text, comments=comments)):
        parts = getattr(node, "parts", None)
        if parts is None:
            continue
        at = node.start
        for part in parts:
            assert part.start == at
            at = part.end
        assert at == node.end


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_what_a_node_names_is_among_its_parts(text: str) -> None:
    for node in walk(parse(text)):
        parts = {id(part) for part in getattr(node, "parts", ())}
        for field in getattr(node, "__match_args__", ()):
            if field in ("parts", "branches"):
                continue
            for value in _nodes(getattr(node, field)):
                assert id(value) in parts, (node, field)


def _nodes(value: object) -> list[object]:
    if isinstance(value, tuple):
        return [found for each in value for found in _nodes(each)]
    return [value] if hasattr(value, "start") else []


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_plain_text_is_one_leaf(text: str) -> None:
    """No two texts stand side by side: a rule sees a run of text whole."""
    for node in walk(parse(text)):
        kinds = [type(part).__name__ for part in getattr(node, "parts", ())]
        if type(node).__name__ in ("Root", "Branch", "Emphasis", "Choice", "Option", "Alternation"):
            assert "Text Text" not in " ".join(kinds)


def test_a_tree_is_equal_to_itself_parsed_again() -> None:
    text = "a ((fog:1.3) {b|c}) [d:e:0.5] AND f :2 --ar 3:2"
    assert parse(text) == parse(text)
    assert isinstance(parse(text), Root)
