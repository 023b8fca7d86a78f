"""The JSON Schema of a game's rule files, from its words, so that an editor completes a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from referee.games.interface.vocabulary import RuleSet, Vocabulary
from referee.rulefiles.reading import AVERAGE, INFO, LARGEST

_COMMENT = {"description": "Anything; nobody reads it."}


def rule_file_schema(words: Vocabulary, game: str) -> dict[str, Any]:
    """What a rule file of a game can have; every right file is valid by it."""
    sets = {name: _set(rules, words.fields) for name, rules in words.sets.items()}
    properties = {
        "name": {"type": "string", "description": "What the bot is called."},
        "author": {"type": "string", "description": "Who made it."},
        "game": {"const": game},
        "comment": _COMMENT,
        "cardInfo": _list("Values of your own for cards", _ref("infoEntry")),
    }
    return {
        "title": "A rule file",
        "type": "object",
        "required": ["name", "author"],
        "properties": properties | sets,
        "additionalProperties": False,
        "$defs": _parts(words),
    }


def _parts(words: Vocabulary) -> dict[str, Any]:
    choices = max((rules.choices for rules in words.sets.values()), default=0)
    number = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
    text = {"type": "string"}
    parts = {
        **{
            field: {
                "description": f"The cards that this is for, by {field}.",
                "anyOf": [{"enum": known}, text],
            }
            for field, known in words.fields.items()
        },
        "score": {
            "description": "A number, or a key.",
            "anyOf": [number, {"enum": list(words.keys)}, text],
        },
        "condition": {"description": 'A number, or a text such as "< 3".', "anyOf": [number, text]},
        "rule": _rule(words, "score", _ref("score")),
        "infoEntry": {
            "type": "object",
            "required": ["info"],
            "oneOf": [{"required": [field]} for field in words.fields],
            "properties": {
                **{field: _ref(field) for field in words.fields},
                "info": {
                    "type": "object",
                    "description": "Name -> number, key or list of rules.",
                    "additionalProperties": {
                        "anyOf": [_ref("score"), {"type": "array", "items": _ref("rule")}]
                    },
                },
                "comment": _COMMENT,
            },
            "additionalProperties": False,
        },
    }
    if choices:
        parts["choice"] = {"enum": list(range(1, choices + 1))}
        parts["choiceRule"] = _rule(words, "choice", _ref("choice"))
    return parts


def _rule(words: Vocabulary, what: str, value: dict[str, Any]) -> dict[str, Any]:
    condition = _ref("condition")
    keys = {name: {**condition, "description": key.about} for name, key in words.keys.items()}
    infos = [INFO, *(prefix + AVERAGE for prefix in words.averages)]
    return {
        "type": "object",
        "description": f"Conditions, which must all hold, if any, and a {what}.",
        "required": [what],
        "properties": {what: value, "comment": _COMMENT, **keys},
        "patternProperties": {f"^{start}": condition for start in infos},
        "additionalProperties": False,
    }


def _set(rules: RuleSet, fields: Iterable[str]) -> dict[str, Any]:
    what = "choice" if rules.choices else "score"
    rule = _ref("choiceRule" if rules.choices else "rule")
    flags = {name: {"type": "boolean", "description": does} for name, does in rules.flags.items()}
    entry = {
        "type": "object",
        "oneOf": [{"required": [field]} for field in fields],
        "anyOf": [{"required": [what]}, {"required": ["rules"]}],
        "properties": {
            **{field: _ref(field) for field in fields},
            what: _ref(what),
            "rules": {"type": "array", "minItems": 1, "items": rule},
            **flags,
            "comment": _COMMENT,
        },
        "additionalProperties": False,
    }
    return _list(f"{rules.about.capitalize()}; default: {rules.default_text}", entry)


def _list(about: str, items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "description": f"{about}.", "items": items}


def _ref(part: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{part}"}
