"""Measure bots of Scripts of Tribute's Python library, and check that simulations are fair.

    python -m tools.benchmarks.sot [--only start|simulations|matches|fair] [--rounds N]

*start*: the time from starting a bot's process until it sends its name, compared with a Python that
only imports the library.

*simulations*: playouts of twenty moves with `apply_move`, compared with a plain loop over the rules
with random decisions.

*matches*: two bots that always take the first move, compared with the same bots in `classic-index`.

*fair*: simulates drawing cards 10,000 times, and applies a chi-square test to the drawn cards.

Both sides of a comparison take turns, and we print medians. Needs the extra `sot`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from math import erfc, sqrt
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from scripts_of_tribute.base_ai import BaseAI

import referee
from referee.bots.command import BotCommand, find_bot
from referee.games.interface.random_source import SeededRandomSource
from referee.games.tribute import RULES
from referee.games.tribute.rules.cards import card_set
from referee.games.tribute.rules.chance import generators
from referee.games.tribute.rules.game import Options
from referee.games.tribute.rules.table import PLAYERS, Choice, Table
from referee.games.tribute.rules.turn import Pick, play
from referee.games.tribute.sot.dialogue import Dialogue
from referee.match.machine import Match, Sent
from tests.support.helpers import to_line

FIRST = """
from scripts_of_tribute.base_ai import BaseAI
class First(BaseAI):
    def select_patron(self, available_patrons):
        return available_patrons[0]
    def play(self, game_state, possible_moves, remaining_time):
        return possible_moves[0]
"""
FIRST_INDEX = """
import sys
for _ in range(2):
    print(sys.stdin.readline().split(",")[0], flush=True)
first = True
for line in sys.stdin:
    if first and line.startswith("FINISHED"):
        break
    first = line == "EOT\\n"
    if first:
        print(0, flush=True)
