"""Our own referee with one rule broken: wrong_referee.py MODE BOT...

Each mode patches one thing in the package and then plays a match. If the mode is about lines,
processes or time limits, the match is played by the real `referee play`. `REAL` lists these
modes, and you can ask for it with "real:MODE". Modes about the game use a small runner without
any limits, because it starts faster.
"""

from __future__ import annotations

import contextlib
import fcntl
import inspect
import json
import random
import shlex
import subprocess
import sys
import termios
from array import array
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from referee.games.dominion import RULES
from referee.games.dominion.rules import (
    cards,
    choices,
    effects,
    faults,
    game,
    messages,
    player,
    table,
    turn,
)
from referee.games.dominion.rules.effects import EFFECTS, BadParametersError
from referee.games.dominion.rules.messages import (
    PlayerPlayed,
    PlayerShuffled,
    PlayerTopDiscard,
)
from referee.games.dominion.rules.player import Player
from referee.games.dominion.rules.supply import Supply
from referee.games.dominion.rules.table import Table
from referee.games.interface.faults import Disqualification, InvalidReply
from referee.games.interface.game import LEFT, GameSetup, Outcome
from referee.games.interface.random_source import RandomSource, SeededRandomSource
from referee.match import decode
from referee.match import machine as match
from referee.match.machine import Disqualified, Match, Sent

SEED = 5
STARTED: dict[str, Any] = {"start_new_session": True}
LEAVES = False
REAL = {
    "json with spaces",
    "carriage returns",
    "no json",
    "news only with requests",
    "replies without spaces",
    "blank lines are replies",
    "a torn line is a reply",
    "early lines are lost",
    "short lines",
    "long lines",
    "stderr is not read",
    "capital cards",
    "player 2 hears of no shuffles",
    "handshakes one after the other",
    "endless turns",
    "input stays open",
    "no grace",
    "no sigterm",
    "right",
}

MODE = sys.argv[1].removeprefix("real:") if __name__ == "__main__" else ""
IS_REAL = MODE in REAL or (bool(MODE) and sys.argv[1] != MODE)
if IS_REAL:
    import trio

    from referee import runner
    from referee.bots.processes import output, process
    from referee.cli import main

MODES: dict[str, Callable[[], object]] = {}
OPTIONS: list[str] = []


