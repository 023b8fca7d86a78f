"""The schemas in spec/schema match the structs that they were made from."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from referee import schema
from tests.support.live import ROOT


def test_the_committed_schemas_are_up_to_date() -> None:
    assert schema.main(["--check", str(ROOT / "spec" / "schema")]) == 0


def test_a_stale_schema_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"one.schema.json": "{}", "result.schema.json": '{"type":"object"}'}
    monkeypatch.setattr(schema, "_texts", lambda: texts)
    assert schema.main([str(tmp_path)]) == 0
    (tmp_path / "result.schema.json").write_text("{}")
    said = schema.main(["--check", str(tmp_path)])
    assert isinstance(said, str)
    assert "result.schema.json" in said
    (tmp_path / "result.schema.json").unlink()
    assert "result.schema.json" in str(schema.main(["--check", str(tmp_path)]))


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--check"], ["--check", "-x"], ["a", "b"]])
def test_usage(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "usage" in str(schema.main(arguments))
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_the_schemas_are_schemas() -> None:
    for made in schema.schemas().values():
        jsonschema.Draft202012Validator.check_schema(made)
