"""Test `validate` on spectator logs with mistakes, and that it accepts correct ones."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.dominion.rules.game import Options
from referee.games.interface.capabilities import Finding
from referee.games.interface.faults import Disqualification
from referee.logs import source
from referee.logs.validate import MAX_FINDINGS, check_log, validate_log
from referee.match.machine import Match, Sent
from tests.support.garbage import garbage_of
from tests.support.helpers import ROOT, TIMES, name_line, to_line
from tests.support.log_mutations import mutate
from tests.support.random_logs import Choose, idle, random_log, trasher
from tests.support.random_players import right

EXAMPLES = sorted((ROOT / "spec" / "examples").glob("*.log.jsonl"))
TWO, FOUR = (ROOT / "spec" / "examples" / f"{n}-players.log.jsonl" for n in ("two", "four"))

Message = dict[str, Any]


@pytest.fixture
def validate(tmp_path: Path) -> Callable[[bytes], list[Finding]]:
    def validate(log: bytes) -> list[Finding]:
        file = tmp_path / "log"
        file.write_bytes(log)
        return list(validate_log(str(file), GAMES["dominion"]))

    return validate


Validate = Callable[[bytes], list[Finding]]


def messages(log: bytes) -> list[Message]:
    return [json.loads(line) for line in log.splitlines()]


def to_log(lines: list[Message]) -> bytes:
    return b"".join(to_line(line) + b"\n" for line in lines)


# --- no false positives (for fuzzed bots, see tests/attacks/test_fuzz_lines.py) -----------------


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_nothing_is_found_in_the_examples(file: Path) -> None:
    assert list(validate_log(str(file), GAMES["dominion"])) == []


@pytest.mark.parametrize("players", [[idle, idle], [trasher, right]])
def test_turns_of_which_little_or_nothing_is_heard(
    players: list[Choose], validate: Validate
) -> None:
    """Some players never play a card, and some trash their whole deck."""
    assert validate(random_log(1, players)) == []


@pytest.mark.parametrize("seat", [0, 1])
def test_who_exits_in_the_handshake_has_no_turn(seat: int, validate: Validate) -> None:
    """A bot may exit after the handshake too, so only the messages before it say when it was."""
    match = Match(GAMES["dominion"], seats=3, seed=1, options=Options(2))
    match.start()
    for number in match.due:
        if number == seat:
            match.disqualify(number, Disqualification("exited"), "exit code 1")
        else:
            match.receive(number, name_line(number))
    while match.due:
        match.receive(match.due[0], b'{"type":"play-reply","phase":"cleanup"}')
    sent = (entry for entry in match.take_entries() if isinstance(entry, Sent))
    assert validate(b"".join(entry.line for entry in sent if entry.to is None)) == []


# --- mutations --------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=4 * TIMES)
@given(data=st.data())
def test_whatever_is_in_a_log_it_is_no_crash(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = TWO.read_bytes().splitlines(keepends=True)[:60]
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=5,
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        line: Any = json.loads(lines[at])
        if not isinstance(line, dict) or not line:
            continue
        field = data.draw(st.sampled_from(sorted(line)))
        line[field] = data.draw(values)
        lines[at] = data.draw(st.sampled_from([to_line(line), to_line(line[field])])) + b"\n"
        lines.insert(data.draw(st.integers(0, len(lines))), data.draw(st.sampled_from(lines)))
    file = tmp_path_factory.mktemp("log") / "log"
    file.write_bytes(b"".join(lines))
    for finding in validate_log(str(file), GAMES["dominion"]):
        assert finding.line >= 1
        assert finding.section
        assert finding.expected != finding.found


# --- one mistake each -------------------------------------------------------------------------
#
# Each takes the messages of an example, makes one mistake, and says at which index.


def first(lines: list[Message], kind: str, **fields: Any) -> int:
    return next(
        at
        for at, line in enumerate(lines)
        if line["type"] == kind and all(line[field] == value for field, value in fields.items())
    )


def change(kind: str, **changes: Any) -> Callable[[list[Message]], int]:
    def mistake(lines: list[Message]) -> int:
        at = first(lines, kind)
        lines[at] |= changes
        return at

    return mistake


def drop(kind: str, **fields: Any) -> Callable[[list[Message]], int]:
    def mistake(lines: list[Message]) -> int:
        at = first(lines, kind, **fields)
        del lines[at]
        return at

    return mistake


def insert(before: str, message: Message) -> Callable[[list[Message]], int]:
    def mistake(lines: list[Message]) -> int:
        at = first(lines, before)
        lines.insert(at, message)
        return at

    return mistake


def supply_off(lines: list[Message]) -> int:
    lines[first(lines, "supply-info")]["cards"][3]["count"] += 1
    return first(lines, "supply-info")


def supply_stands_still(lines: list[Message]) -> int:
    at = first(lines, "player-gained") + 1
    lines[at] = lines[first(lines, "supply-info")]
    return at


def supply_is_missing(lines: list[Message]) -> int:
    at = first(lines, "player-gained") + 1
    del lines[at]
    return at


def piles_in_other_order(lines: list[Message]) -> int:
    at = first(lines, "supply-info")
    lines[at] = {"type": "supply-info", "cards": lines[at]["cards"][::-1]}
    return at


def too_dear(lines: list[Message]) -> int:
    """Change the first gain to a province, for which five coppers aren't enough."""
    at = first(lines, "player-gained")
    lines[at]["gained"] = "province"
    lines[at + 1] = json.loads(json.dumps(lines[first(lines, "supply-info")]))
    lines[at + 1]["cards"][6]["count"] -= 1
    del lines[at + 2 :]
    lines += [
        {"type": "player-played", "player_number": "player2", "played": ["copper"] * 4},
        {"type": "player-top-discard", "player_number": "player2", "card": "copper"},
        {"type": "player-played", "player_number": "player1", "played": ["copper"] * 3},
    ]
    return at


