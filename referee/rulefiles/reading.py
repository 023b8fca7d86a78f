"""A rule file -> what it says, or all that is wrong with it at once (spec/rule-bots.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from math import inf, nextafter
from typing import Any, NamedTuple, TypeAlias

from referee.games.interface.vocabulary import RuleSet, Vocabulary
from referee.rulefiles.book import Book
from referee.rulefiles.problems import Problem
from referee.rulefiles.source import MAX_BYTES, Node, NotJSONError, parse, shown
from referee.rulefiles.values import (
    OPERATORS,
    AverageTerm,
    Condition,
    Entry,
    InfoTerm,
    KeyTerm,
    Rule,
    Term,
    Value,
)
from referee.text.nearest import did_you_mean, instead

LARGEST = 1e15
"""No number of a file is larger; its negative is the smallest."""
MAX_CHAIN = 100
"""How many values of `cardInfo` may lead from one to the next."""
INFO, AVERAGE = "card_info_", "card_info_avg_"
_MOST_HINTS = 200
_LONGEST_WORD = 60
_MOST_NAMED = 5
_MOST_COMPARED = 20
"""With how many rules before it a rule is compared: in a file of nothing else it takes long."""
_VALUE = re.compile(r"([<>=!]*)\s*(.*)", re.DOTALL)
_DECIMAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)", re.ASCII).fullmatch

_Place: TypeAlias = tuple[str, ...]
"""Whose values refer to others: ("set", its name), ("info", its name, the path of its entry), or
("all", its name), the info of all entries together."""


class _Reference(NamedTuple):
    """A key that stands somewhere, to be looked up once all is read."""

    owner: _Place
    key: str
    line: int
    path: str


def stated_game(data: bytes) -> str | None:
    """The game that a file states; None if it does not state one, or is not valid JSON."""
    try:
        root, _ = parse(data[:MAX_BYTES].decode("utf-8-sig"))
    except (UnicodeDecodeError, NotJSONError):
        return None
    game = root.value.get("game") if isinstance(root.value, dict) else None
    return game.value if game is not None and isinstance(game.value, str) else None


def read(data: bytes, vocabulary: Vocabulary, game: str) -> tuple[Book | None, list[Problem]]:
    """Read a file.

    Args:
        game: whose vocabulary it is.

    Returns:
        What it says, or None if it has an error; and all problems, in the order of the lines.
    """
    if len(data) > MAX_BYTES:
        return None, [Problem(1, "$", f"the file has {len(data)} bytes; {MAX_BYTES} are allowed")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, [Problem(line, "$", "this is no UTF-8: save the file as UTF-8")]
    try:
        root, twice = parse(text)
    except NotJSONError as error:
        return None, [error.args[0]]
    reader = _Reader(vocabulary, game)
    book = reader.read(root)
    problems = sorted([*twice, *reader.problems], key=lambda problem: problem.line)
    return (None if any(p.is_error for p in problems) else book), problems


def _squeezed(name: str) -> str:
    """A name of a card as it is compared: case, white space and `_` do not count."""
    return "".join(name.replace("_", " ").split()).casefold()


class _Reader:
    def __init__(self, vocabulary: Vocabulary, game: str) -> None:
        self.problems: list[Problem] = []
        self._vocabulary = vocabulary
        self._game = game
        self._states_game = False
        self._takes = vocabulary.fields
        self._names = {_squeezed(word): word for known in self._takes.values() for word in known}
        self._terms: dict[str, Term] = {}
        self._references: list[_Reference] = []
        self._infos: dict[str, dict[str, Entry]] = {}  # info -> path of its entry -> its rules

    def read(self, root: Node) -> Book | None:
        fields = self._fields(root, "a rule file is one object: `{ ... }`")
        if fields is None:
            return None
        game = fields.get("game")
        if game is not None and game.value != self._game:
            wrong = f"this file is for the game {_shown(game)}, not for {self._game}"
            self._error(game, f'{wrong}: choose that game, or change "game"')
            return None  # by the words of another game everything else is wrong too
        self._states_game = game is not None
        known = ["name", "author", "game", "cardInfo", "comment", *self._vocabulary.sets]
        self._no_others(fields, known, "field")
        texts = {name: self._text(fields, name, root) for name in ("name", "author")}
        self._read_infos(fields.get("cardInfo"))
        sets = {
            name: self._read_set(name, fields.get(name), rules)
            for name, rules in self._vocabulary.sets.items()
        }
        self._look_up()
        return Book(texts["name"], self._vocabulary, sets)

    # --- sets, entries, rules -----------------------------------------------------------------

    def _read_set(self, name: str, node: Node | None, rules: RuleSet) -> Mapping[str, Entry]:
        """Card -> the entry by which it goes (3.3)."""
        found: dict[str, Entry] = {}
        for entry in self._objects(node, name):
            own = ["choice" if rules.choices else "score", "rules", "comment", *rules.flags]
            self._no_others(entry.value, [*self._takes, *own], "field")
            matcher = self._matcher(entry, found, rules.cards, name)
            made = self._entry(entry, rules.choices, ("set", name), rules.flags)
            if matcher is not None and made is not None:
                found[matcher] = made
        return self._by_card(found)

    def _entry(
        self, node: Node, choices: int, owner: _Place, flags: Iterable[str] = ()
    ) -> Entry | None:
        """What stands in an object with a score, or rules, or both."""
        fields: dict[str, Node] = node.value
        what = "choice" if choices else "score"
        score = None
        if what in fields:
            score = self._score(fields[what], choices, owner)
        rules: list[Rule] = []
        if "rules" in fields:
            rules = self._rules(fields["rules"], choices, owner)
        elif what not in fields:
            self._error(node, f'a "{what}" is missing, or "rules"')
        on = []
        for flag in flags:
            if flag in fields:
                if type(fields[flag].value) is not bool:
                    self._error(
                        fields[flag], f"true or false should stand here, {_not(fields[flag])}"
                    )
                elif fields[flag].value:
                    on.append(flag)
        return Entry(rules, score, frozenset(on), node.line, node.path)

    def _rules(self, node: Node, choices: int, owner: _Place) -> list[Rule]:
        what = "choice" if choices else "score"
        if not isinstance(node.value, list) or not node.value:
            self._error(node, f"a list of rules should stand here: `[ ... ]`, {_not(node)}")
            return []
        rules: list[Rule] = []
        earlier: list[tuple[int, _Asked]] = []
        for rule in node.value:
            fields = self._fields(rule, "a rule is an object: `{ ... }`")
            if fields is None:
                continue
            if what not in fields:
                self._error(rule, f'a "{what}" is missing in this rule')
            conditions = []
            asked: _Asked = {}
            score: Value = 0.0
            for key, value in fields.items():
                if key == what:
                    score = self._score(value, choices, owner)
                elif key != "comment":
                    conditions += self._condition(key, value, owner, what)
                    asked |= _asked(key, value.value)
            for place, (line, others) in enumerate(earlier):
                if _within(asked, others):
                    self._warn(rule, f"never asked: if it holds, so does the rule in line {line}")
                    del earlier[place]  # once is enough
                    break
            earlier = [*earlier[-_MOST_COMPARED:], (rule.line, asked)]
            rules.append(Rule(conditions, score, rule.line, rule.path))
        return rules

    def _condition(self, key: str, node: Node, owner: _Place, what: str) -> list[Condition]:
        left = self._term(key, node, owner, also=[what, "comment"])
        right: Value
        if isinstance(node.value, float):
            sign, right = "", self._bounded(node)
        elif isinstance(node.value, str):
            sign, operand = _parts(node.value)
            if sign not in OPERATORS:
                self._error(
                    node, f"no operator {shown(sign)!r}: there are <, >, <= and >=; none is equal"
                )
                return []
            found = self._operand(node, operand, owner)
            if found is None:
                return []
            right = found
        else:
            self._error(node, f'a number or a text such as "< 3" should stand here, {_not(node)}')
            return []
        return [] if left is None else [Condition(left, OPERATORS[sign], right)]

    def _score(self, node: Node, choices: int, owner: _Place) -> Value:
        if choices:
            if node.value not in range(1, choices + 1) or type(node.value) is not float:
                wanted = " or ".join(str(number) for number in range(1, choices + 1))
                self._error(node, f"{wanted} should stand here, {_not(node)}")
                return 1.0
            return float(node.value)
        if isinstance(node.value, float):
            return self._bounded(node)
        if isinstance(node.value, str):
            sign, operand = _parts(node.value)
            if not sign:
                found = self._operand(node, operand, owner)
                return 0.0 if found is None else found
            self._error(node, "a score has no operator: a number or a key should stand here")
            return 0.0
        self._error(node, f"a number or a key should stand here, {_not(node)}")
        return 0.0

    def _operand(self, node: Node, text: str, owner: _Place) -> Value | None:
        """A number, or a key, of a text."""
        if _DECIMAL(text):
            return self._bounded(node._replace(value=float(text)))
        if not text:
            self._error(node, "a number or a key is missing")
            return None
        return self._term(text, node, owner)

    def _bounded(self, node: Node) -> float:
        if not abs(node.value) <= LARGEST:
            self._error(node, f"the number is beyond {LARGEST:.0e}")
            return 0.0
        return float(node.value)

    # --- card info ----------------------------------------------------------------------------

    def _read_infos(self, node: Node | None) -> None:
        """Read `cardInfo`: by which rules each info of each card goes."""
        found: dict[str, Entry] = {}
        infos: dict[str, dict[str, Entry]] = {}  # path of an entry -> info -> its rules
        for entry in self._objects(node, "cardInfo"):
            fields: dict[str, Node] = entry.value
            self._no_others(fields, [*self._takes, "info", "comment"], "field")
            everything = frozenset(self._vocabulary.cards)
            matcher = self._matcher(entry, found, everything, "cardInfo")
            if "info" not in fields:
                self._error(entry, '"info" is missing')
                continue
            named = self._fields(fields["info"], '"info" is an object: `{ ... }`') or {}
            infos[entry.path] = made = {}
            for name, value in named.items():
                if name == "comment":
                    continue
                if name.startswith("avg_"):
                    self._error(
                        value, f"the name {shown(name)!r} begins with avg_, which averages do"
                    )
                    continue
                owner = ("info", name, entry.path)
                if isinstance(value.value, list):
                    rules, score = self._rules(value, 0, owner), None
                else:
                    rules, score = [], self._score(value, 0, owner)
                made[name] = Entry(rules, score, frozenset(), value.line, value.path)
                self._infos.setdefault(name, {})[entry.path] = made[name]
            if matcher is not None:
                found[matcher] = Entry((), None, frozenset(), entry.line, entry.path)
        by_card = self._by_card(found)
        for name in self._infos:
            self._info(name).entries = {
                card: infos[entry.path][name]
                for card, entry in by_card.items()
                if name in infos[entry.path]
            }

    def _info(self, name: str) -> InfoTerm:
        term = self._terms.setdefault(INFO + name, InfoTerm())
        assert isinstance(term, InfoTerm)  # of such a name
        return term

    # --- cards --------------------------------------------------------------------------------

    def _matcher(
        self, entry: Node, found: Mapping[str, Entry], asked: frozenset[str], where: str
    ) -> str | None:
        """What the entry is for, a card's name or a matcher; None: nothing that there is."""
        given = [field for field in self._takes if field in entry.value]
        if len(given) != 1:
            one_of = " or ".join(f'"{field}"' for field in given or self._takes)
            self._error(entry, f"an entry has either {one_of}" if given else f"{one_of} is missing")
            return None
        (field,) = given
        card = entry.value[field]
        if not isinstance(card.value, str):
            self._error(card, f"a card's name in quotes should stand here, {_not(card)}")
            return None
        name = self._names.get(_squeezed(card.value), "")
        if name not in self._takes[field]:
            self._not_known(card, field, name)
            return None
        matcher = self._vocabulary.matchers.get(name)
        cards = frozenset([name]) if matcher is None else matcher.cards
        if name in found:
            earlier = found[name].line
            self._warn(card, f"{_shown(card)} stood in line {earlier} before: this one counts")
        elif not cards & asked:
            self._warn(card, f"{where} never asks about {_shown(card)}")
        return name

    def _not_known(self, card: Node, field: str, name: str) -> None:
        """Say that a field does not take a word, and which field does.

        If the file states no game, it may have cards of other editions. That is not an error:
        these entries never fit.
        """
        own = next((each for each in reversed(self._takes) if name in self._takes[each]), None)
        if own is not None:
            self._error(card, f'{name} is a {own}: write {{"{own}": "{name}"}}')
            return
        hint = self._hint if field == "card" else instead
        known = hint(card.value[: _LONGEST_WORD + 1], self._takes[field])
        text = f"no {field} of {self._game} is called {_shown(card)}{known}"
        is_error = self._states_game or field != "card"
        self.problems.append(Problem(card.line, card.path, text, is_error))

    def _by_card(self, found: Mapping[str, Entry]) -> dict[str, Entry]:
        """By which entry each card goes: by its name, else by the first matcher that fits."""
        if not found:
            return {}
        by_card: dict[str, Entry] = {}
        matchers = self._vocabulary.matchers
        for card in self._vocabulary.cards:
            fitting = [name for name, matcher in matchers.items() if card in matcher.cards]
            entry = next((found[name] for name in (card, *fitting) if name in found), None)
            if entry is not None:
                by_card[card] = entry
        return by_card

    # --- keys ---------------------------------------------------------------------------------

    def _term(self, key: str, node: Node, owner: _Place, also: Iterable[str] = ()) -> Term | None:
        """What a key stands for; None, with an error, if there is none."""
        self._references.append(_Reference(owner, key, node.line, node.path))
        if key in self._terms:
            return self._terms[key]
        if key in self._vocabulary.keys:
            term: Term = KeyTerm(self._vocabulary.keys[key])
        elif (prefix := self._prefix(key)) is not None:
            info = self._info(key.removeprefix(prefix + AVERAGE))
            term = AverageTerm(self._vocabulary.averages[prefix], info)
        elif key.startswith(INFO):
            return self._info(key.removeprefix(INFO))
        else:
            hint = self._hint(key, [*self._vocabulary.keys, *also])
            self._error(node, f"no key is called {shown(key)!r}{hint}")
            return None
        self._terms[key] = term
        return term

    def _prefix(self, key: str) -> str | None:
        """Of a key that is an average."""
        prefixes = self._vocabulary.averages
        return next((each for each in prefixes if key.startswith(each + AVERAGE)), None)

    def _look_up(self) -> None:
        """Say of references that there is nothing, or that they lead back to where they stand."""
        graph: dict[_Place, set[_Place]] = {
            ("all", name): {("info", name, path) for path in paths}
            for name, paths in self._infos.items()
        }
        where: dict[_Place, _Reference] = {}
        for reference in self._references:
            owner, key = reference.owner, reference.key
            for place in self._leads_to(owner, key, reference):
                graph.setdefault(owner, set()).add(place)
                where.setdefault(owner, reference)
        try:
            order = list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            circle: list[_Place] = error.args[1]
            first = min((where[place] for place in circle if place in where), key=lambda r: r.line)
            names = list(dict.fromkeys(shown(place[1]) for place in reversed(circle)))
            names[_MOST_NAMED:-1] = ["..."] * (len(names) > _MOST_NAMED + 1)
            text = f"the value leads back to itself: {' -> '.join(names)}"
            self.problems.append(Problem(first.line, first.path, text))
            return
        length: dict[_Place, int] = {}
        for place in order:
            below = max((length[other] for other in graph.get(place, ())), default=-1)
            length[place] = below + (place[0] == "info")
            if length[place] >= MAX_CHAIN and place in where:
                text = f"this value leads through more than {MAX_CHAIN} others"
                self.problems.append(Problem(where[place].line, where[place].path, text))
                return

    def _leads_to(self, owner: _Place, key: str, reference: _Reference) -> Iterator[_Place]:
        prefix = self._prefix(key)
        known = self._vocabulary.keys.get(key)
        if known is not None:
            for rules in known.asks:
                yield ("set", rules)
        elif prefix is not None or key.startswith(INFO):
            name = key.removeprefix((prefix or "") + (INFO if prefix is None else AVERAGE))
            if name not in self._infos:
                hint = self._hint(name, self._infos)
                text = f"no entry of cardInfo has {shown(name)!r}, for {shown(key)}{hint}"
                self.problems.append(Problem(reference.line, reference.path, text))
            elif prefix is None and owner[0] == "info":  # of the same card, so of the same entry
                if owner[2] in self._infos[name]:
                    yield ("info", name, owner[2])
            else:
                yield ("all", name)

    # --- parts --------------------------------------------------------------------------------

    def _objects(self, node: Node | None, name: str) -> Iterator[Node]:
        """The entries of a list, those that are objects."""
        if node is None:
            return
        if not isinstance(node.value, list):
            self._error(node, f'"{name}" is a list: `[ ... ]`, {_not(node)}')
            return
        for entry in node.value:
            if self._fields(entry, "an entry is an object: `{ ... }`") is not None:
                yield entry

    def _fields(self, node: Node, wanted: str) -> dict[str, Node] | None:
        if isinstance(node.value, dict):
            return node.value
        self._error(node, f"{wanted}, {_not(node)}")
        return None

    def _text(self, fields: Mapping[str, Node], name: str, root: Node) -> str:
        node = fields.get(name)
        if node is None:
            self._error(root, f'"{name}" is missing')
            return ""
        if not isinstance(node.value, str):
            self._error(node, f"a text in quotes should stand here, {_not(node)}")
            return ""
        return node.value

    def _no_others(self, fields: Mapping[str, Node], known: list[str], what: str) -> None:
        for name, node in fields.items():
            if name not in known:
                self._error(
                    node, f"no {what} is called {shown(name)!r} here{self._hint(name, known)}"
                )

    def _hint(self, word: str, known: Iterable[str]) -> str:
        """What may have been meant; looking for it takes long, so not for all of very many."""
        if len(self.problems) > _MOST_HINTS or len(word) > _LONGEST_WORD:
            return ""
        return did_you_mean(word, known)

    def _error(self, node: Node, text: str) -> None:
        self.problems.append(Problem(node.line, node.path, text))

    def _warn(self, node: Node, text: str) -> None:
        self.problems.append(Problem(node.line, node.path, text, is_error=False))


