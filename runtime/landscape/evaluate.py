"""Measures the model: does a picture show what its prompt says? `python -m landscape.evaluate --pictures 512`.

Prompts come from scenes that no stage trains on, the answers from the classifier of `landscape.classifier`, whose own
accuracy on drawn scenes is the ceiling and is reported beside. Intervals are Wilson's at 95 %.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import click
import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from landscape import autoencoder, classifier
from landscape.data import HELD_OUT, held_out, to_pixels, to_tensor
from landscape.facts import MONOCHROME, Facts, article, choose, full_caption
from landscape.parts import Autoencoder, Pipeline, open_pipeline
from landscape.scenes import draw

AIMS = {"style": 0.95, "time": 0.9, "terrain": 0.9, "sky": 0.9, "object": 0.8, "color": 0.8, "side": 0.8}
"""Shares of right answers that the model is meant to reach."""
STEPS, GUIDANCE, RESCALE = 20, 4.0, 0.7
FIRST_PROMPT = HELD_OUT + 1_000_000
WEIGHTS = Path(__file__).parents[1] / "promptc_runtime" / "models" / "landscape"
CLASSIFIER = Path(__file__).parent / "checkpoints" / "classifier"

Pictures = NDArray[np.uint8]


def wilson(right: int, count: int) -> tuple[float, float]:
    """95 % interval of a share."""
    if count == 0:
        return 0.0, 1.0
    z, share = 1.96, right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def embed(pipeline: Pipeline, prompts: list[str], weights: list[dict[str, float]] | None = None) -> Tensor:
    """Embeddings N x 77 x D; `weights` scales those of whole words and restores the mean, as web UIs do."""
    tokenizer = pipeline.tokenizer
    ids = tokenizer(prompts, padding="max_length", max_length=77, truncation=True, return_tensors="pt").input_ids
    out: Tensor = pipeline.text_encoder(ids).last_hidden_state
    for row, scale in enumerate(weights or []):
        factors = torch.ones(77)
        for word, factor in scale.items():
            for token in tokenizer(word, add_special_tokens=False).input_ids:
                factors[ids[row] == token] = factor
        mean = out[row].mean()
        scaled = out[row] * factors[:, None]
        out[row] = scaled * (mean / scaled.mean())
    return out


@torch.no_grad()
def generate(
    pipeline: Pipeline,
    prompts: list[str],
    *,
    seed: int = 0,
    negative: list[str] | None = None,
    weights: list[dict[str, float]] | None = None,
    steps: int = STEPS,
    size: tuple[int, int] = (128, 128),
    batch: int = 16,
) -> Pictures:
    """N x height x width x 3 bytes; picture i starts from the noise of seed + i, alone or in a batch."""
    made = []
    for start in range(0, len(prompts), batch):
        part = slice(start, start + batch)
        count = len(prompts[part])
        values = pipeline(
            prompt_embeds=embed(pipeline, prompts[part], weights[part] if weights else None),
            negative_prompt_embeds=embed(pipeline, negative[part] if negative else [""] * count),
            num_inference_steps=steps,
            guidance_scale=GUIDANCE,
            guidance_rescale=RESCALE,
            width=size[0],
            height=size[1],
            generator=[torch.Generator().manual_seed(seed + start + i) for i in range(count)],
            output_type="pt",
        ).images
        made.append(to_pixels(values * 2 - 1))
    return np.concatenate(made)


def scenes(count: int) -> list[Facts]:
    """The scenes whose captions are the prompts."""
    return [choose(Random(FIRST_PROMPT + i)) for i in range(count)]


def content(model: classifier.Classifier, pictures: Pictures, facts: list[Facts]) -> dict[str, dict[str, float]]:
    """Share of right answers with its interval, by question."""
    found = classifier.read(model, pictures)
    table = {}
    for head in classifier.HEADS:
        pairs = [
            (classifier.answers(f)[head], got)
            for f, got in zip(facts, found[head], strict=True)
            if head in classifier.answers(f) and not (head == "time" and f.style in MONOCHROME)
        ]
        right = sum(wanted == got for wanted, got in pairs)
        low, high = wilson(right, len(pairs))
        table[head] = {"share": right / max(1, len(pairs)), "low": low, "high": high, "count": float(len(pairs))}
    return table


@torch.no_grad()
def _probability(model: classifier.Classifier, pictures: Pictures, head: str, wanted: list[int]) -> float:
    scores = torch.cat([model(to_tensor(pictures[i : i + 64]))[head] for i in range(0, len(pictures), 64)])
    return scores.softmax(1)[range(len(wanted)), wanted].mean().item()


def emphasis(pipeline: Pipeline, model: classifier.Classifier, count: int, seed: int) -> dict[str, float]:
    """Mean probability of the prompt's object colour with its word at 0.6, 1 and 1.4."""
    facts = [f for f in scenes(20 * count) if f.thing and f.style not in MONOCHROME][:count]
    prompts = [full_caption(f) for f in facts]
    wanted = [classifier.HEADS["color"].index(f.color) for f in facts]
    out = {}
    for factor in (0.6, 1.0, 1.4):
        pictures = generate(pipeline, prompts, seed=seed, weights=[{f.color: factor} for f in facts])
        out[str(factor)] = _probability(model, pictures, "color", wanted)
    return out


