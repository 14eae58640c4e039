"""`prompt.file("…")` is called with the parameters of the file."""

from typing import Final

import promptc
from promptc import prompt

card = prompt.file("card.prompt")
reveal_type(card)  # E: 13 Revealed type is "promptc.template.PromptFunction[[*, subject: str, artifact: str =]]"
card(subject="a sailor")
card(subject="a sailor", artifact="noise")
card(subjct="a sailor")  # E: 1 Unexpected keyword argument "subjct" for "__call__" of "PromptFunction"; did you mean "subject"? [call-arg]
CARD: Final = "card.prompt"
prompt.file(CARD)()  # E: 1 Missing named argument "subject" for "__call__" of "PromptFunction" [call-arg]
promptc.prompt.file(path="card.prompt")(subject=1)  # E: 49 Argument "subject" to "__call__" of "PromptFunction" has incompatible type "int"; expected "str" [arg-type]
prompt.file("none.prompt")  # E: 13 none.prompt: there is no such file [promptc-file]
prompt.file("broken.prompt")  # E: 13 broken.prompt:5:14: E0931 unknown placeholder `subjct`; did you mean `{subject}`? [promptc-file]
prompt.file("broken.prompt")  # type: ignore[promptc-file]