_Asked: TypeAlias = dict[tuple[str, str], tuple[float, float]]
"""What conditions ask: a key, and the one that it is compared with, or "" -> from where to where
the first is, or the first less the second."""


def _asked(key: str, value: Any) -> _Asked:
    """What one condition asks."""
    sign, operand = _parts(value) if isinstance(value, str) else ("", str(value))
    number = float(operand) if _DECIMAL(operand) else 0.0
    least = {">": nextafter(number, inf), "<": -inf, "<=": -inf}.get(sign, number)
    most = {"<": nextafter(number, -inf), ">": inf, ">=": inf}.get(sign, number)
    return {(key, "" if _DECIMAL(operand) else operand): (least, most)}


def _within(asked: _Asked, others: _Asked) -> bool:
    """Whether the others hold whenever these do."""
    none = (-inf, inf)
    pairs = ((asked.get(key, none), other) for key, other in others.items())
    return all(own[0] >= other[0] and own[1] <= other[1] for own, other in pairs)


def _parts(text: str) -> tuple[str, str]:
    """The operator and the operand of a value's text."""
    found = _VALUE.fullmatch(text.strip())
    assert found is not None  # both parts may be empty
    return found[1], found[2]


_KINDS: Mapping[type[Any], str] = {dict: "an object", list: "a list", bool: "", type(None): ""}


def _not(node: Node) -> str:
    return f"not {_shown(node)}"


def _shown(node: Node) -> str:
    """A value in few words."""
    value = node.value
    if isinstance(value, dict | list):
        return "an empty list" if value == [] else _KINDS[type(value)]
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return f"{value:g}"
    return f'"{shown(value)}"'
