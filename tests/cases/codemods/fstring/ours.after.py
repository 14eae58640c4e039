"""An f-string inside promptc's own call is filled too early."""

import promptc as p
from promptc import prompt


def result() -> object:
    subject = "a fox"
    done = prompt("portrait of {subject}")(subject=subject)
    also = p.prompt(text="portrait of {subject}")(subject=subject)
    early = prompt(f"portrait of {subject}")
    return [str(done), str(also), str(early())]
#> 11 left as it is: it is filled before promptc sees it; write placeholders, and pass the values when you call it
