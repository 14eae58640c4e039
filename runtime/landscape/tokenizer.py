"""The tokenizer: byte-level pairs in the manner of CLIP, learnt from captions. Any text can be encoded."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from landscape.facts import caption, choose
from landscape.parts import CLIPTokenizer
from landscape.parts import Tokenizer as Words

START, END = "<|startoftext|>", "<|endoftext|>"
WORD_END = "</w>"
WORDS = r"""<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"""


def train(captions: int = 20_000, seed: int = 0, vocabulary: int = 1600) -> Words:
    """Learns the pairs of `captions` random captions; there are fewer entries than `vocabulary` (about 700)."""
    rng = Random(seed)
    texts = (caption(choose(rng), rng) for _ in range(captions))
    core = Tokenizer(models.BPE(unk_token=END, end_of_word_suffix=WORD_END))
    core.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), behavior="removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=[START, END],
        initial_alphabet=alphabet,
        end_of_word_suffix=WORD_END,
        show_progress=False,
    )
    core.train_from_iterator(texts, trainer)
    learnt = json.loads(core.to_str())["model"]
    vocab: dict[str, int] = learnt["vocab"]
    for byte in alphabet:  # every byte must exist at the end of a word too
        vocab.setdefault(byte + WORD_END, len(vocab))
    pairs = [pair if isinstance(pair, str) else " ".join(pair) for pair in learnt["merges"]]
    with tempfile.TemporaryDirectory() as folder:
        vocab_file, pairs_file = Path(folder, "vocab.json"), Path(folder, "merges.txt")
        vocab_file.write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
        pairs_file.write_text("#version: 0.2\n" + "\n".join(pairs) + "\n", encoding="utf-8")
        return CLIPTokenizer(str(vocab_file), str(pairs_file), model_max_length=77)
