"""The JSON Schema: current, and of the same mind as the structures."""

import json

import pytest

import cotree as ct
from cotree.io import json_schema, to_json
from cotree.io.native.describing import plain as model
from cotree.io.native.schema import FILE, _cleaned, as_text
from tests.io.furnished import drawn, furnish
from tests.io.switching import furnished
from tests.io.test_bad_files import CASES, plain, spoiled
from tests.io.test_functions import driven
from tests.io.test_switches_in_files import CASES as SWITCH_CASES


def test_the_shipped_file_is_current():
    assert FILE.read_text(encoding="utf-8") == as_text(), "run `python tools/schema.py`"
    assert json.loads(FILE.read_text(encoding="utf-8")) == json_schema()


def test_versions_that_word_it_otherwise_make_the_same():
    """Python before 3.13 keeps the indentation of docstrings, msgspec before 0.22 puts null first."""
    former = {"description": "One.\n\n    Two.\n    ", "anyOf": [{"type": "null"}, {"$ref": "#/$defs/End"}]}
    later = {"description": "One.\n\nTwo.", "anyOf": [{"$ref": "#/$defs/End"}, {"type": "null"}]}
    assert list(_cleaned([former])) == list(_cleaned([later])) == [later]


def fits(value, schema, defs):
    """A second reader of documents, by the schema alone: the keywords that it uses, and no others."""
    known = {"$ref", "$defs", "$schema", "title", "description", "default", "type", "properties", "required", "anyOf",
             "enum", "const", "additionalProperties", "items", "prefixItems", "minItems", "maxItems", "minLength", "minimum",
             "exclusiveMinimum",
             "discriminator"}  # fmt: skip
    assert set(schema) <= known, schema
    if "$ref" in schema:
        return fits(value, defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        return any(fits(value, s, defs) for s in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return value in schema.get("enum", [schema.get("const")])
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None),
             "boolean": bool}  # fmt: skip
    if not isinstance(value, kinds[schema["type"]]) or isinstance(value, bool) is not (schema["type"] == "boolean"):
        return False
    if isinstance(value, dict):
        properties = schema["properties"]
        assert schema["additionalProperties"] is False
        return (
            set(value) <= set(properties)
            and set(schema["required"]) <= set(value)
            and all(fits(x, properties[k], defs) for k, x in value.items())
        )
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return False
        return all(
            fits(x, s, defs)
            for x, s in zip(value, schema.get("prefixItems") or [schema["items"]] * len(value), strict=True)
        )
    if isinstance(value, str):
        return len(value) >= schema.get("minLength", 0)
    return value >= schema.get("minimum", value) and not value <= schema.get("exclusiveMinimum", value - 1)


def accepted(text):
    schema = json_schema()
    return fits(json.loads(text), schema, schema["$defs"])


@pytest.mark.parametrize("n", range(1, 9))
def test_what_is_written_fits_the_schema(n):
    assert accepted(to_json(furnish(drawn("tree", n, n), n, True)))
    assert accepted(to_json(drawn("gallery", 0, n)))


def test_functions_fit_the_schema():
    assert accepted(to_json(driven()))


def test_devices_and_actions_fit_the_schema():
    assert accepted(to_json(furnished()))


@pytest.mark.parametrize("case", SWITCH_CASES, ids=[c[3].split(":")[0] for c in SWITCH_CASES])
def test_of_devices_and_actions_it_refuses_what_the_structures_refuse(case):
    path, value, error, _ = case
    assert accepted(spoiled(path, value, model(furnished()))) is (error is not ct.errors.DocumentError)


@pytest.mark.parametrize("case", CASES, ids=[c[3].split(":")[0] for c in CASES])
def test_what_the_structures_refuse_the_schema_refuses(case):
    path, value, error, _ = case
    refused = error is ct.errors.DocumentError and path != ("version",)
    assert accepted(spoiled(path, value)) is (not refused and value is not None) or (
        path == ("version",) and value == 2
    )


def test_an_editor_may_name_the_schema():
    document = {"$schema": "mechanism.schema.json", **plain()}
    assert accepted(json.dumps(document))
    assert ct.io.from_json(json.dumps(document)).bodies
