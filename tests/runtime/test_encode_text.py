"""Chunks as the web UI cuts them, and three rules of weighting, each against its reference."""

from pathlib import Path
from typing import Any

import pytest
import torch

from promptc.plan.ops.encode_text import EncodeText, Weighting
from promptc_runtime.context import RunError
from promptc_runtime.engine import Runtime
from promptc_runtime.ops.encode_text import CHUNK, cut
from tests.runtime.plans import plan_of

COMMA = 1


def numbers(text: str) -> list[int]:
    """`3*40` is forty times the token 3."""
    tokens: list[int] = []
    for word in text.split():
        token, _, count = word.partition("*")
        tokens += [int(token)] * int(count or 1)
    return tokens


def lengths(*parts: str) -> list[int]:
    chunks = cut([[(part, 1.0)] for part in parts], numbers, COMMA)
    return [len(chunk.tokens) for chunk in chunks]


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        (("",), [0]),
        (("2*3",), [3]),
        (("2*75",), [75]),
        (("2*76",), [75, 1]),
        (("2*151",), [75, 75, 1]),
        (("2", "3"), [1, 1]),
        (("2", "", "3"), [1, 0, 1]),
        (("2", ""), [1]),
        (("", "2"), [0, 1]),
        (("2*59 1 3*20",), [60, 20]),  # the comma is 15 tokens before the end: what follows it moves
        (("2*55 1 3*25",), [56, 25]),  # the comma and what follows are 20 tokens: that may move
        (("2*54 1 3*25",), [75, 5]),  # 21 may not
        (("2*74 1 3*5",), [75, 5]),
        (("2*75 1 3*5",), [75, 6]),  # a comma itself moves nothing
    ],
)
def test_chunks(parts: tuple[str, ...], wanted: list[int]) -> None:
    assert lengths(*parts) == wanted


def test_every_token_keeps_its_weight_and_span() -> None:
    chunks = cut([[("2*70 1", 1.0), ("3*9", 1.5)], [("4", 0.5)]], numbers, COMMA)
    rows = [row for chunk in chunks for row in zip(chunk.tokens, chunk.weights, chunk.spans, strict=True)]
    assert rows == [*[(2, 1.0, 0)] * 70, (1, 1.0, 0), *[(3, 1.5, 1)] * 9, (4, 0.5, 2)]
    assert [len(chunk.tokens) for chunk in chunks] == [71, 9, 1]


Spans = tuple[tuple[str, float], ...]


def encode(runtime: Runtime, *parts: Spans, model: str = "landscape", **fields: Any) -> torch.Tensor:
    op = EncodeText(model=model, parts=parts, **fields)
    value = runtime.run(plan_of(op)).values[op.id]
    assert isinstance(value, torch.Tensor)
    assert value.dtype == torch.float32
    return value


def reference(runtime: Runtime, text: str, mask: list[int] | None = None) -> tuple[torch.Tensor, list[int]]:
    """The states of a short text, straight from the encoder, and its tokens."""
    model = runtime.models.load("landscape")
    ids = model.tokenizer(text, padding="max_length", max_length=77, return_tensors="pt").input_ids
    hidden = None if mask is None else torch.tensor([mask])
    with torch.no_grad():
        states = model.text_encoder(input_ids=ids, attention_mask=hidden).last_hidden_state[0]
    return states, ids[0].tolist()


def test_a_plain_text_is_encoded_as_the_pipeline_does(runtime: Runtime) -> None:
    for rule in ("webui", "comfy", "compel"):
        made = encode(runtime, (("a red sky, night", 1.0),), weighting=rule)
        assert torch.equal(made, reference(runtime, "a red sky, night")[0])


SPANS: Spans = (("hills", 1.0), ("red sky", 1.4), ("stars", 0.6))


