"""The drawn data sets: pictures in one memory-mapped array a shape, and the facts they were drawn from.

A scene is known by its number. Training scenes start at 0; the held-out ones start at `HELD_OUT`, far behind any number
that training reaches, so that no picture is ever in both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from landscape.facts import Facts
from landscape.scenes import scene

HELD_OUT = 1_000_000_000
SHAPES: dict[tuple[int, int], float] = {  # width, height: share of the training pictures
    (128, 128): 0.76,
    (160, 112): 0.06,
    (112, 160): 0.06,
    (192, 96): 0.03,
    (96, 192): 0.03,
    (96, 96): 0.02,
    (192, 128): 0.02,
    (128, 192): 0.02,
}


@dataclass(frozen=True, slots=True)
class Shard:
    """Pictures of one shape: `pixels` is N x height x width x 3 bytes, `facts` has N entries."""

    pixels: NDArray[np.uint8]
    facts: list[Facts]


def shard(folder: Path, first: int, count: int, width: int = 128, height: int = 128) -> Shard:
    """The scenes `first` to `first + count - 1` in one shape, drawn once and then read from `folder`."""
    name = f"{width}x{height}-{first}-{count}"
    pixels_file, facts_file = folder / f"{name}.npy", folder / f"{name}.json"
    if not facts_file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pixels = np.lib.format.open_memmap(pixels_file, "w+", np.uint8, (count, height, width, 3))
        known = []
        for i in range(count):
            pixels[i], facts, _ = scene(first + i, width, height)
            known.append(asdict(facts))
        pixels.flush()
        facts_file.write_text(json.dumps(known))  # last, so that an interrupted shard is drawn again
    stored: NDArray[np.uint8] = np.load(pixels_file, mmap_mode="r")
    return Shard(stored, [Facts(**entry) for entry in json.loads(facts_file.read_text())])


def training_shards(folder: Path, pictures: int) -> list[Shard]:
    """About `pictures` scenes in all shapes of `SHAPES`."""
    shards, first = [], 0
    for (width, height), share in SHAPES.items():
        count = max(1, round(pictures * share))
        shards.append(shard(folder, first, count, width, height))
        first += count
    return shards


def held_out(folder: Path, count: int) -> Shard:
    """Square scenes that no stage trains on."""
    return shard(folder, HELD_OUT, count)


def to_tensor(pixels: NDArray[np.uint8]) -> Tensor:
    """N x H x W x 3 bytes -> N x 3 x H x W values -1..1."""
    values = torch.from_numpy(np.array(pixels)).permute(0, 3, 1, 2).float()
    return values.div_(127.5).sub_(1).contiguous(memory_format=torch.channels_last)


def to_pixels(values: Tensor) -> NDArray[np.uint8]:
    """N x 3 x H x W values -1..1 -> N x H x W x 3 bytes."""
    pixels: NDArray[np.uint8] = (
        values.detach().float().clamp(-1, 1).add(1).mul(127.5).round().byte().permute(0, 2, 3, 1).contiguous().numpy()
    )
    return pixels


def crops(shards: list[Shard], size: int, batch: int, rng: np.random.Generator) -> Iterator[Tensor]:
    """Endless batches of random square crops, each mirrored half of the time (there are no captions to keep true)."""
    weights = np.array([len(s.facts) for s in shards], np.float64)
    weights /= weights.sum()
    out = np.empty((batch, size, size, 3), np.uint8)
    while True:
        for i in range(batch):
            pixels = shards[rng.choice(len(shards), p=weights)].pixels
            n, height, width, _ = pixels.shape
            y, x = rng.integers(0, height - size + 1), rng.integers(0, width - size + 1)
            crop = pixels[rng.integers(n), y : y + size, x : x + size]
            out[i] = crop[:, ::-1] if rng.random() < 0.5 else crop
        yield to_tensor(out)