def negation(pipeline: Pipeline, model: classifier.Classifier, count: int, seed: int) -> dict[str, float]:
    """Mean probability of a sun or moon that the prompt asks for, without and with a negative prompt that names it."""
    facts = [f for f in scenes(20 * count) if f.orb][:count]
    prompts = [full_caption(f) for f in facts]
    wanted = [classifier.HEADS["orb"].index(f.orb) for f in facts]
    plain = generate(pipeline, prompts, seed=seed)
    without = generate(pipeline, prompts, seed=seed, negative=[article(f.orb) for f in facts])
    return {
        "asked for": _probability(model, plain, "orb", wanted),
        "and named in the negative prompt": _probability(model, without, "orb", wanted),
    }


def sheet(pictures: Pictures, columns: int, file: Path) -> None:
    """One image with all pictures in reading order."""
    _, height, width, _ = pictures.shape
    rows = math.ceil(len(pictures) / columns)
    out = Image.new("RGB", (columns * width, rows * height), "white")
    for i, pixels in enumerate(pictures):
        out.paste(Image.fromarray(pixels), (i % columns * width, i // columns * height))
    file.parent.mkdir(parents=True, exist_ok=True)
    out.save(file)


@torch.no_grad()
def autoencoder_pairs(vae: Autoencoder, count: int = 16) -> Pictures:
    """Held-out drawings, and below each row what the autoencoder makes of them."""
    facts = scenes(count)
    real = np.stack([draw(f, FIRST_PROMPT + i) for i, f in enumerate(facts)])
    made = to_pixels(vae.decode(vae.encode(to_tensor(real)).latents).sample)
    half = count // 2
    return np.concatenate([real[:half], made[:half], real[half:], made[half:]])


def report(pipeline: Pipeline, model: classifier.Classifier, pictures: int, seed: int, folder: Path) -> dict[str, Any]:
    """All measurements; the drawings of the held-out set are kept in `folder`."""
    test = held_out(folder / "data", max(16, min(512, pictures)))
    facts = scenes(pictures)
    started = time.process_time()
    made = generate(pipeline, [full_caption(f) for f in facts], seed=seed)
    seconds = (time.process_time() - started) / pictures
    side = max(4, pictures // 16)
    return {
        "pictures": pictures,
        "seed": seed,
        "steps": STEPS,
        "guidance": GUIDANCE,
        "processor seconds a picture": seconds,
        "psnr": autoencoder.psnr(pipeline.vae, test, len(test.facts)).mean().item(),
        "classifier on drawings": classifier.accuracy(model, test.pixels, test.facts),
        "content": content(model, made, facts),
        "emphasis": emphasis(pipeline, model, side, seed),
        "negation": negation(pipeline, model, side, seed),
    }


def table(measured: dict[str, Any]) -> str:
    """The report as text."""
    lines = [
        (
            f"{measured['pictures']} pictures, seed {measured['seed']}, {measured['steps']} steps, "
            f"{measured['processor seconds a picture']:.2f} s of processor time each; "
            f"autoencoder {measured['psnr']:.2f} dB"
        ),
        f"{'question':10} {'right':>7} {'95 % interval':>17} {'aim':>6} {'on drawings':>12}",
    ]
    for head, row in measured["content"].items():
        aim = f"{AIMS[head]:.0%}" if head in AIMS else ""
        interval = f"{row['low']:.1%} to {row['high']:.1%}"
        known = measured["classifier on drawings"][head]
        lines.append(f"{head:10} {row['share']:7.1%} {interval:>17} {aim:>6} {known:12.1%}")
    lines += [
        f"{name}: " + ", ".join(f"{k}: {v:.2f}" for k, v in measured[name].items()) for name in ("emphasis", "negation")
    ]
    return "\n".join(lines)


@click.command()
@click.option("--model", type=click.Path(path_type=Path, exists=True), default=WEIGHTS, help="A diffusers folder.")
@click.option("--classifier", "reader", type=click.Path(path_type=Path, exists=True), default=CLASSIFIER)
@click.option("--pictures", type=int, default=512, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), default=Path("landscape-run"), show_default=True)
@click.option("--threads", type=int, default=1, show_default=True)
@click.option("--at-least", type=float, help="Exit with 1 when the mean share of right answers is lower.")
def main(
    model: Path, reader: Path, pictures: int, seed: int, folder: Path, threads: int, at_least: float | None
) -> None:
    """Print the table, write FOLDER/evaluation.json and the sheets."""
    torch.set_num_threads(threads)
    pipeline = open_pipeline(model)
    measured = report(pipeline, classifier.load(reader), pictures, seed, folder)
    (folder / "evaluation.json").write_text(json.dumps(measured, indent=2) + "\n")
    click.echo(table(measured))
    plain = [replace(f, fog=False) for f in scenes(24)]
    sheet(generate(pipeline, [full_caption(f) for f in plain], seed=seed), 8, folder / "samples.png")
    sheet(autoencoder_pairs(pipeline.vae), 8, folder / "autoencoder.png")
    shares = [row["share"] for head, row in measured["content"].items() if head in AIMS]
    if at_least is not None and sum(shares) / len(shares) < at_least:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