def weights_of(runtime: Runtime) -> torch.Tensor:
    """[77, 1]: markers and padding weigh 1."""
    tokenizer = runtime.models.load("landscape").tokenizer
    row = [1.0]
    for text, weight in SPANS:
        row += [weight] * len(tokenizer(text, add_special_tokens=False).input_ids)
    return torch.tensor(row + [1.0] * (77 - len(row))).unsqueeze(1)


def test_webui_scales_and_restores_the_mean(runtime: Runtime) -> None:
    states, _ = reference(runtime, "hills red sky stars")
    scaled = states * weights_of(runtime)
    wanted = scaled * (states.mean() / scaled.mean())
    assert torch.allclose(encode(runtime, SPANS), wanted, atol=1e-5)


def test_comfy_moves_away_from_the_empty_prompt(runtime: Runtime) -> None:
    states, _ = reference(runtime, "hills red sky stars")
    empty, _ = reference(runtime, "")
    wanted = empty + weights_of(runtime) * (states - empty)
    assert torch.allclose(encode(runtime, SPANS, weighting="comfy"), wanted, atol=1e-5)


def test_compel_is_the_library_s(runtime: Runtime) -> None:
    compel = pytest.importorskip("compel.embeddings_provider")
    model = runtime.models.load("landscape")
    provider = compel.EmbeddingsProvider(model.tokenizer, model.text_encoder, truncate=True)
    with torch.no_grad():
        wanted = provider.get_embeddings_for_weighted_prompt_fragments(
            [[text for text, _ in SPANS]], [[weight for _, weight in SPANS]], device="cpu"
        )[0]
    assert torch.allclose(encode(runtime, SPANS, weighting="compel"), wanted, atol=1e-4)


@pytest.mark.parametrize("rule", ["webui", "comfy", "compel"])
def test_a_weight_changes_its_own_chunk_only(runtime: Runtime, rule: Weighting) -> None:
    plain = encode(runtime, (("hills", 1.0),), (("red sky", 1.0),), weighting=rule)
    strong = encode(runtime, (("hills", 1.0),), (("red sky", 1.5),), weighting=rule)
    assert plain.shape == strong.shape == (154, 128)
    assert torch.allclose(plain[:77], strong[:77], atol=1e-5)
    assert not torch.allclose(plain[77:], strong[77:], atol=1e-2)


def test_long_texts_lose_nothing(runtime: Runtime) -> None:
    model = runtime.models.load("landscape")
    text = ", ".join(["red sky", "hills", "stars"] * 30)
    count = len(model.tokenizer(text, add_special_tokens=False).input_ids)
    made = encode(runtime, ((text, 1.0),))
    assert len(made) == 77 * -(-count // CHUNK)
    assert not torch.allclose(made[:77], made[77:154])


def test_clip_skip_takes_an_earlier_layer_with_the_last_norm(runtime: Runtime, tiny_sd: Path) -> None:
    model = runtime.models.load(str(tiny_sd))
    ids = model.tokenizer("a b", padding="max_length", max_length=77, return_tensors="pt").input_ids
    with torch.no_grad():
        hidden = model.text_encoder(input_ids=ids, output_hidden_states=True).hidden_states
        wanted = [model.text_encoder.final_layer_norm(hidden[-skip])[0] for skip in (1, 2, 3)]
    made = [encode(runtime, (("a b", 1.0),), model=str(tiny_sd), clip_skip=skip) for skip in (1, 2, 3)]
    assert all(torch.allclose(one, other, atol=1e-5) for one, other in zip(made, wanted, strict=True))
    with pytest.raises(RunError, match="3 text layers"):
        encode(runtime, (("a b", 1.0),), model=str(tiny_sd), clip_skip=4)


def test_weights_of_0_and_below_give_numbers(runtime: Runtime) -> None:
    for rule in ("webui", "comfy", "compel"):
        for weight in (0.0, -1.0):
            assert bool(torch.isfinite(encode(runtime, (("red sky", weight),), weighting=rule)).all())
