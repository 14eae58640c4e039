"""What cannot be converted is left as it is."""


def result() -> object:
    subject, style = "a fox", "ink"
    prompt = f"one {subject}"
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
    asked = answer(prompt=f"one {subject}") if subject else input(prompt=f"your {style}?")
    return [prompt, sum_prompt, named_prompt, bare_prompt, open_prompt, number_prompt, comment_prompt, asked]
