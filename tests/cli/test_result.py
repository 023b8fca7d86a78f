"""The result as text: who won and why, for each way in which a match can end."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from referee.cli.result import match_report, next_step
from referee.course import Played
from referee.games.dominion import RULES
from referee.match.result import (
    DisqualificationReport,
    FirstFault,
    MatchResult,
    PlayerResult,
    ReplySeconds,
    Stderr,
    player_result_type,
)
from tests.support.own_game import SMALL_GAMES, small_games


def player(number: int, score: int, turns: int, rank: int, **other: object) -> PlayerResult:
    fields: dict[str, object] = {
        "player_number": f"player{number}",
        "name": f"Bot {number}",
        "bot": f"./bot{number}",
        "score": score,
        "turns": turns,
        "rank": rank,
        "disqualified": None,
        "faults": {},
        "requests": 2 * turns,
        "reply_seconds": ReplySeconds(0.1, 0.25),
        "exit_code": 0,
        "cards": {},
    }
    return player_result_type(RULES)(**(fields | other))  # type: ignore[arg-type]


def report(
    reason: str,
    winners: list[int],
    *players: PlayerResult,
    width: int = 80,
    game: str = "dominion",
    turn: int | None = None,
) -> str:
    result = MatchResult(
        game=game,
        protocol=1,
        seed=7,
        reason=reason,
        turns=sum(p.turns for p in players),
        winners=[f"player{number}" for number in winners],
        duration_seconds=1.0,
        players=list(players),
    )
    played = Played(result=result, disqualified={}, digest="", reply_seconds=[[] for _ in players])
    again = ["referee", "play", "a bot", "b"]
    text = match_report(played, again, width=width, colour=False, turn=turn)
    assert all(
        len(line) <= width or line.startswith(("    ", "  referee ")) for line in text.splitlines()
    )
    return " ".join(text.split())


def gone(detail: str, **other: object) -> dict[str, object]:
    """Make the fields of a disqualified player, except for the code."""
    fields = {"cause": "", "turn": 3, "request": 4, "asked": '{"type":"x"}'}
    return {
        "disqualification": DisqualificationReport(detail, **(fields | other)),
        "stderr": Stderr(),
    }


def test_points_decide() -> None:
    text = report("provinces-empty", [2], player(1, 20, 15, 2), player(2, 33, 15, 1))
    assert (
        "Bot 2 (player2) won with a score of 33 to 20: the province pile was empty, after 30 turns."
        in text
    )
    assert "2nd of 2" in text
    assert "referee play 'a bot' b" in text


def test_fewest_turns_decide() -> None:
    text = report("piles-empty", [2], player(1, 20, 16, 2), player(2, 20, 15, 1))
    assert (
        "three piles were empty, after 31 turns; a score of 20 each, but fewer turns taken." in text
    )


def test_a_draw() -> None:
    text = report("turn-limit", [1, 2], player(1, 3, 5, 1), player(2, 3, 5, 1))
    assert "A draw between Bot 1 (player1) and Bot 2 (player2): the turn limit was reached" in text
    assert text.count("drew") == 2
    assert "after 10 turns; equal in score and in turns taken." in text


def test_a_draw_of_unequal_scores_is_not_called_equal() -> None:
    """Scripts of Tribute calls a match a draw if it reaches the turn limit, whatever the scores."""
    players = (player(1, 17, 5, 1), player(2, 14, 5, 1))
    text = report("turn-limit", [1, 2], *players, game="tribute")
    says = "with scores of 17 and 14: the turn limit was reached, after 10 turns."
    assert f"A draw between Bot 1 (player1) and Bot 2 (player2) {says}" in text
    assert "equal" not in text


def test_the_score_of_who_was_disqualified_is_not_compared() -> None:
    lost = player(1, 30, 4, 3, disqualified="exited", **gone("it ended", turn=3))
    others = player(2, 20, 15, 1), player(3, 10, 15, 2)
    text = report("piles-empty", [2], lost, *others, turn=3)
    assert "won with a score of 20 to 10" in text
    assert "3rd of 3, disqualified: exited" in text
    assert "before turn" not in text
    assert "That is before turn 4:" in report("piles-empty", [2], lost, *others, turn=4)


def test_a_win_that_three_share() -> None:
    players = [player(number, 9, 5, 1) for number in (1, 2, 3)]
    text = report("piles-empty", [1, 2, 3], *players, player(4, 2, 5, 4))
    assert "Bot 1 (player1), Bot 2 (player2) and Bot 3 (player3) share the win" in text


def test_a_score_of_each_is_said_only_if_all_have_it() -> None:
    players = player(1, 20, 16, 2), player(2, 20, 15, 1), player(3, 4, 15, 3)
    text = report("piles-empty", [2], *players)
    assert "a score of 20, like Bot 1 (player1), but fewer turns taken." in text
    assert "each" not in text


def test_the_last_one_standing_and_its_opponent() -> None:
    left = gone("no reply in time (1 s)", cause="it was computing (it used 1.0 s of CPU time)")
    text = report(
        "last-player-standing",
        [2],
        player(1, 3, 1, 2, disqualified="timeout", exit_code=-9, **left),
        player(2, 3, 0, 1),
    )
    assert "Bot 2 (player2) won: no other player was left, after 1 turn." in text
    assert "of 2" not in text
    assert "player1, ./bot1, was disqualified: timeout, no reply in time (1 s)." in text
    assert "It was computing (it used 1.0 s of CPU time)." in text
    assert 'Its request (turn 3 of the match, request 4): {"type":"x"}' in text
    assert "It wrote nothing on stderr." in text


def test_a_draft_is_before_the_first_turn() -> None:
    left = gone("it ended", turn=0, request=2)
    players = [player(1, 3, 0, 2, disqualified="exited", **left), player(2, 3, 0, 1)]
    text = report("last-player-standing", [2], *players)
    assert "Its request (before the first turn of the match, request 2):" in text


@pytest.mark.parametrize(("lines", "is_said"), [([], False), (["x"], True)])
def test_only_who_wrote_on_stderr_is_said_to_have_written(lines: list[str], is_said: bool) -> None:
    players = player(1, 20, 15, 2), player(2, 33, 15, 1, stderr=Stderr(lines))
    text = report("provinces-empty", [2], *players)
    assert ("player2 wrote on stderr; --stderr - shows it." in text) == is_said


def test_nobody_is_left() -> None:
    left = gone("it ended", turn=0, request=0)
    said = left | {"stderr": Stderr(["oh no"])}
    text = report(
        "no-players",
        [],
        player(1, 3, 0, 1, disqualified="exited", requests=0, **said),
        player(2, 3, 0, 1, disqualified="exited", requests=0, **left),
        player(3, 3, 0, 1, disqualified="exited", requests=0, **left),
    )
    assert "Nobody won: no player was left, after 0 turns." in text
    assert "It wrote on stderr: oh no" in text
    assert "1st of 3" not in text
    assert text.count("was disqualified") == 3
    assert text.count("(handshake)") == 3
    assert text.endswith("referee conform ./bot1 --case 3")


def test_both_ends_of_stderr_are_shown() -> None:
    left = gone("it ended") | {
        "stderr": Stderr(["Error: first", "... 12 lines left out", "the last"], 12)
    }
    lost = player(1, 3, 1, 2, disqualified="exited", **left)
    text = report("last-player-standing", [2], lost, player(2, 3, 0, 1))
    assert "stderr; --stderr - shows all: Error: first ... 12 lines left out the last" in text


def test_of_a_name_that_is_a_path_the_end_is_shown() -> None:
    """Two bots from the same folder differ only at the end of their paths."""
    names = [f"classic:example_bots/botwars/{name}.py" for name in ("classic_walker", "my_own")]
    seats = [player(seat, 3, 5, 1, name=name) for seat, name in enumerate(names, 1)]
    text = report("turn-limit", [1, 2], *seats)
    assert "player1 ...ars/classic_walker.py 3" in text
    assert "player2 ...ots/botwars/my_own.py 3" in text


def test_a_long_request_is_cut() -> None:
    for size, end in ((600, ""), (601, "...")):
        left = gone("it ended", asked="x" * size, cause="who knows?")
        lost = player(1, 3, 1, 2, disqualified="exited", **left)
        text = report("last-player-standing", [2], lost, player(2, 3, 0, 1))
        assert f" {'x' * 600}{end} It wrote" in text
        assert " Who knows? Its request" in text


@pytest.mark.parametrize("name", ["", "[bold]x[/bold]", ":smile:", "x" * 64])
def test_names_are_shown_as_they_are(name: str) -> None:
    text = report("turn-limit", [1], player(1, 4, 5, 1, name=name), player(2, 3, 5, 2))
    shown = "x" * 37 + "..." if len(name) > 40 else name or "bot1"
    assert f"{shown} (player1) won" in text.replace("\n", "")


def fault(code: str, section: str, detail: str, turn: int, **other: object) -> FirstFault:
    return FirstFault(code, section, detail, turn, turn, "{}", **other)  # type: ignore[arg-type]


def test_faults_are_listed_in_the_order_in_which_they_came() -> None:
    """The faults of all players are merged by turn. One that follows from another says so."""
    first = [
        fault("no-buys", "5.5", "a buy reply with no buys left", 4),
        fault("bad-treasure", "5.2", "not a list", 8, follows=True),
    ]
    text = report(
        "turn-limit",
        [1],
        player(
            1, 4, 5, 1, faults={"bad-phase": 2}, first_faults=[fault("bad-phase", "5.5", "?", 5)]
        ),
        player(2, 3, 5, 2, faults={"no-buys": 3, "bad-treasure": 1}, first_faults=first),
    )
    places = [
        text.index(
            "player2 3x no-buys 5.5 turn 4 of the match, request 4 a buy reply with no buys left"
        ),
        text.index("player1 2x bad-phase 5.5 turn 5 of the match, request 5 ?"),
        text.index(
            "player2 1x bad-treasure 5.2 turn 8 of the match, request 8, same cause not a list"
        ),
    ]
    assert places == sorted(places)
    command = "referee play 'a bot' b --quiet --record match.jsonl; referee replay match.jsonl"
    assert text.endswith(f"To see that turn: {command} --turn 4")


def test_notes_are_no_faults() -> None:
    text = report(
        "turn-limit", [1], player(1, 4, 5, 1, notes=["it bought\x1bnothing"]), player(2, 3, 5, 2)
    )
    assert "Notes (not faults): player1 it bought?nothing Seed 7." in text


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ("my match.jsonl", "referee replay 'my match.jsonl' --turn 3"),
        (
            None,
            "referee play a b --quiet --record match.jsonl; referee replay match.jsonl --turn 3",
        ),
    ],
)
def test_what_to_run_after_a_disqualification(record: str | None, says: str) -> None:
    lost = player(1, 3, 1, 2, disqualified="exited", **gone("it ended"))
    result = MatchResult("dominion", 1, 7, "last-player-standing", 3, [], 1.0, [lost])
    assert next_step(result, ["referee", "play", "a", "b"], record) == ("To see that turn", says)


def test_what_to_run_after_a_disqualification_in_a_game_from_outside() -> None:
    """Records name the file of their game, but no command loads it unless it is typed."""
    file = SMALL_GAMES["kuhn"]
    with small_games():
        lost = player(1, 3, 1, 2, disqualified="exited", **gone("it ended"))
        result = MatchResult("kuhn", 1, 7, "last-player-standing", 3, [], 1.0, [lost])
        step = next_step(result, [], "r.jsonl")
    assert step == ("To see that turn", f"referee replay --game {file} r.jsonl --turn 3")


def test_what_to_run_after_a_disqualification_in_a_draft() -> None:
    """A draft is before turn 1, so there's no turn for `replay --turn` to show."""
    lost = player(1, 0, 0, 2, disqualified="exited", **gone("it ended", turn=0))
    result = MatchResult("tribute", 1, 7, "last-player-standing", 0, [], 1.0, [lost])
    step = next_step(result, ["referee", "play", "a", "b"], "match.jsonl")
    assert step == ("To see the match", "referee replay match.jsonl")


def test_what_to_run_after_a_fault_in_the_handshake(monkeypatch: pytest.MonkeyPatch) -> None:
    """The handshake is the same in each match, so a conformance case can reproduce the fault."""
    bad_name = FirstFault("bad-name-reply", "3.2", "?", 0, 0, "{}")
    faulty = player(1, 3, 1, 2, first_faults=[bad_name], faults={"bad-name-reply": 1})
    result = MatchResult("botwars", 1, 7, "turn-limit", 1, [], 1.0, [faulty])
    assert next_step(result, [], None) == (
        "To check the handshake of player1",
        "referee conform ./bot1 --game botwars --case 3",
    )
    # A game from outside may have no cases.
    monkeypatch.setattr("referee.cli.result.GAMES", {"botwars": SimpleNamespace(cases=None)})
    _, command = next_step(result, [], None) or ("", "")
    assert command == "referee conform ./bot1 --game botwars"
