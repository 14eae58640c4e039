"""Each stage trains on a budget of a second or two and hands its result to the next."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from safetensors import safe_open

from landscape import autoencoder, base, classifier, evaluate, export
from landscape.data import HELD_OUT, crops, held_out, shard, to_pixels, to_tensor, training_shards
from landscape.facts import caption, choose
from landscape.parts import CLIPTokenizer, open_autoencoder, open_pipeline
from landscape.stage import Settings
from landscape.train import main, run

SECONDS = 1 / 60


def train(stage: str, folder: Path, *more: str, seconds: float = 1.5) -> None:
    arguments = ["--stage", stage, "--folder", str(folder), "--pictures", "24", "--budget", str(seconds * SECONDS)]
    result = CliRunner().invoke(main, [*arguments, *more], catch_exceptions=False)
    assert result.exit_code == 0, result.output


def log(folder: Path, stage: str) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / stage / "log.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module", autouse=True)
def _signals() -> Iterator[None]:
    """The command takes over two signals; they are given back."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every stage has been trained for a moment."""
    place = tmp_path_factory.mktemp("landscape")
    for stage in ("tokenizer", "autoencoder", "base", "classifier"):
        train(stage, place)
    return place


def test_the_tokenizer_gives_back_any_text(folder: Path) -> None:
    tokenizer = CLIPTokenizer.from_pretrained(folder / "model" / "tokenizer")
    rng = Random(1)
    known = caption(choose(rng), rng)
    assert len(tokenizer(known).input_ids) <= 2 * len(known.split()) + 2
    for text in (known, "zyx (quux) 42%", "naïve café — 東京 🌄"):
        ids = tokenizer(text).input_ids
        assert ids[0] == tokenizer.bos_token_id
        assert ids[-1] == tokenizer.eos_token_id
        assert tokenizer.eos_token_id not in ids[1:-1]
        assert tokenizer.decode(ids, skip_special_tokens=True).replace(" ", "") == text.replace(" ", "")


def test_the_autoencoder_learns(tmp_path: Path) -> None:
    settings = Settings(tmp_path, 3 * SECONDS, pictures=24)
    before = autoencoder.build()
    test = held_out(tmp_path / "data", 16)
    first = autoencoder.psnr(before, test, 16).mean()
    after = autoencoder.psnr(autoencoder.train(settings), test, 16).mean()
    assert after > first + 1


def test_the_decoder_stage_leaves_the_latents_as_they_are(folder: Path, tmp_path: Path) -> None:
    run("decoder", Settings(tmp_path, SECONDS, pictures=24), start=folder / "model")
    old = open_autoencoder(folder / "model")
    new = open_autoencoder(tmp_path / "model")
    assert all(torch.equal(a, b) for a, b in zip(old.encoder.parameters(), new.encoder.parameters(), strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(old.decoder.parameters(), new.decoder.parameters(), strict=True))


def test_a_grown_decoder_starts_from_the_small_one() -> None:
    torch.manual_seed(0)
    small = autoencoder.shape((1, 1, 1, 1))
    large = autoencoder.grow(small)
    assert sum(p.numel() for p in large.parameters()) > sum(p.numel() for p in small.parameters())
    z = torch.randn(1, autoencoder.LATENT, 4, 4)
    assert torch.allclose(small.decode(z).sample, large.decode(z).sample, atol=1e-4)


def test_the_folder_is_a_pipeline_that_fits(folder: Path) -> None:
    model = folder / "model"
    assert sum(f.stat().st_size for f in model.rglob("*") if f.is_file()) <= export.LIMIT
    for part in ("vae/diffusion_pytorch_model", "unet/diffusion_pytorch_model", "text_encoder/model"):
        with safe_open(model / f"{part}.safetensors", "pt") as file:
            assert {file.get_tensor(name).dtype for name in file.keys()} <= {torch.float16, torch.int64}  # noqa: SIM118
    assert not any(str(folder) in f.read_text("utf-8") for f in model.rglob("*.json"))
    pictures = evaluate.generate(open_pipeline(model), ["a red car, hills", "the sea"], steps=2)
    assert pictures.shape == (2, 128, 128, 3)
    alone = evaluate.generate(open_pipeline(model), ["the sea"], steps=2, seed=1)
    assert np.abs(pictures[1].astype(int) - alone[0]).max() <= 2


def test_the_base_stage_starts_from_another_folder(folder: Path, tmp_path: Path) -> None:
    run("base", Settings(tmp_path, SECONDS, pictures=24), start=folder / "model")
    old, new = open_autoencoder(folder / "model"), open_autoencoder(tmp_path / "model")
    assert all(torch.equal(a, b) for a, b in zip(old.parameters(), new.parameters(), strict=True))
    assert old.config["scaling_factor"] == new.config["scaling_factor"]


def test_the_base_stage_goes_on(folder: Path) -> None:
    steps = log(folder, "base")[-1]["step"]
    assert steps >= 1
    train("base", folder, "--resume")
    assert log(folder, "base")[-1]["step"] > steps
    assert all(np.isfinite(entry["loss"]) for entry in log(folder, "base"))


def test_the_loss_weighs_the_object_where_it_is() -> None:
    facts = next(f for f in map(choose, map(Random, range(100))) if f.thing == "cabin" and f.side == "left")
    weights = base.weight_map(facts, 16, 16)[0]
    assert weights[12, 3] == base.OBJECT_WEIGHT
    assert weights[2, 3] == weights[12, 13] == 1


def test_latents_are_kept_and_follow_the_encoder(tmp_path: Path) -> None:
    shards = training_shards(tmp_path, 10)
    first = autoencoder.latents(autoencoder.build(0), shards, tmp_path)
    again = autoencoder.latents(autoencoder.build(0), shards, tmp_path)
    other = autoencoder.latents(autoencoder.build(1), shards, tmp_path)
    assert [t.shape[2:] for t in first[:3]] == [(16, 16), (14, 20), (20, 14)]
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], other[0])


