"""Whatever explains a mistake never costs a result."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.bots.bot import Failure
from referee.explaining import attempt, sentence, sentences
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification
from referee.games.outside import add
from tests.support.helpers import name_line
from tests.support.imports import forget
from tests.support.live import ROOT
from tests.support.live import referee as run
from tests.support.own_game import clean_games

VALUES = (None, True, 7, -1, 1.5, 10**400, "x", "\x00\u202e", [], ["x"], [[]], [{}], {}, {"x": []})
KUHN = str(ROOT / "spec" / "examples" / "games" / "kuhn.py")
BUG = "the cause could not be worked out; this is a bug in the referee"


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each field, at every depth."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in inner:
        yield (*path, key)
        if isinstance(each, dict | list):
            yield from _places(each, (*path, key))


def _with(reply: Mapping[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(json.dumps(reply))
    inner: Any = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


# Replies that the simplest bot doesn't write.
MORE: Mapping[str, list[dict[str, Any]]] = {
    "dominion": [
        {"type": "play-reply", "phase": "action", "card": "Militia", "data": {"discard": ["x"]}},
        {
            "type": "play-reply",
            "phase": "buy",
            "played_treasures": ["Copper"],
            "cards_to_buy": ["Silver"],
        },
        {"type": "attack-reply", "data": {"discard": ["Copper"]}},
        {"type": "attack-reply-reaction", "reaction": "Moat"},
    ],
    "botwars": [{"type": "move-reply", "moves": [{"row": 0, "col": 0, "direction": "N"}]}],
    "starrealms": [
        {"type": "play-reply", "actions": [{"action": kind, "card": "Viper", "target": "x"}]}
        for kind in ("play", "buy", "attack-base", "attack-player", "use", "scrap", "end-turn")
    ]
    + [{"type": "choose-reply", "picks": [0]}],
    "tribute": [
        {"type": "play-reply", "action": {"type": kind, "card": 1, "patron": "ANSEI"}}
        for kind in ("play-card", "buy-card", "activate-agent", "attack", "call-patron")
    ]
    + [
        {"type": "play-reply", "action": None, "index": 1},
        {"type": "patron-reply", "patron": "ANSEI"},
        {"type": "choose-reply", "cards": [1], "effect": 0},
    ],
    KUHN: [],
}


def _definition(game: str) -> GameDefinition:
    return GAMES[add(game) if game == KUHN else game]


def _played(bots: list[Any], game: str, turns: int) -> referee.MatchResult:
    options = {} if game == KUHN else {"max_turns": turns}
    return referee.play_match(bots, seed=1, game=game, options=options)


def _simple(game: str) -> Any:
    """Return a bot that writes the simplest replies."""
    return _attacker(game, lambda request: _simplest(game, request))


def _simplest(game: str, request: Mapping[str, Any]) -> Any:
    simplest = _definition(game).simplest_reply
    assert simplest is not None
    return simplest(request)


def _attacker(game: str, made: Callable[[Mapping[str, Any]], Any]) -> Any:
    """Return a bot that answers the first request of each type by `made`."""
    requests = {struct.__struct_config__.tag for struct in _definition(game).requests}
    done: set[str] = set()

    def reply(request: Mapping[str, Any]) -> Any:
        kind = str(request["type"])
        if kind not in requests:
            return None
        if kind in done:
            return _simplest(game, request)
        done.add(kind)
        return made(request)

    return reply


def _replies(game: str) -> list[dict[str, Any]]:
    """Return replies with all fields of the game: those of two simple bots, and `MORE`."""
    seen: dict[str, dict[str, Any]] = {}

    def made(request: Mapping[str, Any]) -> Any:
        answer = dict(_simplest(game, request))
        seen.setdefault(str(sorted(answer)), deepcopy(answer))
        return answer

    bots = [_attacker(game, made), _attacker(game, made)]
    _played(bots, game, 4)
    return [*seen.values(), *MORE[game]]


@pytest.fixture
def _games() -> Iterator[None]:
    with clean_games():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("_games")
@pytest.mark.parametrize("game", MORE)
def test_no_value_in_any_field_of_a_reply_costs_the_result(game: str) -> None:
    for reply in _replies(game):
        for path in _places(reply):
            for value in VALUES:
                changed = _with(reply, path, value)
                bots = [_attacker(game, lambda request, c=changed: c), _simple(game)]
                result = _played(bots, game, 2)
                assert len(result.players) == 2
                assert BUG not in str(result.players), changed


BROKEN = [
    *(
        f"referee.diagnosis.{path.stem}"
        for path in sorted((Path(referee.__file__).parent / "diagnosis").glob("[!_]*.py"))
    ),
    "referee.games.dominion.notes",
]


@pytest.mark.parametrize("module", BROKEN)
def test_a_broken_module_of_the_diagnosis_costs_only_the_cause(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(monkeypatch, "referee.diagnosis")
    monkeypatch.setitem(sys.modules, module, None)  # importing it raises ImportError
    bots = [_attacker("dominion", lambda request: {"type": ["x"]}), _simple("dominion")]
    result = referee.play_match(bots, seed=1, options={"max_turns": 2})
    first = result.players[0]
    assert first.faults == {"wrong-type": 1}
    assert [fault.code for fault in first.first_faults] == ["wrong-type"]
    assert result.players[1].faults == {}


class Leaving:
    """Leaves at its second request."""

    def reply(self, lines: Sequence[bytes]) -> bytes | Failure:
        message = json.loads(lines[-1])
        if message["type"] == "player-name-request":
            return name_line(int(message["player_number"][-1]) - 1)
        return Failure(Disqualification.EXITED, "it has left")


def test_why_a_bot_has_left_is_known_without_a_diagnosis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "referee.diagnosis.author", None)
    other, second = referee.play_match([_simple("dominion"), Leaving()], seed=1).players
    left = second.disqualification
    assert left is not None
    assert (left.detail, left.cause, left.turn, left.request) == ("it has left", "", 2, 1)
    assert left.asked.startswith('{"type":"play-turn"')
    assert BUG in str(second.notes)
    assert other.disqualification is None


def _wrong(error: Exception, cause: BaseException | None = None) -> str:
    """Return the sentence about an explanation that raises this error."""

    def explain() -> str:
        try:
            raise cause or error
        except BaseException as first:
            raise error from (None if cause is None else first)

    return attempt(explain, str)


def test_the_sentence_names_the_file_of_the_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    assert attempt(lambda: 1, len) == 1
    assert sentence("lines.quoted", b"x") == "`x`"
    assert sentence("fields.found", "x", 2).startswith(
        f"{BUG} (AttributeError in referee/diagnosis/"
    )
    (only,) = sentences("fields.ignored_fields", [b"{}"], [1])
    assert only.startswith(f"{BUG} (AttributeError in referee/diagnosis/fields.py, line ")
    assert f"(SyntaxError in {__file__}, line " in _wrong(SyntaxError("without a file"))
    assert _wrong(SyntaxError("x", ("theirs.py", 7, 1, "x"))).endswith(" in theirs.py, line 7)")
    assert "(ZeroDivisionError in " in _wrong(ValueError("of it"), ZeroDivisionError())
    assert "(ValueError in " in _wrong(ValueError("of it"), KeyboardInterrupt())
    lines = import_module("referee.diagnosis.lines")
    monkeypatch.delattr(lines, "quoted")
    assert sentence("lines.quoted", b"x").startswith(f"{BUG} (AttributeError in ")


BOT = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "player-name-request":
        named = {"type": "player-name-reply", "player_number": asked["player_number"]}
        print(json.dumps({**named, "name": "L", "version": 1}), flush=True)
    elif asked["type"] in ("play-turn", "attack-request", "attack-request-reaction"):
        print('{"type":["x"]}', flush=True)
"""


