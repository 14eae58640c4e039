"""A small classifier of drawn scenes: it reads the facts off a picture, and so measures what the model makes.

It sees drawings, drawings that went through the autoencoder, and blurred or noisy ones, so that it judges content and
not sharpness.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from landscape import facts as words
from landscape.data import Shard, held_out, to_tensor, training_shards
from landscape.facts import MONOCHROME, Facts
from landscape.parts import Autoencoder, channels_last
from landscape.stage import Settings, Stage

HEADS: dict[str, tuple[str, ...]] = {
    "style": words.STYLES,
    "time": words.TIMES,
    "terrain": words.TERRAINS,
    "sky": ("", *words.SKIES),
    "object": ("", *words.OBJECTS),
    "color": words.COLORS,
    "side": words.SIDES,
    "orb": ("", "sun", "moon"),
    "clouds": ("", "clouds"),
    "stars": ("", "stars"),
}
"""What is read, and the answers there are; an empty answer means that it is not there."""
BATCH, RATE = 32, 2e-3


def answers(facts: Facts) -> dict[str, int]:
    """The right answers; a question without one (the colour of a grey object) is left out."""
    gray = facts.style in MONOCHROME
    said = {
        "style": facts.style,
        "terrain": facts.terrain,
        "object": facts.thing,
        "orb": facts.orb,
        "clouds": "clouds" if facts.clouds else "",
        "stars": "stars" if facts.stars else "",
    }
    if not gray:
        said |= {"time": facts.time, "sky": facts.sky}
    if facts.thing:
        said["side"] = facts.side
        if not gray:
            said["color"] = facts.color
    return {head: HEADS[head].index(answer) for head, answer in said.items()}


class Classifier(nn.Module):
    """Pictures N x 3 x H x W (-1..1) -> one row of scores a head."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for out in (32, 48, 64, 96):
            layers += [nn.Conv2d(channels, out, 3, 2, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU()]
            layers += [nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU()]
            channels = out
        self.body = nn.Sequential(*layers[:3], *layers[6:])  # the first level is one convolution
        self.pool = nn.AdaptiveAvgPool2d((8, 6))
        self.mix = nn.Linear(channels * 48, 128)
        self.heads = nn.ModuleDict({name: nn.Linear(128, len(options)) for name, options in HEADS.items()})

    def forward(self, pictures: Tensor) -> dict[str, Tensor]:
        x = self.pool(self.body(pictures))
        x = torch.relu(self.mix(x.flatten(1)))
        return {name: head(x) for name, head in self.heads.items()}


def _worn(x: Tensor, vae: Autoencoder | None, rng: np.random.Generator) -> Tensor:
    """A third as it is, a third through the autoencoder (with a little noise on the latents), a third blurred."""
    kind = rng.integers(3)
    if kind == 1 and vae is not None:
        with torch.no_grad():
            z = vae.encode(x).latents
            x = vae.decode(z + 0.15 * z.std() * torch.randn_like(z)).sample.clamp(-1, 1)
    elif kind == 2:
        size = x.shape[-2:]
        x = F.interpolate(F.interpolate(x, scale_factor=float(rng.uniform(0.4, 0.8)), mode="bilinear"), size=size)
        x = x + 0.03 * torch.randn_like(x)
    return x


def batches(shards: list[Shard], rng: np.random.Generator) -> Iterator[tuple[Tensor, dict[str, Tensor]]]:
    """Endless pictures with their answers; -1 where a question has none."""
    sizes = np.array([len(s.facts) for s in shards], np.float64)
    while True:
        shard = shards[rng.choice(len(shards), p=sizes / sizes.sum())]
        picked = np.sort(rng.integers(len(shard.facts), size=BATCH))
        known = [answers(shard.facts[i]) for i in picked]
        yield (
            to_tensor(shard.pixels[picked]),
            {head: torch.tensor([k.get(head, -1) for k in known]) for head in HEADS},
        )


def train(settings: Settings, vae: Autoencoder | None = None) -> Classifier:
    """Trains for the budget and logs the accuracy on held-out drawings, by question."""
    torch.manual_seed(settings.seed)
    model = channels_last(Classifier())
    shards = training_shards(settings.folder / "data", settings.pictures)
    stage = Stage("classifier", settings, {"classifier": model}, RATE, decay_share=0.6, weight_decay=1e-2)
    rng = np.random.default_rng((settings.seed, stage.progress.step))
    model.train()
    source = batches(shards, rng)
    for _ in stage.steps():
        pictures, targets = next(source)
        scores = model(_worn(pictures, vae, rng))
        losses = [F.cross_entropy(scores[h], t, ignore_index=-1) for h, t in targets.items() if bool((t >= 0).any())]
        loss = torch.stack(losses).sum()
        stage.update(loss, {"loss": loss.item()})
    # Batch statistics belong to the last weights, not to their average: these are kept.
    model.train(False)
    test = held_out(settings.folder / "data", 16 if settings.pictures < 1000 else 512)
    stage.log({f"accuracy_{head}": share for head, share in accuracy(model, test.pixels, test.facts).items()})
    return model


@torch.no_grad()
def read(model: Classifier, pixels: NDArray[np.uint8]) -> dict[str, list[int]]:
    """The answers for pictures (N x H x W x 3 bytes)."""
    found: dict[str, list[int]] = {head: [] for head in HEADS}
    for start in range(0, len(pixels), 64):
        for head, scores in model(to_tensor(pixels[start : start + 64])).items():
            found[head] += scores.argmax(1).tolist()
    return found


def accuracy(model: Classifier, pixels: NDArray[np.uint8], facts: list[Facts]) -> dict[str, float]:
    """Share of right answers by question, over the pictures for which the question has one."""
    found = read(model, pixels)
    out = {}
    for head in HEADS:
        pairs = [(answers(f)[head], got) for f, got in zip(facts, found[head], strict=True) if head in answers(f)]
        out[head] = sum(a == b for a, b in pairs) / max(1, len(pairs))
    return out


def save(model: Classifier, folder: Path) -> None:
    """Half-precision weights, and the questions with their answers."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {k: (t.half() if t.is_floating_point() else t).contiguous() for k, t in model.state_dict().items()}
    save_file(tensors, folder / "classifier.safetensors")
    (folder / "classifier.safetensors").chmod(0o644)
    (folder / "classifier.json").write_text(json.dumps(HEADS, indent=1) + "\n")


def load(folder: Path) -> Classifier:
    """The classifier of a folder, ready to read."""
    model = Classifier()
    tensors = load_file(folder / "classifier.safetensors")
    model.load_state_dict({k: (t.float() if t.is_floating_point() else t) for k, t in tensors.items()})
    model.train(False)
    return channels_last(model)
