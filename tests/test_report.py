"""The text for people: who won and why, in every way a match can end."""

from __future__ import annotations

import pytest

from referee.games.dominion import RULES
from referee.match import Disqualified
from referee.play import Played
from referee.report import match_report
from referee.result import MatchResult, PlayerResult, ReplySeconds, player_result_type
from referee.seam.faults import Disqualification, Fault


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
    left: tuple[Disqualified, ...] = (),
    stderr: list[list[str]] | None = None,
    faults: tuple[Fault, ...] = (),
) -> str:
    result = MatchResult(
        game="dominion",
        protocol=1,
        seed=7,
        reason=reason,
        turns=sum(p.turns for p in players),
        winners=[f"player{number}" for number in winners],
        duration_seconds=1.0,
        players=list(players),
    )
    played = Played(
        result=result,
        disqualified={gone.seat: gone for gone in left},
        digest="",
        reply_seconds=[[] for _ in players],
        last_stderr=stderr or [[] for _ in players],
        first_faults=list(faults),
    )
    text = match_report(played, ["referee", "play", "a bot", "b"], width=80, colour=False)
    assert all(len(line) <= 80 or line.startswith("    ") for line in text.splitlines())
    return " ".join(text.split())


def test_points_decide() -> None:
    text = report("provinces-empty", [2], player(1, 20, 15, 2), player(2, 33, 15, 1))
    assert "Bot 2 (player2) won with 33 to 20 points: provinces empty, after 30 turns." in text
    assert "2nd of 2" in text
    assert "referee play 'a bot' b" in text


def test_fewest_turns_decide() -> None:
    text = report("piles-empty", [2], player(1, 20, 16, 2), player(2, 20, 15, 1))
    assert "piles empty, after 31 turns; 20 points each, but fewer turns taken." in text


def test_a_shared_win() -> None:
    text = report("turn-limit", [1, 2], player(1, 3, 5, 1), player(2, 3, 5, 1))
    assert "Bot 1 (player1) and Bot 2 (player2) share the win: the turn limit was reached" in text
    assert text.count("shared the win") == 2


def test_the_last_one_standing_and_its_opponent() -> None:
    gone = Disqualified(0, Disqualification.TIMEOUT, "no reply in time (1 s)", b'{"type":"x"}\n')
    text = report(
        "last-player-standing",
        [2],
        player(1, 3, 1, 2, disqualified="timeout", exit_code=-9),
        player(2, 3, 0, 1),
        left=(gone,),
    )
    assert "Bot 2 (player2) won: nobody else was left, after 1 turn." in text
    assert "player1, ./bot1, was disqualified: timeout, no reply in time (1 s)." in text
    assert '{"type":"x"}' in text
    assert "It wrote nothing on stderr." in text
    # The two causes of a silence that is none (protocol-v1, 10).
    assert "does it flush its output, and read its input line by line?" in text


def test_nobody_is_left() -> None:
    two = [player(n, 3, 0, 1, disqualified="exited", requests=0) for n in (1, 2)]
    gone = tuple(Disqualified(s, Disqualification.EXITED, "it ended", b"{}\n") for s in (0, 1))
    text = report("no-players", [], *two, left=gone, stderr=[["oh no"], []])
    assert "Nobody won: no player was left, after 0 turns." in text
    assert "oh no" in text
    assert text.count("was disqualified") == 2
    assert "flush" not in text


def test_a_long_request_is_cut() -> None:
    asked = b'{"hand":[' + b'"copper",' * 500 + b"]}\n"
    gone = Disqualified(0, Disqualification.EXITED, "it ended", asked)
    lost = player(1, 3, 1, 2, disqualified="exited")
    text = report("last-player-standing", [2], lost, player(2, 3, 0, 1), left=(gone,))
    assert "coppe... It wrote" in text
    assert len(text) < 2000


@pytest.mark.parametrize("name", ["", "[bold]x[/bold]", ":smile:", "x" * 64])
def test_names_are_shown_as_they_are(name: str) -> None:
    text = report("turn-limit", [1], player(1, 4, 5, 1, name=name), player(2, 3, 5, 2))
    assert f"{name or '(no name)'} (player1) won" in text.replace("\n", "")


def test_faults_are_listed_by_seat_and_section() -> None:
    text = report(
        "turn-limit",
        [1],
        player(1, 4, 5, 1, faults={"bad-phase": 2}),
        player(2, 3, 5, 2, faults={"no-buys": 3, "bad-treasure": 1}),
        faults=(
            Fault(1, "no-buys", "5.5", "a buy reply with no buys left"),
            Fault(1, "bad-treasure", "5.2", "not a list"),
            Fault(0, "bad-phase", "5.5", "what?"),
        ),
    )
    assert text.index("bad-phase 5.5 what?") < text.index("1x bad-treasure 5.2")
    assert text.index("1x bad-treasure 5.2") < text.index("3x no-buys 5.5")
