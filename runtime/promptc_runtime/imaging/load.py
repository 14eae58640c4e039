"""Files -> pictures: bounded, upright, in sRGB, without transparency."""

import hashlib
import io
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageCms, ImageOps
from torch import Tensor

from promptc_runtime.imaging.profile import from_profile, srgb
from promptc_runtime.metadata.containers import ImageError, open_image, without_texts

MAX_PIXELS = 64_000_000
"""Largest picture that is decoded; the header is read first."""

MAX_FILE = 512 << 20
"""Largest file that is read, in bytes."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """`image` is [1, 3, H, W], float32 sRGB in 0..1, on the CPU. `notes` say what was changed on the way."""

    image: Tensor
    sha256: str
    notes: tuple[str, ...] = ()


def load(path: Path, *, sha256: str | None = None, max_pixels: int = MAX_PIXELS) -> Loaded:
    """Read a local file. Raises ImageError: missing, no picture, too large, damaged, or other content than `sha256`."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE:
            raise ImageError(f"{path} has {size} bytes, more than the {MAX_FILE} that are read")
        data = path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    digest = hashlib.sha256(data).hexdigest()
    if sha256 is not None and digest != sha256:
        raise ImageError(
            f"{path} has changed: the plan was made for content {sha256[:12]}, and the file has {digest[:12]}; "
            "compile the prompt again"
        )
    try:
        image, notes = decode(data, max_pixels=max_pixels)
    except ImageError as error:
        raise ImageError(f"{path}: {error}") from None
    return Loaded(image[None], digest, notes)


def decode(data: bytes, *, max_pixels: int = MAX_PIXELS) -> tuple[Tensor, tuple[str, ...]]:
    """The picture [3, H, W] in a file's bytes, float32 sRGB in 0..1, and notes. Raises ImageError."""
    picture = open_image(io.BytesIO(without_texts(data)))
    width, height = picture.size
    if width * height > max_pixels:
        raise ImageError(
            f"the picture has {width}x{height} = {width * height} pixels, more than the {max_pixels} allowed"
        )
    notes: list[str] = []
    if getattr(picture, "n_frames", 1) > 1:
        notes.append("only the first frame is used")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture.load()
            profile = picture.info.get("icc_profile")
            picture = ImageOps.exif_transpose(picture)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise ImageError(f"the picture is damaged ({error})") from None
    if picture.mode in ("I;16", "I;16L", "I;16B", "I;16N", "I"):
        grey = np.asarray(picture).astype(np.float32) / 65535
        return torch.from_numpy(grey.clip(0, 1)).expand(3, -1, -1).clone(), tuple(notes)
    if picture.mode == "F":
        raise ImageError("the picture has floating-point pixels of unknown range; save it with 8 or 16 bits")
    picture, alpha = _split(picture)
    picture = _to_srgb(picture, profile, notes)
    image = _tensor(np.asarray(picture))
    if alpha is not None:
        cover = _tensor(np.asarray(alpha)[..., None])
        if bool((cover < 1).any()):
            notes.append("transparent parts were laid on white")
            image = image * cover + (1 - cover)
    return image, tuple(notes)


def _split(picture: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """The colours, and the transparency where there is any."""
    if not picture.has_transparency_data:
        return (picture.convert("RGB") if picture.mode in ("P", "1") else picture), None
    if picture.mode in ("L", "LA", "La"):
        pair = picture.convert("LA")
        return pair.getchannel("L"), pair.getchannel("A")
    full = picture.convert("RGBA")
    return full.convert("RGB"), full.getchannel("A")


def _to_srgb(picture: Image.Image, profile: bytes | None, notes: list[str]) -> Image.Image:
    if profile == srgb() and picture.mode == "RGB":
        return picture
    if profile and picture.mode in ("RGB", "L", "CMYK", "LAB"):
        try:
            return from_profile(picture, profile)
        except (ImageCms.PyCMSError, OSError, ValueError):
            notes.append("the colour profile cannot be used; the colours were taken for sRGB")
    elif picture.mode == "CMYK":
        notes.append("CMYK without a colour profile: its colours are a guess")
    return picture.convert("RGB")


def _tensor(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Tensor:
    return torch.from_numpy(pixels.copy()).permute(2, 0, 1).to(torch.float32).div_(255)
