"""Calls the bot's methods as the library would, and turns its return values into replies."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from time import monotonic
from typing import Any

from scripts_of_tribute.board import build_game_state
from scripts_of_tribute.enums import PatronId
from scripts_of_tribute.move import BasicMove, from_proto_move

from referee.games.interface.seats import seat_index
from referee.games.tribute.classic import ClassicIndex
from referee.games.tribute.sot.author import make, show_error
from referee.games.tribute.sot.knowledge import Json, Knowledge
from referee.games.tribute.sot.simulation import Engine, State

_NO_LIMIT = 86_400.0
_LONGEST_NAME, _SHOWN = 64, 200


class Dialogue:
    """Plays the matches of one process. Each match gets a new bot.

    Args:
        maker: the author's class or function that creates a bot.
        limit: time limit per turn, in seconds.
    """

    def __init__(self, maker: Callable[..., Any], limit: float) -> None:
        self._maker = maker
        self._limit = min(limit, _NO_LIMIT)
        self._used = 0.0
        self._knowledge: Knowledge | None = None
        self._last: State | None = None

    def take(self, message: Json, arrived: float) -> Json | None:
        """Process a message, and return the reply if the message is a request.

        Args:
            arrived: when the message arrived, according to `time.monotonic`.
        """
        match message["type"]:
            case "player-name-request":
                return self._begin(message)
            case "game-info":
                self._engine = Engine(message)
                self._knowledge = Knowledge(self._seat, message)
                self._story.observe(message)
            case "patron-request":
                picked = self._bot.select_patron([PatronId[each] for each in message["available"]])
                patron = picked.name if isinstance(picked, PatronId) else repr(picked)[:_SHOWN]
                return {"type": "patron-reply", "patron": patron}
            case "play-turn" | "choose-request":
                reply = self._play(message, arrived)
                # The library has a limit per turn, so add up the time of all requests in a turn.
                self._used += monotonic() - arrived
                return reply
            case "game-end" if self._last is not None:
                self._end(message, self._last)
            case kind if self._knowledge is not None:
                self._used = 0.0 if kind == "turn-started" else self._used
                self._knowledge.observe(message)
                self._story.observe(message)
        return None

    def _begin(self, message: Json) -> Json:
        number = message["player_number"]
        # All we know about the match so far is the bot's seat. _play() seeds again.
        _seed(number)
        self._seat = seat_index(number)
        self._story = ClassicIndex(self._seat, 0, "")
        self._knowledge = self._last = None
        self._bot = make(self._maker)
        self._bot.pregame_prepare()
        # Not all bots have a name. If there is one, it can be any text, so clean it up.
        name = str(getattr(self._bot, "bot_name", self._maker.__name__))
        name = "".join(filter(str.isprintable, name))[:_LONGEST_NAME]
        about = {"player_number": number, "name": name, "version": 1, "keep_alive": True}
        return {"type": "player-name-reply", **about}

    def _play(self, message: Json, arrived: float) -> Json:
        # Now that there's a state, seed with that, so that the bot doesn't play all matches alike.
        if self._last is None:
            _seed(f"{random.random()} {message['state']}")
        assert self._knowledge is not None  # set by game-info
        state = State(*self._knowledge.table(message), self._story.completed.copy())
        self._last = self._engine.keep(state)
        moves = [from_proto_move(move) for move in state.moves()]
        shown = build_game_state(state.shown(is_seeded=False), self._engine)
        left = self._limit - self._used - (monotonic() - arrived)
        move = self._bot.play(shown, moves, max(0, int(left * 1000)))
        return _reply(message, move, state)

    def _end(self, message: Json, last: State) -> None:
        for player, score in zip(last.table.players, message["scores"], strict=True):
            player.prestige = score
        ending = self._story.ending(message)
        state = State(last.table, [], self._story.completed, end=ending)
        shown = build_game_state(state.shown(is_seeded=False), None)
        try:
            self._bot.game_end(shown.end_game_state, shown)
        except (Exception, SystemExit) as error:
            show_error(error)  # the match is over, so there's no need to exit


def _seed(seed: str) -> None:
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(random.getrandbits(32))


def _reply(message: Json, move: object, state: State) -> Json:
    kind = "play-reply" if message["type"] == "play-turn" else "choose-reply"
    place = state.place_of(getattr(move, "move_id", None))
    if place is None:
        # The bot hasn't returned one of the moves. Send its return value as text. The referee will
        # reject it, and the author can find it in the report.
        what = repr(move)[:_SHOWN]
        if isinstance(move, BasicMove):
            facts = [str(getattr(fact, "name", fact)) for fact in vars(move).values()]
            what = " ".join(["move_id", *facts])
        print(f"play() returned {what}, none of the {state.count} moves", file=sys.stderr)
        return {"type": kind, "action": what, "cards": what, "effect": what}
    if kind == "play-reply":
        return {"type": kind, "action": message["actions"][place]}
    if message["effects"]:
        return {"type": kind, "effect": place}
    return {"type": kind, "cards": [message["cards"][at]["uid"] for at in state.decisions[place]]}
