"""The autoencoder: diffusers' `AutoencoderTiny`, 8 x 8 pixels to one latent of 8 numbers.

It is trained in two stages. `autoencoder` trains both halves. `decoder` freezes the encoder, and with it the latents
that the UNet learns, and goes on with the decoder alone: that can take place while, or after, the UNet is trained.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from landscape.data import Shard, crops, held_out, to_tensor, training_shards
from landscape.parts import Autoencoder, AutoencoderTiny, channels_last
from landscape.stage import Settings, Stage

LATENT, SCALE = 8, 8
CROP, BATCH = 64, 16
DECODER_CROP, DECODER_BATCH = 96, 7
"""Larger crops, so that the frame, where the decoder sees nothing beyond, is not learnt too often."""
RATE, RATE_AGAIN = 1e-3, 6e-4
"""Learning rates: for a fresh model (twice as much never starts), and for one that has learnt."""


def shape(decoder_blocks: tuple[int, ...] = (3, 3, 1, 1)) -> Autoencoder:
    """The architecture: 32 channels all through, `decoder_blocks` from the latents to the pixels."""
    return AutoencoderTiny(
        encoder_block_out_channels=(32,) * 4,
        decoder_block_out_channels=(32,) * 4,
        num_encoder_blocks=(0, 1, 2, 3),
        num_decoder_blocks=decoder_blocks,
        latent_channels=LATENT,
    )


def build(seed: int = 0) -> Autoencoder:
    """A fresh autoencoder, initialised so that a network without normalisation starts to learn."""
    torch.manual_seed(seed)
    model = shape()
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    with torch.no_grad():
        for module in model.modules():
            if type(module).__name__ == "AutoencoderTinyBlock":
                module.conv[-1].weight.mul_(0.2)  # a block starts close to doing nothing
        model.decoder.layers[-1].weight.mul_(0.2)
        model.encoder.layers[-1].weight.mul_(0.3)
    return channels_last(model)


def stages(decoder: Any) -> list[list[Any]]:
    """The decoder's parts level by level; each level ends with its convolution."""
    levels: list[list[Any]] = [[]]
    for layer in decoder.layers[2:]:
        levels[-1].append(layer)
        if isinstance(layer, nn.Conv2d):
            levels.append([])
    return levels[:-1]


def grow(small: Autoencoder) -> Autoencoder:
    """A deeper decoder that starts out close to what `small` does: new blocks add nothing to what they are given.

    A block ends with a rectifier. After another block that changes nothing; as the first of its level it cuts off what
    is negative, which the layers around it learn to live with within a hundred steps. (To lift its input above zero
    keeps the function, and spoils the training: all channels then share one large constant.)
    """
    model = build()
    with torch.no_grad():
        model.encoder.load_state_dict(small.encoder.state_dict())
        model.decoder.layers[0].load_state_dict(small.decoder.layers[0].state_dict())
        for new, old in zip(stages(model.decoder), stages(small.decoder), strict=True):
            new[-1].load_state_dict(old[-1].state_dict())
            old_blocks = [layer for layer in old if not isinstance(layer, nn.Conv2d | nn.Upsample)]
            new_blocks = [layer for layer in new if not isinstance(layer, nn.Conv2d | nn.Upsample)]
            for i, block in enumerate(new_blocks):
                if i < len(old_blocks):
                    block.load_state_dict(old_blocks[i].state_dict())
                else:
                    block.conv[-1].weight.zero_()
                    block.conv[-1].bias.zero_()
    return model


def slopes(x: Tensor) -> tuple[Tensor, Tensor]:
    """Differences to the pixel above and to the left."""
    return x[..., 1:, :] - x[..., :-1, :], x[..., :, 1:] - x[..., :, :-1]