def scores_off(lines: list[Message]) -> int:
    lines[-1]["scores"][0] += 1
    return len(lines) - 1


def other_winner(lines: list[Message]) -> int:
    lines[-1]["winners"] = ["player2" if lines[-1]["winners"] == ["player1"] else "player1"]
    return len(lines) - 1


def goes_on(lines: list[Message]) -> int:
    """Add a turn after the last province was bought."""
    lines.insert(-1, lines[first(lines, "player-top-discard", player_number="player2")])
    return len(lines) - 2


def answer_of(lines: list[Message]) -> int:
    """Return the index of the first discard because of a militia, which player2 played."""
    attack = first(lines, "player-played", player_number="player2")
    while "militia" not in lines[attack]["played"]:
        attack += 1 + first(lines[attack + 1 :], "player-played", player_number="player2")
    answer = attack - 1
    while lines[answer]["type"] != "player-top-discard":
        answer -= 1
    assert lines[answer]["player_number"] == "player1"
    return answer


def two_answers(lines: list[Message]) -> int:
    """Let the attacked player discard twice because of one militia."""
    at = answer_of(lines)
    lines.insert(at, lines[at])
    return at + 1


def nobody_attacked(lines: list[Message]) -> int:
    """Disqualify a player who isn't there, in a turn in which others than the active are asked."""
    at = answer_of(lines)
    out = {"type": "player-disqualified", "player_number": "player3", "reason": "timeout"}
    lines.insert(at, out)
    return at


def names_too_late(lines: list[Message]) -> int:
    at = first(lines, "player-played")
    lines.insert(at, lines[1])
    return at


def too_many_names(lines: list[Message]) -> int:
    lines[2:2] = [lines[1] | {"player_number": f"player{number}"} for number in (3, 4, 4)]
    return 4