"""
NAME = b'{"type":"player-name-request","player_number":"player1","version":1}\n'


class Watched(BaseAI):  # type: ignore[misc]
    """Takes the first legal move, and stores every position that it sees."""

    states: list[Any]

    def select_patron(self, available_patrons: Any) -> Any:
        return available_patrons[0]

    def play(self, game_state: Any, possible_moves: Any, remaining_time: Any) -> Any:
        self.states.append((game_state, possible_moves))
        return possible_moves[0]


def positions(seed: int) -> list[Any]:
    """Return all positions in which a bot has to decide in a match against itself.

    They're in the library's format.
    """
    Watched.states = states = []
    match = Match(RULES, seats=2, seed=seed, options=RULES.options())
    bots = [Dialogue(Watched, 30.0), Dialogue(Watched, 30.0)]
    match.start()
    while True:
        entries = [entry for entry in match.take_entries() if isinstance(entry, Sent)]
        replies = []
        for entry in entries:
            for seat in (0, 1) if entry.to is None else (entry.to,):
                reply = bots[seat].take(json.loads(entry.line), time.monotonic())
                if reply is not None:
                    replies.append((seat, reply))
        if not match.due:
            return states
        for seat, reply in replies:
            match.receive(seat, to_line(reply))


def in_turns(rounds: int, *measures: Callable[[], float]) -> list[float]:
    found = [[measure() for measure in measures] for _ in range(rounds)]
    return [median(values) for values in zip(*found, strict=True)]


def started(file: str) -> float:
    source = find_bot(f"sot:{file}", "tribute")
    assert isinstance(source, BotCommand)
    begun = time.perf_counter()
    with subprocess.Popen(source.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        bot.stdin.write(NAME)
        bot.stdin.flush()
        assert b"player-name-reply" in bot.stdout.readline()
        return (time.perf_counter() - begun) * 1000


def imported() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import scripts_of_tribute.board"], check=True)
    return (time.perf_counter() - begun) * 1000


def simulated(states: list[Any], dice: Random) -> float:
    """Play twenty random moves from each position. Return simulated moves per second."""
    count, begun = 0, time.process_time()
    for state, moves in states:
        for _ in range(20):
            if not moves:
                break
            state, moves = state.apply_move(dice.choice(moves), dice.randrange(2**63))
            count += 1
    return count / (time.process_time() - begun)


def decided(dice: Random) -> float:
    count, begun = 0, time.process_time()
    for seed in range(10):
        options = Options()
        chance = generators(options.chance, SeededRandomSource(seed), seed, PLAYERS)
        table = Table(card_set(options.cards), chance)
        script = play(table, options.patrons, options.max_turns, options.max_actions)
        asked = next(script)
        try:
            while True:
                count += 1
                if isinstance(asked, Pick):
                    decision: Any = asked.available[0]
                elif isinstance(asked, Choice) and asked.effects is None:
                    decision = list(range(asked.least))
                else:
                    decision = dice.randrange(2 if isinstance(asked, Choice) else len(asked))
                asked = script.send(decision)
        except StopIteration:
            pass
    return count / (time.process_time() - begun)


def played(bot: str, keep_alive: bool) -> float:
    begun, count = time.perf_counter(), 10
    results = referee.play_matches([bot, bot], count, seed=3, game="tribute", keep_alive=keep_alive)
    assert len(list(results.results)) == count
    return count / (time.perf_counter() - begun)


def chance_of(counts: Counter[int]) -> float:
    """Return the p-value of these counts if all cards are equally likely (Wilson and Hilferty)."""
    expected, degrees = counts.total() / len(counts), len(counts) - 1
    squares = sum((count - expected) ** 2 / expected for count in counts.values())
    spread = 2 / (9 * degrees)
    return erfc(((squares / degrees) ** (1 / 3) - (1 - spread)) / sqrt(2 * spread)) / 2


def fair() -> None:
    """Simulate 10,000 ends of a turn, and print whether all cards are drawn equally often."""
    dice = Random(1)
    states = [each for each in positions(1) if len(each[0].current_player.draw_pile) > 8]
    state, moves = states[0]
    found: dict[str, Counter[int]] = {"the other's hand": Counter(), "own hand": Counter()}
    found["tavern"] = Counter()
    for _ in range(10_000):
        simulation, _ = state.apply_move(moves[-1], dice.randrange(2**64))
        me, other = simulation.enemy_player, simulation.current_player
        # Counting one card per hand is enough, and others aren't independent of it.
        found["the other's hand"][other.hand[0].unique_id] += 1
        found["own hand"][me.hand[0].unique_id] += 1
        found["tavern"][simulation.tavern_cards[0].unique_id] += 1
    for what, counts in found.items():
        print(f"fair: {what}: {len(counts)} cards, p = {chance_of(counts):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("start", "simulations", "matches", "fair"))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file, index = Path(folder, "first.py"), Path(folder, "first_index.py")
        file.write_text(FIRST)
        index.write_text(FIRST_INDEX)
        if options.only in (None, "start"):
            ms, beside = in_turns(options.rounds, lambda: started(str(file)), imported)
            print(f"start: {ms:.0f} ms to its name; importing the library: {beside:.0f} ms")
        if options.only in (None, "simulations"):
            states, dice = positions(1)[::5], Random(1)
            one = lambda: simulated(states, dice)  # noqa: E731
            speed, beside = in_turns(options.rounds, one, lambda: decided(dice))
            print(f"simulations: {speed:.0f} /s; the rules alone: {beside:.0f} decisions/s")
        if options.only in (None, "matches"):
            bots = (f"sot:{file}", True), (f"sot:{file}", False), (f"classic-index:{index}", False)
            speeds = in_turns(options.rounds, *(lambda bot=bot: played(*bot) for bot in bots))
            kept, anew, classic = (f"{speed:.2f}" for speed in speeds)
            print(f"matches: {kept} /s kept, {anew} /s started anew; classic-index: {classic} /s")
        if options.only in (None, "fair"):
            fair()


if __name__ == "__main__":
    main()
