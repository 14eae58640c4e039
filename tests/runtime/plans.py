"""Plans written by hand, and a tiny random model, for the tests of the runtime."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from promptc.plan.op import Op
from promptc.plan.ops.decode import Decode
from promptc.plan.ops.denoise import Denoise, Guide, Until
from promptc.plan.ops.encode_text import EncodeText
from promptc.plan.passes import optimize
from promptc.plan.plan import Plan


def text(prompt: str, model: str = "landscape", **fields: Any) -> EncodeText:
    """A prompt of one plain span."""
    return EncodeText(model=model, parts=(((prompt, 1.0),) if prompt else (),), **fields)


def always(index: int, steps: int, weight: float = 1.0) -> Guide:
    return Guide(weight=weight, schedule=(Until(last=steps, text=index),))


def denoise(texts: Sequence[Op], seed: int = 7, steps: int = 2, side: int = 64, **fields: Any) -> Denoise:
    """The first text is what is wanted, the last what is not."""
    given: dict[str, Any] = {
        "inputs": tuple(op.id for op in texts),
        "model": "landscape",
        "positive": (always(0, steps),),
        "negative": always(len(texts) - 1, steps),
        "width": side,
        "height": side,
        "steps": steps,
        "seed": seed,
        "sampler": "ddim",
        "guidance": 4.0,
    }
    return Denoise(**{**given, **fields})


def pictures(prompts: Sequence[str], seeds: Sequence[int] = (7,), negative: str = "", **fields: Any) -> Plan:
    """A picture of every prompt with every seed, prompt by prompt."""
    model = fields.get("model", "landscape")
    ops: list[Op] = []
    outputs = []
    for prompt in prompts:
        texts = [text(prompt, model), text(negative, model)]
        for seed in seeds:
            latents = denoise(texts, seed, **fields)
            image = Decode(inputs=(latents.id,), model=model, tile=latents.tile)
            ops += [*texts, latents, image]
            outputs.append(image.id)
    return optimize(Plan(ops=tuple(ops), outputs=tuple(outputs)))


def plan_of(*ops: Op) -> Plan:
    """These ops, of which the last is wanted."""
    return Plan(ops=ops, outputs=(ops[-1].id,))


def tiny_model(folder: Path) -> Path:
    """A random model of the Stable Diffusion 1.x family, made as diffusers makes one, and saved."""
    import torch
    from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
    from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel
    from diffusers.schedulers.scheduling_pndm import PNDMScheduler
    from transformers.models.clip.configuration_clip import CLIPTextConfig
    from transformers.models.clip.modeling_clip import CLIPTextModel
    from transformers.models.clip.tokenization_clip import CLIPTokenizer

    torch.manual_seed(0)
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)] + [",", "."]
    entries = ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{letter}</w>" for letter in letters)]
    tokenizer = CLIPTokenizer(
        vocab={entry: number for number, entry in enumerate(entries)}, merges=[], model_max_length=77
    )
    tokenizer.save_pretrained(folder / "tokenizer")
    CLIPTextModel(
        CLIPTextConfig(
            vocab_size=len(entries),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=3,
            num_attention_heads=2,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=1,
        )
    ).save_pretrained(folder / "text_encoder")
    UNet2DConditionModel(
        sample_size=8,
        in_channels=4,
        out_channels=4,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        block_out_channels=(16, 32),
        layers_per_block=1,
        cross_attention_dim=16,
        attention_head_dim=2,
        norm_num_groups=8,
    ).save_pretrained(folder / "unet")
    AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        block_out_channels=(8, 8, 8, 8),
        norm_num_groups=4,
        latent_channels=4,
        mid_block_add_attention=False,
    ).save_pretrained(folder / "vae")
    PNDMScheduler(
        beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", skip_prk_steps=True, steps_offset=1
    ).save_pretrained(folder / "scheduler")
    parts = {
        "unet": ["diffusers", "UNet2DConditionModel"],
        "vae": ["diffusers", "AutoencoderKL"],
        "text_encoder": ["transformers", "CLIPTextModel"],
        "tokenizer": ["transformers", "CLIPTokenizer"],
        "scheduler": ["diffusers", "PNDMScheduler"],
        "safety_checker": [None, None],
        "feature_extractor": [None, None],
    }
    index = {"_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.38.0", **parts}
    (folder / "model_index.json").write_text(json.dumps(index))
    return folder