def test_a_crop_of_latents_stands_for_its_pixels(tmp_path: Path) -> None:
    shards = training_shards(tmp_path, 10)
    vae = autoencoder.build()
    stored = autoencoder.latents(vae, shards, tmp_path)
    z, real = next(autoencoder.latent_crops(shards, stored, 96, 4, np.random.default_rng(1)))
    assert z.shape == (4, 8, 12, 12)
    again = vae.encode(real).latents.detach()
    inner = (slice(None), slice(None), slice(5, 7), slice(5, 7))  # out of reach of the frame
    assert torch.nn.functional.cosine_similarity(z[inner].flatten(), again[inner].flatten(), dim=0) > 0.98


def test_a_shard_is_drawn_once_and_whole(tmp_path: Path) -> None:
    first = shard(tmp_path, 5, 3)
    stamp = (tmp_path / "128x128-5-3.npy").stat().st_mtime_ns
    again = shard(tmp_path, 5, 3)
    assert np.array_equal(first.pixels, again.pixels)
    assert first.facts == again.facts
    assert (tmp_path / "128x128-5-3.npy").stat().st_mtime_ns == stamp
    (tmp_path / "128x128-5-3.json").unlink()  # as if drawing had been interrupted
    assert np.array_equal(shard(tmp_path, 5, 3).pixels, first.pixels)


def test_held_out_scenes_are_not_trained_on(tmp_path: Path) -> None:
    held_out(tmp_path, 4)
    training_shards(tmp_path, 10)
    firsts = [int(f.stem.split("-")[1]) for f in tmp_path.glob("*.json")]
    assert [n for n in firsts if n >= HELD_OUT] == [HELD_OUT]


def test_pixels_and_tensors_are_one(tmp_path: Path) -> None:
    pixels = shard(tmp_path, 0, 2).pixels
    assert np.array_equal(to_pixels(to_tensor(pixels)), pixels)
    crop = next(crops([shard(tmp_path, 0, 2)], 64, 3, np.random.default_rng(0)))
    assert crop.shape == (3, 3, 64, 64)
    assert float(crop.abs().max()) <= 1


def test_the_classifier_is_asked_only_what_has_an_answer() -> None:
    chosen = [choose(Random(seed)) for seed in range(200)]
    gray = next(f for f in chosen if f.style == "charcoal" and f.thing)
    empty = next(f for f in chosen if not f.thing and f.style == "photo")
    assert not {"color", "sky", "time"} & set(classifier.answers(gray))
    assert not {"color", "side"} & set(classifier.answers(empty))
    assert classifier.HEADS["object"][classifier.answers(gray)["object"]] == gray.thing


def test_a_classifier_is_written_and_read(folder: Path) -> None:
    model = classifier.load(folder / "classifier-final")
    test = held_out(folder / "data", 16)
    found = classifier.read(model, test.pixels[:4])
    assert {len(answers) for answers in found.values()} == {4}
    assert all(0 <= share <= 1 for share in classifier.accuracy(model, test.pixels, test.facts).values())
