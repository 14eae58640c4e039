"""Loads the parts of a checkpoint when they are first used, and keeps them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from promptc_runtime.context import RunError
from promptc_runtime.models import folder

if TYPE_CHECKING:
    import torch
    from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
    from diffusers.models.autoencoders.autoencoder_tiny import AutoencoderTiny
    from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel
    from transformers.models.clip.modeling_clip import CLIPTextModel
    from transformers.models.clip.tokenization_clip import CLIPTokenizer


class Model:
    """One checkpoint on one device. `dtype` is the one of the UNet and the autoencoder; the text encoder is float32.

    The weights are never changed once loaded.
    """

    def __init__(self, name: str, path: Path, digest: str, device: torch.device, dtype: torch.dtype) -> None:
        self.name = name
        self.path = path
        self.digest = digest
        self.device = device
        self.dtype = dtype
        self.parts = folder.index(path)

    @cached_property
    def tokenizer(self) -> CLIPTokenizer:
        from transformers.models.clip.tokenization_clip import CLIPTokenizer

        with quiet(), _explained(self.path, "tokenizer"):
            found: CLIPTokenizer = CLIPTokenizer.from_pretrained(self.path / "tokenizer", local_files_only=True)
            return found

    @cached_property
    def text_encoder(self) -> CLIPTextModel:
        import torch
        from transformers.models.clip.modeling_clip import CLIPTextModel

        return self._load("text_encoder", CLIPTextModel, torch.float32)  # type: ignore[no-any-return]

    @cached_property
    def unet(self) -> UNet2DConditionModel:
        from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel

        loaded = self._load("unet", UNet2DConditionModel, self.dtype)
        loaded.time_embedding.register_forward_pre_hook(_once)
        return loaded  # type: ignore[no-any-return]

    @cached_property
    def vae(self) -> AutoencoderKL | AutoencoderTiny:
        if self.parts["vae"] == "AutoencoderTiny":
            from diffusers.models.autoencoders.autoencoder_tiny import AutoencoderTiny

            return self._load("vae", AutoencoderTiny, self.dtype)  # type: ignore[no-any-return]
        from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL

        return self._load("vae", AutoencoderKL, self.dtype)  # type: ignore[no-any-return]

    @cached_property
    def full(self) -> Model:
        """The same checkpoint in float32."""
        import torch

        return (
            self
            if self.dtype == torch.float32
            else Model(self.name, self.path, self.digest, self.device, torch.float32)
        )

    @cached_property
    def scheduler_config(self) -> dict[str, Any]:
        return folder.read_json(self.path / "scheduler" / "scheduler_config.json")

    @cached_property
    def scale(self) -> int:
        """Pixels a latent pixel stands for, on each side."""
        levels = folder.read_json(self.path / "vae" / "config.json")
        key = "encoder_block_out_channels" if self.parts["vae"] == "AutoencoderTiny" else "block_out_channels"
        return int(2 ** (len(levels.get(key) or (0, 0, 0, 0)) - 1))

    def _load(self, part: str, kind: Any, dtype: torch.dtype) -> Any:
        import torch

        _, variant = folder.part_files(self.path, part)
        spelling = "dtype" if part == "text_encoder" else "torch_dtype"
        with quiet(), _explained(self.path, part):
            loaded = kind.from_pretrained(
                self.path / part, local_files_only=True, use_safetensors=True, variant=variant, **{spelling: dtype}
            )
            # Convolutions are up to twice as fast on the CPU with the channels last, and on the GPU in half precision.
            return loaded.eval().requires_grad_(False).to(self.device, memory_format=torch.channels_last)


def _once(module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Embed the time once, not for every row: all rows of a call have the same.

    It saves work, and it makes a row's bits independent of the number of rows: products of matrices with one or two
    rows are computed by other routines than those with more.
    """
    return inputs[0][:1], *inputs[1:]


class Models:
    """The checkpoints of a device, kept for as long as this object."""

    def __init__(self, device: torch.device, dtype: torch.dtype, memory: Path | None = None) -> None:
        self.device = device
        self.dtype = dtype
        self.memory = memory
        self._loaded: dict[tuple[Path, str], Model] = {}

    def load(self, name: str, source: Path = Path()) -> Model:
        """A checkpoint by name or path. A folder whose files have changed is loaded anew. Raises RunError."""
        path = folder.locate(name, source)
        key = path, folder.digest(path, self.memory)
        if key not in self._loaded:
            for old in [other for other in self._loaded if other[0] == path]:
                del self._loaded[old]
            self._loaded[key] = Model(name, *key, self.device, self.dtype)
        return self._loaded[key]

    def digest(self, name: str, source: Path = Path()) -> str:
        """The digest of a checkpoint's files. Nothing is loaded. Raises RunError."""
        return folder.digest(folder.locate(name, source), self.memory)


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings and bars that loading prints, and without changing them for the rest of the program."""
    import warnings

    from transformers.utils import logging as bars

    loggers = [logging.getLogger(name) for name in ("diffusers", "transformers")]
    levels = [logger.level for logger in loggers]
    shown = bars.is_progress_bar_enabled()
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    bars.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if shown:
            bars.enable_progress_bar()


@contextmanager
def _explained(path: Path, part: str) -> Iterator[None]:
    """The errors of the loaders as ours."""
    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError, TypeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise RunError("bad-model-file", f"the {part} of {path} cannot be loaded: {reason}") from error
