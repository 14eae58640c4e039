"""An f-string inside promptc's own call is filled too early."""

import promptc as p
from promptc import prompt


def result() -> object:
    subject = "a fox"
    done = prompt(f"portrait of {subject}")()
    also = p.prompt(text=f"portrait of {subject}")()
    early = prompt(f"portrait of {subject}")
    return [str(done), str(also), str(early())]
