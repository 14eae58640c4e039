"""The published schema is the one that the ops make, and every plan keeps to it."""

from importlib import resources

import jsonschema
import pytest

from promptc.plan import schema
from promptc.plan.plan import VERSION
from promptc.plan.registry import specs


def test_the_checked_in_schema_is_current() -> None:
    text = (resources.files("promptc_grammar") / schema.FILE).read_text(encoding="utf-8")
    assert text == schema.dumps(), "run `python -m promptc.plan.schema > grammar/promptc_grammar/plan.schema.json`"


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema.published())
    assert schema.published()["$id"] == f"urn:promptc:plan:{VERSION}"


def test_the_schema_describes_every_built_in_op() -> None:
    mapping = schema.published()["properties"]["ops"]["items"]["discriminator"]["mapping"]
    assert mapping.keys() == {name for name, spec in specs().items() if spec.module.startswith("promptc.plan.ops.")}


@pytest.mark.parametrize(
    "plan",
    [
        {"version": VERSION, "ops": [], "outputs": [], "batches": []},
    ],
)
def test_a_plan_without_ops_is_valid(plan: object) -> None:
    jsonschema.validate(plan, schema.published())


@pytest.mark.parametrize(
    "plan",
    [
        {"ops": [], "outputs": [], "batches": []},
        {"version": 99, "ops": [], "outputs": [], "batches": []},
        {"version": VERSION, "ops": [{"op": "dream"}], "outputs": [], "batches": []},
        {"version": VERSION, "ops": [], "outputs": ["xyz"], "batches": []},
        {"version": VERSION, "ops": [], "outputs": [], "batches": [["0" * 32]]},
    ],
)
def test_other_documents_are_refused(plan: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plan, schema.published())
