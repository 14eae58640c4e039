"""Trains one stage of the embedded model: `python -m landscape.train --stage autoencoder --budget 60 --resume`."""

from __future__ import annotations

import signal
from pathlib import Path

import click
import torch

from landscape import autoencoder, base, classifier, export, tokenizer
from landscape.parts import CLIPTokenizer, open_autoencoder
from landscape.stage import Settings, stop

STAGES = ("tokenizer", "autoencoder", "decoder", "base", "classifier")


def run(stage: str, settings: Settings, start: Path | None = None, *, grow: bool = False) -> None:
    """Trains a stage in `settings.folder`; its result lies in `settings.folder / "model"` in diffusers' layout.

    `start` is a folder of earlier weights to begin with. `grow` deepens the decoder of that folder's autoencoder.
    """
    out = settings.folder / "model"
    if stage == "tokenizer":
        made = tokenizer.train(20_000 if settings.pictures >= 1000 else 500, settings.seed)
        made.save_pretrained(out / "tokenizer")
    elif stage in ("autoencoder", "decoder"):
        decoder_only = stage == "decoder"
        first = out if decoder_only and start is None else start
        vae = None if first is None else open_autoencoder(first)
        if vae is not None and grow:
            vae = autoencoder.grow(vae)
        autoencoder.train(settings, decoder_only=decoder_only, model=vae).save_pretrained(out / "vae")
    elif stage == "base":
        vae = open_autoencoder(out if start is None or (out / "vae").exists() else start)
        if start is None:
            words = CLIPTokenizer.from_pretrained(out / "tokenizer")
            model = base.build(words, vae, settings.seed)
        else:
            model = base.load(start)
            model.vae = vae
        model = base.train(settings, model, again=start is not None)
        if (out / "vae").exists():
            model.vae = open_autoencoder(out)  # the decoder may have become better meanwhile
        size = export.write(model, out)
        click.echo(f"{out}: {size} bytes")
    else:
        vae = open_autoencoder(out) if (out / "vae").exists() else None
        classifier.save(classifier.train(settings, vae), out.parent / "classifier-final")


@click.command()
@click.option("--stage", type=click.Choice(STAGES), required=True)
@click.option("--budget", type=float, default=60.0, show_default=True, help="Minutes of processor time.")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("landscape-run"), show_default=True)
@click.option("--resume", is_flag=True, help="Take up the checkpoint of the stage.")
@click.option("--start", type=click.Path(path_type=Path, exists=True), help="Begin with the weights of this folder.")
@click.option("--grow", is_flag=True, help="With --start: deepen the decoder first.")
@click.option("--pictures", type=int, default=16_000, show_default=True, help="Drawn scenes to train on.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=int, default=1, show_default=True)
def main(
    stage: str,
    budget: float,
    folder: Path,
    resume: bool,
    start: Path | None,
    grow: bool,
    pictures: int,
    seed: int,
    threads: int,
) -> None:
    """Train one stage of the model and leave it in FOLDER/model."""
    torch.set_num_threads(threads)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    run(stage, Settings(folder, budget, resume, pictures, seed), start, grow=grow)


if __name__ == "__main__":
    main()