MISTAKES: list[tuple[str, Callable[[list[Message]], int], str]] = [
    ("names in seat order", change("player-name", player_number="player2"), "2.2"),
    ("the version of the protocol", change("player-name", version=2), "2.2"),
    ("names of 64 characters", change("player-name", name="x" * 65), "2.2"),
    ("names before the game", names_too_late, "2.2"),
    ("no more names than seats", too_many_names, "2.2"),
    ("names without control characters", change("player-name", name="x\x07"), "3.1"),
    ("the kingdom", change("game-info", kingdom_cards=["moat"] * 10), "2.3"),
    ("the names once more", change("game-info", player_bot_names=["a", "b"]), "2.3"),
    ("game-info", drop("game-info"), "2.4"),
    ("the first supply-info", supply_off, "4.2"),
    ("the piles' order", piles_in_other_order, "2.4"),
    ("a supply that changes", supply_stands_still, "2.4"),
    ("the supply after a gain", supply_is_missing, "2.15"),
    ("money", too_dear, "5.2"),
    ("shuffles", drop("player-shuffled"), "4.6"),
    ("turn order", change("player-played", player_number="player2"), "4.1"),
    ("who there may be", change("player-name", player_number="player5"), "1.6"),
    ("who there is", change("player-top-discard", player_number="player4"), "1.6"),
    ("cards", change("player-top-discard", card="witch"), "1.6"),
    ("cards owned", change("player-top-discard", card="province"), "2.8"),
    ("cards owned, played", change("player-played", played=["gold"]), "5.3"),
    (
        "trash of what is owned",
        insert(
            "player-played",
            {"type": "player-trashed", "player_number": "player1", "trashed": ["gold"]},
        ),
        "6",
    ),
    (
        "reveals of what is owned",
        insert(
            "player-played",
            {
                "type": "player-reveal",
                "player_number": "player2",
                "from": "hand",
                "cards": ["moat"],
            },
        ),
        "7.3",
    ),
    (
        "attacks without a militia",
        insert(
            "player-played",
            {"type": "player-top-discard", "player_number": "player2", "card": "copper"},
        ),
        "7.1",
    ),
    ("one answer to an attack", two_answers, "7.1"),
    (
        "requests",
        insert("player-played", {"type": "attack-request", "discard": 2, "options": []}),
        "1.7",
    ),
    ("types", insert("player-played", {"type": "player-thinks"}), "2"),
    ("who can be disqualified", nobody_attacked, "8.3"),
    (
        "codes",
        insert(
            "player-played",
            {"type": "player-disqualified", "player_number": "player1", "reason": "ugly"},
        ),
        "9",
    ),
    ("the end's reason", change("game-end", reason="piles-empty"), "4.4"),
    ("known reasons", change("game-end", reason="boredom"), "9"),
    ("scores", scores_off, "4.5"),
    ("winners", other_winner, "4.5"),
    ("the end", goes_on, "4.4"),
]


@pytest.mark.parametrize(
    ("mistake", "section"), [(m, s) for _, m, s in MISTAKES], ids=[name for name, _, _ in MISTAKES]
)
def test_a_mistake_is_found_at_its_line(
    mistake: Callable[[list[Message]], int], section: str, validate: Validate
) -> None:
    lines = messages(TWO.read_bytes())
    at = mistake(lines)
    finding = validate(to_log(lines))[0]
    assert (finding.section, finding.line) == (section, at + 1), finding


def test_a_mistake_does_not_hide_the_next(validate: Validate) -> None:
    lines = messages(FOUR.read_bytes())
    supply_off(lines)
    scores_off(lines)
    sections = [finding.section for finding in validate(to_log(lines))]
    assert sections[0] == "4.2"
    assert sections[-1] == "4.5"


def test_after_a_mistake_any_hand_and_deck_are_possible(validate: Validate) -> None:
    """A shuffle is missing. Then player1 draws five from a deck of five, and needs no other."""

    def turn(number: int, coppers: int, *, shuffles: bool = False) -> list[Message]:
        who = {"player_number": f"player{number}"}
        played = {"type": "player-played", **who, "played": ["copper"] * coppers}
        top = {"type": "player-top-discard", **who, "card": "copper"}
        return [played, top, *[{"type": "player-shuffled", **who}] * shuffles]

    lines = messages(TWO.read_bytes())[:4] + turn(1, 3) + turn(2, 3) + turn(1, 3)
    at = len(lines)
    lines += turn(2, 3, shuffles=True) + turn(1, 5) + turn(2, 3)
    found = [(finding.line, finding.section) for finding in validate(to_log(lines))]
    assert found == [(at + 1, "4.6"), (len(lines) + 1, "2.14")]


# --- files ------------------------------------------------------------------------------------

