"""`referee rules`: check rule files, and explain why their bots play as they do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from referee.cli.console import FAILED, OK, PLAIN_WIDTH, print_json, printing
from referee.cli.files import check_files
from referee.cli.options import Options, argument, option
from referee.cli.values import Count, GameName, PlayerNumber
from referee.errors import UsageError
from referee.games import DEFAULT_GAME, GAMES
from referee.games.interface.counts import plural
from referee.inputs import read_input
from referee.interrupts import Interrupts
from referee.text.terminal import as_text, plain, wrap_list

if TYPE_CHECKING:
    from referee.games.interface.vocabulary import Vocabulary
    from referee.logs.decisions import Decided, Ranked
    from referee.rulefiles.source import Problem


class RulesOptions(Options):
    """Rule files are bots without programming (spec/rule-bots.md). check reports the mistakes
    in FILEs with their lines; keys lists the words that a file can use; explain shows the
    scores behind each decision of a turn.
    """

    exit_codes = (
        (0, "no errors"),
        (1, "a file has an error"),
    )
    examples = (
        ("referee rules check my_bot.json", "mistakes, with line and place"),
        ("referee rules keys --game starrealms", "the words for Star Realms"),
        (
            "referee rules explain my_bot.json --replay game.record.jsonl --turn 7",
            "the reasons for its decisions in that turn",
        ),
    )

    what: Literal["check", "keys", "explain"] = argument("check|keys|explain", "the action")
    files: tuple[str, ...] = argument("FILE", "a rule file; explain takes one")
    game: GameName | None = option(
        "NAME",
        None,
        f"the game: {', '.join(GAMES)} (default: the game of the FILE, otherwise {DEFAULT_GAME})",
    )
    replay: str | None = option("RECORD", None, "explain: the match record")
    turn: Count | None = option("N", None, "explain: the turn (all players' turns count)")
    player: PlayerNumber | None = option(
        "N", None, "explain: the player (default: the one that plays FILE)"
    )
    format: Literal["text", "json"] = option(
        None, "text", "text; json: one object per file, word or decision"
    )


def run(options: RulesOptions, interrupts: Interrupts) -> int:
    if options.what == "keys" and options.files:
        raise UsageError("rules keys takes no FILE")
    if options.what != "keys" and not options.files:
        raise UsageError(f"rules {options.what} needs a FILE")
    if options.what == "explain":
        if len(options.files) > 1:
            raise UsageError("rules explain takes one FILE")
        if options.replay is None or options.turn is None:
            raise UsageError("rules explain needs --replay RECORD and --turn N")
    elif (options.replay, options.turn, options.player) != (None, None, None):
        raise UsageError(f"rules {options.what} takes no --replay, --turn or --player")
    check_files(options.files)
    with interrupts.raising(), printing():
        if options.what == "check":
            return _check(options)
        if options.what == "keys":
            return _keys(options)
        assert options.replay is not None
        assert options.turn is not None
        return _explain(options, options.replay, options.turn)


def _check(options: RulesOptions) -> int:
    from referee.rulefiles.reading import read

    wrong = errors = warnings = 0
    for name in options.files:
        data = _data(name)
        game = _game(data, options.game, name)
        book, problems = read(data, _words(game), game)
        wrong += book is None
        errors += sum(problem.is_error for problem in problems)
        warnings += sum(not problem.is_error for problem in problems)
        if options.format == "json":
            about = {"file": as_text(name), "game": game, "right": book is not None}
            print_json({**about, "problems": [_as_json(each) for each in problems]})
        else:
            for problem in problems:
                kind = "" if problem.is_error else "warning: "
                text = f"{name}:{problem.line}: {kind}{problem.text}"
                where = "" if problem.path == "$" else f" ({problem.path})"
                print(plain(text + where))
            if not problems:
                print(plain(f"{name}: valid, for {game}"))
    if options.format == "text" and (errors or warnings or len(options.files) > 1):
        right = len(options.files) - wrong
        found = f"{plural(errors, 'error')}, {plural(warnings, 'warning')}"
        print(f"{plural(len(options.files), 'file')}: {right} valid, {wrong} not; {found}")
    return FAILED if wrong else OK


def _as_json(problem: Problem) -> dict[str, Any]:
    kind = "error" if problem.is_error else "warning"
    return {"line": problem.line, "path": problem.path, "kind": kind, "text": problem.text}


def _data(name: str) -> bytes:
    from referee.rulefiles.source import MAX_BYTES

    return read_input(name, MAX_BYTES + 1)


def _game(data: bytes, wanted: str | None, name: str) -> str:
    from referee.rulefiles.bot import game_of

    return wanted or game_of(data, name) or DEFAULT_GAME


def _words(game: str) -> Vocabulary:
    from referee.rulefiles.bot import vocabulary_of

    return vocabulary_of(GAMES[game])


def _keys(options: RulesOptions) -> int:
    kind = ""
    for row in _rows(_words(options.game or DEFAULT_GAME)):
        if options.format == "json":
            print_json(row)
            continue
        if row["kind"] != kind:
            print(f"{chr(10) if kind else ''}{_TITLES[row['kind']]}:")
            kind = row["kind"]
        default = f" (default: {row['default']})" if "default" in row else ""
        print(f"  {row['name']:{_WIDTH}} {row['about']}{default}")
    return OK


_TITLES = {
    "matcher": "Words for several cards",
    "set": "Sets of rules",
    "flag": "Other keys of an entry",
    "key": "Keys of conditions and scores",
    "average": "Averages of an info X of cardInfo, over",
}
_WIDTH = 38


def _rows(words: Vocabulary) -> Iterator[dict[str, str]]:
    from referee.rulefiles.glossary import key_rows, matcher_rows

    for name, about in matcher_rows(words).items():
        yield {"kind": "matcher", "name": name, "about": about.replace("`", "")}
    for name, rules in words.sets.items():
        yield {"kind": "set", "name": name, "about": rules.about, "default": rules.default_text}
    for name, rules in words.sets.items():
        for flag, does in rules.flags.items():
            yield {"kind": "flag", "name": flag, "about": f"{does} ({name})"}
    for name, about in key_rows(words).items():
        yield {"kind": "key", "name": name.replace("`", ""), "about": about}
    for prefix, average in words.averages.items():
        yield {"kind": "average", "name": f"{prefix}card_info_avg_X", "about": average.about}


def _explain(options: RulesOptions, record: str, turn: int) -> int:
    from referee.logs.decisions import decisions
    from referee.rulefiles.bot import RuleFile

    (name,) = options.files
    data = _data(name)
    game = _game(data, options.game, name)
    file = RuleFile(game, name, data)
    file.new()  # this raises an error if the file has mistakes
    check_files([record])
    number = 0
    seat = None if options.player is None else options.player - 1
    for decided in decisions(record, file, turn, seat):
        number += 1
        if options.format == "json":
            print_json(decided)
        else:
            for line in _lines(number, decided):
                print(plain(line))
    if not number and options.format == "text":
        print(f"nothing was decided by this player in turn {turn}")
    return OK


def _lines(number: int, decided: Decided) -> Iterator[str]:
    if number > 1:
        yield ""
    steps = plural(decided.steps, "step")
    yield f"Decision {number}, {decided.player_number}, {decided.asked}, {steps}:"
    for ranked in decided.ranked:
        yield f"  {ranked.rules}"
        yield from (f"    {line}" for line in _candidates(ranked))
        if ranked.remark:
            yield f"    {ranked.remark}"
    yield f"  does {_short(decided.does)}"
    if decided.did is not None:
        yield f"  but in the record: {_short(decided.did)}"
    elif not decided.replied:
        yield "  but in the record: no reply"


def _candidates(ranked: Ranked) -> Iterator[str]:
    defaults: dict[float, list[str]] = {}
    for each in ranked.candidates:
        many = f" ({each.count})" if each.count > 1 else ""
        if each.entry is None:
            defaults.setdefault(each.score, []).append(each.card + many)
            continue
        rule = "" if each.rule is None else f", the rule of line {each.rule}"
        yield f"{each.score:8.6g}  {each.card + many:24} line {each.entry}{rule}"
    # Cards without a rule of their own come last. If they have the same score, they share a line.
    for score, cards in defaults.items():
        start = f"{score:8.6g}  "
        for line in wrap_list(f"{', '.join(cards)}: default", PLAIN_WIDTH - len(start) - 4):
            yield start + line
            start = " " * len(start)


def _short(reply: Any) -> str:
    if not isinstance(reply, dict):
        return str(reply)
    said = {name: value for name, value in reply.items() if name != "type" and value}
    return "; ".join(f"{name}: {_words_of(value)}" for name, value in said.items())


def _words_of(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(map(_words_of, value.values()))
    if isinstance(value, list):
        return ", ".join(map(_words_of, value))
    return value if isinstance(value, str) else json.dumps(value)
