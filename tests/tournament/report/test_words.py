"""The words and numbers of standings: each function alone, with as little as it needs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from referee.tournament.report import words
from referee.tournament.report.formats import KnockoutPair, KnockoutStanding, Swiss
from referee.tournament.report.standings import Standings
from referee.tournament.report.statistics import BotDisqualification
from referee.tournament.schedule.withdrawals import BY_HAND, Withdrawal


def standings(**fields: Any) -> Any:
    """Return standings of a round robin of three bots. These fields replace the others."""
    names = ("one", "two", "three")
    plain: dict[str, Any] = {field.name: field.default for field in structs.fields(Standings)} | {
        "game": "dominion",
        "format": "round-robin",
        "bots": [bot(name=name) for name in names],
        "excluded": (),
        "matches": 1_200,
        "planned": 3_000,
        "deals": 1,
        "seed": 5,
        "sandbox": "none",
        "limits_by": "cgroups",
        "left_out": {},
        "removed": (),
        "withdrawn": {},
        "withdraw_after": 2,
        "has_no_verdict": False,
        "forfeits": 0,
        "void": 0,
        "anchor": None,
        "swiss": None,
        "pairs": None,
        "sprt": None,
        "seats": (),
        "changed": (),
        "repeats": (),
        "differences": names[:2],
    }
    assert fields.keys() <= plain.keys() | {"apart"}
    return SimpleNamespace(**(plain | fields))


def bot(**fields: Any) -> Any:
    plain: dict[str, Any] = {
        "name": "one",
        "rank": 1,
        "rating": 1500.4,
        "rating_low": 1400.0,
        "rating_high": 1600.0,
        "in_rating_pool": True,
        "deals": 5,
        "los": None,
        "matches": 10,
        "wins": 4,
        "draws": 2,
        "losses": 4,
        "points": 5.0,
        "forfeits_won": 0,
        "forfeits_lost": 0,
        "mean_points": SimpleNamespace(share=0.5),
    }
    return SimpleNamespace(**(plain | fields))


BEGIN = "dominion, round robin of 3 bots; 1,200 of 3,000 matches in 1 deal; seed 5"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, BEGIN),
        (
            {"position": "r.jsonl"},
            BEGIN.replace("bots; ", "bots; from r.jsonl; "),
        ),
        ({"opening": 6}, f"{BEGIN}; openings of 6"),
        ({"opening": 1_000}, f"{BEGIN}; openings of 1,000"),
        ({"sandbox": "bwrap"}, f"{BEGIN}; sandbox bwrap"),
        ({"limits_by": "rlimits"}, BEGIN),
        (
            {"sandbox": "bwrap", "limits_by": "rlimits"},
            f"{BEGIN}; sandbox bwrap without control groups",
        ),
        ({"excluded": ("x", "y\x1b")}, f"{BEGIN.replace('3 bots', '5 bots')}; without x, y?"),
        ({"left_out": {"one": "why"}}, f"{BEGIN}; 1 left out"),
        ({"forfeits": 1}, f"{BEGIN}; 1 forfeit"),
        ({"forfeits": 2, "void": 1}, f"{BEGIN}; 2 forfeits; 1 void"),
        ({"void": 1_000}, f"{BEGIN}; 1,000 void"),
    ],
)
def test_the_headline_says_what_differs_from_the_usual(fields: dict[str, Any], said: str) -> None:
    assert words.headline(standings(**fields)) == said


def test_progress_counts_what_was_not_played() -> None:
    assert words.progress(standings()) == "1,200 of 3,000 matches"
    found = standings(forfeits=3, void=4)
    assert words.progress(found) == "1,200 of 3,000 matches, 3 forfeits, 4 void"


@pytest.mark.parametrize(
    ("won", "lost", "shown", "mean"),
    [(0, 0, "", 0.5), (3, 0, "+3", 8 / 13), (0, 1, "-1", 5 / 11), (1_000, 2, "+1,000 -2", None)],
)
def test_forfeits_count_in_the_mean_points(
    won: int, lost: int, shown: str, mean: float | None
) -> None:
    one = bot(forfeits_won=won, forfeits_lost=lost, points=5.0 + won)
    assert words.forfeits(one) == shown
    assert words.mean_points(one) == (mean or 1_005 / 1_012)


def test_a_bot_without_matches_has_no_mean() -> None:
    assert words.mean_points(bot(mean_points=None)) is None
    assert words.share(None) == "-"
    assert words.share(0.5004) == "50.0%"


def test_the_gravest_mark_is_shown_first() -> None:
    found = standings(removed=("a",), withdrawn={"a": 0, "b": 0}, left_out={"b": "", "c": ""})
    shown = [words.mark(name, found) for name in "abcd"]
    assert shown == [" (out)", " (withdrawn)", " (left out)", ""]


@pytest.mark.parametrize(
    ("code", "after", "is_end", "said"),
    [
        (
            "timeout",
            3,
            False,
            "it was disqualified in 3 consecutive matches (timeout), the last is match 7"
            "; its later matches are forfeits, not played",
        ),
        (
            "timeout",
            1,
            True,
            "it was disqualified in match 7 (timeout), so the matches end",
        ),
    ],
)
def test_why_a_bot_is_withdrawn(code: str, after: int, is_end: bool, said: str) -> None:
    withdrawal = Withdrawal(7, code)
    assert words.withdrawn(withdrawal, after, is_end=is_end) == f"is withdrawn: {said}"


def test_a_bot_that_somebody_withdrew() -> None:
    withdrawal = Withdrawal(7, BY_HAND)
    said = "is withdrawn by --withdraw; its later matches are forfeits, not played"
    assert words.withdrawn(withdrawal, 3, is_end=False) == said


@pytest.mark.parametrize(
    ("fields", "anchor", "shown"),
    [
        ({}, None, "1500"),
        ({"rating": None}, None, "-"),
        ({"in_rating_pool": False}, None, "1500*"),
        ({"in_rating_pool": False}, "two", "1500"),
    ],
)
def test_a_rating_outside_of_the_mean_has_a_star(
    fields: dict[str, Any], anchor: str | None, shown: str
) -> None:
    one = bot(**fields)
    found = standings(bots=[one], anchor=anchor)
    assert words.rating(one, found) == shown
    assert any(line.startswith("* not") for line in words.legend(found)) == ("*" in shown)


@pytest.mark.parametrize(
    ("low", "high", "deals", "shown"),
    [
        (1400.0, 1600.0, 5, "1400 to 1600"),
        (1400.0, 1600.0, 4, "too few to say"),
        (1400.0, None, 5, "1400 or more"),
        (None, 1600.0, 5, "1600 or less"),
        (None, None, 5, "unknown"),
    ],
)
def test_an_interval_may_be_open(
    low: float | None, high: float | None, deals: int, shown: str
) -> None:
    one = bot(rating_low=low, rating_high=high, deals=deals)
    assert words.rating_interval(one) == shown
    assert words.ends(one) == ((low, high) if deals == 5 else (None, None))
    assert words.rating_interval(bot(rating=None)) == "-"


def heads(found: Any, *, by_points: bool = False) -> list[str]:
    return [column.head for column in words.columns(found, by_points=by_points)]


def test_a_column_without_a_use_is_left_out() -> None:
    assert "forfeits" not in heads(standings())
    assert "forfeits" in heads(standings(forfeits=1))
    left = {*heads(standings())} - {*heads(standings(), by_points=True)}
    assert left == {"LOS", "points"}


def test_the_legend_explains_the_columns_that_are_shown() -> None:
    los = "LOS: how likely a bot is better than the next one."
    assert next(words.legend(standings())) == f"Elo, 1500 on average; {los}"
    first, *others = words.legend(standings(anchor="two\x1b", forfeits=1))
    assert first == f"Elo, two? fixed; {los}"
    assert any(line.startswith("forfeits: ") for line in others)
    rounds = Swiss(1, [], [], [], [])
    on_page = [*words.legend(standings(swiss=rounds), on_page=True)]
    assert on_page[0] == "Elo, 1500 on average."
    assert not any(line.startswith("points: ") for line in on_page)
    assert any(line.startswith("An interval") for line in on_page)
    on_page = [*words.legend(standings(swiss=Swiss(0, [], [], [], [])), on_page=True)]
    assert on_page[-1].startswith("points: ")
    assert los in on_page[0]


def apart(elo: float | None = 12.0) -> Any:
    return lambda one, other: SimpleNamespace(elo=elo, low=-5.0, high=30.0, los=0.9)


def met() -> dict[str, Any]:
    return {"one": {"two": SimpleNamespace(matches=8, wins=4, draws=2, losses=2)}, "two": {}}


def test_a_duel_is_told_in_sentences() -> None:
    two = {"bots": [bot(), bot(name="two")], "apart": apart(), "head_to_head": met()}
    assert [*words.duel(standings(**two))] == [
        "one against two: +12 Elo (-5 to +30); LOS: 90.0%.",
        "Of 8 matches it won 4, drew 2 (25.0%) and lost 2.",
    ]
    deals = [*words.duel(standings(**two, pairs=[0, 1, 2, 3, 1_000]))]
    assert deals[2:] == ["Deals in which it took 0, 0.5, 1, 1.5 and 2 points: 0, 1, 2, 3, 1,000."]
    ended = standings(**two, has_no_verdict=True, withdrawn={"two": 0})
    assert next(words.duel(ended)) == ("one against two: no verdict, because two is withdrawn.")


@pytest.mark.parametrize(
    "fields",
    [
        {"bots": [bot()]},
        {"bots": [bot(), bot(), bot()]},
        {"matches": 0},
        {"apart": apart(None)},
        {"head_to_head": {"one": {}}},
    ],
)
def test_there_is_no_duel_without_two_bots_that_met(fields: dict[str, Any]) -> None:
    two = {"bots": [bot(), bot(name="two")], "apart": apart(), "head_to_head": met()}
    assert [*words.duel(standings(**(two | fields)))] == []


def test_both_bots_may_be_withdrawn() -> None:
    found = standings(withdrawn={"one": 0, "two": 0})
    assert words.no_verdict(found) == "no verdict, because one and two are withdrawn"


@pytest.mark.parametrize(
    ("verdict", "fields", "said"),
    [
        (None, {}, "Not decided yet."),
        (None, {"matches": 2_998, "void": 1}, "Not decided yet."),
        (None, {"matches": 2_998, "void": 1, "forfeits": 1}, "Not decided at the limit of deals."),
        ("H0", {}, "H0 is accepted: one is not better than two by 5 Elo."),
        ("H1", {}, "H1 is accepted: one is better than two by more than 0 Elo."),
        ("H1", {"has_no_verdict": True}, "The test ended: no verdict, because two is withdrawn."),
    ],
)
def test_how_far_a_sequential_test_has_got(
    verdict: str | None, fields: dict[str, Any], said: str
) -> None:
    test = SimpleNamespace(llr=1.234, lower=-2.944, upper=2.944, elo0=0, elo1=5, verdict=verdict)
    fields = {"withdrawn": {"two": 0}, "sprt": test} | fields
    first, second, last = words.sprt(standings(**fields))
    assert "ratio is 1.23. If it falls to -2.94, the test accepts H0 (one is better by 0" in first
    assert "If it rises to 2.94, the test accepts H1 (better by 5)" in first
    assert second.startswith(said)
    assert last.startswith("The interval is a quarter wider")


def test_without_a_sequential_test_nothing_is_said() -> None:
    assert [*words.sprt(standings())] == []


def pair(*bots: str | None, **fields: Any) -> Any:
    plain = {"round": "final", "bots": bots, "points": (3.0, 1.0), "winner": bots[0]}
    return SimpleNamespace(**({**plain, "is_over": True, "is_level": False} | fields))


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (pair("a", "b"), ("a", "3 to 1", "b")),
        (pair("a", "b", winner="b", points=(1.5, 2.5)), ("b", "2.5 to 1.5", "a")),
        (pair("a", "b", points=(2.0, 2.0), is_level=True), ("a", "2 to 2*", "b")),
        (pair("a", "b", points=(0.0, 0.0)), ("a", "none", "b")),
        (pair("a", "b", points=(0.0, 0.5), winner="b"), ("b", "0.5 to 0", "a")),
        (pair("a", "b", winner=None), ("a", "nobody won", "b")),
        (pair("a", None), ("a", "no opponent", "")),
        (pair("a", "b", is_over=False), ("a", "", "b")),
        (pair(None, "b", is_over=False), ("", "", "b")),
    ],
)
def test_the_winner_of_a_pair_is_named_first(found: Any, shown: tuple[str, str, str]) -> None:
    assert words.pair_result(found) == shown


def test_the_final_comes_first_and_byes_are_shown_only_there() -> None:
    whole, bye = pair("a", "b"), pair("c", None)
    rounds = {"semi-finals": [whole, bye], "final": [pair("a", None)], "third place": [bye, whole]}
    table: KnockoutStanding = SimpleNamespace(rounds=rounds)  # type: ignore[assignment]
    shown: list[KnockoutPair] = [*words.pairs_shown(table)]
    assert shown == [rounds["final"][0], whole, whole]
    rounds["final"] = [pair("a", None, is_over=False)]
    assert [*words.pairs_shown(table)] == [whole, whole]


def facts(**fields: Any) -> Any:
    plain = {
        "mean_turns": None,
        "reasons": {"finished": 9, "turn-limit": 1},
        "bots": {},
        "late": 0,
        "void_reasons": {},
        "restarts": 0,
    }
    return SimpleNamespace(**(plain | fields))


def of_bot(**fields: Any) -> Any:
    plain: dict[str, Any] = {
        "faults": {},
        "disqualified": {},
        "reached": {},
        "first_disqualifications": [],
        "mean_score": None,
        "mean_reply": None,
        "reply_99": None,
        "longest_reply": None,
    }
    return SimpleNamespace(**(plain | fields))


SEAT = SimpleNamespace(share=0.5, low=0.4, high=0.6)


@pytest.mark.parametrize(
    ("fields", "more", "said"),
    [
        ({}, {}, []),
        ({"seats": [SEAT]}, {}, ["Points by seat: seat 1 50.0% (40.0% to 60.0%)."]),
        ({"seats": [SEAT], "by_seat": [1]}, {}, []),
        (
            {},
            {"mean_turns": 20.04},
            ["20.0 turns per match; ended by finished 9, turn-limit 1."],
        ),
        (
            {"limits_of_bots": {"one": {"time_limit": 2.0}}},
            {},
            ["one has limits of its own: --time-limit 2."],
        ),
        (
            {},
            {"bots": {"one": of_bot(faults={"bad-phase": 1_000}, reached={"memory": 2_000})}},
            ["one made faults: bad-phase 1,000.", "one reached memory in 2,000 matches."],
        ),
        (
            {},
            {"bots": {"one": of_bot(disqualified={"timeout": 2})}},
            [
                "one was disqualified: timeout 2.",
                "The same command with --bot NAME shows why a bot was disqualified.",
            ],
        ),
        (
            {},
            {"late": 1_000},
            [
                "1,000 times a bot timed out while the referee itself was late; these matches "
                "were played again."
            ],
        ),
        ({"removed": ["one"]}, {}, [f"one {words.PUT_OUT}."]),
        ({"left_out": {"one": "one: gone"}}, {}, ["Left out of the last run: one: gone"]),
        ({"changed": ["one"]}, {}, [f"one {words.CHANGED}."]),
        (
            {},
            {"void_reasons": {"game-error": 1, "late": 2}},
            [
                "1 match is void: the code of the game made a mistake.",
                "2 matches are void: each time it was played, the referee was late.",
            ],
        ),
        (
            {"too_early": 1, "position": "turn 3"},
            {},
            ["1 match ended before turn 3: it says nothing about it."],
        ),
        (
            {"too_early": 2_000, "position": "turn 3"},
            {},
            ["2,000 matches ended before turn 3: they say nothing about it."],
        ),
        (
            {},
            {"restarts": 1_000},
            [
                "1,000 matches were played again with new processes: a bot that said keep_alive "
                "did not reply to a second handshake."
            ],
        ),
        (
            {"bots": [bot(name="bot1"), bot(name="bot-1")]},
            {},
            ["bot-1 and bot1 look alike, but are two bots."],
        ),
    ],
)
def test_what_was_not_as_usual_is_remarked(
    fields: dict[str, Any], more: dict[str, Any], said: list[str]
) -> None:
    assert [*words.remarks(standings(**fields), facts(**more))] == said


def repeat(different: int = 1) -> Any:
    return SimpleNamespace(bots=("a", "b"), matches=1_000, different=different)


@pytest.mark.parametrize(
    ("opening", "each", "said"),
    [
        (0, repeat(), "a and b: 1,000 matches, 1 different one; --opening varies them."),
        (2, repeat(2_000), "2,000 different ones; a longer --opening varies them."),
    ],
)
def test_repeated_matches_are_named(opening: int, each: Any, said: str) -> None:
    (line,) = words.repeats(standings(opening=opening, repeats=[each]))
    assert line.endswith(said)


@pytest.mark.parametrize(("count", "more"), [(3, ""), (4, "1 more line-up "), (5, "2 more line-")])
def test_at_most_three_repeated_line_ups_are_named(count: int, more: str) -> None:
    lines = [*words.repeats(standings(repeats=[repeat()] * count))]
    assert len(lines) == 3 + bool(more)
    assert (f"In {more}" in lines[-1]) == bool(more)


def test_what_is_said_of_one_bot() -> None:
    assert [*words.bot_remarks(of_bot())] == ["Faults: none.", "Disqualified: none."]
    event = BotDisqualification("timeout", 3, "late\x1b", hint="a hint", stderr=["oh\x1b", "no"])
    times = {"mean_reply": 0.001, "reply_99": 0.002, "longest_reply": 1.5}
    found = of_bot(mean_score=3.04, reached={"memory": 2}, first_disqualifications=[event], **times)
    assert [*words.bot_remarks(found)] == [
        "Mean score 3.0.",
        "Reply time: mean 1.0 ms, 99% within 2.0 ms, longest 1.50 s.",
        "Faults: none.",
        "Disqualified: none.",
        "Limits reached: memory 2.",
        "timeout, first in match 3: late?",
        "  a hint",
        "  stderr: oh?",
        "  stderr: no",
    ]


@pytest.mark.parametrize(
    ("value", "percent", "shown"),
    [
        (None, True, "-"),
        ("a\x1b", False, "a?"),
        (0.5, True, "50.0%"),
        (1, True, "100.0%"),
        (1_000, False, "1,000"),
        (1_000.04, False, "1000.0"),
    ],
)
def test_a_cell_of_a_games_table(value: Any, percent: bool, shown: str) -> None:
    assert words.cell(value, percent) == shown


@pytest.mark.parametrize(
    ("sandbox", "command", "is_noted"),
    [
        ("none", "referee play --sandbox bwrap a b", True),
        ("none", "referee play a b", False),
        ("bwrap", "referee play --sandbox bwrap a b", False),
    ],
)
def test_a_command_with_another_sandbox_is_noted(
    sandbox: str, command: str, is_noted: bool
) -> None:
    losses: Any = [SimpleNamespace(command="referee play"), SimpleNamespace(command=command)]
    note = words.sandbox_note(standings(sandbox=sandbox), losses)
    assert note.startswith("These matches had no sandbox.") == is_noted


def test_the_round_of_a_match() -> None:
    swiss = words.round_namer(standings(swiss=SimpleNamespace(first_matches=[0, 4, 8])))
    assert swiss is not None
    assert [swiss(match, ()) for match in (0, 3, 4, 9)] == ["1", "1", "2", "3"]
    pairs = SimpleNamespace(pairs=[pair("a", "b")])
    knockout = words.round_namer(standings(knockout=pairs))
    assert knockout is not None
    assert [knockout(0, bots) for bots in (("b", "a"), ("a", "c"))] == ["final", "-"]
    assert words.round_namer(standings()) is None
