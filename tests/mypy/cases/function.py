"""`@prompt.function` keeps the signature; it needs no plug-in."""

from typing import Literal

from promptc import Prompt, prompt


@prompt.function
def scene(subject: str, hour: Literal["dawn", "night"] = "dawn") -> Prompt:
    """{subject} at {hour}, wide shot --ar 16:9"""
    raise NotImplementedError


made: Prompt = scene("a harbour", hour="night")
scene("a harbour", hour="noon")  # E: 25 Argument "hour" to "__call__" of "PromptFunction" has incompatible type "Literal['noon']"; expected "Literal['dawn', 'night']" [arg-type]
scene()  # E: 1 Missing positional argument "subject" in call to "__call__" of "PromptFunction" [call-arg]
scene(subjct="a harbour")  # E: 1 Unexpected keyword argument "subjct" for "__call__" of "PromptFunction"; did you mean "subject"? [call-arg]
