"""Generate the JSON Schema of a game's rule files, so that editors can complete them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from referee.games.interface.vocabulary import RuleSet, Vocabulary
from referee.rulefiles.reading import AVERAGE, INFO, LARGEST

_COMMENT = {"description": "Anything; nobody reads it."}


def rule_file_schema(words: Vocabulary, game: str) -> dict[str, Any]:
    """Return the JSON Schema of a game's rule files.

    It accepts every correct file, but also some wrong ones. For example, a schema can't rule out
    circular references.
    """
    properties = {
        "name": {"type": "string", "description": "Name of the bot."},
        "author": {"type": "string", "description": "Author of the bot."},
        "game": {"const": game},
        "comment": _COMMENT,
        "cardInfo": _list("Values of your own for cards", _ref("infoEntry")),
        **{name: _set(rules, words.fields) for name, rules in words.sets.items()},
    }
    whole = _object(properties, required=["name", "author"])
    return {"title": "A rule file", **whole, "$defs": _parts(words)}


def _parts(words: Vocabulary) -> dict[str, Any]:
    choices = max((rules.choices for rules in words.sets.values()), default=0)
    number = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
    text = {"type": "string"}
    list_of_rules = {"type": "array", "items": _ref("rule")}
    info = {
        "type": "object",
        "description": "Name -> number, key or list of rules.",
        "additionalProperties": {"anyOf": [_ref("score"), list_of_rules]},
    }
    parts: dict[str, Any] = {}
    for field, known in words.fields.items():
        about = f"The cards that this is for, by {field}."
        parts[field] = {"description": about, "anyOf": [{"enum": known}, text]}
    parts["score"] = {
        "description": "A number, or a key.",
        "anyOf": [number, {"enum": list(words.keys)}, text],
    }
    about = 'A number, or a text such as "< 3".'
    parts["condition"] = {"description": about, "anyOf": [number, text]}
    parts["rule"] = _rule(words, "score")
    fields, either = words.fields, _either(words.fields)
    parts["infoEntry"] = _entry(fields, {"info": info}, required=["info"], oneOf=either)
    if choices:
        parts["choice"] = {"enum": list(range(1, choices + 1))}
        parts["choiceRule"] = _rule(words, "choice")
    return parts


def _rule(words: Vocabulary, what: str) -> dict[str, Any]:
    condition = _ref("condition")
    keys = {name: {**condition, "description": key.about} for name, key in words.keys.items()}
    infos = [INFO, *(prefix + AVERAGE for prefix in words.averages)]
    return {
        "type": "object",
        "description": f"Conditions, which must all be true, if any, and a {what}.",
        "required": [what],
        "properties": {what: _ref(what), "comment": _COMMENT, **keys},
        "patternProperties": {f"^{start}": condition for start in infos},
        "additionalProperties": False,
    }


def _set(rules: RuleSet, fields: Iterable[str]) -> dict[str, Any]:
    what = "choice" if rules.choices else "score"
    rule = _ref("choiceRule" if rules.choices else "rule")
    own = {what: _ref(what), "rules": {"type": "array", "minItems": 1, "items": rule}}
    own |= {name: {"type": "boolean", "description": does} for name, does in rules.flags.items()}
    entry = _entry(fields, own, oneOf=_either(fields), anyOf=_either([what, "rules"]))
    return _list(f"{rules.about.capitalize()}; default: {rules.default_text}", entry)


def _entry(fields: Iterable[str], own: dict[str, Any], **others: Any) -> dict[str, Any]:
    properties = {**{field: _ref(field) for field in fields}, **own, "comment": _COMMENT}
    return _object(properties, **others)


def _either(fields: Iterable[str]) -> list[dict[str, Any]]:
    return [{"required": [field]} for field in fields]


def _object(properties: dict[str, Any], **others: Any) -> dict[str, Any]:
    shape = {"properties": properties, "additionalProperties": False}
    return {"type": "object", **others, **shape}


def _list(about: str, items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "description": f"{about}.", "items": items}


def _ref(part: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{part}"}