def mode(name: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    def add(function: Callable[[], object]) -> Callable[[], object]:
        assert name not in MODES
        MODES[name] = function
        return function

    return add


def around(owner: Any, name: str, function: Callable[..., Any]) -> Callable[[], object]:
    """Make a mode that wraps a function. `function` gets the original as its first argument."""

    def patch() -> None:
        was = getattr(owner, name)
        setattr(owner, name, lambda *args, **named: function(was, *args, **named))

    return patch


def constant(owner: Any, name: str, value: object) -> Callable[[], object]:
    getattr(owner, name)  # raises AttributeError if the name is misspelt
    return lambda: setattr(owner, name, value)


def effect(card: str, does: Callable[[Table, Any, Any], object]) -> Callable[[], object]:
    return lambda: EFFECTS.update({card: does})  # type: ignore[attr-defined]


def also(card: str, does: Callable[[Table, Any], object]) -> Callable[[], object]:
    """Make a mode in which a card has an additional effect."""
    was = EFFECTS[card]

    def both(table: Table, turn: Any, parameters: Any) -> object:
        found = was(table, turn, parameters)
        if found is None:
            does(table, turn)
            return None
        return then(found, table, turn)

    def then(found: Any, table: Table, turn: Any) -> Any:
        yield from found
        does(table, turn)

    return effect(card, both)


def more(field: str, count: int) -> Callable[[Table, Any], object]:
    return lambda table, turn: setattr(turn, field, getattr(turn, field) + count)


def draw(count: int) -> Callable[[Table, Any], object]:
    return lambda table, turn: table.draw(turn.player, count)


def sent(change: Callable[[list[Any]], list[Any]]) -> Callable[[], object]:
    """Make a mode that changes the messages of a match, as pairs of seat and parsed JSON."""

    def take(was: Any, self: Match) -> list[Any]:
        entries = was(self)
        plain = [
            [entry.to, json.loads(entry.line)] if isinstance(entry, Sent) else entry
            for entry in entries
        ]
        return [
            Sent(entry[0], msgspec.json.encode(entry[1]) + b"\n", msgspec.Struct())
            if isinstance(entry, list)
            else entry
            for entry in change(plain)
        ]

    return around(Match, "take_entries", take)


def each(change: Callable[[dict[str, Any]], object]) -> Callable[[], object]:
    """Make a mode that modifies each message in place."""

    def change_all(entries: list[Any]) -> list[Any]:
        for entry in entries:
            if isinstance(entry, list):
                change(entry[1])
        return entries

    return sent(change_all)


def without(*kinds: str) -> Callable[[], object]:
    return sent(
        lambda entries: [e for e in entries if not (isinstance(e, list) and e[1]["type"] in kinds)]
    )


def lines(change: Callable[[bytes], bytes]) -> Callable[[], object]:
    """Make a mode that changes the bytes sent to bots."""

    def patch() -> None:
        around(process.BotProcess, "push", lambda was, self, data: was(self, change(data)))()

    return patch


def reading(change: Callable[[bytes], bytes]) -> Callable[[], object]:
    """Make a mode that changes the bots' lines before they are decoded."""
    return around(match, "decode_reply", lambda was, line, decoder: was(change(line), decoder))


def is_(message: Any, kind: str) -> bool:
    return isinstance(message, list) and message[1]["type"] == kind


# --- 1: lines ---------------------------------------------------------------------------------

MODES["json with spaces"] = lines(
    lambda data: b"".join(
        json.dumps(json.loads(line)).encode() + b"\n" for line in data.split(b"\n")[:-1]
    )
)
MODES["carriage returns"] = lines(lambda data: data.replace(b"\n", b"\r\n"))
MODES["no json"] = lines(
    lambda data: data.replace(b'{"type":"player-played"', b'{type:"player-played"')
)


@mode("news only with requests")
def _() -> None:
    async def never(self: Any) -> None:
        await trio.sleep_forever()

    runner.Runner._keep_on_time = never  # type: ignore[method-assign]


MODES["replies without spaces"] = around(
    match,
    "decode_reply",
    lambda was, line, decoder: (
        InvalidReply("invalid-json", "spaces") if line.endswith(b"\r") else was(line, decoder)
    ),
)


@mode("blank lines are replies")
def _() -> None:
    def next_line(self: Any) -> bytes | None:
        line, end, rest = bytes(self._buffer).partition(b"\n")
        if not end:
            return None
        self._buffer[:] = rest
        return line

    output.Output.next_line = next_line  # type: ignore[method-assign]


@mode("a torn line is a reply")
def _() -> None:
    def read(was: Any, self: Any) -> bool:
        there, unread = was(self), self._output.unread
        if not there and unread and not unread.endswith(b"\n"):
            self._output.feed(b"\n")
            return True
        return bool(there)

    around(process.BotProcess, "_read", read)()


@mode("early lines are lost")
def _() -> None:
    async def reply(was: Any, self: Any, deadline: float) -> Any:
        answer = await was(self, deadline)
        self._output.clear()
        return answer

    around(process.BotProcess, "reply", reply)()
    OPTIONS.extend(["--time-limit", "2"])


MODES["short lines"] = lambda: OPTIONS.extend(["--line-limit", "60000"])
MODES["long lines"] = lambda: OPTIONS.extend(["--line-limit", "70000", "--time-limit", "2"])


@mode("stderr is not read")
def _() -> None:
    async def never(self: Any) -> None:
        await trio.sleep_forever()

    process.BotProcess._drain_stderr = never  # type: ignore[method-assign]
    process.BotProcess.read_stderr = lambda self: None  # type: ignore[method-assign]
    OPTIONS.extend(["--time-limit", "2"])


def strict_fields(was: Any, line: bytes, decoder: Any) -> Any:
    reply = was(line, decoder)
    known = {"type", *getattr(reply, "__struct_encode_fields__", ())}
    if not isinstance(reply, InvalidReply) and json.loads(line).keys() - known:
        return InvalidReply("wrong-type", "unknown fields")
    return reply


MODES["unknown fields are wrong"] = around(match, "decode_reply", strict_fields)


@mode("the first duplicate counts")
def _() -> None:
    def first(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return dict(pairs[::-1])

    def read(line: bytes) -> bytes:
        try:
            return json.dumps(json.loads(line.decode(), object_pairs_hook=first)).encode()
        except ValueError:  # the referee reports the invalid JSON
            return line

    reading(read)()


MODES["capital cards"] = lines(
    lambda data: data.replace(b'"gained":"silver"', b'"gained":"Silver"')
)


@mode("player 2 hears of no shuffles")
def _() -> None:
    def push(was: Any, self: Any, data: bytes) -> None:
        if self.launched.command.argument.split()[-2] == "1":
            parts = data.split(b"\n")
            data = b"\n".join(part for part in parts if b"player-shuffled" not in part)
        was(self, data)

    around(process.BotProcess, "push", push)()


@mode("requests to all")
def _() -> None:
    def change(entries: list[Any]) -> list[Any]:
        for entry in entries:
            if is_(entry, "play-turn"):
                entry[0] = None
        return entries

    sent(change)()


@mode("hands in public")
def _() -> None:
    def event(was: Any, self: Table, seat: Player, cards: list[str]) -> None:
        self.hands = cards  # type: ignore[attr-defined]
        was(self, seat, cards)

    each(
        lambda m: (
            m.update(cards=["copper", "estate"]) if m["type"] == "player-top-discard" else None
        )
    )()


READERS: dict[str, Callable[[bytes], bytes]] = {
    "invalid utf-8 is read": lambda line: line.decode(errors="replace").encode(),
    "a byte order mark is read": lambda line: line.removeprefix(b"\xef\xbb\xbf"),
    "nan is read": lambda line: line.replace(b"-Infinity", b"0").replace(b"NaN", b"0"),
    "control characters are read": lambda line: line.replace(b"\t", b" "),
    "lone surrogates are read": lambda line: line.replace(rb"\ud800", b"?"),
    "what follows is not read": lambda line: line.removesuffix(b" {}"),
    "an object in an array is read": lambda line: line.removeprefix(b"[").removesuffix(b"]"),
    "long integers are no json": lambda line: line if b"9" * 99 not in line else b"no",
}
for name, change in READERS.items():
    MODES[name] = reading(change)
MODES["deep nesting is read"] = constant(decode, "MAX_DEPTH", 200)
MODES["nesting is not read"] = constant(decode, "MAX_DEPTH", 100)

# --- 2: messages ------------------------------------------------------------------------------

MODES["version 2"] = each(
    lambda m: m.update(version=2) if m["type"] == "player-name-request" else None
)


@mode("names the other way round")
def _() -> None:
    def change(entries: list[Any]) -> list[Any]:
        names = [entry for entry in entries if is_(entry, "player-name")]
        for entry, message in zip(names, [e[1] for e in names][::-1], strict=True):
            entry[1] = message
        return entries

    sent(change)()


MODES["kingdom the other way round"] = each(
    lambda m: m["kingdom_cards"].reverse() if m["type"] == "game-info" else None
)
MODES["piles the other way round"] = each(
    lambda m: m["cards"].reverse() if m["type"] == "supply-info" else None
)


@mode("supply only after a reply")
def _() -> None:
    def change(entries: list[Any]) -> list[Any]:
        infos = [entry for entry in entries if is_(entry, "supply-info")]
        return [entry for entry in entries if entry not in infos[:-1]]

    sent(change)()


@mode("the supply is late")
def _() -> None:
    def gain(was: Any, self: Table, seat: Player, card: str, **how: Any) -> None:
        info = self.supply.info
        was(self, seat, card, **how)
        self.events[-1] = info

    around(Table, "gain", gain)()


MODES["gains are not told"] = without("player-gained")
MODES["played the other way round"] = each(
    lambda m: m["played"].reverse() if m["type"] == "player-played" else None
)


@mode("nothing played is told")
def _() -> None:
    def clean_up(was: Any, table: Table, seat: Player, top: Any) -> None:
        if not seat.in_play:
            table.events.append(PlayerPlayed(seat.number, []))
        was(table, seat, top)

    around(turn, "_clean_up", clean_up)()


MODES["trashing is not told"] = without("player-trashed")
MODES["top discards are not told"] = without("player-top-discard")


@mode("gains are top discards")
def _() -> None:
    def gain(was: Any, self: Table, seat: Player, card: str, **how: Any) -> None:
        was(self, seat, card, **how)
        self.events.append(PlayerTopDiscard(seat.number, card))

    around(Table, "gain", gain)()


MODES["revealed from the deck"] = each(
    lambda m: m.update({"from": "deck"}) if m["type"] == "player-reveal" else None
)
MODES["shuffles are not told"] = without("player-shuffled")


@mode("every draw is a shuffle")
def _() -> None:
    def drawn(self: Table, seat: Player, count: int) -> None:
        seat.draw(count)
        self.events.append(PlayerShuffled(seat.number))

    Table.draw = drawn  # type: ignore[method-assign]


MODES["sorted hands"] = each(lambda m: m["hand"].sort() if m["type"] == "play-turn" else None)
MODES["sorted options"] = each(
    lambda m: m["options"].sort() if m["type"] == "attack-request" else None
)
MODES["buys are no gains"] = each(
    lambda m: m.update(cards_gained=[]) if m["type"] == "play-turn" else None
)
MODES["disqualifications are not told"] = without("player-disqualified")


@mode("a word after the end")
def _() -> None:
    def change(entries: list[Any]) -> list[Any]:
        if entries and is_(entries[-1], "game-end"):
            entries.append([None, {"type": "player-shuffled", "player_number": "player1"}])
        return entries

    sent(change)()


def swapped(first: str, second: str) -> Callable[[], object]:
    """Make a mode that swaps two kinds of messages if they follow each other."""

    def change(entries: list[Any]) -> list[Any]:
        for place in range(len(entries) - 1):
            if is_(entries[place], first) and is_(entries[place + 1], second):
                entries[place : place + 2] = entries[place + 1], entries[place]
        return entries

    return sent(change)


MODES["supply before game-info"] = swapped("game-info", "supply-info")
MODES["gained before trashed"] = swapped("player-trashed", "player-gained")
MODES["shuffled before top discard"] = swapped("player-top-discard", "player-shuffled")
MODES["top discard before played"] = swapped("player-played", "player-top-discard")


@mode("supply at the end of the buys")
def _() -> None:
    def change(entries: list[Any]) -> list[Any]:
        order = {"player-gained": 0, "supply-info": 1}
        at = [n for n, e in enumerate(entries) if isinstance(e, list) and e[1]["type"] in order]
        if any(is_(entry, "game-info") for entry in entries):
            return entries
        moved = sorted((entries[n] for n in at), key=lambda e: order[e[1]["type"]])
        for place, entry in zip(at, moved, strict=True):
            entries[place] = entry
        return entries

    sent(change)()


@mode("clean-up before the news of who left")
def _() -> None:
    def change(entries: list[Any]) -> list[Any]:
        left = [entry for entry in entries if is_(entry, "player-disqualified")]
        if not left or not any(is_(entry, "player-top-discard") for entry in entries):
            return entries
        rest = [entry for entry in entries if entry not in left]
        return [*rest[:-1], *left, rest[-1]]

    sent(change)()


@mode("the end before the clean-up")
def _() -> None:
    def clean_up(was: Any, table: Table, seat: Player, top: Any) -> None:
        if table.supply.counts["province"]:
            was(table, seat, top)

    around(turn, "_clean_up", clean_up)()


# --- 3: handshake -----------------------------------------------------------------------------


def named(change: Callable[[str], str]) -> Callable[[], object]:
    return each(
        lambda m: (
            m.update(name=change(m["name"]))
            if m["type"] == "player-name"
            else m.update(player_bot_names=[change(name) for name in m["player_bot_names"]])
            if m["type"] == "game-info"
            else None
        )
    )


MODES["names are stripped"] = named(str.strip)
MODES["control characters in names"] = constant(match, "CONTROL_CHARACTERS", {})
MODES["names of 32"] = constant(match, "MAX_NAME_LENGTH", 32)
MODES["small letters for the nameless"] = named(
    lambda name: name.lower() if name.startswith("PLAYER") else name
)


@mode("a bad name disqualifies")
def _() -> None:
    def read(was: Any, self: Match, seat: int, line: bytes) -> list[Any]:
        entries: list[Any] = was(self, seat, line)
        if len(entries) > 1 and not isinstance(entries[1], Disqualified):
            code = Disqualification.UNSUPPORTED_VERSION
            entries.append(self._leave(seat, code, ""))
        return entries

    around(Match, "_read_name", read)()


MODES["any version"] = constant(match, "_is_version_1", lambda version: True)
MODES["versions by their text"] = constant(
    match, "_is_version_1", lambda version: str(version) in ("1", "1.0")
)
MODES["versions are integers"] = constant(
    match, "_is_version_1", lambda version: type(version) is int and version == 1
)


@mode("handshakes one after the other")
def _() -> None:
    push = runner.Runner._push

    async def handshakes(was: Any, self: Any, due: Sequence[int]) -> None:
        if any(self.match.requests):
            await was(self, due)
            return
        for seat in self.match.due:
            push(self, seat)
            await self._await_reply(seat)

    def push_later(was: Any, self: Any, seat: int) -> None:
        if any(self.match.requests):
            was(self, seat)
        else:
            self._waiting.pop(seat, None)

    def look(was: Any, self: Any, due: Sequence[int]) -> Sequence[int]:
        seats: Sequence[int] = was(self, due) if any(self.match.requests) else due
        return seats

    around(runner.Runner, "_poll_bots", look)()
    around(runner.Runner, "_round", handshakes)()
    around(runner.Runner, "_push", push_later)()


MODES["an exit is a late start"] = each(
    lambda m: m.update(reason="startup-timeout") if m.get("reason") == "exited" else None
)


@mode("the supply of those who are left")
def _() -> None:
    def made(was: Any, self: Any, setup: GameSetup, *situation: Any) -> None:
        there = len(setup.names) - len(setup.absent)
        with patch.object(
            table, "Supply", lambda seats, cards: Supply(2 if there == 2 else seats, cards)
        ):
            was(self, setup, *situation)

    around(game.Dominion, "__init__", made)()


@mode("who is left alone plays on")
def _() -> None:
    def leave(was: Any, self: Any, seats: Collection[int]) -> bool:
        if not was(self, seats):
            return False
        if all(player.left for player in self.table.players):
            return True
        self.outcome = None
        return False

    around(game.Dominion, "_leave", leave)()


# --- 4: game ----------------------------------------------------------------------------------

MODES["six coppers"] = constant(player, "STARTING_DECK", ("copper",) * 6 + ("estate",) * 4)
MODES["a hand of four at the deal"] = constant(player, "HAND_SIZE", 4)


@mode("unshuffled")
def _() -> None:
    def made(was: Any, self: Player, seat: int, chance: RandomSource) -> None:
        was(self, seat, chance)
        self.hand = ["copper"] * 5
        self.deck = ["estate"] * 3 + ["copper"] * 2

    around(Player, "__init__", made)()


@mode("player 2 begins")
def _() -> None:
    def play_all(self: Any) -> Any:
        self.table.players  # noqa: B018 (to keep the shape of the real one)
        while True:
            for seat in self.table.players[1:] + self.table.players[:1]:
                if not seat.left:
                    self._begin_turn(seat)
                    yield from game.play_turn(self.table, self.turn)
                    reason = self._end_reason()
                    if reason is not None:
                        self._end(reason)
                        return

    game.Dominion._play = play_all  # type: ignore[method-assign]


def piles(players: int, **counts: int) -> Callable[[], object]:
    def made(was: Any, self: Supply, seats: int, kingdom: Any) -> None:
        was(self, seats, kingdom)
        if seats == players:
            self.set(counts)

    return around(Supply, "__init__", made)


MODES["ten victory cards for two"] = piles(2, estate=10)
MODES["ten curses for three"] = piles(3, curse=10)
MODES["sixteen provinces for four"] = piles(4, province=16)


@mode("gold costs five")
def _() -> None:
    cards.COST["gold"] = 5


@mode("silver is worth three")
def _() -> None:
    cards.WORTH["silver"] = 3


@mode("a duchy is two points")
def _() -> None:
    cards.POINTS["duchy"] = 2


@mode("two buys a turn")
def _() -> None:
    around(game, "TurnState", lambda was, player: was(player, buys=2))()


def ends(function: Callable[[Any, Any], object]) -> Callable[[], object]:
    return around(game.Dominion, "_end_reason", function)


MODES["provinces do not end it"] = ends(
    lambda was, self: None if not self.table.supply.counts["province"] else was(self)
)
MODES["the last province but one ends it"] = ends(
    lambda was, self: "provinces-empty" if self.table.supply.counts["province"] < 2 else was(self)
)
MODES["four piles end it"] = constant(game, "EMPTY_PILES_TO_END", 4)
MODES["two piles end it"] = constant(game, "EMPTY_PILES_TO_END", 2)
MODES["endless turns"] = lambda: OPTIONS.extend(["--max-turns", "600"])


@mode("the hand does not count")
def _() -> None:
    def score(self: Player) -> int:
        owned = [*self.deck, *self.in_play, *self.discard_pile]
        return sum(cards.POINTS.get(card, 0) for card in owned)

    Player.score = score  # type: ignore[method-assign]


def winners(choose: Callable[[Any], list[Player]]) -> Callable[[], object]:
    def end(was: Any, self: Any, reason: str) -> None:
        was(self, reason)
        if reason not in ("last-player-standing", "no-players"):
            first = [seat.seat for seat in choose(self.table)]
            ranks = tuple(1 if seat in first else 9 for seat in range(len(self.table.players)))
            self.outcome = Outcome(reason, ranks)

    return around(game.Dominion, "_end", end)


def best(seats: list[Player]) -> list[Player]:
    return [seat for seat in seats if seat.score() == max(other.score() for other in seats)]


def there(table: Table) -> list[Player]:
    return [seat for seat in table.players if not seat.left]


MODES["ties are shared"] = winners(lambda table: best(there(table)))
MODES["the first of equals wins"] = winners(
    lambda table: sorted(best(there(table)), key=lambda seat: seat.turns)[:1]
)
MODES["the fewest points win"] = winners(
    lambda table: sorted(there(table), key=lambda seat: (seat.score(), seat.turns))[:1]
)


@mode("draws come from the box")
def _() -> None:
    def drawn(was: Any, self: Player, count: int) -> bool:
        shuffled = bool(was(self, count))
        # Turn 3 is after the first shuffle.
        if count == 5 and self.turns > 2:
            self.hand[-1] = "gold"
        return shuffled

    around(Player, "draw", drawn)()


@mode("a draw ends with the deck")
def _() -> None:
    def drawn(was: Any, self: Player, count: int) -> bool:
        return bool(was(self, min(count, len(self.deck)) if self.deck else count))

    around(Player, "draw", drawn)()


@mode("coppers from nothing")
def _() -> None:
    def drawn(was: Any, self: Player, count: int) -> bool:
        before = len(self.hand)
        shuffled = bool(was(self, count))
        while len(self.hand) < before + count:
            self.hand.append("copper")
        return shuffled

    around(Player, "draw", drawn)()


@mode("unseeded")
def _() -> None:
    global SEED
    SEED = random.randrange(10**9)


MODES["another shuffle"] = around(
    SeededRandomSource,
    "shuffle",
    lambda was, self, seat, stack: [was(self, seat, stack), stack.reverse()],
)
MODES["the first cards at random"] = constant(
    Table, "take_at_random", lambda self, seat, count: [seat.hand.pop(0) for _ in range(count)]
)

# --- 5: replies -------------------------------------------------------------------------------


def cleaning(function: Callable[..., object]) -> Callable[[], object]:
    return around(turn, "_clean_up", function)


MODES["top_discard is ignored"] = cleaning(
    lambda was, table, seat, top: was(table, seat, None if top in seat.hand + seat.in_play else top)
)


@mode("the referee picks the first")
def _() -> None:
    def clean_up(was: Any, table: Table, seat: Player, top: Any) -> None:
        there = seat.hand + seat.in_play
        was(table, seat, there[0] if top not in there and there else top)

    cleaning(clean_up)()


@mode("a bad top discard tops with a copper")
def _() -> None:
    def clean_up(was: Any, table: Table, seat: Player, top: Any) -> None:
        there = seat.hand + seat.in_play
        bad = top is not None and top not in there
        was(table, seat, there[0] if bad else top)

    cleaning(clean_up)()


MODES["a hand of six"] = constant(turn, "HAND_SIZE", 6)


@mode("buys go on the deck")
def _() -> None:
    def buying(was: Any, table: Table, state: Any, names: Any, money: int) -> None:
        pile = len(state.player.discard_pile)
        was(table, state, names, money)
        state.player.deck += state.player.discard_pile[pile:]
        del state.player.discard_pile[pile:]

    around(turn, "_buy_cards", buying)()


@mode("a bad treasure is passed over")
def _() -> None:
    def playing(was: Any, table: Table, state: Any, treasures: Any) -> Any:
        if isinstance(treasures, list):
            hand = list(state.player.hand)
            good = []
            for card in treasures:
                if card in hand and card in cards.WORTH:
                    hand.remove(card)
                    good.append(card)
            treasures = good
        return was(table, state, treasures)

    around(turn, "_play_treasures", playing)()


def buying(right: Callable[[Table, Any, Any, int], bool]) -> Callable[[], object]:
    """Make a mode that skips wrong cards in a buy reply. They should end the buying."""

    def buy(was: Any, table: Table, state: Any, names: Any, money: int) -> None:
        if isinstance(names, list):
            names = [card for card in names if right(table, state, card, money)]
        was(table, state, names, money)

    return around(turn, "_buy_cards", buy)


MODES["unknown cards are passed over"] = buying(
    lambda table, state, card, money: card in cards.CARDS
)
MODES["empty piles are passed over"] = buying(
    lambda table, state, card, money: table.supply.counts.get(card) != 0
)
MODES["dear cards are passed over"] = buying(
    lambda table, state, card, money: cards.COST.get(card, 0) <= money
)


@mode("one buy too many")
def _() -> None:
    def buy(was: Any, table: Table, state: Any, names: Any, money: int) -> None:
        state.buys += 1
        was(table, state, names, money)

    around(turn, "_buy_cards", buy)()


@mode("missing lists are faults")
def _() -> None:
    def replied(was: Any, table: Table, state: Any, reply: Any) -> None:
        if reply.played_treasures is msgspec.UNSET:
            reply = msgspec.structs.replace(reply, cards_to_buy=[])
        was(table, state, reply)

    around(turn, "_buy", replied)()


@mode("strings are lists")
def _() -> None:
    def replied(was: Any, table: Table, state: Any, reply: Any) -> None:
        for field in ("played_treasures", "cards_to_buy"):
            value = getattr(reply, field)
            if isinstance(value, str):
                reply = msgspec.structs.replace(reply, **{field: [value]})
        was(table, state, reply)

    around(turn, "_buy", replied)()


@mode("null is an empty list")
def _() -> None:
    def replied(was: Any, table: Table, state: Any, reply: Any) -> None:
        for field in ("played_treasures", "cards_to_buy"):
            if getattr(reply, field) is None:
                reply = msgspec.structs.replace(reply, **{field: msgspec.UNSET})
        was(table, state, reply)

    around(turn, "_buy", replied)()


@mode("buys that are left are kept")
def _() -> None:
    def replied(was: Any, table: Table, state: Any, reply: Any) -> None:
        buys, count = state.buys, len(state.bought)
        was(table, state, reply)
        state.buys = buys - (len(state.bought) - count)

    around(turn, "_buy", replied)()


@mode("a treasure that is no object")
def _() -> None:
    def acting(was: Any, table: Table, state: Any, reply: Any) -> Any:
        if isinstance(reply.additional_parameters, list):
            table.fault(state.player, "bad-parameters", "a list")
            state.actions -= 1
            return
        yield from was(table, state, reply)

    around(turn, "_play_action", acting)()


def acting(
    wrong: Callable[[Any, Any], bool], does: Callable[[Any], object]
) -> Callable[[], object]:
    """Make a mode that calls `does` instead of playing the card if `wrong` is true."""

    def act(was: Any, table: Table, state: Any, reply: Any) -> Any:
        if wrong(state, reply):
            does(state)
            return
        yield from was(table, state, reply)

    return around(turn, "_play_action", act)


def no_action(state: Any, reply: Any) -> bool:
    return not isinstance(reply.card, str) or reply.card not in EFFECTS


def not_in_hand(state: Any, reply: Any) -> bool:
    return not no_action(state, reply) and reply.card not in state.player.hand


def spend_nothing(state: Any) -> None:
    """Don't use up an action."""


def spend_all(state: Any) -> None:
    state.actions = state.buys = 0


def null_wish(state: Any, reply: Any) -> bool:
    given = reply.additional_parameters
    return isinstance(given, dict) and given.get("desired_card", "") is None


MODES["a null wish costs nothing"] = acting(null_wish, spend_nothing)
MODES["what is no action costs nothing"] = acting(no_action, spend_nothing)
MODES["what is not in hand costs nothing"] = acting(not_in_hand, spend_nothing)
MODES["what is not in hand costs everything"] = acting(not_in_hand, spend_all)


@mode("actions are free")
def _() -> None:
    def act(was: Any, table: Table, state: Any, reply: Any) -> Any:
        legal = not no_action(state, reply) and not not_in_hand(state, reply)
        plays = len(state.player.in_play)
        yield from was(table, state, reply)
        state.actions += legal and len(state.player.in_play) > plays

    around(turn, "_play_action", act)()


def again(code: str) -> Callable[[], object]:
    """Make a mode that sends the request again after this fault, with no penalty."""

    def play_turn(table: Table, state: Any) -> Any:
        inner = was(table, state)
        request = next(inner)
        while True:
            reply = yield request
            if is_fault(code, request, reply):
                continue
            try:
                request = inner.send(reply)
            except StopIteration:
                return

    was = turn.play_turn
    return constant(game, "play_turn", play_turn)


def is_fault(code: str, request: Any, reply: Any) -> bool:
    if isinstance(request.message, messages.AttackRequest):
        return False
    if code == "invalid-json":
        return isinstance(reply, InvalidReply) and reply.code == code
    if code == "wrong-type":
        replies = (messages.AttackReply, messages.AttackReplyReaction)
        return isinstance(reply, replies) or (
            isinstance(reply, InvalidReply) and reply.code == code
        )
    phase = getattr(reply, "phase", "cleanup")
    if code == "bad-phase":
        return phase not in ("action", "buy", "cleanup")
    if code == "no-actions":
        return phase == "action" and not request.message.actions
    if code == "no-actions with a bad card":
        card = getattr(reply, "card", None)
        held = card in cards.KINGDOM and card in request.message.hand
        return phase == "action" and not request.message.actions and not held
    return phase == "buy" and not request.message.buys


for code in ("invalid-json", "wrong-type", "bad-phase", "no-buys"):
    MODES[f"{code} is asked again"] = again(code)
for code in ("no-actions", "no-actions with a bad card"):
    MODES[f"{code} is asked again"] = again(code)

# --- 6: cards ---------------------------------------------------------------------------------


def parameters(card: str, change: Callable[[Any, Any], Any]) -> Callable[[], object]:
    """Make a mode that changes the parameters of a card before it's played."""
    was = EFFECTS[card]
    return effect(card, lambda table, turn, given: was(table, turn, change(turn, dict(given))))


def lenient(card: str, field: str) -> Callable[[], object]:
    """Make a mode in which bad parameters use the card up without any effect."""
    was = EFFECTS[card]

    def does(table: Table, turn: Any, given: Any) -> object:
        try:
            return was(table, turn, given)
        except BadParametersError as problem:
            if field not in str(problem):
                raise
            table.fault(turn.player, faults.BAD_PARAMETERS, "used up")
            return None

    return effect(card, does)


MODES["cellar draws one more"] = also("cellar", draw(1))
MODES["cellar gives no action"] = also("cellar", more("actions", -1))
MODES["cellar stops at nothing"] = parameters(
    "cellar",
    lambda turn, given: (
        {"cards": [card for card in given["cards"] if card in turn.player.hand]}
        if isinstance(given.get("cards"), list)
        and all(given["cards"].count(c) <= turn.player.hand.count(c) for c in turn.player.hand)
        else given
    ),
)
MODES["cellar takes strings"] = parameters(
    "cellar",
    lambda turn, given: (
        {"cards": [given["cards"]]} if isinstance(given.get("cards"), str) else given
    ),
)


@mode("an empty cellar is consumed")
def _() -> None:
    def does(table: Table, turn: Any, given: Any) -> object:
        if given.get("cards", []) == []:
            raise BadParametersError("no cards")
        return was(table, turn, given)

    was = EFFECTS["cellar"]
    effect("cellar", does)()


MODES["market draws none"] = effect(
    "market",
    lambda table, turn, given: (
        [more(f, 1)(table, turn) for f in ("actions", "buys", "money")] and None
    ),
)
MODES["market gives two money"] = also("market", more("money", 1))
MODES["militia gives three money"] = also("militia", more("money", 1))


def nobody(table: Table, turn: Any, given: Any) -> None:
    turn.money += 2


MODES["militia attacks nobody"] = effect("militia", nobody)


def exchanging(
    card: str, *, to_hand: bool | None = None, more: int = 0, among: Any = None
) -> Callable[[], object]:
    limit = choices.gain_limit
    goes_to_hand = card == "mine" if to_hand is None else to_hand
    allowed = {card: among or choices.EXCHANGES[card]}

    def does(table: Table, turn: Any, given: Any) -> None:
        limits = patch.object(choices, "gain_limit", lambda *of: limit(*of) + more)
        with limits, patch.dict(choices.EXCHANGES, allowed):  # type: ignore[arg-type]
            effects._exchange(card, table, turn, given, to_hand=goes_to_hand)

    return effect(card, does)


MODES["mine to the discard pile"] = exchanging("mine", to_hand=False)
MODES["mine takes any card"] = exchanging("mine", among=cards.COST)
MODES["mine takes more"] = exchanging("mine", more=3)
MODES["mine is used up by a bad trash"] = lenient("mine", "card_to_trash")
MODES["mine is used up by a bad wish"] = lenient("mine", "desired_card")


@mode("mine with nothing to gain is consumed")
def _() -> None:
    def does(table: Table, turn: Any, given: Any) -> object:
        counts = table.supply.counts
        if given.get("card_to_trash") == "copper" and not counts["copper"] + counts["silver"]:
            raise BadParametersError("nothing")
        return was(table, turn, given)

    was = EFFECTS["mine"]
    effect("mine", does)()


MODES["moat draws three"] = also("moat", draw(1))
MODES["remodel to the hand"] = exchanging("remodel", to_hand=True)
MODES["remodel takes more"] = exchanging("remodel", more=1)
MODES["remodel takes less"] = exchanging("remodel", more=-1)
MODES["remodel is used up by a bad trash"] = lenient("remodel", "card_to_trash")
MODES["remodel is used up by a bad wish"] = lenient("remodel", "desired_card")


@mode("remodel remodels itself")
def _() -> None:
    def does(table: Table, turn: Any, given: Any) -> object:
        if given.get("card_to_trash") == "remodel" and "remodel" not in turn.player.hand:
            turn.player.hand.append(turn.player.in_play.pop())
        return was(table, turn, given)

    was = EFFECTS["remodel"]
    effect("remodel", does)()


MODES["smithy draws two"] = effect("smithy", lambda table, turn, given: table.draw(turn.player, 2))
MODES["smithy draws four"] = also("smithy", draw(1))
MODES["village gives one action"] = also("village", more("actions", -1))
MODES["woodcutter gives no buy"] = also("woodcutter", more("buys", -1))


@mode("workshop up to five")
def _() -> None:
    cheap = {card: cost - 1 if cost == 5 else cost for card, cost in cards.COST.items()}

    def does(table: Table, turn: Any, given: Any) -> object:
        with patch.object(choices, "COST", cheap):
            return was(table, turn, given)

    was = EFFECTS["workshop"]
    effect("workshop", does)()


@mode("workshop on the deck")
def _() -> None:
    def does(table: Table, turn: Any, given: Any) -> None:
        was(table, turn, given)
        turn.player.deck.append(turn.player.discard_pile.pop())

    was = EFFECTS["workshop"]
    effect("workshop", does)()


MODES["workshop is used up"] = lenient("workshop", "desired_card")

# --- 7: militia and moat ----------------------------------------------------------------------

MODES["militia the other way round"] = around(
    Table, "others", lambda was, table, seat: was(table, seat)[::-1]
)
MODES["militia down to two"] = constant(effects, "MILITIA_HAND_SIZE", 2)


@mode("militia asks of three as well")
def _() -> None:
    def militia(table: Table, turn: Any, given: Any) -> Any:
        turn.money += 2
        for other in table.others(turn.player):
            if not other.left and len(other.hand) > 2:
                if len(other.hand) == 3:
                    request = messages.AttackRequest(0, other.hand.copy())
                    yield effects.Request(other.seat, request)
                else:
                    yield from effects._attack(table, other)

    effect("militia", militia)()


@mode("militia takes one of three")
def _() -> None:
    def militia(table: Table, turn: Any, given: Any) -> Any:
        turn.money += 2
        for other in table.others(turn.player):
            if not other.left and len(other.hand) > 2:
                size = min(3, len(other.hand) - 1)
                with patch.object(effects, "MILITIA_HAND_SIZE", size):
                    yield from effects._attack(table, other)

    effect("militia", militia)()


MODES["one discard less is asked for"] = each(
    lambda m: m.update(discard=m["discard"] + 1) if m["type"] == "attack-request" else None
)


@mode("discards the other way round")
def _() -> None:
    def discard(was: Any, self: Table, seat: Player, names: list[str], *played: Any) -> None:
        turned = names[::-1] if len(names) < 3 and len(seat.hand) == 3 else names
        was(self, seat, turned, *played)

    around(Table, "discard", discard)()


def answered(change: Callable[[Any, Player], Any]) -> Callable[[], object]:
    """Make a mode that changes replies to a militia before they count."""

    def attack(was: Any, table: Table, seat: Player) -> Any:
        inner = was(table, seat)
        reply = yield next(inner)
        try:
            inner.send(change(reply, seat))
        except StopIteration:
            return

    return around(effects, "_attack", attack)


def first_two(seat: Player) -> messages.AttackReply:
    return messages.AttackReply(seat.hand[: len(seat.hand) - 3])


def kept_hand(fault: Callable[[Any, Player], bool]) -> Callable[[], object]:
    """Make a mode in which a player with this fault needn't discard."""

    def attack(was: Any, table: Table, seat: Player) -> Any:
        inner = was(table, seat)
        reply = yield next(inner)
        if fault(reply, seat):
            return
        try:
            inner.send(reply)
        except StopIteration:
            return

    return around(effects, "_attack", attack)


def discards(reply: Any) -> Any:
    return reply.discard if isinstance(reply, messages.AttackReply) else None


def held(reply: Any, seat: Player) -> bool:
    names = discards(reply)
    return isinstance(names, list) and all(names.count(c) <= seat.hand.count(c) for c in names)


MODES["a wrong number is kept"] = kept_hand(
    lambda reply, seat: held(reply, seat) and len(discards(reply)) != len(seat.hand) - 3
)
MODES["what is not held is kept"] = kept_hand(
    lambda reply, seat: isinstance(discards(reply), list) and not held(reply, seat)
)
MODES["no list is kept"] = kept_hand(
    lambda reply, seat: (
        isinstance(reply, messages.AttackReply) and not isinstance(reply.discard, list)
    )
)
MODES["moats do not protect"] = answered(
    lambda reply, seat: (
        first_two(seat)
        if isinstance(reply, messages.AttackReplyReaction)
        and reply.reaction == "moat"
        and "moat" in seat.hand
        else reply
    )
)
MODES["a moat in capitals protects"] = answered(
    lambda reply, seat: (
        messages.AttackReplyReaction("moat")
        if isinstance(reply, messages.AttackReplyReaction) and "moat" in seat.hand
        else reply
    )
)
MODES["a moat that is not there protects"] = kept_hand(
    lambda reply, seat: (
        isinstance(reply, messages.AttackReplyReaction)
        and reply.reaction == "moat"
        and "moat" not in seat.hand
    )
)
MODES["an answer that is no json is kept"] = kept_hand(
    lambda reply, seat: isinstance(reply, InvalidReply) and reply.code == "invalid-json"
)
MODES["an answer of another type is kept"] = kept_hand(
    lambda reply, seat: (
        isinstance(reply, messages.PlayReply)
        or (isinstance(reply, InvalidReply) and reply.code == "wrong-type")
    )
)
MODES["one random discard too few"] = around(
    Table, "take_at_random", lambda was, self, seat, count: was(self, seat, count - 1)
)

# --- 8: failure -------------------------------------------------------------------------------


MODES["an exit is a timeout"] = each(
    lambda m: m.update(reason="timeout") if m.get("reason") == "exited" else None
)


@mode("no turn is cleaned up")
def _() -> None:
    def clean_up(was: Any, table: Table, seat: Player, top: Any) -> None:
        if not seat.left:
            was(table, seat, top)

    cleaning(clean_up)()


@mode("a last clean-up")
def _() -> None:
    def leave(was: Any, self: Any, seats: Collection[int]) -> bool:
        over = bool(was(self, seats))
        there = [player for player in self.table.players if not player.left]
        if len(there) == 1 and inspect.getgeneratorstate(self._script) == inspect.GEN_SUSPENDED:
            self._script.send(LEFT)
        return over

    around(game.Dominion, "_leave", leave)()


@mode("who leaves discards")
def _() -> None:
    def attack(was: Any, table: Table, seat: Player) -> Any:
        inner = was(table, seat)
        reply = yield next(inner)
        if reply is LEFT:
            table.discard(seat, table.take_at_random(seat, len(seat.hand) - 3))
        try:
            inner.send(reply)
        except StopIteration:
            return

    around(effects, "_attack", attack)()


MODES["who has left can win"] = winners(lambda table: best(table.players))


@mode("input stays open")
def _() -> None:
    async def finish(self: Any, grace: float) -> None:
        await self._wait_for_end(trio.current_time() + 1)
        await self.kill()

    process.BotProcess.finish = finish  # type: ignore[method-assign]


@mode("bots are left behind")
def _() -> None:
    global LEAVES
    LEAVES = True


MODES["one session for all"] = STARTED.clear
MODES["a folder of its own"] = lambda: STARTED.update(cwd="/")


def has_read_all(process: Any) -> bool:
    """Whether a bot has read all lines and waits for more."""
    unread = array("i", [0])
    fcntl.ioctl(process.stdin, termios.FIONREAD, unread)
    state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    return not unread[0] and state == "S"


@mode("no grace")
def _() -> None:
    async def finish(was: Any, self: Any, grace: float) -> None:
        if self.launched.command.argument.split()[-2] == "1":
            await self.hand_over(60)  # it reads game-end
            while not has_read_all(self.launched.popen):  # noqa: ASYNC110
                await trio.sleep(0.01)
            await self.end_input(0)
            await self.kill()
        else:
            await was(self, grace)

    around(process.BotProcess, "finish", finish)()


@mode("no sigterm")
def _() -> None:
    async def finish(self: Any, grace: float) -> None:
        await self.end_input(grace)
        await self.kill()

    process.BotProcess.finish = finish  # type: ignore[method-assign]


MODES["crashes at a moat"] = effect("moat", lambda table, turn, given: 1 // 0 and None)
MODES["right"] = MODES["nothing"] = lambda: None

# --- a small runner: it starts three times as fast as the real one ----------------------------


def play_lean(bots: list[str], seed: int) -> None:
    """Play a match without time limits, line limits or a grace period."""
    processes = [
        subprocess.Popen(
            shlex.split(bot),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **STARTED,
        )
        for bot in bots
    ]
    played = match.Match(RULES, seats=len(bots), seed=seed)
    played.start()
    while True:
        for entry in played.take_entries():
            if isinstance(entry, Sent):
                for seat, process in enumerate(processes):
                    if entry.to in (None, seat) and seat not in played.disqualified:
                        push(process, entry.line)
        if not played.due:
            break
        seat = played.due[0]
        line = processes[seat].stdout.readline()  # type: ignore[union-attr]
        if line:
            played.receive(seat, line[:-1])
        else:
            played.disqualify(seat, Disqualification.EXITED, "")
    for process in processes:
        process.stdin.close() if LEAVES else process.communicate()  # type: ignore[union-attr]


def push(process: subprocess.Popen[bytes], line: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(line)  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]


if __name__ == "__main__":
    bots = sys.argv[2:]
    if bots[-1].startswith("--seed="):
        SEED = int(bots.pop().removeprefix("--seed="))
    MODES[MODE]()
    if IS_REAL:
        sys.exit(main(["play", "-q", "--seed", str(SEED), *OPTIONS, *bots]))
    play_lean(bots, SEED)
