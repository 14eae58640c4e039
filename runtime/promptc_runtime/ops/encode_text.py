"""Text -> hidden states: chunks of 75 tokens, and the weights by one of three rules.

Chunks are cut as the web UI cuts them: a part (`BREAK`) begins a new chunk, a full chunk moves the text after its last
comma into the next one when the comma is at most 20 tokens from the end, and every chunk is padded and enclosed in its markers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from promptc.plan.ops.encode_text import EncodeText, Weighting
from promptc_runtime.context import RunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from promptc_runtime.context import Context

CHUNK = 75
BACK_OFF = 20
"""Tokens from the comma to the chunk's end, up to which what follows the comma moves, so that a phrase stays whole."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The content tokens of a chunk, their weights, and the number of the span that each comes from."""

    tokens: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()
    spans: tuple[int, ...] = ()


def run(op: EncodeText, inputs: Sequence[object], context: Context) -> Tensor:
    """[chunks * 77, width], float32. Raises RunError `clip-skip` where the encoder has fewer layers."""
    import torch

    model = context.model(op.model)
    tokenizer, encoder = model.tokenizer, model.text_encoder
    layers = encoder.config.num_hidden_layers
    if op.clip_skip > layers:
        raise RunError("clip-skip", f"clip skip {op.clip_skip} is too much for {op.model}: it has {layers} text layers")
    comma = tokenizer.get_vocab().get(",</w>")
    chunks = cut(op.parts, lambda text: tokenizer(text, add_special_tokens=False).input_ids, comma)

    def encode(rows: Sequence[Sequence[int]], mask: Tensor | None = None) -> Tensor:
        ids = torch.tensor(rows, device=context.device)
        out: Any = encoder(input_ids=ids, attention_mask=mask, output_hidden_states=op.clip_skip > 1)
        if op.clip_skip == 1:
            return out.last_hidden_state  # type: ignore[no-any-return]
        norm = getattr(encoder, "text_model", encoder).final_layer_norm
        return norm(out.hidden_states[-op.clip_skip])  # type: ignore[no-any-return]

    begin, end, pad = tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id
    states = RULES[op.weighting](encode, chunks, lambda tokens: _row(tokens, begin, end, pad))
    if not bool(torch.isfinite(states).all()):
        raise RunError(
            "non-finite", f"{op.model} encodes this text to values that are no numbers; its files may be damaged"
        )
    return states.flatten(0, 1).contiguous()


def cut(
    parts: Sequence[Sequence[tuple[str, float]]], tokenize: Callable[[str], list[int]], comma: int | None
) -> list[Chunk]:
    """The chunks of a text. An empty last part adds none, and an empty text is one empty chunk."""
    chunks: list[Chunk] = []
    span = 0
    for last, part in ((number == len(parts) - 1, part) for number, part in enumerate(parts)):
        tokens: list[tuple[int, float, int]] = []
        for text, weight in part:
            tokens += [(token, weight, span) for token in (tokenize(text) if text else [])]
            span += 1
        if tokens or not last or not chunks:
            chunks += [_chunk(piece) for piece in _pieces(tokens, comma)]
    return chunks


def _pieces(tokens: list[tuple[int, float, int]], comma: int | None) -> list[list[tuple[int, float, int]]]:
    pieces: list[list[tuple[int, float, int]]] = [[]]
    last_comma = -1
    for entry in tokens:
        piece = pieces[-1]
        if entry[0] == comma:
            last_comma = len(piece)
        elif len(piece) == CHUNK and last_comma != -1 and CHUNK - last_comma <= BACK_OFF:
            pieces.append(piece[last_comma + 1 :])
            del piece[last_comma + 1 :]
            last_comma = -1
        if len(pieces[-1]) == CHUNK:
            pieces.append([])
            last_comma = -1
        pieces[-1].append(entry)
    return pieces


def _chunk(piece: list[tuple[int, float, int]]) -> Chunk:
    return Chunk(*(tuple(column) for column in zip(*piece, strict=True))) if piece else Chunk()


def _row(tokens: Sequence[int], begin: int, end: int, pad: int) -> list[int]:
    return [begin, *tokens, end, *[pad] * (CHUNK - len(tokens))]


def _weights(chunks: Sequence[Chunk], like: Tensor) -> Tensor:
    """[chunks, 77, 1]: markers and padding weigh 1."""
    rows = [[1.0, *chunk.weights, *[1.0] * (CHUNK + 1 - len(chunk.weights))] for chunk in chunks]
    return like.new_tensor(rows).unsqueeze(-1)


def webui(encode: Any, chunks: Sequence[Chunk], row: Callable[[Sequence[int]], list[int]]) -> Tensor:
    """Multiply the hidden states, then restore the mean of each chunk."""
    states: Tensor = encode([row(chunk.tokens) for chunk in chunks])
    if _plain(chunks):
        return states
    weighted = states * _weights(chunks, states)
    before, after = states.mean((1, 2), keepdim=True), weighted.mean((1, 2), keepdim=True)
    # Where nothing changes, nothing is scaled: a chunk without weights keeps its bits.
    same = (weighted == states).all(2, keepdim=True).all(1, keepdim=True) | (after == 0)
    return (weighted * (before / after)).where(~same, weighted)


def comfy(encode: Any, chunks: Sequence[Chunk], row: Callable[[Sequence[int]], list[int]]) -> Tensor:
    """Move each token's state away from, or towards, the one it has in the empty prompt."""
    if _plain(chunks):
        return encode([row(chunk.tokens) for chunk in chunks])  # type: ignore[no-any-return]
    states: Tensor = encode([*(row(chunk.tokens) for chunk in chunks), row(())])
    return _from_empty(states[:-1], states[-1:], chunks)


def compel(encode: Any, chunks: Sequence[Chunk], row: Callable[[Sequence[int]], list[int]]) -> Tensor:
    """As `comfy`, then mix in, for each span of less than 1, the same text with that span masked out."""
    import torch

    rows = [row(chunk.tokens) for chunk in chunks]
    if _plain(chunks):
        return encode(rows)  # type: ignore[no-any-return]
    states: Tensor = encode([*rows, row(())])
    empty = states[-1:]
    mixed, total = _from_empty(states[:-1], empty, chunks), 1.0
    lowered = {
        span: weight for chunk in chunks for span, weight in zip(chunk.spans, chunk.weights, strict=True) if weight < 1
    }
    for span, weight in lowered.items():
        mask = torch.ones((len(rows), CHUNK + 2), dtype=torch.long, device=states.device)
        for number, chunk in enumerate(chunks):
            for place, owner in enumerate(chunk.spans, start=1):
                if owner == span:
                    mask[number, place] = 0
        # The tangent is 0 at weight 1, 1 at 0.5, and grows without bound towards 0.
        share = math.tan((1 - max(weight, 1e-5)) * math.pi / 2)
        mixed = mixed + share * _from_empty(encode(rows, mask), empty, chunks)
        total += share
    return mixed / total


def _from_empty(states: Tensor, empty: Tensor, chunks: Sequence[Chunk]) -> Tensor:
    weights = _weights(chunks, states)
    return states.where(weights == 1, empty + weights * (states - empty))


def _plain(chunks: Sequence[Chunk]) -> bool:
    return all(weight == 1 for chunk in chunks for weight in chunk.weights)


RULES: dict[Weighting, Callable[..., Tensor]] = {"webui": webui, "comfy": comfy, "compel": compel}
