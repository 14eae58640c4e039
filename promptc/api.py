"""Compile from Python."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from promptc.errors import BindError, Refusal
from promptc.plan.plan import Plan
from promptc.template import BaseTemplate, Prompt, prompt

if TYPE_CHECKING:
    from promptc.settings import Settings


def compile(  # noqa: A001
    what: "str | BaseTemplate | Prompt | Iterable[Prompt]",
    /,
    *,
    seed: int | None = None,
    model: str | None = None,
    settings: "Settings | None" = None,
    **values: object,
) -> Plan:
    """The plan of a template with its values, of a prompt, or of several prompts, whose common work is done once.

    `seed` and `model` win over `--seed` and `--model`; a prompt without a seed has the seed 0. A placeholder that is
    called `seed`, `model` or `settings` is filled by calling the template. Raises BindError and PromptError.
    """
    from promptc.lower import lower
    from promptc.request import Defaults
    from promptc.settings import DEFAULT

    options = {"seed": seed, "model": model, "settings": settings}
    prompts = _prompts(what, values, [name for name, value in options.items() if value is not None])
    return lower(prompts, Defaults(settings or DEFAULT, seed=seed, model=model))


def _prompts(
    what: "str | BaseTemplate | Prompt | Iterable[Prompt]", values: dict[str, object], options: list[str]
) -> list[Prompt]:
    if isinstance(what, str):
        what = prompt(what)
    if isinstance(what, BaseTemplate):
        if both := [name for name in options if name in what.context.names()]:
            reason, way = (
                "the prompt has a placeholder of this name",
                "call the template with it, and compile the prompt",
            )
            raise BindError([Refusal(name, reason, way) for name in both])
        return [what.bind(values)]
    if values:
        names = ", ".join(values)
        raise BindError([Refusal(names, "the prompt is bound already", "give values to the template")])
    return [what] if isinstance(what, Prompt) else list(what)