LOG = TWO.read_bytes()
BAD: list[tuple[str, bytes, int, str, str]] = [
    ("empty", b"", 1, "2.2", "empty"),
    ("binary", bytes(range(256)), 1, "1.1", "binary"),
    ("no JSON", b"hello\n", 1, "1.1", "hello"),
    ("a list", b"[]\n" * 50, 1, "1.1", "list"),
    ("another object", b'{"a":1}\n' * 50, 1, "2", "without type"),
    ("another game", b'{"type":"chess-board"}\n' * 50, 1, "2", "chess-board"),
    ("a record", b'{"entry":"header"}\n', 1, "2.2", "referee verify"),
    ("CRLF", LOG.replace(b"\n", b"\r\n"), 1, "1.1", "from here on"),
    ("BOM", b"\xef\xbb\xbf" + LOG, 1, "1.8", "one"),
    ("no line end", LOG[:-1], LOG.count(b"\n"), "1.1", "truncated last line"),
    ("binary at the end", LOG + b"\0\n", LOG.count(b"\n") + 1, "1.1", "binary"),
    ("a list in between", LOG.replace(b"\n", b"\n[]\n", 9), 2, "1.1", "list"),
    ("a record in between", LOG.replace(b"\n", b'\n{"entry":"end"}\n', 1), 2, "2", "without type"),
    ("an empty type", LOG.replace(b"\n", b'\n{"type":""}\n', 1), 2, "2", 'type ""'),
    ("BOM in between", LOG.replace(b"\n", b"\n\xef\xbb\xbf{}\n", 1), 2, "1.1", "not JSON"),
    ("spaces", LOG.replace(b'":', b'": '), 1, "1.1", "spaces"),
    ("cut", b"".join(LOG.splitlines(keepends=True)[:9]), 10, "2.14", "end of the log"),
    ("NaN", LOG.replace(b'"version":1', b'"version":NaN', 1), 1, "1.1", "not JSON"),
    ("two ends", LOG + LOG.splitlines(keepends=True)[-1], LOG.count(b"\n") + 1, "2.14", "game-end"),
    ("two logs", LOG + LOG, LOG.count(b"\n") + 1, "2.14", "player-name"),
    ("deep", b"[" * 100_000 + b"\n", 1, "1.1", "not JSON"),
    ("compressed and cut", gzip.compress(LOG)[:200], 1, "2.14", "compressed"),
]


@pytest.mark.parametrize(
    ("log", "line", "section", "says"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD]
)
def test_bad_input_is_said_once(
    log: bytes, line: int, section: str, says: str, validate: Validate
) -> None:
    found = validate(log)
    finding = found[0]
    if section != "2.14" or len(found) == 1:
        assert len(found) == 1, found
    assert (finding.line, finding.section) == (line, section) or says == "compressed"
    assert says in found[-1].found or says in finding.found


def test_no_game_has_so_many_names(validate: Validate) -> None:
    most = max(game.max_seats for game in GAMES.values())
    first, *_ = LOG.splitlines(keepends=True)
    found = validate(first * (most + 2))
    lines = [(each.line, each.count) for each in found if each.found == "another player-name"]
    assert lines == [(most + 1, 2)]


@pytest.mark.parametrize(
    ("name", "sections"),
    [("x" * 64, []), ("\u00e9" * 64, []), ("x\x9b", ["3.1"]), ("x" * 65, ["2.2"])],
)
def test_a_name_has_at_most_64_characters(
    name: str, sections: list[str], validate: Validate
) -> None:
    text = json.dumps(name, ensure_ascii=False).encode()
    old = json.dumps(messages(LOG)[0]["name"]).encode()
    assert [finding.section for finding in validate(LOG.replace(old, text))][:1] == sections


@pytest.mark.parametrize("silver", [1, 2])
def test_of_a_long_value_400_characters_are_shown(silver: int, validate: Validate) -> None:
    lines = messages(LOG)
    played = ["gold"] * (63 - silver) + ["silver"] * silver
    change("player-played", played=played)(lines)
    whole = f"player-played player1 {', '.join(played)}"
    assert len(whole) == 398 + 2 * silver
    cut = whole if silver == 1 else whole[:400] + "..."
    assert validate(to_log(lines))[0].found == cut


def test_a_log_whose_moves_no_one_can_check_is_of_an_unchecked_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(LOG)
    assert check_log(str(tmp_path / "log")).unchecked == ""
    definition = replace(GAMES["dominion"], checker=None, log_player=None)
    monkeypatch.setitem(GAMES, "dominion", definition)
    assert check_log(str(tmp_path / "log")).unchecked == "dominion"


