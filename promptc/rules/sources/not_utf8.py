"""A file that is no UTF-8.

## What it does
Reports a file whose bytes cannot be read as UTF-8, with the offset of the first byte that does not fit. A byte order
mark and CRLF line ends are accepted, and kept.

## Why is this bad
A prompt that is read in another encoding than it was written in holds other words, and nothing tells so.

## Example
A file saved as UTF-16 by an editor.

## Use instead
The same file saved as UTF-8.

## References
- https://datatracker.ietf.org/doc/html/rfc3629
"""

from promptc.rules import Case

CODE, NAME, SEVERITY = "E0001", "not-utf8", "error"
# A file that cannot be read has no tree: `promptc.files` reports it.
VALID = (Case("card.prompt", files={"card.prompt": "\ufeffcaf\u00e9\r\n".encode()}),)
INVALID = (
    Case("card.prompt", files={"card.prompt": "red fox".encode("utf-16")}),
    Case("card.prompt", files={"card.prompt": b"caf\xe9"}),
)
