"""The example transcripts can be reproduced, and what an older version wrote can be read."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

import referee
from referee.games import GAMES, outside
from referee.games.interface.seats import seat_of
from referee.logs.conversation import answers_before
from referee.logs.decisions import decisions
from referee.logs.entries import read_record
from referee.logs.record import EndEntry, ReceivedEntry, RecordEntry, RecordWriter, line_received
from referee.logs.replay.reader import CutShort, Replay, Start, TurnOver
from referee.logs.sink import MemorySink
from referee.logs.source import LogReader
from referee.logs.validate import check_log
from referee.logs.verify import verify_record
from referee.match.machine import Entry
from referee.match.messages import GameEnd
from referee.match.spec import match_spec, settings_type
from referee.rulefiles.bot import read_rule_file
from referee.web.recorded import read_match
from tests.support.live import ROOT, entries, without_times
from tests.support.own_game import clean_games
from tools.generators.make_examples import EXAMPLES, MATCHES, play

GOLDEN = Path(__file__).parent / "golden"
OLDER = GOLDEN / "older"
"""What a version of November 2026 wrote. Never write it again: users have such files too."""
RECORDS = [*EXAMPLES.glob("*.record.jsonl"), *GOLDEN.glob("*.record.jsonl")]


@pytest.mark.slow
@pytest.mark.parametrize("name", MATCHES)
def test_the_same_seed_and_bots_play_the_same_match(name: str, tmp_path: Path) -> None:
    play(name, tmp_path)
    log, record = f"{name}.log.jsonl", f"{name}.record.jsonl"
    assert (tmp_path / log).read_bytes() == (EXAMPLES / log).read_bytes()
    assert comparable(tmp_path / record) == comparable(EXAMPLES / record)


def comparable(file: Path) -> list[dict[str, Any]]:
    """Return the entries of a record without times and added fields, and with all options.

    If an option is new, older records are still valid, but don't have its default. So we add it,
    and ignore the digest, which is over the header too. (`verify` checks it.)
    """
    header, *rest, end = without_times(file)
    definition = GAMES[header["game"]]
    settings = settings_type(definition)
    added = {kind.__struct_config__.tag: new for kind, new in definition.added_fields.items()}
    for message in (entry["message"] for entry in rest if entry["entry"] == "sent"):
        for field in added.get(message["type"], ()):
            message.pop(field, None)
    header["options"] = msgspec.to_builtins(msgspec.convert(header["options"], settings))
    del end["digest"]
    return [header, *rest, end]


def run_again(record: list[dict[str, Any]]) -> bytes:
    """Play a recorded match again with the same replies, and return the new record."""
    header, *rest = record
    spec = match_spec(
        header["bots"], game=header["game"], seed=header["seed"], options=header["options"]
    )
    match = spec.new_match()
    lines = MemorySink()
    writer = RecordWriter(lines, spec, header["started"])
    match.start()
    noted: list[Entry] = match.take_entries()
    exits = []
    for entry in rest:
        seat = int(entry.get("player_number", "player0")[-1]) - 1
        if entry["entry"] == "received":
            raw = entry["line"].encode() if "line" in entry else base64.b64decode(entry["base64"])
            match.receive(seat, raw)
        elif entry["entry"] == "disqualified" and seat in match.due:
            match.disqualify(seat, entry["code"], entry["detail"])
        elif entry["entry"] == "exit":
            exits.append(entry["exit_code"])
        noted += match.take_entries()
    writer.write(noted, 0)
    writer.end(match, exits, 0)
    return lines.data


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.name)
def test_a_record_holds_all_that_is_needed_to_run_the_match_again(
    file: Path, tmp_path: Path
) -> None:
    (tmp_path / "again").write_bytes(run_again(entries(file)))
    assert comparable(tmp_path / "again") == comparable(file)


def test_the_golden_records_show_faults_and_disqualifications() -> None:
    kinds = {entry["entry"] for file in RECORDS for entry in entries(file)}
    assert kinds == {"header", "sent", "received", "fault", "disqualified", "exit", "end"}


# --- what an older version wrote ------------------------------------------------------------------


TURNS = {"botwars": 10, "dominion": 20, "kuhn": 8, "starrealms": 6, "tribute": 2}
"""How many whole turns each of the matches has."""


class Old(NamedTuple):
    """A match that an older version played: its record, its spectator log, and its entries."""

    game: str
    record: str
    log: str
    entries: list[RecordEntry]

    def of(self, *kinds: type) -> list[Any]:
        return [entry for entry in self.entries if isinstance(entry, kinds)]


@pytest.fixture(params=sorted(OLDER.glob("*.record.*")), ids=lambda file: file.name)
def old(request: pytest.FixtureRequest) -> Iterator[Old]:
    record = request.param
    game = record.name.partition(".")[0]
    with clean_games():
        if game not in GAMES:
            outside.add(str(OLDER / f"{game}.py"))
        yield Old(
            game, str(record), str(OLDER / f"{game}.log.jsonl"), list(read_record(str(record)))
        )


def test_an_old_record_is_valid_and_its_spectator_log_follows_from_it(old: Old) -> None:
    log = MemorySink()
    assert verify_record(old.record, log=log).kind == "valid"  # type: ignore[arg-type]
    assert log.data == Path(old.log).read_bytes()


def test_nothing_is_wrong_with_an_old_log(old: Old) -> None:
    checked = check_log(old.log)
    assert (checked.findings, checked.unchecked) == ([], "")
    # Kuhn poker begins with a shuffle, which isn't in the log.
    assert (checked.stopped is not None) == (old.game == "kuhn")


def test_the_page_of_an_old_record_shows_all_of_its_match(old: Old) -> None:
    page = read_match(old.record)
    (end,) = old.of(EndEntry)
    assert (page.header.problem, page.header.digest) == ("", end.digest)
    lines = old.of(referee.SentEntry, referee.ReceivedEntry, referee.StderrEntry)
    assert len(page.lines) == len(lines)
    assert [line for step in page.steps for line in page.lines[slice(*step.lines)]] == page.lines
    marks = [(mark.kind, mark.code) for step in page.steps for mark in step.marks if mark.section]
    assert marks == [("fault", entry.code) for entry in old.of(referee.FaultEntry)]
    scores = {name: of for step in page.steps for name, of in step.values.items()}
    assert scores[page.header.series[0]["name"]] == [player.score for player in end.players]
    assert [turn.turn for turn in page.turns if turn.line] == [*range(1, TURNS[old.game] + 1)]


@pytest.mark.parametrize(
    ("game", "file"), [("dominion", "big_money.json"), ("starrealms", "adaptive.json")]
)
def test_a_rule_file_decides_in_an_old_record(game: str, file: str) -> None:
    rules = read_rule_file(ROOT / "example_bots" / game / file, game)
    decided = list(decisions(str(OLDER / f"{game}.record.jsonl"), rules, TURNS[game]))
    assert decided
    assert all(each.replied for each in decided)


def test_the_page_of_an_old_log_shows_all_of_its_match(old: Old) -> None:
    page, of_record = read_match(old.log), read_match(old.record)
    assert page.header.problem == ""
    assert page.header.outcome is not None
    assert page.header.outcome.scores == [player.score for player in old.of(EndEntry)[0].players]
    assert [line for step in page.steps for line in page.lines[slice(*step.lines)]] == page.lines
    texts = [turn.line for turn in page.turns if turn.line]
    assert texts == [turn.line for turn in of_record.turns if turn.line]
    views = [
        {name: of for step in shown.steps for name, of in step.set.get(viewer, {}).items()}
        for shown, viewer in ((page, "public"), (of_record, of_record.header.viewers[:2][-1]))
    ]
    assert views[0] == views[1]


def test_an_old_record_and_log_are_replayed_to_their_end(old: Old) -> None:
    for file in (old.record, old.log):
        with LogReader(file) as reader:
            start, *turns, end = Replay(reader).items()
        assert isinstance(start, Start)
        assert {type(turn) for turn in turns} == {TurnOver}
        assert isinstance(end, GameEnd)


def test_an_old_record_without_its_last_line_is_replayed_to_its_game_end(
    old: Old, tmp_path: Path
) -> None:
    with LogReader(old.record) as reader:
        *lines, _ = reader
    (tmp_path / "cut").write_bytes(b"".join(lines))
    with LogReader(str(tmp_path / "cut")) as reader, LogReader(old.record) as whole:
        *items, cut = Replay(reader).items()
        assert isinstance(cut, CutShort)
        assert list(map(type, items)) == list(map(type, Replay(whole).items()))


@pytest.mark.parametrize("turn", [2, None])
def test_an_old_record_is_played_on(old: Old, turn: int | None, tmp_path: Path) -> None:
    """`play --resume` takes the old replies up to a turn, or all that a cut record has."""
    source, again = tmp_path / "cut", tmp_path / "again"
    with LogReader(old.record) as reader:
        lines = list(reader)
    source.write_bytes(b"".join(lines[: len(lines) // (1 if turn else 2)]))
    before = answers_before(str(source), turn).answers
    asked = {struct.__struct_config__.tag for struct in GAMES[old.game].requests}

    def simple(message: dict[str, Any]) -> Any:
        return GAMES[old.game].simplest_reply(message) if message["type"] in asked else None

    game = old.game if old.game not in GAMES.outside else str(OLDER / f"{old.game}.py")
    referee.resume(source, [simple] * len(before), turn=turn, game=game, record=again)
    assert verify_record(str(again)).kind == "valid"
    replies = [[] for _ in before]
    for entry in read_record(again):
        if isinstance(entry, ReceivedEntry):
            replies[seat_of(entry.player_number, len(before))].append(line_received(entry))
    assert sum(map(len, before)) > len(before)
    for old_replies, new in zip(before, replies, strict=True):
        assert new[1 : len(old_replies)] == old_replies[1:]
