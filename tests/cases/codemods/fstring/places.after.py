"""Which f-strings are prompts: the names around them say so."""
import os
import promptc


def main(subject: str, style: str, chosen: bool) -> list[object]:
    seen: list[object] = []

    def pipe(prompt: str, negative_prompt: str = "", steps: int = 1) -> str:
        seen.append((prompt, negative_prompt))
        return prompt

    prompt = str(promptc.prompt("portrait of {subject}")(subject=subject))  # a comment stays
    base_prompt: str = str(promptc.prompt("{style}   portrait")(style=style))
    pipe(str(promptc.prompt("first argument {subject}")(subject=subject)), steps=3)
    pipe(prompt=str(promptc.prompt("by name {subject}")(subject=subject)), negative_prompt=str(promptc.prompt("not {style}")(style=style)))
    request = {"prompt": str(promptc.prompt("in a dict {subject}")(subject=subject)), "user": f"user {subject}"}
    request["negative_prompt"] = str(promptc.prompt("by key {style}")(style=style))
    prompts = [str(promptc.prompt("in a list {subject}")(subject=subject)), str(promptc.prompt("of {style}")(style=style)), *(str(promptc.prompt("made for {n: int}")(n=n)) for n in range(2))]
    prompt_two = str(promptc.prompt("one {subject}")(subject=subject)) if chosen else str(promptc.prompt("other {subject}")(subject=subject))
    note = str(promptc.prompt("marked {subject}")(subject=subject))  # promptc: migrate
    log = f"not a prompt: {subject}"
    path = os.path.join("out", f"{subject}.png")
    plain_prompt = f"no expression"
    return [prompt, base_prompt, request, prompts, prompt_two, note, log, path, plain_prompt, seen, make_prompt(subject)]


def make_prompt(subject: str) -> str:
    return str(promptc.prompt("returned {subject}")(subject=subject))


def result() -> object:
    return main("a fox", "ink", True)
