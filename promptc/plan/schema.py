"""The JSON Schema of a plan. The published one, with the built-in ops only, is checked in beside the grammar."""

import json
from importlib import resources
from typing import Any

from promptc.plan import ops
from promptc.plan.plan import VERSION, Plan
from promptc.plan.registry import specs

ID = f"urn:promptc:plan:{VERSION}"
FILE = "plan.schema.json"


def schema(*, builtin: bool = True) -> dict[str, Any]:
    """The schema of a plan in JSON: of the built-in ops, or of every op that is installed here."""
    definitions: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    for name, spec in sorted(specs().items()):
        if builtin and not spec.module.startswith(ops.__name__ + "."):
            continue
        model = spec.model.model_json_schema(mode="serialization", ref_template="#/$defs/{model}")
        definitions |= model.pop("$defs", {})
        model["properties"] = {"id": {"$ref": "#/$defs/Ref"}, **model["properties"]}
        # A written plan holds every field, so that a reader needs none of our defaults.
        model["required"] = list(model["properties"])
        definitions[spec.model.__name__] = model
        kinds[name] = f"#/$defs/{spec.model.__name__}"
    definitions["Ref"] = {
        "description": "The id of an op: BLAKE2b-128 of its canonical JSON, without `id` and the fields that say where to look.",
        "type": "string",
        "pattern": "^[0-9a-f]{32}$",
    }
    refs = {"type": "array", "items": {"$ref": "#/$defs/Ref"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "A promptc plan",
        "description": Plan.__doc__,
        "type": "object",
        "properties": {
            "version": {"const": VERSION},
            "ops": {
                "type": "array",
                "items": {
                    "oneOf": [{"$ref": ref} for ref in kinds.values()],
                    "discriminator": {"propertyName": "op", "mapping": kinds},
                },
            },
            "outputs": {**refs, "uniqueItems": True},
            "batches": {"type": "array", "items": {**refs, "minItems": 2, "uniqueItems": True}},
        },
        "required": ["version", "ops", "outputs", "batches"],
        "additionalProperties": False,
        "$defs": dict(sorted(definitions.items())),
    }


def published() -> dict[str, Any]:
    """The schema as checked in."""
    text = (resources.files("promptc_grammar") / FILE).read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def dumps() -> str:
    """The published schema's text: what `python -m promptc.plan.schema` prints."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(dumps(), end="")
