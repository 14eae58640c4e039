"""The measurements tell a trained model from a broken one; the shipped model passes a small budget of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from PIL import Image

from landscape import classifier, evaluate
from landscape.data import held_out
from landscape.facts import Facts, choose, full_caption
from landscape.parts import Pipeline, open_pipeline

PICTURES, STEPS = 16, 6
THRESHOLD = 0.42
"""Mean share of right answers that the shipped model passes by far and a broken one (about 0.25) never reaches."""


@pytest.fixture(scope="module")
def reader() -> classifier.Classifier:
    return classifier.load(evaluate.CLASSIFIER)


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return open_pipeline(evaluate.WEIGHTS)


def mean_share(pipeline: Pipeline, reader: classifier.Classifier, facts: list[Facts]) -> float:
    pictures = evaluate.generate(pipeline, [full_caption(f) for f in facts], steps=STEPS)
    shares = [row["share"] for head, row in evaluate.content(reader, pictures, facts).items() if head in evaluate.AIMS]
    return sum(shares) / len(shares)


def test_the_classifier_reads_drawings(reader: classifier.Classifier, tmp_path: Path) -> None:
    test = held_out(tmp_path, 64)
    shares = classifier.accuracy(reader, test.pixels, test.facts)
    assert min(shares.values()) > 0.85, shares


@pytest.mark.slow
def test_the_shipped_model_shows_what_is_asked(pipeline: Pipeline, reader: classifier.Classifier) -> None:
    assert mean_share(pipeline, reader, evaluate.scenes(PICTURES)) >= THRESHOLD


@pytest.mark.slow
@pytest.mark.parametrize("part", ["text_encoder", "unet", "vae"])
def test_a_broken_model_does_not_pass(part: str, reader: classifier.Classifier) -> None:
    broken = open_pipeline(evaluate.WEIGHTS)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in getattr(broken, part).parameters():
            order = torch.randperm(parameter.numel(), generator=generator)
            parameter.copy_(parameter.flatten()[order].view_as(parameter))
    assert mean_share(broken, reader, evaluate.scenes(PICTURES)) < THRESHOLD


def test_a_prompt_gives_one_picture_alone_or_in_a_batch(pipeline: Pipeline) -> None:
    prompts = ["hills, noon", "the sea, at night"]
    both = evaluate.generate(pipeline, prompts, steps=2, seed=5)
    second = evaluate.generate(pipeline, prompts[1:], steps=2, seed=6)
    assert np.abs(both[1].astype(int) - second[0]).max() <= 2


def test_weights_scale_words_and_keep_the_mean(pipeline: Pipeline) -> None:
    prompts = ["a red car, hills"]
    with torch.no_grad():
        plain = evaluate.embed(pipeline, prompts)
        same = evaluate.embed(pipeline, prompts, [{"red": 1.0}])
        strong = evaluate.embed(pipeline, prompts, [{"red": 1.4}])
    assert torch.allclose(plain, same, atol=1e-6)
    assert torch.allclose(plain.mean(), strong.mean(), atol=1e-5)
    place = pipeline.tokenizer(prompts[0]).input_ids.index(
        pipeline.tokenizer("red", add_special_tokens=False).input_ids[0]
    )
    ratio = (strong / plain)[0]
    assert torch.allclose(ratio[place] / ratio[place - 1], torch.tensor(1.4), atol=1e-3)


def test_a_share_lies_in_its_interval() -> None:
    assert evaluate.wilson(0, 0) == (0.0, 1.0)
    low, high = evaluate.wilson(80, 100)
    assert (round(low, 3), round(high, 3)) == (0.711, 0.867)
    assert evaluate.wilson(0, 20)[0] == 0
    assert evaluate.wilson(20, 20)[1] == 1


def test_questions_without_an_answer_do_not_count(reader: classifier.Classifier) -> None:
    facts = [f for f in map(choose, map(Random, range(300))) if f.style == "charcoal" and not f.thing][:4]
    table = evaluate.content(reader, np.zeros((4, 128, 128, 3), np.uint8), facts)
    assert table["style"]["count"] == 4
    assert table["color"]["count"] == table["side"]["count"] == table["time"]["count"] == 0


def test_a_sheet_holds_all_pictures(tmp_path: Path) -> None:
    pictures = np.stack([np.full((96, 128, 3), 10 * i, np.uint8) for i in range(5)])
    evaluate.sheet(pictures, 2, tmp_path / "a" / "sheet.png")
    with Image.open(tmp_path / "a" / "sheet.png") as image:
        assert image.size == (256, 288)
        assert image.getpixel((0, 200)) == (40, 40, 40)
        assert image.getpixel((200, 100)) == (30, 30, 30)
