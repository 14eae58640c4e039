"""Plans by hand, and a runtime that keeps nothing."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest

from promptc_runtime.engine import Runtime


@pytest.fixture(scope="session")
def runtime() -> Iterator[Runtime]:
    """The CPU, without a cache; its models stay loaded for all tests."""
    with Runtime("cpu", None) as made:
        yield made


@pytest.fixture(scope="session")
def tiny_sd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Stable Diffusion 1.x folder: four blocks of autoencoder, so that a latent pixel is 8 pixels."""
    from tests.runtime.plans import tiny_model

    return tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def copy_of(tmp_path: Path) -> Callable[[Path], Path]:
    """Copies a model's folder, to be damaged."""
    import shutil

    return lambda folder: Path(shutil.copytree(folder, tmp_path / folder.name))
