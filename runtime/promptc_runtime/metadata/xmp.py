"""XMP: one packet with the description, the web-UI text and the record.

Packets are written with entities for what XML would change (line ends, control characters cannot occur: the record is
JSON that escapes them), and read with document types refused, so that no entity can grow.
"""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from xml.sax.saxutils import escape

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
DC = "http://purl.org/dc/elements/1.1/"
XMP = "http://ns.adobe.com/xap/1.0/"
NOTE = "http://ns.adobe.com/xmp/note/"
OURS = "urn:promptc:metadata:1:"

MAX_PACKET = 16 << 20
"""Bytes; a longer packet is not parsed."""

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ENTITIES = {"\r": "&#13;"}
_IN_ATTRIBUTES = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;", '"': "&quot;"}


@dataclass(frozen=True, slots=True)
class Xmp:
    """The texts of a packet; empty where there is none. `record` is ours, as JSON."""

    description: str = ""
    creator: str = ""
    parameters: str = ""
    record: str = ""


def write(xmp: Xmp, rest: str = "") -> bytes:
    """A packet in UTF-8. Letters that XML cannot hold become U+FFFD in the description and the parameters.

    `rest` is the GUID of the longer packet that holds what this one leaves out.
    """
    description, parameters, record = (_legal(text) for text in (xmp.description, xmp.parameters, xmp.record))
    creator = _legal(xmp.creator, _IN_ATTRIBUTES)
    note = f' xmlns:xmpNote="{NOTE}" xmpNote:HasExtendedXMP="{rest}"' if rest else ""
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">\n'
        f'<rdf:RDF xmlns:rdf="{RDF}">\n'
        f'<rdf:Description rdf:about="" xmlns:dc="{DC}" xmlns:xmp="{XMP}" xmlns:promptc="{OURS}"'
        f' xmp:CreatorTool="{creator}"{note}>\n'
        f'<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{description}</rdf:li></rdf:Alt></dc:description>\n'
        f"<promptc:parameters>{parameters}</promptc:parameters>\n"
        f"<promptc:record>{record}</promptc:record>\n"
        "</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n"
        '<?xpacket end="r"?>'
    ).encode()


def _legal(text: str, entities: dict[str, str] = _ENTITIES) -> str:
    return escape(_ILLEGAL.sub("\ufffd", text), entities)


def merge(first: Xmp, second: Xmp) -> Xmp:
    """What the second says, and the first where it is silent."""
    return Xmp(*(b or a for a, b in zip(astuple(first), astuple(second), strict=True)))


class PacketError(ValueError):
    """A packet that is not read; the message says why."""


def read(packet: bytes) -> Xmp:
    """The texts of a packet, ours or another program's (where only the description and creator are known).

    Raises PacketError.
    """
    if len(packet) > MAX_PACKET:
        raise PacketError(f"the XMP packet has {len(packet)} bytes, more than {MAX_PACKET}")
    body = packet.strip(b"\0 \r\n\t")
    if re.search(rb"<!\s*(DOCTYPE|ENTITY)", body.replace(b"\0", b""), re.IGNORECASE):
        raise PacketError("the XMP packet declares a document type, which is not read")
    try:
        root = ElementTree.fromstring(body)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise PacketError(f"the XMP packet is damaged ({error})") from None
    texts = dict(_texts(root))
    return Xmp(
        texts.get(f"{{{DC}}}description", ""),
        texts.get(f"{{{XMP}}}CreatorTool", ""),
        texts.get(f"{{{OURS}}}parameters", ""),
        texts.get(f"{{{OURS}}}record", ""),
    )


def _texts(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Every property of every description, in either of its spellings: as an attribute or as an element."""
    for description in root.iter(f"{{{RDF}}}Description"):
        yield from description.attrib.items()
        for child in description:
            item = child.find(f".//{{{RDF}}}li")
            yield child.tag, (child if item is None else item).text or ""
