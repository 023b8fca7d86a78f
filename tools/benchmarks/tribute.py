"""Measure random bots of Scripts of Tribute, and the cost of rules and messages.

    python -m tools.benchmarks.tribute [--matches N]

For the table, bots play by the rules without any messages. A *uniform* bot chooses each legal
decision with the same probability, including each set of cards. A *late* bot ends its turn only if
there is no other decision.

For the line below the table, late bots decode each request as JSON, and their replies are decoded.
We measure CPU time of this process.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as Shown

from referee.games.interface.random_source import SeededRandomSource
from referee.games.tribute import RULES
from referee.games.tribute.rules.cards import card_set
from referee.games.tribute.rules.chance import generators
from referee.games.tribute.rules.game import Options
from referee.games.tribute.rules.table import PLAYERS, Choice, Table
from referee.games.tribute.rules.turn import Pick, play
from referee.match.machine import Match, Sent
from tests.support.helpers import name_line, to_line

KINDS = (("uniform", "uniform"), ("late", "late"), ("late", "uniform"), ("uniform", "late"))


def some(count: int, least: int, most: int, dice: Random) -> list[int]:
    """Choose a random set of indices, each possible set with the same probability."""
    sizes = range(least, min(most, count) + 1)
    size = dice.choices(sizes, [math.comb(count, size) for size in sizes])[0]
    return sorted(dice.sample(range(count), size))


def decide(asked: Any, late: bool, dice: Random) -> Any:
    """Return a random choice. With `late`, only end the turn if there's no other choice."""
    if isinstance(asked, list):
        return dice.randrange(max(1, len(asked) - late))
    if isinstance(asked, Choice):
        if asked.effects is not None:
            return dice.randrange(2)
        return some(len(asked.cards), asked.least, asked.most, dice)
    return dice.choice(asked.available)


class Sum:
    """Totals of many matches."""

    def __init__(self) -> None:
        self.turns: list[int] = []
        self.decisions: list[int] = []
        self.reasons: Counter[str] = Counter()
        self.first = 0
        self.seconds = 0.0

    def add(self, seed: int, late: tuple[bool, bool]) -> None:
        dice = Random(f"bots {seed}")
        options = Options()
        started = time.process_time()
        lcgs = generators(options.chance, SeededRandomSource(seed), seed, PLAYERS)
        table = Table(card_set(options.cards), lcgs)
        script = play(table, options.patrons, options.max_turns, options.max_actions)
        asked = next(script)
        decisions = 0
        try:
            while True:
                in_draft = isinstance(asked, Pick)
                decisions += not in_draft
                seat = asked.seat if in_draft else table.me.seat
                asked = script.send(decide(asked, late[seat], dice))
        except StopIteration as ended:
            reason, winner = ended.value
        self.seconds += time.process_time() - started
        self.turns.append(table.turn)
        self.decisions.append(decisions)
        self.reasons[reason] += 1
        self.first += winner is table.players[0]


def with_messages(matches: int) -> tuple[int, int, float]:
    """Play late bots with all messages. Return the number of requests, their bytes, and seconds."""
    requests = size = 0
    started = time.process_time()
    for seed in range(matches):
        dice = Random(f"bots {seed}")
        match = Match(RULES, seats=2, seed=seed)
        match.start()
        match.take_entries()
        for seat in match.due:
            match.receive(seat, name_line(seat))
        while match.due:
            sent = [entry for entry in match.take_entries() if isinstance(entry, Sent)]
            requests += 1
            size += len(sent[-1].line)
            match.receive(match.due[0], to_line(answer(json.loads(sent[-1].line), dice)))
    return requests, size, time.process_time() - started


def answer(request: dict[str, Any], dice: Random) -> dict[str, Any]:
    if request["type"] == "patron-request":
        return {"type": "patron-reply", "patron": dice.choice(request["available"])}
    if request["type"] == "play-turn":
        return {"type": "play-reply", "index": dice.randrange(max(1, len(request["actions"]) - 1))}
    if request["effects"]:
        return {"type": "choose-reply", "effect": dice.randrange(2)}
    cards = request["cards"]
    places = some(len(cards), request["min"], request["max"], dice)
    return {"type": "choose-reply", "cards": [cards[place]["uid"] for place in places]}


def mean(values: list[int]) -> str:
    middle = sum(values) / len(values)
    spread = math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))
    return f"{middle:.1f} ({spread / math.sqrt(len(values)):.1f})"


def main(print_: Callable[[Any], None]) -> None:
    """Play all matches, and print the table of README.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=2000, help="of each kind")
    matches = parser.parse_args().matches
    columns = ("bots", "turns", "decisions", "first wins", "ended by", "matches/s", "decisions/s")
    shown = Shown(*columns, box=box.MARKDOWN)
    for pair in KINDS:
        total = Sum()
        for seed in range(matches):
            total.add(seed, (pair[0] == "late", pair[1] == "late"))
        ends = [f"{reason} {count / matches:.1%}" for reason, count in total.reasons.most_common()]
        shown.add_row(
            " - ".join(pair),
            mean(total.turns),
            mean(total.decisions),
            f"{total.first / matches:.1%}",
            ", ".join(ends),
            f"{matches / total.seconds:.0f}",
            f"{sum(total.decisions) / total.seconds:.0f}",
        )
    print_(shown)
    few = max(1, matches // 20)
    requests, size, seconds = with_messages(few)
    each = f"{requests / few:.0f} requests of {size / requests:.0f} bytes"
    print_(f"With all messages: {few / seconds:.0f} matches/s, {each} a match.")


if __name__ == "__main__":
    main(Console(width=160).print)
