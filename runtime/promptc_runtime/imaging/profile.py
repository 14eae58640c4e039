"""The sRGB colour profile that every file carries, and the way into it from other profiles."""

from functools import cache
from io import BytesIO

from PIL import Image, ImageCms

_DATE, _IDENTITY = slice(24, 36), slice(84, 100)


@cache
def srgb() -> bytes:
    """An ICC profile of sRGB, the same bytes on every call and day (a fresh one would hold the time)."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    profile[_DATE] = bytes.fromhex("07e8 0001 0001 0000 0000 0000")
    profile[_IDENTITY] = bytes(16)
    return bytes(profile)


def from_profile(image: Image.Image, profile: bytes) -> Image.Image:
    """An image in the colours of `profile` -> RGB in sRGB: relative colorimetric, with black point compensation.

    Raises ImageCms.PyCMSError when the profile is damaged or of another colour space than the image.
    """
    target = ImageCms.ImageCmsProfile(BytesIO(srgb()))
    source = ImageCms.ImageCmsProfile(BytesIO(profile))
    converted = ImageCms.profileToProfile(
        image,
        source,
        target,
        renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
        outputMode="RGB",
        flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )
    if converted is None:
        raise ImageCms.PyCMSError("the conversion gave no picture")
    return converted
