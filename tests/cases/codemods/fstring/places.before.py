"""Which f-strings are prompts: the names around them say so."""
import os


def main(subject: str, style: str, chosen: bool) -> list[object]:
    seen: list[object] = []

    def pipe(prompt: str, negative_prompt: str = "", steps: int = 1) -> str:
        seen.append((prompt, negative_prompt))
        return prompt

    prompt = f"portrait of {subject}"  # a comment stays
    base_prompt: str = f"{style}   portrait"
    pipe(f"first argument {subject}", steps=3)
    pipe(prompt=f"by name {subject}", negative_prompt=f"not {style}")
    request = {"prompt": f"in a dict {subject}", "user": f"user {subject}"}
    request["negative_prompt"] = f"by key {style}"
    prompts = [f"in a list {subject}", f"of {style}", *(f"made for {n}" for n in range(2))]
    prompt_two = f"one {subject}" if chosen else f"other {subject}"
    note = f"marked {subject}"  # promptc: migrate
    log = f"not a prompt: {subject}"
    path = os.path.join("out", f"{subject}.png")
    plain_prompt = f"no expression"
    return [prompt, base_prompt, request, prompts, prompt_two, note, log, path, plain_prompt, seen, make_prompt(subject)]


def make_prompt(subject: str) -> str:
    return f"returned {subject}"


def result() -> object:
    return main("a fox", "ink", True)
