"""Parse a rule file, or report all its mistakes together (spec/rule-files.md).

The authors of rule files don't have to be programmers, so we try hard to find all mistakes at once,
and to suggest the right words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from math import inf, nextafter
from typing import Any, NamedTuple, TypeAlias

from referee.games.interface.vocabulary import Key, RuleSet, Vocabulary
from referee.rulefiles import scores
from referee.rulefiles.scores import Book, Condition, Entry, Rule, Value
from referee.rulefiles.source import MAX_BYTES, Node, NotJSONError, Problem, parse, shown
from referee.text.encoding import wide_encoding
from referee.text.nearest import did_you_mean, instead

LARGEST = 1e15
"""Maximum absolute value of a number in a file."""
MAX_CHAIN = 100
"""A `cardInfo` value can refer to another one, and so on. A chain has at most this many values."""
INFO, AVERAGE = "card_info_", "card_info_avg_"
_MOST_HINTS = 200
_LONGEST_WORD = 60
_MOST_NAMED = 5
# To find rules that are never used, we compare each rule with this many rules before it. Comparing
# it with all of them would take quadratic time.
_MOST_COMPARED = 20
_VALUE = re.compile(r"([<>=!]*)\s*(.*)", re.DOTALL)
_DECIMAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)", re.ASCII).fullmatch

# A node in the graph of references: ("set", name) for a set of rules, ("info", name, path) for the
# entry of an info at this path, or ("all", name) for all entries of an info.
_Place: TypeAlias = tuple[str, ...]


class _Reference(NamedTuple):
    """The use of a key. We check these at the end, because keys may be defined further down."""

    owner: _Place
    key: str
    line: int
    path: str


def stated_game(data: bytes) -> str | None:
    """Return the "game" of a file, or None if it doesn't have one or isn't valid JSON."""
    root, _ = _parsed(data)
    game = root.value.get("game") if root is not None and isinstance(root.value, dict) else None
    return game.value if game is not None and isinstance(game.value, str) else None


def read(data: bytes, vocabulary: Vocabulary, game: str) -> tuple[Book | None, list[Problem]]:
    """Parse a file with the vocabulary of a game.

    Returns:
        The parsed file and its problems, sorted by line. If there's an error among the problems,
        the parsed file is None.
    """
    root, problems = _parsed(data)
    if root is None:
        return None, problems
    reader = _Reader(vocabulary, game)
    found = reader.read(root)
    problems = sorted([*problems, *reader.problems], key=lambda problem: problem.line)
    return (None if any(p.is_error for p in problems) else found), problems


def _parsed(data: bytes) -> tuple[Node | None, list[Problem]]:
    if len(data) > MAX_BYTES:
        return None, [Problem(1, "$", f"the file has more than {MAX_BYTES:,} bytes")]
    if encoding := wide_encoding(data):
        return None, [Problem(1, "$", f"this is {encoding}: save the file as UTF-8")]
    try:
        return parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, [Problem(line, "$", "this is not UTF-8: save the file as UTF-8")]
    except NotJSONError as error:
        return None, [error.args[0]]


def _squeezed(name: str) -> str:
    # Case, white space and `_` don't matter in names of cards.
    return "".join(name.replace("_", " ").split()).casefold()


class _Reader:
    def __init__(self, vocabulary: Vocabulary, game: str) -> None:
        self.problems: list[Problem] = []
        self._vocabulary = vocabulary
        self._game = game
        self._states_game = False
        self._takes = vocabulary.fields
        self._names = {_squeezed(word): word for known in self._takes.values() for word in known}
        self._keys = dict(vocabulary.keys)  # we add the keys for infos that the file uses
        self._references: list[_Reference] = []
        # The rules of each info, first by the path of the entry that contains them, and then by the
        # card that they apply to.
        self._infos: dict[str, dict[str, Entry]] = {}
        self._by_info: dict[str, dict[str, Entry]] = {}

    def read(self, root: Node) -> Book | None:
        if not self._is(root, dict, "a rule file is one object: `{ ... }`"):
            return None
        fields: dict[str, Node] = root.value
        game = fields.get("game")
        if game is not None and game.value != self._game:
            wrong = f"this file is for the game {_shown(game)}, not for {self._game}"
            self._error(game, f'{wrong}: choose that game, or change "game"')
            return None  # otherwise, we'd report every card as well
        self._states_game = game is not None
        known = ["name", "author", "game", "cardInfo", "comment", *self._vocabulary.sets]
        self._no_others(root, known)
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
        found: dict[str, Entry] = {}
        for entry in self._objects(node, name):
            own = ["choice" if rules.choices else "score", "rules", "comment", *rules.flags]
            self._no_others(entry, [*self._takes, *own])
            matcher = self._matcher(entry, found, rules.cards, name)
            made = self._entry(entry, rules.choices, ("set", name), rules.flags)
            if matcher is not None and made is not None:
                found[matcher] = made
        return self._by_card(found)

    def _entry(
        self, node: Node, choices: int, owner: _Place, flags: Iterable[str] = ()
    ) -> Entry | None:
        fields: dict[str, Node] = node.value
        what = "choice" if choices else "score"
        score = self._score(fields[what], choices, owner) if what in fields else None
        rules: list[Rule] = []
        if "rules" in fields:
            rules = self._rules(fields["rules"], choices, owner)
        elif what not in fields:
            self._error(node, f'a "{what}" is missing, or "rules"')
        on = frozenset(
            flag
            for flag in flags
            if flag in fields
            and self._is(fields[flag], bool, "expected true or false")
            and fields[flag].value
        )
        return Entry(rules, score, on, node.line, node.path)

    def _rules(self, node: Node, choices: int, owner: _Place) -> list[Rule]:
        what = "choice" if choices else "score"
        if not isinstance(node.value, list) or not node.value:
            self._error(node, f"expected a list of rules, `[ ... ]`, not {_shown(node)}")
            return []
        rules: list[Rule] = []
        earlier: list[tuple[int, _Asked]] = []
        for rule in node.value:
            if not self._is(rule, dict, "a rule is an object: `{ ... }`"):
                continue
            if what not in rule.value:
                self._error(rule, f'a "{what}" is missing in this rule')
            conditions = []
            asked: _Asked = {}
            score: Value = 0.0
            for key, value in rule.value.items():
                if key == what:
                    score = self._score(value, choices, owner)
                elif key != "comment":
                    conditions += self._condition(key, value, owner, what)
                    asked |= _asked(key, value.value)
            for place, (line, others) in enumerate(earlier):
                if _within(asked, others):
                    self._warn(rule, f"never used: if it applies, so does the rule in line {line}")
                    del earlier[place]  # once is enough for each earlier rule
                    break
            earlier = [*earlier[-_MOST_COMPARED:], (rule.line, asked)]
            rules.append(Rule(conditions, score, rule.line))
        return rules

    def _condition(self, key: str, node: Node, owner: _Place, what: str) -> list[Condition]:
        left = self._key(key, node, owner, also=[what, "comment"])
        found = self._value(node, owner, compares=True)
        return [Condition(left, scores.OPERATORS[found[0]], found[1])] if left and found else []

    def _score(self, node: Node, choices: int, owner: _Place) -> Value:
        if not choices:
            found = self._value(node, owner, compares=False)
            return 0.0 if found is None else found[1]
        if type(node.value) is not float or node.value not in range(1, choices + 1):
            wanted = " or ".join(str(number) for number in range(1, choices + 1))
            self._error(node, f"{wanted} expected here, not {_shown(node)}")
            return 1.0
        return node.value

    def _value(self, node: Node, owner: _Place, *, compares: bool) -> tuple[str, Value] | None:
        """Parse a number or a key. If `compares`, an operator such as "<" may come before it.

        Returns the operator and the value, or None after reporting an error.
        """
        if isinstance(node.value, float):
            return "", self._bounded(node)
        wanted = 'a number or a text such as "< 3"' if compares else "a number or a key"
        if not self._is(node, str, f"{wanted} expected here"):
            return None
        sign, operand = _parts(node.value)
        value: Value | None = None
        if sign and not compares:
            self._error(node, "a score does not have an operator: expected a number or a key")
        elif sign not in scores.OPERATORS:
            operators = "there are <, >, <= and >=; none is equal"
            self._error(node, f"no operator {shown(sign)!r}: {operators}")
        elif _DECIMAL(operand):
            value = self._bounded(node._replace(value=float(operand)))
        elif operand:
            value = self._key(operand, node, owner)
        else:
            self._error(node, "a number or a key is missing")
        return None if value is None else (sign, value)

    def _bounded(self, node: Node) -> float:
        if not abs(node.value) <= LARGEST:
            self._error(node, f"the number is beyond {LARGEST:.0e}")
            return 0.0
        return float(node.value)

    # --- card info ----------------------------------------------------------------------------

    def _read_infos(self, node: Node | None) -> None:
        found: dict[str, Entry] = {}
        for entry in self._objects(node, "cardInfo"):
            fields: dict[str, Node] = entry.value
            self._no_others(entry, [*self._takes, "info", "comment"])
            everything = frozenset(self._vocabulary.cards)
            matcher = self._matcher(entry, found, everything, "cardInfo")
            if "info" not in fields:
                self._error(entry, '"info" is missing')
                continue
            is_object = self._is(fields["info"], dict, '"info" is an object: `{ ... }`')
            for name, value in fields["info"].value.items() if is_object else ():
                if name == "comment":
                    continue
                if name.startswith("avg_"):
                    text = f"the name {shown(name)!r} begins with avg_, which averages do"
                    self._error(value, text)
                    continue
                owner = ("info", name, entry.path)
                is_list = isinstance(value.value, list)
                rules = self._rules(value, 0, owner) if is_list else []
                score = None if is_list else self._score(value, 0, owner)
                made = Entry(rules, score, frozenset(), value.line, value.path)
                self._infos.setdefault(name, {})[entry.path] = made
            if matcher is not None:
                found[matcher] = Entry((), None, frozenset(), entry.line, entry.path)
        by_card = self._by_card(found)
        for name, infos in self._infos.items():
            self._info(name)  # creates self._by_info[name]
            for card, matched in by_card.items():
                if matched.path in infos:
                    self._by_info[name][card] = infos[matched.path]

    def _info(self, name: str) -> Key:
        """Return the key for an info. You can call this before the info is parsed."""
        if name not in self._by_info:
            entries = self._by_info[name] = {}
            self._keys[INFO + name] = scores.info_key(entries)
        return self._keys[INFO + name]

    # --- cards --------------------------------------------------------------------------------

    def _matcher(
        self, entry: Node, found: Mapping[str, Entry], asked: frozenset[str], where: str
    ) -> str | None:
        """Return the card or matcher of an entry, or None after reporting an error.

        Also warns if an earlier entry has the same one, or if it's never looked up.
        """
        given = [field for field in self._takes if field in entry.value]
        if len(given) != 1:
            one_of = " or ".join(f'"{field}"' for field in given or self._takes)
            self._error(entry, f"an entry has either {one_of}" if given else f"{one_of} is missing")
            return None
        (field,) = given
        card = entry.value[field]
        if not self._is(card, str, "expected a card's name in quotes"):
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
        # A file without a "game" may have cards from other editions. Their entries just never
        # match, so a warning is enough.
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
        if not found:
            return {}
        by_card: dict[str, Entry] = {}
        matchers = self._vocabulary.matchers
        for card in self._vocabulary.cards:
            # An entry for the card itself comes first. Without one, we take the first matcher that
            # fits, in the order of the vocabulary.
            fitting = [name for name, matcher in matchers.items() if card in matcher.cards]
            entry = next((found[name] for name in (card, *fitting) if name in found), None)
            if entry is not None:
                by_card[card] = entry
        return by_card

    # --- keys ---------------------------------------------------------------------------------

    def _key(self, key: str, node: Node, owner: _Place, also: Iterable[str] = ()) -> Key | None:
        """Return a key by its name, or None after reporting that it doesn't exist."""
        self._references.append(_Reference(owner, key, node.line, node.path))
        prefix = self._prefix(key)
        if key in self._keys:
            pass
        elif prefix is not None:
            info = self._info(key.removeprefix(prefix + AVERAGE))
            self._keys[key] = scores.average_key(self._vocabulary.averages[prefix], info)
        elif key.startswith(INFO):
            self._info(key.removeprefix(INFO))
        else:
            hint = self._hint(key, [*self._vocabulary.keys, *also])
            self._error(node, f"no key is called {shown(key)!r}{hint}")
        return self._keys.get(key)

    def _prefix(self, key: str) -> str | None:
        prefixes = self._vocabulary.averages
        return next((each for each in prefixes if key.startswith(each + AVERAGE)), None)

    def _look_up(self) -> None:
        graph: dict[_Place, set[_Place]] = {
            ("all", name): {("info", name, path) for path in paths}
            for name, paths in self._infos.items()
        }
        where: dict[_Place, _Reference] = {}
        for reference in self._references:
            for place in self._leads_to(reference):
                graph.setdefault(reference.owner, set()).add(place)
                where.setdefault(reference.owner, reference)
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
                text = f"a chain of more than {MAX_CHAIN} values begins here"
                self.problems.append(Problem(where[place].line, where[place].path, text))
                return

    def _leads_to(self, reference: _Reference) -> Iterator[_Place]:
        """Yield the nodes that a reference depends on. Reports an error if an info is missing."""
        owner, key, *_ = reference
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
            # An info can refer to another info of the same card. Its value is in the same entry.
            elif prefix is None and owner[0] == "info":
                if owner[2] in self._infos[name]:
                    yield ("info", name, owner[2])
            else:
                yield ("all", name)

    # --- parts --------------------------------------------------------------------------------

    def _objects(self, node: Node | None, name: str) -> Iterator[Node]:
        if node is None or not self._is(node, list, f'"{name}" is a list: `[ ... ]`'):
            return
        for entry in node.value:
            if self._is(entry, dict, "an entry is an object: `{ ... }`"):
                yield entry

    def _is(self, node: Node, kind: type, wanted: str) -> bool:
        """Return True if a value has the right type. If not, report an error."""
        fits = isinstance(node.value, kind)
        if not fits:
            self._error(node, f"{wanted}, not {_shown(node)}")
        return fits

    def _text(self, fields: Mapping[str, Node], name: str, root: Node) -> str:
        node = fields.get(name)
        if node is None:
            self._error(root, f'"{name}" is missing')
            return ""
        return node.value if self._is(node, str, "expected a text in quotes") else ""

    def _no_others(self, node: Node, known: list[str]) -> None:
        for name, field in node.value.items():
            if name not in known:
                hint = self._hint(name, known)
                self._error(field, f"no field is called {shown(name)!r} here{hint}")

    def _hint(self, word: str, known: Iterable[str]) -> str:
        # Looking for similar words is slow, so we give up if the file is full of mistakes.
        if len(self.problems) > _MOST_HINTS or len(word) > _LONGEST_WORD:
            return ""
        return did_you_mean(word, known)

    def _error(self, node: Node, text: str) -> None:
        self.problems.append(Problem(node.line, node.path, text))

    def _warn(self, node: Node, text: str) -> None:
        self.problems.append(Problem(node.line, node.path, text, is_error=False))


