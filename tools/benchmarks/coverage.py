"""Simulate how often 95% intervals contain the true value, and how often the SPRT is wrong.

    coverage.py [--repetitions 300] [--runs 2000] [--only TABLE]

The bots have known strengths, and deals have strong luck: tests/support/worlds.py. Each table is in
coverage.md beside this file. spec/rating-formulas.md, 6 has the summary.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import replace
from tempfile import TemporaryDirectory

import numpy as np

import referee
from referee.capacity import cores
from referee.tournament.rating.deals import Deals, DealTable, Floats, joined
from referee.tournament.rating.ratings import rate
from referee.tournament.rating.sprt import Sprt
from referee.tournament.rating.tallies import seat_advantage, tally
from referee.tournament.report.season import season
from referee.tournament.report.seats import seat_standings
from referee.tournament.rows import Entrant, Plan
from referee.tournament.setup import setup
from referee.tournament.store import Store
from tests.support.made_up import row
from tests.support.worlds import World, decide, duel, held, means, rate_by_match, rate_to_all

Kind = dict[str, float]
KINDS: dict[str, Kind] = {
    "seat": {"seat_luck": 2.0},
    "bot": {"bot_luck": 1.5},
    "both": {"seat_luck": 1.5, "bot_luck": 1.0},
    "wide": {"seat_luck": 1.0, "bot_luck": 1.0, "spread": 1600},
}
TRUTHS = (0, 25, 50, 200, 800)


def head(text: str, *columns: str) -> None:
    print(f"\n{text}\n\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|")


def line(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def percent(*shares: float) -> list[str]:
    return [f"{share:.1%}" for share in shares]


def elo(*values: float) -> list[str]:
    return ["-" if np.isnan(value) else f"{value:.0f}" for value in values]


def show_ratings(repetitions: int, runs: int) -> None:
    """Print the coverage for fields of bots, by players, deals and kind of luck."""
    head(
        f"ratings: {repetitions} tournaments a row",
        *("N", "deals a bot", "seats", "luck", "ratings", "diff.", "+-", "points", "seat"),
        *("ratings by match", "diff. by match", "+- by match"),
    )
    for players in (2, 3, 4):
        for deals, all_orders in ((10, False), (30, False), (200, False), (30, True)):
            if all_orders and players == 2:
                continue  # with two players, this is the same as rotating
            for name in ("seat", "bot", "wide"):
                bots = 6 if players == 3 else 8
                world = World(players, bots, all_orders=all_orders, **KINDS[name])
                found = world.cover(deals, repetitions, rate_by_match)
                line(
                    *(players, deals, "all" if all_orders else "rotate", name),
                    *percent(found["ratings"], found["differences"]),
                    *elo(found["reach"]),
                    *percent(found["points"], found["seats"]),
                    *percent(found["other ratings"], found["other differences"]),
                    *elo(found["other reach"]),
                )


def show_truths(repetitions: int, runs: int) -> None:
    """Print the coverage with as many bots as seats, when the first and the last are far apart."""
    head(
        f"truths: {repetitions} tournaments a row",
        *("N", "truth", "deals", "ratings", "diff.", "+-", "open", "diff. with finite ends"),
    )
    for players in (2, 3, 4):
        for truth in (*TRUTHS, *([1600] if players == 2 else [])):
            world = World(players, players, **KINDS["both"]).apart(truth)
            for deals in (10, 30, 200) if players == 2 else (10, 200):
                found = world.cover(deals, repetitions, rate_to_all)
                line(
                    *(players, truth, deals),
                    *percent(found["ratings"], found["differences"]),
                    *elo(found["reach"]),
                    *percent(found["open"], found["other differences"]),
                )


def show_hopeless(repetitions: int, runs: int) -> None:
    """Print the coverage for bots in a field with another one that's far weaker."""
    head(
        f"hopeless: {repetitions} tournaments a row",
        *(
            "bots",
            "deals a bot",
            "hopeless",
            "left out",
            "ratings",
            "+-",
            "before",
            "+-",
            "diff. +-",
        ),
    )
    for bots in (4, 8):
        for hopeless in (-200, -500, -1000, -1500, -3000):
            world = World(2, bots, hopeless=hopeless, **KINDS["both"])
            found = world.cover(100, repetitions, rate_to_all)
            line(
                *(bots, 100, hopeless),
                *percent(found["left out"], found["ratings"]),
                *elo(found["rating reach"]),
                *percent(found["other ratings"]),
                *elo(found["other rating reach"], found["reach"]),
            )


