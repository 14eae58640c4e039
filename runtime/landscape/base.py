"""Text encoder and UNet, trained together on the latents of a finished encoder.

The network predicts velocity with a noise schedule that ends in pure noise. One caption in ten is left out, so that
classifier-free guidance has something to lead away from. Captions are written anew for every batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from torch import Tensor, nn

from landscape.autoencoder import latents
from landscape.data import Shard, training_shards
from landscape.facts import Facts, caption
from landscape.parts import (
    Autoencoder,
    CLIPTextConfig,
    CLIPTextModel,
    CLIPTokenizer,
    DDIMScheduler,
    Scheduler,
    TextEncoder,
    Tokenizer,
    UNet,
    UNet2DConditionModel,
    open_autoencoder,
)
from landscape.scenes import PLACE
from landscape.stage import Settings, Stage

BATCH = 32
RATE, RATE_AGAIN = 1e-3, 6e-4
LEFT_OUT = 0.1
LENGTH = 77
OBJECT_WEIGHT = 3.0
"""Weight of the loss where the object stands: it covers a tenth of the picture and most of what a caption says."""


@dataclass
class Model:
    """The parts of the pipeline."""

    tokenizer: Tokenizer
    text: TextEncoder
    unet: UNet
    vae: Autoencoder
    scheduler: Scheduler


def scheduler() -> Scheduler:
    """Velocity prediction, zero signal at the last step."""
    return DDIMScheduler(
        num_train_timesteps=1000,
        beta_schedule="scaled_linear",
        beta_start=0.00085,
        beta_end=0.012,
        prediction_type="v_prediction",
        clip_sample=False,
        rescale_betas_zero_snr=True,
        timestep_spacing="trailing",
        set_alpha_to_one=True,
        steps_offset=1,
    )


def build(tokenizer: Tokenizer, vae: Autoencoder, seed: int = 0) -> Model:
    """Fresh text encoder and UNet: 0.35 M and 4 M parameters."""
    torch.manual_seed(seed)
    text = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=len(tokenizer),
            hidden_size=128,
            intermediate_size=256,
            num_hidden_layers=2,
            num_attention_heads=4,
            projection_dim=128,
            max_position_embeddings=LENGTH,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    unet = UNet2DConditionModel(
        sample_size=16,
        in_channels=vae.config["latent_channels"],
        out_channels=vae.config["latent_channels"],
        block_out_channels=(64, 128),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        layers_per_block=1,
        cross_attention_dim=128,
        attention_head_dim=4,
        norm_num_groups=16,
    )
    return Model(tokenizer, text, unet, vae, scheduler())


def load(folder: Path) -> Model:
    """The model of a diffusers folder, in float32."""
    return Model(
        CLIPTokenizer.from_pretrained(folder / "tokenizer"),
        CLIPTextModel.from_pretrained(folder / "text_encoder", dtype=torch.float32),
        UNet2DConditionModel.from_pretrained(folder / "unet", torch_dtype=torch.float32),
        open_autoencoder(folder),
        scheduler(),
    )


def weight_map(facts: Facts, height: int, width: int) -> Tensor:
    """1 x height x width: `OBJECT_WEIGHT` around the place where the object stands, 1 elsewhere."""
    weights = torch.ones(1, height, width)
    if facts.thing:
        half = 0.16 * min(height, width) + 0.03 * width
        x = PLACE[facts.side] * width
        top = 0.38 if facts.thing in ("balloon", "lighthouse") else 0.5
        weights[:, int(top * height) : int(0.95 * height), max(0, int(x - half)) : int(x + half) + 1] = OBJECT_WEIGHT
    return weights


def encode(tokenizer: Tokenizer, captions: list[str]) -> Tensor:
    """Token ids, N x 77, padded as the pipeline pads them."""
    ids: Tensor = tokenizer(
        captions, padding="max_length", max_length=LENGTH, truncation=True, return_tensors="pt"
    ).input_ids
    return ids


def batches(
    shards: list[Shard], stored: list[Tensor], tokenizer: Tokenizer, batch: int, rng: Random
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Endless batches of one shape: latents, token ids, weights of the loss."""
    sizes = [len(s.facts) for s in shards]
    while True:
        which = rng.choices(range(len(shards)), sizes)[0]
        picked = [rng.randrange(sizes[which]) for _ in range(batch)]
        facts = [shards[which].facts[i] for i in picked]
        captions = ["" if rng.random() < LEFT_OUT else caption(f, rng) for f in facts]
        x = stored[which][picked].float()
        weights = torch.stack([weight_map(f, x.shape[2], x.shape[3]) for f in facts])
        yield x, encode(tokenizer, captions), weights


def train(settings: Settings, model: Model, *, again: bool = False) -> Model:
    """Trains text encoder and UNet for the budget, on latents of the autoencoder's scaling factor.

    `again` says that the model has learnt before: it then moves more slowly.
    """
    model.vae.requires_grad_(False)
    shards = training_shards(settings.folder / "data", settings.pictures)
    stored = latents(model.vae, shards, settings.folder / "data")
    scale = model.vae.config["scaling_factor"]
    modules: dict[str, nn.Module] = {"text": model.text, "unet": model.unet}
    stage = Stage(
        "base", settings, modules, RATE_AGAIN if again else RATE, warmup=200, average_decay=0.999, weight_decay=1e-3
    )
    model.text.train()
    model.unet.train()
    generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + stage.progress.step)
    source = batches(shards, stored, model.tokenizer, BATCH, Random(f"{settings.seed}/{stage.progress.step}"))
    for _ in stage.steps():
        x, ids, weights = next(source)
        x = x * scale
        noise = torch.randn(x.shape, generator=generator)
        t = torch.randint(0, 1000, (len(x),), generator=generator)
        noisy = model.scheduler.add_noise(x, noise, t)
        velocity = model.scheduler.get_velocity(x, noise, t)
        words = model.text(ids).last_hidden_state
        predicted = model.unet(noisy, t, words).sample
        error = (predicted - velocity).square()
        stage.update((error * weights).mean() / weights.mean(), {"loss": error.mean().item()})
    stage.finish()
    model.text.eval()
    model.unet.eval()
    return model
