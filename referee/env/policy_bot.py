"""Lets a policy play as a bot, in matches against any other bot.

The bot gets the same lines as all bots. A `StateTracker` turns them into the view of its seat, and
from that, the policy gets the same observations as in the environment.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from referee.env.observer import Observer, no_environment
from referee.errors import UsageError
from referee.games import DEFAULT_GAME, find_game, game_rules
from referee.games.interface.environment import StateTracker, Translator
from referee.games.interface.seats import seat_index
from referee.match.messages import PlayerName, PlayerNameReply, PlayerNameRequest
from referee.match.spec import match_spec


class PolicyBot:
    """A bot that plays with a policy, in any number of matches. It doesn't need PettingZoo.

    Args:
        policy: a function that takes an observation and returns an action, as in the environment.
        game: a key of `GAMES`.
        name: the name of the bot.
        normalised: scale observations to the range 0 to 1, as in the environment.
        options: options of the game, if the match doesn't have the defaults. The observations and
            actions may depend on them.

    Raises:
        UsageError: the game doesn't exist, or has no environment.
    """

    def __init__(
        self,
        policy: Callable[[Any], Any],
        game: str = DEFAULT_GAME,
        *,
        name: str = "Policy",
        normalised: bool = False,
        **options: Any,
    ) -> None:
        game = find_game(game)
        definition = game_rules(game)
        if definition.environment is None:
            raise no_environment(game)
        self._policy = policy
        self._name = name
        self._environment = definition.environment
        self._options = match_spec([""] * definition.min_seats, game=game, options=options).options
        self._normalised = normalised
        self._observer: Observer
        self._requests = definition.requests
        messages = (PlayerNameRequest, PlayerName, *definition.public, *definition.requests)
        self._decode = msgspec.json.Decoder(reduce(or_, messages)).decode
        self._seat = self._seats = 0
        self._player: Translator
        self._tracker: StateTracker | None = None  # None until we know the number of players

    def reply(self, lines: Sequence[bytes]) -> bytes:
        """Reply to a request.

        `lines` has all lines since the last call, and the last of them is the request.

        Raises:
            UsageError: the policy returned an illegal action.
        """
        *_, answer = [None, *map(self._reply_to, lines)]
        if answer is None:
            raise UsageError("the last line is not a request")
        return answer

    def run(self) -> None:
        """Run the bot as a program: read lines from stdin until it ends, and reply on stdout."""
        for line in sys.stdin.buffer:
            answer = self._reply_to(line)
            if answer is not None:
                sys.stdout.buffer.write(answer + b"\n")
                # Without this, the reply stays in Python's buffer, and the bot runs out of time.
                sys.stdout.buffer.flush()

    def _reply_to(self, line: bytes) -> bytes | None:
        try:
            message = self._decode(line)
        # This isn't an error. We only decode the types of messages that the tracker uses.
        except msgspec.ValidationError:
            return None
        if isinstance(message, PlayerNameRequest):
            number = message.player_number
            self._seat, self._seats, self._tracker = seat_index(number), 0, None
            return msgspec.json.encode(PlayerNameReply(number, self._name, 1, keep_alive=True))
        if isinstance(message, PlayerName):
            self._seats += 1
            return None
        # A match begins with one name per player. This message comes after the names, so we know
        # the number of players now.
        if self._tracker is None:
            self._tracker = self._environment.tracker(self._seat, self._seats)
            self._player = self._environment.translator(self._seat, self._seats, self._options)
            self._observer = Observer(
                self._environment, self._seats, self._options, normalised=self._normalised
            )
        self._tracker.observe(message)
        if not isinstance(message, self._requests):
            return None
        self._player.look(self._tracker.view(), asked=True)
        # A reply may take several actions. For example, a policy chooses the cards to discard one
        # by one.
        answer = None
        while answer is None:
            answer = self._player.act(self._policy(self._observer(self._player)))
        # The referee doesn't repeat our reply, so tell the tracker.
        self._tracker.observe(answer)
        return msgspec.json.encode(answer)
