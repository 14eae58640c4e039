"""What means something in a prompt keeps its text."""


def result() -> object:
    subject, style, weight = "a (fox)", "{ink}", 1.2
    return [
        make_prompt(f"({subject}:1.3) [{style}] (fog:{weight})"),
        make_prompt(f'reply as {{"subject": "{subject}"}}'),
        make_prompt(f"css {{ {subject} }} {{}}"),
        make_prompt(f"<lora:ink:0.8> {subject} BREAK {style} --ar 4:5"),
        make_prompt(f"escaped \\({subject}\\) __init__ {style}"),
        make_prompt(f"{{red|green}} {subject}"),
    ]


def make_prompt(text: str) -> str:
    return text
