"""What cannot be converted is left as it is."""
import promptc


def result() -> object:
    subject, style = "a fox", "ink"
    prompt = str(promptc.prompt("one {subject}")(subject=subject))
    prompt += f", {style}"
    sum_prompt = "a " + f"{style} sky"
    named_prompt = f"the {subject=}"
    bare_prompt = f"{subject}"
    open_prompt = f"an (open bracket {subject}"
    number_prompt = f"(fog:{0.5:.2f}) {subject}"
    comment_prompt = f"""a
# comment of {subject}
"""
    answer = lambda prompt: prompt
    asked = answer(prompt=str(promptc.prompt("one {subject}")(subject=subject))) if subject else input(prompt=f"your {style}?")
    return [prompt, sum_prompt, named_prompt, bare_prompt, open_prompt, number_prompt, comment_prompt, asked]
#> 7 left as it is: it is a part of a prompt; write the whole prompt as one text
#> 8 left as it is: it is put together with `+`; write the whole prompt as one text
#> 9 left as it is: `{name=}` writes its own name; write the name out
#> 10 left as it is: it has no text of its own
#> 11 left as it is: promptc would refuse it: this `(` is not closed
#> 12 left as it is: `{value}` stands where a number must, and the f-string makes a text of it
#> 13 left as it is: a line that begins with # is a comment in a prompt
