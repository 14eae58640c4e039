"""`promptc explain CODE`: what a rule does, why, and what to write instead."""

import re
import sys
from collections.abc import Sequence

import click

from promptc.rules import Rule, registry
from promptc.suggest import nearest


@click.command(short_help="Explain a rule.")
@click.argument("code", required=False)
@click.option("--output-format", type=click.Choice(["full", "json", "markdown"]), default="full", help="How to print.")
def explain(code: str | None, output_format: str) -> None:
    """Print the page of a rule, by code (E0921) or name (brace); without one, list all rules."""
    rules = registry()
    if code is not None:
        wanted = code.strip().strip("[]")
        rules = tuple(rule for rule in rules if wanted.upper() == rule.code or wanted.lower() == rule.name)
        if not rules:
            close = nearest(wanted, [text for rule in registry() for text in (rule.code, rule.name)])
            hint = f"did you mean {close}?" if close else "`promptc explain` lists them."
            raise click.UsageError(f"There is no rule '{code}'; {hint}")
    if output_format == "json":
        import json

        found = [_data(rule) for rule in rules]
        click.echo(json.dumps(found if code is None else found[0], ensure_ascii=False, indent=2))
    elif output_format == "markdown":
        click.echo(markdown(rules), nl=False)
    elif code is None:
        for rule in rules:
            click.echo(f"{rule.code}  {rule.severity:<7}  {rule.name:<20}  {title(rule)}")
    else:
        click.echo(page(rules[0], color=sys.stdout.isatty()), nl=False)


def title(rule: Rule) -> str:
    """The first line of a rule's page, without its full stop."""
    return rule.doc.partition("\n")[0].strip().rstrip(".")


def sections(rule: Rule) -> dict[str, str]:
    """The sections of a rule's page by title."""
    parts = re.split(r"^## (.+)\n", rule.doc, flags=re.M)
    return {name: text.strip("\n") for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def page(rule: Rule, *, color: bool = False) -> str:
    """A rule's page as text."""

    def head(text: str) -> str:
        return click.style(text, bold=True) if color else text

    blocks = [head(f"{rule.code} {rule.name} ({rule.severity})"), title(rule) + "."]
    for name, text in sections(rule).items():
        blocks.append(head(name))
        blocks.append(re.sub(r"^```\n(.*?)\n```$", _indent, text, flags=re.M | re.S))
    blocks.append(f"To keep one finding from being reported: # promptc: ignore[{rule.code}] in the line above it.")
    return "\n\n".join(blocks) + "\n"


def markdown(rules: Sequence[Rule]) -> str:
    """The pages of rules as one document: `docs/rules.md` is this for all of them."""
    lines = [
        "# Rules",
        "",
        "`promptc explain CODE` prints one of these pages.",
        "",
        "| code | name | severity | |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| [{rule.code}](#{rule.code.lower()}-{rule.name}) | {rule.name} | {rule.severity} | {title(rule)} |"
        for rule in rules
    ]
    for rule in rules:
        lines += ["", f"## {rule.code} {rule.name}", "", f"{title(rule)}."]
        for name, text in sections(rule).items():
            lines += ["", f"### {name}", "", text]
    return "\n".join(lines) + "\n"


def _indent(found: re.Match[str]) -> str:
    return "\n".join(f"    {line}".rstrip() for line in found[1].split("\n"))


def _data(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "title": title(rule),
        "sections": sections(rule),
    }
