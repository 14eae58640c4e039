"""What means something in a prompt keeps its text."""
import promptc


def result() -> object:
    subject, style, weight = "a (fox)", "{ink}", 1.2
    return [
        make_prompt(str(promptc.prompt("({subject}:1.3) [{style}] (fog:{weight})")(subject=subject, style=style, weight=weight))),
        make_prompt(str(promptc.prompt('reply as {open_brace}"subject": "{subject}"{close_brace}')(open_brace="{", subject=subject, close_brace="}"))),
        make_prompt(str(promptc.prompt("css {open_brace} {subject} {braces}")(open_brace="{", subject=subject, braces="} {}"))),
        make_prompt(str(promptc.prompt("<lora:ink:0.8> {subject} BREAK {style} --ar 4:5")(subject=subject, style=style))),
        make_prompt(str(promptc.prompt("escaped \\({subject}\\) __init__ {style}")(subject=subject, style=style))),
        make_prompt(str(promptc.prompt("{braces} {subject}")(braces="{red|green}", subject=subject))),
    ]


def make_prompt(text: str) -> str:
    return text