def show_swiss(repetitions: int, runs: int) -> None:
    """Print the coverage in Swiss tournaments. Here, pairings depend on earlier results.

    We take the true values from a round robin.
    """
    head(
        f"swiss: {repetitions} tournaments a row",
        *("N", "bots", "rounds", "deals a round", "luck", "ratings", "diff.", "+-", "open"),
    )
    for players, bots in ((2, 16), (3, 15), (4, 16)):
        for deals in (2, 10):
            for name in ("seat", "bot"):
                world = World(players, bots, **KINDS[name])
                truth = rate(world.truth(world.schedule(1000))).rating
                found = defaultdict(list)
                for seed in range(repetitions):
                    ratings = rate(world.swiss(6, deals, np.random.default_rng(seed)))
                    for what, value in held(ratings, truth, bots).items():
                        found[what].append(value)
                mean = means(found)
                line(
                    *(players, bots, 6, deals, name),
                    *percent(mean["ratings"], mean["differences"]),
                    *elo(mean["reach"]),
                    *percent(mean["open"]),
                )


def show_stopped(repetitions: int, runs: int) -> None:
    """Print the coverage of intervals at the moment when a sequential test stops."""
    head(
        f"stopped: {2 * repetitions} tests a row, alpha = beta = 5%",
        *("elo0", "elo1", "luck", "truth", "deals", "ratings", "diff.", "+-", "open", "bias"),
        *("diff. as if not stopped", "+-"),
    )
    for elo0, elo1 in ((0, 50), (0, 200)):
        for name in ("seat", "bot") if elo1 == 50 else ("both",):
            for truth in TRUTHS:
                world = World(2, ties=0.6, **KINDS[name])
                tests = decide(world, Sprt(elo0, elo1), truth, 2 * repetitions, sample=1_000_000)
                true = np.array([1500 + truth / 2, 1500 - truth / 2])
                found = defaultdict(list)
                for counts in tests:
                    table = duel(counts.tolist())
                    ratings, fixed = rate(table, stopped=True), rate_to_all(table)
                    for what, value in held(ratings, true, 2).items():
                        found[what].append(value)
                    for what, value in held(fixed, true, 2).items():
                        found[f"fixed {what}"].append(value)
                    found["bias"].append(float(-np.diff(ratings.rating)[0]) - truth)
                mean = means(found)
                line(
                    *(elo0, elo1, name, truth, f"{tests.sum(axis=1).mean():.0f}"),
                    *percent(mean["ratings"], mean["differences"]),
                    *elo(mean["reach"]),
                    *percent(mean["open"]),
                    f"{mean['bias']:+.0f}",
                    *percent(mean["fixed differences"]),
                    *elo(mean["fixed reach"]),
                )


def show_sprt(repetitions: int, runs: int) -> None:
    """Print how often a sequential test is wrong, and how many deals it takes."""
    head(
        f"sprt: {runs} tests at each edge, alpha = beta = 5%",
        *("elo0", "elo1", "luck", "wrong at elo0", "deals", "wrong at elo1", "deals"),
    )
    for elo0, elo1 in ((0, 10), (0, 50), (-20, 20), (0, 200)):
        for name in ("seat", "bot", "both"):
            world = World(2, ties=0.6, **KINDS[name])
            test = Sprt(elo0, elo1)
            cells: list[str] = []
            for truth in (elo0, elo1):
                counts = decide(world, test, truth, runs)
                accepted = float(np.mean(test.llrs(counts) > 0))
                wrong = accepted if truth == elo0 else 1 - accepted
                cells += [*percent(wrong), *elo(counts.sum(axis=1).mean())]
            line(elo0, elo1, name, *cells)


def show_positions(repetitions: int, runs: int) -> None:
    """Print the coverage of tournaments from made-up positions in which one side is better."""
    head(
        f"positions: tournament --position, {repetitions} tournaments a row",
        *("side", "luck", "deals a bot", "ratings", "diff.", "+-", "points", "seat"),
    )
    for side in (0.0, 1.0, 2.5):
        for name in ("seat", "bot"):
            for deals in (30, 200):
                world = World(2, 6, side=side, **KINDS[name])
                result = world.cover(deals, repetitions, rate_by_match)
                line(
                    *(side, name, deals),
                    *percent(result["ratings"], result["differences"]),
                    *elo(result["reach"]),
                    *percent(result["points"], result["seats"]),
                )


# Number of legal replies at each move of a made-up opening.
CHOICES = 7


def show_openings(repetitions: int, runs: int) -> None:
    """Print the coverage for two bots of a game without luck, with and without openings.

    The truth is the share of the points over all openings of this length. Without openings, we take
    those of 6 moves, because the match that is played is only one of many.
    """
    head(
        f"openings: {repetitions} tournaments a row",
        *("bots", "opening", "deals", "different", "diff.", "+-", "points", "+-", "not merged"),
    )
    for kind, random_part in (("deterministic", 0.0), ("half", 0.5), ("random", 1.0)):
        for moves in (0, 2, 6):
            for deals in (30, 200):
                found: defaultdict[str, list[float]] = defaultdict(list)
                random = np.random.default_rng([deals, moves, round(2 * random_part)])
                for _ in range(repetitions):
                    for name, value in of_openings(random, random_part, moves, deals).items():
                        found[name].append(value)
                mean = means(found)
                line(
                    *(kind, moves, deals),
                    *percent(mean["different"], mean["held"]),
                    *elo(mean["reach"]),
                    *percent(mean["points held"], mean["points reach"], mean["not merged"]),
                )


