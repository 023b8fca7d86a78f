"""Generates JSON Schemas of everything that the referee reads or writes.

`python -m referee.schema DIR` writes them to a folder. In this project, that's `spec/schema`. With
`--check`, it fails if the files in the folder aren't up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import reduce
from inspect import cleandoc
from operator import or_
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.conformance.case import CaseFile
from referee.conformance.referee_side.cases import RefereeCaseFile
from referee.conformance.verdict import Report
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.game import Score
from referee.games.interface.seats import SEAT_PATTERN, seat_ids
from referee.logs import record
from referee.logs.validate import Validation
from referee.logs.verify import Verdict
from referee.match import messages
from referee.match.result import MatchResult
from referee.rulefiles.schema import rule_file_schema

_SCORE = msgspec.json.schema(Score)
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """Return the schemas by file name. Schemas of logs and messages describe a single line."""
    found = {
        "result.schema.json": _schema(MatchResult, "The result of a match"),
        "conformance-cases.schema.json": _schema(CaseFile, "The conformance cases for bots"),
        "conformance-referee-cases.schema.json": _schema(
            RefereeCaseFile, "The conformance cases for referees"
        ),
        "conformance-report.schema.json": _schema(Report, "The report of referee conform"),
        "verdict.schema.json": _schema(Verdict, "Result of referee verify for a record"),
        "validation.schema.json": _schema(Validation, "Result of referee validate for a log"),
    }
    player = found["result.schema.json"]["$defs"]["PlayerResult"]
    for game in GAMES.values():
        player["properties"] |= msgspec.json.schema(game.facts)["$defs"][game.facts.__name__][
            "properties"
        ]
        public: list[type[Struct]] = [*messages.SHARED_PUBLIC, *game.public]
        to_bot: list[type[Struct]] = [*public, messages.PlayerNameRequest, *game.requests]
        from_bot: list[type[Struct]] = [messages.PlayerNameReply, *game.replies]
        made = {
            "spectator-log": _schema(_union(public), "One line of a spectator log"),
            "to-bot": _schema(_union(to_bot), "One line that a bot is sent"),
            "from-bot": _legal(_schema(_union(from_bot), "One legal line of a bot"), from_bot),
            "match-record": _schema(record.entry_types(game).any, "One line of a match record"),
        }
        if game.turn is not None:
            made["turn"] = _schema(game.turn, "One turn, as referee replay shows it")
            # We always print all fields, so the schema can require them.
            for definition in made["turn"]["$defs"].values():
                _require(definition, definition["properties"])
        if game.vocabulary is not None:
            rule_file = rule_file_schema(game.vocabulary, game.name)
            made["rule-file"] = {"$schema": _DIALECT, **rule_file}
        # `SentEntry` keeps the message as raw JSON, so msgspec doesn't know its type. We insert the
        # possible types ourselves.
        definitions = made["match-record"]["$defs"]
        definitions |= made["to-bot"]["$defs"]
        definitions["SentEntry"]["properties"]["message"] = {"anyOf": made["to-bot"]["anyOf"]}
        for kind, schema in made.items():
            _narrow(schema, game)
            schema["title"] += f" of {game.name}, protocol version {game.protocol}"
            found[f"{game.name}-v{game.protocol}-{kind}.schema.json"] = schema
    return found


def _narrow(schema: Any, game: GameDefinition) -> None:
    """Name the seats that the game has, and allow only integers as scores if it has no others."""
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, dict | list):
            _narrow(value, game)
    if isinstance(schema, dict) and schema.get("pattern") == SEAT_PATTERN:
        del schema["pattern"]
        schema["enum"] = [*seat_ids(game.max_seats)]
    elif isinstance(schema, dict) and schema.get("anyOf") == _SCORE["anyOf"] and not game.fractions:
        del schema["anyOf"]
        schema["type"] = "integer"


def _union(structs: Sequence[type[Struct]]) -> Any:
    return reduce(or_, structs)


def _schema(kind: Any, title: str) -> dict[str, Any]:
    made = msgspec.json.schema(kind)
    for definition in made["$defs"].values():
        # The description is a docstring. Before Python 3.13, docstrings keep their indentation.
        if "description" in definition:
            definition["description"] = cleandoc(definition["description"])
    return {"$schema": _DIALECT, "title": title, **made}


def _require(definition: dict[str, Any], names: Iterable[str]) -> None:
    definition["required"] = list(names)
    for field in definition["properties"].values():
        field.pop("default", None)


def _legal(schema: dict[str, Any], replies: Sequence[type[Struct]]) -> dict[str, Any]:
    """Narrow the schema to legal replies, since the decoder deliberately accepts more."""
    for struct in replies:
        names = ["type", *struct.legal_has]  # type: ignore[attr-defined]
        _require(schema["$defs"][struct.__name__], names)
    return schema


def _texts() -> dict[str, str]:
    return {
        name: msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"
        for name, schema in schemas().items()
    }


def main(arguments: Sequence[str]) -> int | str:
    """Write or check the schemas. Returns the argument of `sys.exit`."""
    check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + check or arguments[-1].startswith("-"):
        return "usage: python -m referee.schema [--check] DIR"
    folder = Path(arguments[-1])
    texts = _texts()
    if check:
        there = {path.name: path.read_text() for path in folder.glob("*.json")}
        stale = sorted(name for name in texts.keys() | there if texts.get(name) != there.get(name))
        if stale:
            return f"not up to date in {folder}: {', '.join(stale)}; run python -m referee.schema"
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