# The conditions of a rule as ranges. (key, "") has the bounds of a key that's compared with a
# number. (key, other) has the bounds of the difference of two keys.
_Asked: TypeAlias = dict[tuple[str, str], tuple[float, float]]


def _asked(key: str, value: Any) -> _Asked:
    sign, operand = _parts(value) if isinstance(value, str) else ("", str(value))
    number = float(operand) if _DECIMAL(operand) else 0.0
    least = {">": nextafter(number, inf), "<": -inf, "<=": -inf}.get(sign, number)
    most = {"<": nextafter(number, -inf), ">": inf, ">=": inf}.get(sign, number)
    return {(key, "" if _DECIMAL(operand) else operand): (least, most)}


def _within(asked: _Asked, others: _Asked) -> bool:
    none = (-inf, inf)
    pairs = ((asked.get(key, none), other) for key, other in others.items())
    return all(own[0] >= other[0] and own[1] <= other[1] for own, other in pairs)


def _parts(text: str) -> tuple[str, str]:
    found = _VALUE.fullmatch(text.strip())
    assert found is not None  # the pattern matches any text
    return found[1], found[2]


def _shown(node: Node) -> str:
    value = node.value
    if isinstance(value, str):
        return f'"{shown(value)}"'
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return {None: "null", True: "true", False: "false"}[value]
