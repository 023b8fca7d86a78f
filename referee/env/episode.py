"""Plays matches for reinforcement learning: takes actions, and returns observations and rewards.

With the same seed, options and replies, you get the same match as from `referee play`. This module
doesn't need an event loop. Only bots outside of our process do, and `opponents.py` runs it for
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from referee.env.observer import Observation, Observer
from referee.errors import GameError, InternalError, UnknownOptionError, UsageError, is_from_outside
from referee.games.interface.definition import GameDefinition
from referee.games.interface.environment import Environment, Translator
from referee.games.interface.faults import Disqualification, Fault
from referee.games.interface.game import Outcome
from referee.games.interface.seats import seat_id
from referee.games.interface.table import copied
from referee.match.limits import LIMITS
from referee.match.machine import Match, Sent, Step
from referee.match.messages import PlayerNameReply
from referee.match.spec import checked_seed, drawn_seed, match_spec

if TYPE_CHECKING:
    from referee.env.opponents import Bots, Opponents


REWARDS = ("result", "margin", "score")
"""The kinds of rewards.

"result" gives a reward at the end of the match. "margin" and "score" give the change of the
player's lead or score after each step.
"""


class Saved(NamedTuple):
    """An unfinished match, as data that can be pickled.

    Attributes:
        seed: `Episode.seed`. If hidden cards were redealt, this isn't the seed of the match.
        match_seed: the seed of the match.
        names: the players' names, in seat order.
        absent: the seats that left during the handshake.
        steps: the replies of all rounds so far (`Match.history`).
        replied: the replies in the current round, in which other seats are still due.
        actions: for each seat that's due, the actions that don't make up a whole reply yet.
    """

    seed: int
    match_seed: int
    names: tuple[str, ...]
    absent: frozenset[int]
    steps: list[Step]
    replied: dict[int, Any]
    actions: dict[int, list[Any]]


class Episode:
    """Plays one match after another. The program plays some seats, and bots play the others.

    Args:
        definition: a game with an `Environment`.
        players: number of seats. The default is the length of `opponents`, or as few as the game
            allows.
        options: options of the game, if you don't want the defaults, and limits of the opponents.
        opponents: a bot for each seat, or None where the program plays. If you don't pass any, the
            program plays all seats.
        normalised: scale observations to the range 0 to 1 (see `Observer`).
        version: version of the environment. The default is the newest.
        reward: one of `REWARDS`.

    Attributes:
        reward: the argument `reward`.
        seats: number of seats.
        normalised: the argument `normalised`.
        learners: the seats that the program plays.
        agents: the names of the learners, in seat order. "player_1" is `player1` in a log.
        options: the options of the game, an instance of `GameDefinition.options`.
        environment: translates between the game and numbers.
        seed: the seed of the current match.
        due: the learners that have to act now.

    Raises:
        UsageError: the arguments aren't valid for the game.
    """

    def __init__(
        self,
        definition: GameDefinition,
        players: int | None,
        options: Mapping[str, Any],
        opponents: Bots | None = None,
        *,
        normalised: bool = False,
        version: int | None = None,
        reward: str = "result",
    ) -> None:
        if reward not in REWARDS:
            raise UsageError(f"reward is {reward!r}; give one of: {', '.join(REWARDS)}")
        self.reward = reward
        self._rewarded: list[float] = []  # everybody's points when rewards() was last called
        assert definition.environment is not None
        self.environment: Environment = definition.environment.of_version(version)
        own = definition.options.__struct_fields__
        for name in options:
            if name not in own and (opponents is None or name not in LIMITS):
                limits = "" if opponents is None else ", and the limits of bots"
                # Some libraries look for "unexpected keyword argument" in the message, so keep it.
                raise UnknownOptionError(
                    f"{definition.name} got an unexpected keyword argument {name!r}; "
                    f"it has the options players, {', '.join(own)}{limits}"
                )
        bots = _checked(opponents, players)
        self.seats = (len(bots) or definition.min_seats) if players is None else players
        # With isinstance(), True would be accepted as one player, since bool is a subclass of int.
        if type(self.seats) is not int:
            raise UsageError(f"players is {players!r}; give an integer")
        self._spec = match_spec([""] * self.seats, game=definition.name, seed=0, options=options)
        self.options: Any = self._spec.options
        self.normalised = normalised
        self._observer = Observer(self.environment, self.seats, self.options, normalised=normalised)
        self._opponents: Opponents | None = None
        if any(bot is not None for bot in bots):
            from referee.env.opponents import Opponents  # a policy doesn't need this module

            self._opponents = Opponents(bots, definition.name)
        theirs = self._opponents.seats if self._opponents else ()
        self.learners = tuple(seat for seat in range(self.seats) if seat not in theirs)
        self.agents = [f"player_{seat + 1}" for seat in self.learners]
        self.seed = 0
        self._players: dict[int, Translator] = {}
        # For each learner that's due, its view and the actions since then. If an action turns out
        # to be illegal, we use these to put the translator back into its last valid state.
        self._views: dict[int, Any] = {}
        self._actions: dict[int, list[Any]] = {}
        self.due: tuple[int, ...] = ()
        self._seeds: Random | None = Random()
        self._match: Match
        self._encode = msgspec.json.Encoder().encode

    def begin(self, seed: int | None) -> None:
        """Begin a new match. If there's an unfinished match, abandon it.

        Check `due` after this. If opponents leave before the first request, the match may already
        be over, and then no learner is due.

        Args:
            seed: the seed of the match. If it's None, we choose the next random seed. The sequence
                of random seeds depends on the last seed that you passed.

        Raises:
            UsageError: the seed isn't valid.
            BotError: an opponent that's a Python object raised an exception, or an opponent was
                disqualified before its handshake had ever worked.
            ShortageError: an opponent can't be started.
        """
        if seed is None:
            # Copies don't have a Random yet. It's expensive to create, and a search makes many
            # copies, but hardly ever begins new matches in them.
            if self._seeds is None:
                self._seeds = Random(self.seed)
            seed = drawn_seed(self._seeds)
        else:
            seed = checked_seed(seed)
            self._seeds = Random(seed)
        self._begin(seed)

    def _begin(self, seed: int, names: Sequence[str] = (), absent: Iterable[int] = ()) -> None:
        self.seed = seed
        spec = msgspec.structs.replace(self._spec, seed=seed)
        new = self.environment.translator
        self._players = {seat: new(seat, self.seats, self.options) for seat in self.learners}
        others = self._opponents
        if others is not None:
            others.begin(spec)
        self._match = spec.new_match(
            lines=others is not None and not others.take_messages,
            readers=() if others is None else others.seats,
            heard=None if others is None else others.message_kinds,
            copies=True,
        )
        self._match.start()
        # The learners have no process that could answer the handshake, so we answer for them.
        for seat in self.learners:
            number = seat_id(seat)
            name = names[seat] if names else number.upper()
            if seat in absent:
                self._match.disqualify(seat, Disqualification.EXITED, "it left the match before")
            else:
                self._match.receive(seat, self._encode(PlayerNameReply(number, name, 1)))
        self._play_until_due()
        self._rewarded = self._points()

    def act(self, seat: int, action: Any) -> None:
        """Apply an action of a seat that's due, and play on if no other learner has to act first.

        Raises:
            UsageError: the action isn't legal. The state is unchanged.
            BotError: an opponent that's a Python object raised an exception.
        """
        self.apply(seat, action, self._players[seat].act(action))

    def apply(self, seat: int, action: Any, reply: Struct | None) -> None:
        """Apply an action that the translator has already accepted.

        The translator has returned `reply`: the reply that the action completes, or None.
        """
        self._apply(seat, action, reply)
        if not self.due:
            self._play_until_due()

    def act_together(self, actions: Mapping[int, Any]) -> None:
        """Apply the actions of several due seats. If one is illegal, nothing changes.

        Args:
            actions: the action of each seat.

        Raises:
            UsageError: an action isn't legal. The state is unchanged.
            BotError: an opponent that's a Python object raised an exception.
        """
        replies: dict[int, Struct | None] = {}
        try:
            for seat, action in actions.items():
                replies[seat] = self._players[seat].act(action)
        # Some translators have already taken their actions, but the match hasn't changed. It's
        # enough to reset the translators.
        except UsageError:
            for seat in replies:
                self._restore_translator(seat)
            raise
        for seat, reply in replies.items():
            self._apply(seat, actions[seat], reply)
        if actions and not self.due:
            self._play_until_due()

    def _apply(self, seat: int, action: Any, reply: Struct | None) -> None:
        """Apply an action that the translator has already accepted, but don't play on."""
        if reply is None:
            self._actions[seat].append(action)
        else:
            self.due = tuple([other for other in self.due if other != seat])
            self._match.take(seat, reply)

    def _restore_translator(self, seat: int) -> None:
        player = self._players[seat]
        # A translator can't undo actions, but it can start again from its view.
        player.look(self._views[seat], asked=True)
        for action in self._actions[seat]:
            player.act(action)

    def copy(self, viewer: int | None = None, seed: int = 0) -> Episode:
        """Copy the current match. The program plays all seats of the copy.

        Args:
            viewer: a learner that's due. In the copy, we redeal everything that it can't see at
                random. If this is None, you get an exact copy.
            seed: the seed for redealing.

        Raises:
            UsageError: the match is over, the viewer isn't due, or another seat has already acted
                in this round.
        """
        self.check_copied()
        if viewer is not None and viewer not in self.due:
            raise UsageError(f"player_{viewer + 1} has no action due, so it cannot be the viewer")
        if viewer is not None and not self._match.can_redeal:
            raise UsageError(f"{self._spec.game} cannot deal hidden cards again")
        if viewer is not None and self._match.in_round:
            raise UsageError("another player has acted in this round: copy before its first action")
        new = copied(
            self,
            _match=self._match.copy(viewer, seed),
            _opponents=None,
            _seeds=None,
            _players={},
            due=self._match.due,
            learners=tuple(range(self.seats)),
            agents=[f"player_{seat + 1}" for seat in range(self.seats)],
        )
        if viewer is not None:
            new.seed = seed
        for seat in new.learners:
            new._players[seat] = self.environment.translator(seat, self.seats, self.options)
            if seat in new.due:
                # For a seat that a bot has played so far, we haven't stored a view yet.
                view = self._views[seat] if seat in self.due else new._match.view(seat)
                new._views[seat] = view
                new._actions[seat] = self._actions[seat].copy() if seat in self.due else []
                new._restore_translator(seat)
        return new

    @property
    def is_begun(self) -> bool:
        """True if a match has begun, even if it's already over."""
        return hasattr(self, "_match")

    def check_begun(self) -> None:
        """Raise `UsageError` if no match has begun."""
        if not self.is_begun:
            raise UsageError("no match was begun: call reset")

    def check_copied(self) -> None:
        """Raise `UsageError` unless a match is in progress."""
        if not self.due:
            raise UsageError("the match is over, or none was begun")

    def save(self) -> Saved:
        """Return the current match as data, for the `resume` method of an episode like this one.

        The data has the replies so far, and not the state of the game. `resume` plays the match
        again with these replies. Bundled bots will give the same replies again, but we can't be
        sure of that for other bots.

        Raises:
            UsageError: the match is over, or one of the opponents isn't a bundled bot.
        """
        self.check_copied()
        if self._opponents is not None and not self._opponents.are_bundled:
            raise UsageError(
                "only bundled bots can be copied with the match: use copy(), in which your program "
                "plays all seats"
            )
        match = self._match
        # The history only has whole replies, but a learner may be in the middle of one.
        actions = {seat: self._actions[seat].copy() for seat in self.due}
        names, replied = (*match.names,), match.replied
        return Saved(self.seed, match.seed, names, match.absent, match.history, replied, actions)

    def resume(self, saved: Saved) -> None:
        """Continue a saved match, by repeating all of its replies."""
        self._begin(saved.match_seed, saved.names, saved.absent)
        for step in saved.steps:
            self._match.repeat(step, self.learners)
            if self._opponents is None:
                # A bot may have made faults in a seat that the program plays now. Drop these
                # faults, because _play_until_due() would take them for a bug of ours.
                self._match.take_entries()
            else:
                self._play_until_due()
        self._play_until_due()
        self.seed, self._seeds = saved.seed, None
        self._rewarded = self._points()
        for seat, reply in saved.replied.items():
            if seat in self.due:  # bundled bots have already replied
                self._apply(seat, None, reply)
        for seat, actions in saved.actions.items():
            for action in actions:
                self.act(seat, action)

    def close(self) -> None:
        """Stop the opponents' processes."""
        if self._opponents is not None:
            self._opponents.close()

    def observe(self, seat: int) -> Observation:
        """Return the observation of a learner. Raises `UsageError` if no match has begun."""
        return self._observer(self.player(seat))

    def player(self, seat: int) -> Translator:
        """Return the translator of a learner, after showing it the current state."""
        if not self._players:
            self.check_begun()
        player = self._players[seat]
        # If the seat is due, its translator already has the current view. Another call of look()
        # would discard the actions of an unfinished reply.
        if seat not in self.due:
            player.look(self._match.view(seat), asked=False)
        return player

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the match, or None if it hasn't ended."""
        return self._match.outcome if self.is_begun else None

    def rewards(self) -> list[float]:
        """Return the reward of each seat for the last step.

        With "result", all rewards are 0 until the end of the match. Then a seat gets 1 for each
        seat that it has beaten and -1 for each seat that has beaten it, divided by the number of
        other seats. With the other kinds of rewards, we return the change of points since the last
        call, so only call this once per step.
        """
        if self.reward != "result":
            before, self._rewarded = self._rewarded, self._points()
            return [now - then for now, then in zip(self._rewarded, before, strict=True)]
        outcome = self.outcome
        return [0.0] * self.seats if outcome is None else results_of(outcome.ranks)

    def _points(self) -> list[float]:
        # "result" only depends on the ranks, so don't compute any scores.
        if self.reward == "result":
            return []
        scores = [float(standing.score) for standing in self._match.standings()]
        if self.reward == "score":
            return scores
        return [_margin(scores, seat) for seat in range(self.seats)]

    @property
    def reason(self) -> str | None:
        """The reason why the match ended, e.g. "turn-limit", or None if it hasn't ended."""
        return None if self.outcome is None else str(self.outcome.reason)

    @property
    def opponents(self) -> dict[str, str]:
        """Which bot plays for which player in this match, e.g. `{"player2": "big_money"}`."""
        return {} if self._opponents is None else self._opponents.names

    @property
    def disqualified(self) -> dict[str, str]:
        """For each disqualified player, the code of the reason."""
        left = self._match.disqualified if self.is_begun else {}
        return {seat_id(other): str(left[other].code) for other in left}

    def facts(self, seat: int) -> dict[str, float]:
        """Return more numbers about the match and a seat, for the `infos` of PettingZoo.

        Before the end of the match, all of them except the seed are 0.
        """
        outcome = self.outcome
        # Always return the same keys, because vector environments use the keys of the first match
        # for all of them.
        if outcome is None:
            return {"seed": self.seed, "rank": 0, "score": 0, "margin": 0, "disqualified": 0}
        scores = [standing.score for standing in self._match.standings()]
        return {
            "seed": self.seed,
            "rank": outcome.ranks[seat],
            "score": scores[seat],
            "margin": _margin(scores, seat),
            "disqualified": len(self._match.disqualified),
        }

    def _play_until_due(self) -> None:
        match, opponents = self._match, self._opponents
        while True:
            for entry in match.take_entries():
                if type(entry) is Sent and opponents is not None:
                    opponents.queue(entry)
                elif type(entry) is Fault and entry.seat in self._players:
                    # The translator has checked the actions of a learner. If the rules find a fault
                    # anyway, the environment has a bug, and nobody should train with it.
                    name, text = match.definition.name, "a legal action has led to a fault"
                    if is_from_outside(name):
                        raise GameError(f"{name}: {text}: {entry.detail}")
                    raise InternalError(f"{text}: {entry.detail}")
            self.due = tuple([seat for seat in match.due if seat in self._players])
            for seat in self.due:
                self._views[seat], self._actions[seat] = match.view(seat), []
                self._players[seat].look(self._views[seat], asked=True)
            if self.due or opponents is None:
                return
            if not match.due:
                opponents.finish(match)
                return
            opponents.play_due(match)


def results_of(ranks: Sequence[int]) -> list[float]:
    """Return each seat's result, from 1 if it has beaten all others to -1 if all have beaten it."""
    others = len(ranks) - 1
    return [sum((other > own) - (other < own) for other in ranks) / others for own in ranks]


def _margin(scores: Sequence[float], seat: int) -> float:
    return scores[seat] - max(score for other, score in enumerate(scores) if other != seat)


def _checked(opponents: Bots | None, players: int | None) -> Bots:
    if opponents is None:
        return []
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        # Don't accept a string, although it's a sequence. opponents="big_money" would be nine bots
        # with one letter each.
        raise UsageError(
            f'opponents are given as a list, such as [None, "big_money"], not {opponents!r}'
        )
    if all(bot is not None for bot in opponents):
        raise UsageError("opponents has None for each seat that the program plays: give one")
    if players not in (None, len(opponents)):
        raise UsageError(f"players is {players}, and opponents has {len(opponents)} seats")
    return opponents