def of_openings(
    random: np.random.Generator, random_part: float, moves: int, deals: int
) -> dict[str, float]:
    """Make up a game and a tournament of two bots, and say if the intervals hold the truth."""
    positions = CHOICES ** (moves or 6)
    # Who wins depends on the position, on the first bot's skill in it, and on the seats.
    skill = random.normal(0.5, 0.5) + random.normal(0, 1, positions)
    chances = 1 / (1 + np.exp(-np.stack([skill + 1, skill - 1], axis=1)))
    usual = random.random(chances.shape) < chances
    truth = float((random_part * chances + (1 - random_part) * usual).mean())
    drawn = random.integers(positions if moves else 1, size=deals)
    is_random = random.random((deals, 2)) < random_part
    luck = random.random((deals, 2)) < chances[drawn]
    wins = np.where(is_random, luck, usual[drawn])
    same = 2 * drawn[:, None] + [1, 2]
    messages = np.where(is_random, 2 * positions + 1 + np.arange(2 * deals).reshape(-1, 2), same)
    played = Deals(2, 2)
    number = np.arange(deals)
    for seat, lineup in enumerate(((0, 1), (1, 0))):
        first = np.where(wins[:, seat], 1, 2)
        ranks = np.stack([first, 3 - first], axis=1)[:, :: 1 - 2 * seat]
        played.extend(number, [lineup] * deals, ranks, messages[:, seat])
    table = played.table()
    apart, share = rate(table).differences(), tally(table).point_rate
    with np.errstate(divide="ignore"):
        elo_truth = 400 * float(np.log10(truth) - np.log10(1 - truth))
    low, high = float(apart.low[0, 1]), float(apart.high[0, 1])
    unmerged = rate(replace(table, messages=np.zeros_like(table.messages))).differences()
    return {
        "different": len(np.unique(messages)) / (2 * deals),
        "held": low <= elo_truth <= high,
        "reach": (high - low) / 2 if np.isfinite(high - low) else np.nan,
        "points held": share.low[0] <= truth <= share.high[0],
        "points reach": (share.high[0] - share.low[0]) / 2,
        "not merged": float(unmerged.low[0, 1] <= elo_truth <= unmerged.high[0, 1]),
    }


# The bots that play real deals of each game.
REAL = {
    "dominion": ("smithy_big_money", "militia_money"),
    "botwars": ("gatherer", "gatherer"),
    "starrealms": ("admiral", "admiral"),
    "tribute": ("warlord", "warlord"),
}
# Compute an interval for each group of this many deals.
BLOCK = 40


