"""The command line: `promptc COMMAND`. One module for each command, imported when it is called."""

import gc
import importlib
import os
import pkgutil
import sys
from typing import NoReturn, cast

import click


class _Commands(click.Group):
    """The modules of this package as commands: adding a command takes one file."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(info.name for info in pkgutil.iter_modules(__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = cmd_name.replace("-", "_")
        if name.isidentifier() and name in self.list_commands(ctx):
            return cast(click.Command, getattr(importlib.import_module(f"{__name__}.{name}"), name))
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            from promptc.suggest import nearest

            known = self.list_commands(ctx)
            close = nearest(name, known)
            hint = f"did you mean '{close}'?" if close else f"there are {', '.join(known)}."
            raise click.UsageError(f"There is no command '{name}'; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"promptc {version('promptc-toolkit')}")
        ctx.exit()


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
def promptc() -> None:
    """Check, compile and run image prompts."""


def main() -> NoReturn:
    """The console script. Exit status: 0 clean, 1 findings, 2 usage or internal error, 130 interrupted."""
    # A search for garbage among what start-up makes finds none, and takes a tenth of a check's time. The commands that
    # hold models switch it on again.
    gc.disable()
    # Threads of the pipeline that wait in a loop cost many times the work where other programs want the cores, too.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show a character gets an escape, never an exception
            reconfigure(errors="backslashreplace")
    try:
        status = promptc.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        status = error.exit_code
    except click.Abort:
        click.echo("interrupted", err=True)
        status = 130
    except click.ClickException as error:
        error.show()
        status = 2
    except BrokenPipeError:  # `promptc check | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except Exception as error:
        if os.environ.get("PROMPTC_TRACEBACK"):
            raise
        click.echo(f"promptc: internal error: {type(error).__name__}: {error}", err=True)
        click.echo("This is a fault of promptc. Set PROMPTC_TRACEBACK=1 to see where, and please report it.", err=True)
        status = 2
    sys.exit(status if isinstance(status, int) else 0)