def reconstruction(made: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    """Mean distance of the values and of the slopes; the second keeps edges and small objects."""
    value = (made - real).abs().mean()
    made_down, made_right = slopes(made)
    real_down, real_right = slopes(real)
    return value, (made_down - real_down).abs().mean() + (made_right - real_right).abs().mean()


@torch.no_grad()
def psnr(model: Autoencoder, shard: Shard, count: int = 128) -> Tensor:
    """Peak signal-to-noise ratio of whole held-out pictures in dB, one number a picture."""
    out = []
    for start in range(0, min(count, len(shard.facts)), 32):
        real = to_tensor(shard.pixels[start : min(count, start + 32)])
        made = model.decode(model.encode(real).latents).sample.clamp(-1, 1)
        error = (made - real).square().mean((1, 2, 3)).clamp_min(1e-10)
        out.append(10 * torch.log10(4 / error))
    return torch.cat(out)


@torch.no_grad()
def spread(model: Autoencoder, shard: Shard) -> float:
    """Standard deviation of the latents; the UNet sees them divided by it."""
    parts = [model.encode(to_tensor(shard.pixels[i : i + 32])).latents for i in range(0, len(shard.pixels), 32)]
    return torch.cat(parts).std().item()


@torch.no_grad()
def latents(vae: Autoencoder, shards: list[Shard], folder: Path) -> list[Tensor]:
    """The latents of all pictures, half precision, one tensor N x C x h x w a shard; kept in `folder` by encoder."""
    digest = hashlib.sha256()
    for name, tensor in sorted(vae.encoder.state_dict().items()):
        digest.update(name.encode() + tensor.detach().float().numpy().tobytes())
    digest.update(repr([s.pixels.shape for s in shards]).encode())
    file = folder / f"latents-{digest.hexdigest()[:16]}.safetensors"
    if file.exists():
        stored = load_file(file)
        return [stored[str(i)] for i in range(len(shards))]
    out = []
    for shard in shards:
        parts = [
            vae.encode(to_tensor(shard.pixels[i : i + 32])).latents.half() for i in range(0, len(shard.pixels), 32)
        ]
        out.append(torch.cat(parts).contiguous())
    folder.mkdir(parents=True, exist_ok=True)
    save_file({str(i): t for i, t in enumerate(out)}, file)
    return out


def latent_crops(
    shards: list[Shard], stored: list[Tensor], size: int, batch: int, rng: np.random.Generator
) -> Iterator[tuple[Tensor, Tensor]]:
    """Endless batches of latents (cut from those of whole pictures) with the `size` x `size` pixels they stand for."""
    cells = size // SCALE
    counts = np.array([len(s.facts) for s in shards], np.float64)
    pixels = np.empty((batch, size, size, 3), np.uint8)
    while True:
        parts = []
        for i in range(batch):
            k = rng.choice(len(shards), p=counts / counts.sum())
            n, _, height, width = stored[k].shape
            j, y, x = rng.integers(n), rng.integers(height - cells + 1), rng.integers(width - cells + 1)
            parts.append(stored[k][j, :, y : y + cells, x : x + cells])
            pixels[i] = shards[k].pixels[j, y * SCALE : y * SCALE + size, x * SCALE : x * SCALE + size]
        yield torch.stack(parts).float().contiguous(memory_format=torch.channels_last), to_tensor(pixels)


def train(settings: Settings, *, decoder_only: bool = False, model: Autoencoder | None = None) -> Autoencoder:
    """Trains `model` (or a fresh one) for the budget and returns it with averaged weights."""
    rate, factor = (RATE, 1.0) if model is None else (RATE_AGAIN, 0.5)
    model = model or build(settings.seed)
    modules: dict[str, nn.Module] = {"decoder": model.decoder}
    if decoder_only:
        model.encoder.requires_grad_(False)
    else:
        modules["encoder"] = model.encoder
    stage = Stage("decoder" if decoder_only else "autoencoder", settings, modules, rate, factors={"encoder": factor})
    test = held_out(settings.folder / "data", 16 if settings.pictures < 1000 else 512)
    shards = training_shards(settings.folder / "data", settings.pictures)
    rng = np.random.default_rng((settings.seed, stage.progress.step))
    source: Iterator[tuple[Tensor, Tensor]]
    if decoder_only:
        stored = latents(model, shards, settings.folder / "data")
        source = latent_crops(shards, stored, DECODER_CROP, DECODER_BATCH, rng)
    else:
        source = ((model.encode(real).latents, real) for real in crops(shards, CROP, BATCH, rng))
    for _ in stage.steps():
        z, real = next(source)
        value, slope = reconstruction(model.decode(z).sample, real)
        # The decoder bends latents beyond 3 to nothing: keep them inside, and not larger than they need to be.
        keep = 1e-3 * z.square().mean() + 0.05 * torch.relu(z.abs() - 3).mean()
        stage.update(value + slope + keep, {"l1": value.item(), "edge": slope.item(), "latent": z.std().item()})
        if stage.progress.step % 500 == 0:
            with stage.averaged():
                stage.log({"psnr": psnr(model, test, 64).mean().item()})
    stage.finish()
    if not decoder_only:
        model.register_to_config(scaling_factor=1 / spread(model, test))
    final = psnr(model, test, len(test.facts)).mean().item()
    if math.isfinite(final):
        stage.log({"psnr_average": final})
    return model