EVERY = """\
import fcntl, json, sys
replies = json.load(open("replies.json"))
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "player-name-request":
        named = {"type": "player-name-reply", "player_number": asked["player_number"]}
        print(json.dumps({**named, "name": "L", "version": 1}), flush=True)
    elif asked["type"] in sys.argv[1:]:
        with open("count", "r+") as file:  # of all processes
            fcntl.flock(file, fcntl.LOCK_EX)
            count = int(file.read())
            file.seek(0)
            file.write(str(count + 1))
        print(json.dumps(replies[count % len(replies)]), flush=True)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("_games")
@pytest.mark.parametrize("game", MORE)
def test_play_and_conform_judge_each_of_these_replies(game: str, tmp_path: Path) -> None:
    """Each match and each case goes on where the last one stopped."""
    values = [value for value in VALUES if value != 10**400]  # too long for the bot's own Python
    every = [
        _with(reply, path, value)
        for value in values
        for reply in _replies(game)
        for path in _places(reply)
    ]
    (tmp_path / "replies.json").write_text(json.dumps(every))
    (tmp_path / "count").write_text("0")
    (tmp_path / "bot.py").write_text(EVERY)
    requests = [struct.__struct_config__.tag for struct in _definition(game).requests]
    bot = f"{sys.executable} bot.py {' '.join(requests)}"
    for words in (("conform", bot), *[("play", bot, bot, "--seed", "1")] * 9):
        done = run(*words, "--game", game, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
        assert "bug in the referee" not in done.stdout + done.stderr
    assert int((tmp_path / "count").read_text()) > 9


@pytest.mark.slow
def test_play_and_conform_judge_a_reply_whose_type_is_a_list(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    words = ("--seed", "1", "--max-turns", "2")
    played = run("play", "./bot.py", "minimal", *words, cwd=tmp_path)
    assert played.returncode == 0
    assert "Minimal (player2)" in played.stdout
    assert 'the line `{"type":["x"]}` has the type a list of 1; known are' in played.stdout
    judged = run("conform", "./bot.py", "--case", "5.5/1", cwd=tmp_path)
    assert judged.returncode == 1
    assert "has the type a list of 1" in judged.stdout


def test_play_prints_the_table_if_the_diagnosis_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    monkeypatch.setitem(sys.modules, "referee.diagnosis.author", None)
    words = ("--seed", "1", "--max-turns", "2", "--record", "r.jsonl")
    played = run("play", "./bot.py", "minimal", *words, cwd=tmp_path)
    assert (played.returncode, played.stderr) == (0, "")
    assert "Minimal (player2)" in played.stdout
    assert " ".join(played.stdout.split()).count(BUG) == 1
    assert (tmp_path / "r.jsonl").is_file()