def show_real(repetitions: int, runs: int) -> None:
    """Print the coverage with real matches of each game, from a turn in the middle of one."""
    head(
        f"real: {runs * 2} deals a position, an interval of each {BLOCK}",
        *("game", "turn", "points of seat 1", "points", "score", "intervals"),
    )
    for game, bots in REAL.items():
        turn, table, scores = real_deals(game, bots, runs * 2)
        blocks = np.array_split(np.arange(len(table.bots)), len(table.bots) // BLOCK)
        (points, *_), *seats = seat_advantage(table).share, *seat_standings(table, scores)
        held = []
        for block in blocks:
            is_in = np.isin(table.index, block)
            part = replace(
                table,
                numbers=table.numbers[block],
                bots=table.bots[block],
                index=table.index[is_in] - block[0],
                ranks=table.ranks[is_in],
                seats=table.seats[is_in],
                messages=table.messages[is_in],
                times=table.times[block],
            )
            shares = seat_advantage(part)
            of_seats = seat_standings(part, scores[is_in])
            held.append(
                [shares.low[0] <= points <= shares.high[0]]
                + [
                    (each.score_low or 0.0) <= whole.score <= (each.score_high or 0.0)
                    for each, whole in zip(of_seats, seats, strict=True)
                ]
            )
        inside = np.array(held)
        line(
            *(game, turn, f"{points:.1%}"),
            *percent(float(inside[:, 0].mean()), float(inside[:, 1:].mean())),
            len(blocks),
        )


def real_deals(game: str, bots: tuple[str, str], deals: int) -> tuple[int, DealTable, Floats]:
    """Play deals from a position. Returns its turn, the matches, and their scores by seat."""
    with TemporaryDirectory() as folder:
        record = f"{folder}/match.jsonl"
        turn = referee.play_match(bots, game=game, seed=1, record=record).turns // 3
        found = referee.play_matches(bots, 2 * deals, seed=1, jobs=cores(), position=(record, turn))
    played = Deals(2, 2)
    ranks = [[player.rank for player in result.players] for result in found.results]
    numbers = [result.seed for result in found.results]
    order = {seed: number for number, seed in enumerate(dict.fromkeys(numbers))}
    played.extend([order[seed] for seed in numbers], found.seats, ranks, found.messages)
    scores = [[float(player.score) for player in result.players] for result in found.results]
    return turn, played.table(), np.array(scores)


WEEKS = 3
# Improvement of each bot from one week to the next, in Elo.
GAINS = (0.0, 120.0, 0.0, -60.0, 0.0, 200.0, 0.0, 0.0)


def show_season(repetitions: int, runs: int) -> None:
    """Print the coverage of season reports: weekly tournaments, between which some bots improve."""
    head(
        f"season: {repetitions} seasons of {WEEKS} tournaments a row",
        *("N", "deals a bot", "luck", "last", "+-", "change", "+-", "together", "+-"),
    )
    for players in (2, 4):
        for deals in (10, 30, 200):
            for name in ("seat", "bot", "wide"):
                world = World(players, len(GAINS), **KINDS[name])
                found = season_coverage(world, deals, repetitions)
                shares = percent(*(found[f"{what} held"] for what in ("last", "change", "all")))
                reach = elo(*(found[f"{what} reach"] for what in ("last", "change", "all")))
                pairs = [cell for pair in zip(shares, reach, strict=True) for cell in pair]
                line(players, deals, name, *pairs)


def season_coverage(world: World, deals: int, repetitions: int) -> dict[str, float]:
    """Return how often a season's intervals contain the truth, and half their mean width."""
    weeks = [replace(world, gains=tuple(week * gain for gain in GAINS)) for week in range(WEEKS)]
    lineups = world.schedule(deals)
    limits = [week.truth(lineups) for week in weeks]
    truths = [rate(limit).rating for limit in limits]
    truth_of_all = rate(joined(limits)).rating
    found = defaultdict(list)
    for seed in range(repetitions):
        random = np.random.default_rng([world.players, deals, seed])
        with ExitStack() as opened:
            stores = {
                str(number): opened.enter_context(stored(week.play(lineups, random)))
                for number, week in enumerate(weeks)
            }
            for number, store in stores.items():
                store.add_versions(
                    {str(bot): number if gain else "same" for bot, gain in enumerate(GAINS)}
                )
            standings = season(stores)
        pool = [int(name) for name in standings.pool]
        last, before, whole = (
            truth - truth[pool].mean() + 1500 for truth in (*truths[:-3:-1], truth_of_all)
        )
        for bot in standings.bots:
            number, now = int(bot.name), bot.tournaments[-1]
            assert now is not None
            for what, low, high, true in (
                ("last", now.rating_low, now.rating_high, last[number]),
                ("change", now.change_low, now.change_high, last[number] - before[number]),
                ("all", bot.rating_low, bot.rating_high, whole[number]),
            ):
                below, above = -np.inf if low is None else low, np.inf if high is None else high
                found[f"{what} held"].append(float(below <= true <= above))
                found[f"{what} reach"].append(
                    (above - below) / 2 if np.isfinite(above - below) else np.nan
                )
    return means(found)


def stored(table: DealTable) -> Store:
    """Make a store in memory with these matches; a bot's name is its number."""
    store = Store.in_memory()
    entrants = [Entrant(str(number), "minimal") for number in range(table.size)]
    size = {"players": table.players, "matches": len(table.index)}
    store.add_stage(setup(entrants, game="dominion", seed=1, **size))
    seats = np.argsort(table.seats, axis=1)
    lineups = np.take_along_axis(table.bots[table.index], seats, axis=1).tolist()
    ranks = np.take_along_axis(table.ranks, seats, axis=1).tolist()
    rows = [
        row(Plan(match, deal, 0, tuple(lineup)), rank)
        for match, (deal, lineup, rank) in enumerate(
            zip(table.index.tolist(), lineups, ranks, strict=True)
        )
    ]
    store.add(rows)
    return store


TABLES = {
    "ratings": show_ratings,
    "truths": show_truths,
    "hopeless": show_hopeless,
    "swiss": show_swiss,
    "stopped": show_stopped,
    "sprt": show_sprt,
    "positions": show_positions,
    "openings": show_openings,
    "real": show_real,
    "season": show_season,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="coverage of the intervals, errors of the SPRT")
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", choices=TABLES)
    arguments = parser.parse_args()
    for name, show in TABLES.items():
        if arguments.only in (None, name):
            began = time.perf_counter()
            show(arguments.repetitions, arguments.runs)
            print(f"\n{time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