GONE = {"type": "player-disqualified", "player_number": "player1", "reason": "exited"}


def test_a_log_of_a_game_that_is_not_loaded(tmp_path: Path) -> None:
    info = b'{"type":"game-info","game":"chess"}\n'
    names = b"".join(LOG.splitlines(keepends=True)[:2])
    for data, unknown in (
        (names + info, True),
        (names + info * 2, True),
        (b"[]\n" + names + info, False),
    ):
        (tmp_path / "log").write_bytes(data)
        assert check_log(str(tmp_path / "log")).game_is_unknown == unknown
    for last in (LOG.splitlines(keepends=True)[-1], to_line(GONE) + b"\n"):  # in all games
        (tmp_path / "log").write_bytes(names + last)
        (finding,) = list(validate_log(str(tmp_path / "log")))[:1]
        assert (finding.line, finding.found) == (3, f'type "{json.loads(last)["type"]}"')


@pytest.mark.parametrize("before", [0, 9])
def test_a_line_that_cannot_be_read_is_the_last_finding(
    before: int, validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 300_000)
    (finding,) = validate(b"".join(LOG.splitlines(keepends=True)[:before]) + b"x" * 600_000)
    assert (finding.line, finding.section) == (before + 1, "1.1")
    assert finding.expected == "a line that can be read"


def test_findings_are_bounded(validate: Validate) -> None:
    noise = b"".join(b'{"type":"player-thinks-%d"}\n' % n for n in range(5 * MAX_FINDINGS))
    names = b"".join(LOG.splitlines(keepends=True)[:2])
    assert len(validate(names + noise)) == MAX_FINDINGS


def test_what_is_wrong_on_many_lines_is_one_finding(validate: Validate) -> None:
    names = b"".join(LOG.splitlines(keepends=True)[:2])
    noise = b'{"type":"player-thinks"}\n' * 5 * MAX_FINDINGS
    first, end = validate(names + noise)
    assert (first.line, first.section, first.count) == (3, "2", 5 * MAX_FINDINGS)
    assert first.found == 'type "player-thinks"'
    assert (end.section, end.count) == ("2.14", 1)


def test_line_ends_are_counted(validate: Validate) -> None:
    (finding,) = validate(LOG.replace(b"\n", b"\r\n"))
    assert finding.count == LOG.count(b"\n")


def foreign(log: bytes) -> list[Message]:
    """Return the log in the style of another referee: numbers as players, lists as gains."""
    lines = [line for line in messages(log) if line["type"] != "player-name"]
    for line in lines:
        if "player_number" in line:
            line["player_number"] = int(line["player_number"].removeprefix("player"))
        if "gained" in line:
            line["gained"] = [line["gained"]]
    return lines


def test_wrong_shapes_are_said_once_each_and_the_rules_go_on(validate: Validate) -> None:
    """Report each wrong shape once, and still check the rules where the meaning is clear."""
    lines = foreign(LOG)
    gains = sum(line["type"] == "player-gained" for line in lines)
    last = lines[-1]
    last["scores"][0] += 1
    found = {(f.section, f.expected): f for f in validate(to_log(lines))}
    gained = found["2", "a string as `gained` of player-gained"]
    assert (gained.found, gained.count) == ("a list of 1", gains)
    number = found["2", "a string as `player_number` of player-gained"]
    assert number.count == gains
    assert ("2.2", "the names of 2 to 4 players first") in found
    scores = [finding for (section, _), finding in found.items() if section == "4.5"]
    assert [finding.line for finding in scores] == [len(lines)]
    # 2.3 because the names of game-info weren't in player-name messages.
    wrong = {"2", "2.2", "2.3", "4.5"}
    assert {finding.section for finding in found.values()} == wrong


@pytest.mark.slow
def test_nothing_is_left_for_the_garbage_collector(validate: Validate) -> None:
    """The command disables garbage collection, so reference cycles would make its memory grow."""
    logs = [mutate(Random(number), TWO.read_bytes())[1] for number in range(4)]
    assert sum(bool(validate(log)) for log in logs) > 2  # often while explaining a turn
    assert garbage_of(lambda: [validate(log) for log in logs]) < 10


def test_a_directory_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="directory"):
        list(validate_log(str(tmp_path), GAMES["dominion"]))
