"""How a run shows where it is: a bar on a terminal, a line every few seconds elsewhere, or nothing."""

import sys
import time
from typing import Any, Protocol, TextIO


class Progress(Protocol):
    """Told of what happens. `start` and `stop` enclose a run."""

    def start(self, pictures: int, steps: int) -> None: ...
    def say(self, text: str) -> None:
        """What is being done now: `loading landscape`, `denoising`."""
        ...

    def step(self, count: int = 1) -> None:
        """That many denoising steps were done."""
        ...

    def skip(self, count: int) -> None:
        """That many steps need not be done: their result was in the cache."""
        ...

    def picture(self, count: int = 1) -> None:
        """That many pictures are ready."""
        ...

    def stop(self) -> None: ...


class Silent:
    """Shows nothing."""

    def start(self, pictures: int, steps: int) -> None: ...
    def say(self, text: str) -> None: ...
    def step(self, count: int = 1) -> None: ...
    def skip(self, count: int) -> None: ...
    def picture(self, count: int = 1) -> None: ...
    def stop(self) -> None: ...


class _Counted:
    """Counts and rates, for the classes that show them."""

    def __init__(self) -> None:
        self.pictures = self.pictures_wanted = self.steps = self.steps_wanted = self.skipped = 0
        self.begun = self.stepping = 0.0
        self.first = 0
        self.doing = ""

    def start(self, pictures: int, steps: int) -> None:
        self.pictures_wanted, self.steps_wanted = pictures, steps
        self.pictures = self.steps = self.skipped = 0
        self.begun = time.monotonic()
        self.stepping = 0.0
        self.show()

    def say(self, text: str) -> None:
        self.doing = text
        self.show()

    def step(self, count: int = 1) -> None:
        self.steps += count
        if not self.stepping:  # the first step warms up; rates count from its end
            self.stepping, self.first = time.monotonic(), count
        self.show()

    def skip(self, count: int) -> None:
        self.skipped += count
        self.show()

    def picture(self, count: int = 1) -> None:
        self.pictures += count
        self.show()

    def stop(self) -> None: ...
    def show(self) -> None: ...

    @property
    def rates(self) -> str:
        """`23.1 steps/s, 1.15 pictures/s`, as far as they are known."""
        now = time.monotonic()
        said = []
        if self.steps > self.first and now > self.stepping:
            said.append(f"{(self.steps - self.first) / (now - self.stepping):.1f} steps/s")
        if self.pictures and now > self.begun:
            said.append(f"{self.pictures / (now - self.begun):.2f} pictures/s")
        return ", ".join(said)


class Lines(_Counted):
    """A plain line every few seconds: a short run prints none."""

    def __init__(self, stream: TextIO, every: float = 5.0) -> None:
        super().__init__()
        self.stream = stream
        self.every = every
        self.shown = 0.0

    def start(self, pictures: int, steps: int) -> None:
        self.shown = time.monotonic()
        super().start(pictures, steps)

    def show(self) -> None:
        now = time.monotonic()
        if now - self.shown < self.every:
            return
        self.shown = now
        steps = f", {self.steps + self.skipped}/{self.steps_wanted} steps" if self.steps_wanted else ""
        done = f"{self.pictures}/{self.pictures_wanted} pictures{steps}"
        print(f"{self.doing}: {done}" + (f" ({self.rates})" if self.rates else ""), file=self.stream, flush=True)


class Bar(_Counted):
    """A bar of rich, which goes away when the run ends."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream
        self.bar: Any = None

    def start(self, pictures: int, steps: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[done]}"),
            TimeElapsedColumn(),
            console=Console(file=self.stream),
            transient=True,
        )
        self.bar.add_task("starting", total=max(1, steps), done="")
        self.bar.start()
        super().start(pictures, steps)

    def show(self) -> None:
        if self.bar is None:
            return
        done = f"{self.pictures}/{self.pictures_wanted} pictures"
        self.bar.update(
            self.bar.task_ids[0],
            completed=self.steps + self.skipped,
            description=self.doing or "starting",
            done=f"{done}, {self.rates}" if self.rates else done,
        )

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None


def for_stream(stream: TextIO | None = None) -> Progress:
    """The progress that suits a stream (standard error by default)."""
    stream = sys.stderr if stream is None else stream
    if stream.isatty():
        return Bar(stream)
    return Lines(stream)
