"""A game's entry in `referee.games.GAMES`, through which the rest of the referee sees the game.

If games need different behaviour somewhere, they differ in a field of this struct. No other code
checks which game is played.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.games.interface.capabilities import LogChecker, Starters, Statistics
from referee.games.interface.dialect import Adapter, DialectKind
from referee.games.interface.dialogue import Dialogue
from referee.games.interface.environment import Environment
from referee.games.interface.faults import END_REASONS
from referee.games.interface.game import Game, GameSetup, Score
from referee.games.interface.log_player import DifferenceError, LogPlayer
from referee.games.interface.page import PageDefinition
from referee.games.interface.turns import TurnReader
from referee.games.interface.vocabulary import Vocabulary

if TYPE_CHECKING:
    from referee.games.interface.probing import Probes


class GameDefinition(Struct, frozen=True, eq=False, kw_only=True):
    """A game's entry in `referee.games.GAMES`.

    Attributes:
        name: id of the game in logs, such as "dominion".
        specification: the page that the section numbers in faults and findings refer to. This is
            its path in spec/ without ".md". For a page that isn't in spec/, it's the title.
        specification_text: Markdown with numbered sections, such as "### 4.3 Options". They replace
            the sections of that page with the same number. If the page isn't in spec/, this is the
            whole page.
        options: a struct with the options of the game and their defaults. Values are numbers,
            strings, booleans or lists of them.
        limits: name -> default, for limits whose default isn't the usual one.
        facts: the struct of `SeatState.facts`.
        public: the structs of its public messages.
        requests: the structs of its requests.
        replies: the structs of its replies.
        added_fields: message -> the fields that records of older versions don't have, newest first.
        faults: fault code -> section that defines it.
        reasons: end reason -> description, for reasons that aren't in `EndReason`. The description
            may contain `{winner}` and `{loser}`, as in "{loser} lost all botlets".
        hidden: words for the things that match records contain but spectator logs don't.
        tie_break: if scores are equal, the player with fewer of these wins, e.g. "turns taken". If
            it's empty, there's no tie-break.
        dialects: name -> dialect.
        fractions: True if a score can be a fraction, such as 0.5.
        bundled: the subfolder of example_bots/ with bots for a game that isn't built in, or "". The
            bots of a built-in game are in the folder with its name.
    """

    name: str
    protocol: int = 1
    specification: str
    specification_text: str = ""
    min_seats: int = 2
    max_seats: int = 2
    options: type[Struct]
    limits: Mapping[str, float] = {}
    tournament_limits: Mapping[str, float] = {}
    facts: type[Struct]
    new: Callable[[GameSetup], Game]
    public: tuple[type[Struct], ...]
    requests: tuple[type[Struct], ...]
    replies: tuple[type[Struct], ...]
    added_fields: Mapping[type[Struct], tuple[str, ...]] = {}
    faults: Mapping[str, str]
    reasons: Mapping[str, str]
    hidden: str = "hands, replies or faults"
    tie_break: str = ""
    dialects: Mapping[str, DialectKind] = {}
    fractions: bool = False
    bundled: str = ""

    # The optional parts of a game. A game can be played, recorded and used in tournaments without
    # them.

    is_game_info: Callable[[Mapping[str, Any]], bool] | None = None
    """Returns True if a `game-info` belongs to this game. By default we compare its field `game`
    with the name."""
    checker: Callable[[Sequence[str]], LogChecker] | None = None
    """Takes the players' names, in seat order, and creates a log checker."""
    log_player: Callable[[], LogPlayer] | None = None
    """Creates the object that infers replies from a spectator log. We use it to check the log and
    to show it on the page. A game with a log player doesn't need a `checker`."""
    turns: Callable[[Sequence[str]], TurnReader[Any]] | None = None
    """Takes the players' names, in seat order, and creates a `TurnReader`."""
    turn: type[Struct] | None = None
    """The struct that the `TurnReader` returns. `referee replay --format json` prints one per
    line."""
    person: Callable[[Sequence[str], int], Dialogue] | None = None
    """Takes the players' names, in seat order, and a person's seat. Creates the dialogue that this
    person has at the terminal."""
    statistics: Callable[[], Statistics] | None = None
    """Creates the object that collects statistics of tournaments."""
    adapters: Mapping[str, Adapter] = {}
    """Adapters for bots of foreign libraries, by the prefix of the BOT argument, such as "sot"."""
    notes: Callable[[Any], list[list[str]]] | None = None
    """Takes a finished game and returns sentences for the author of each bot, in seat order. They
    point out behaviour that isn't a fault but probably a mistake of the bot."""
    hint: Callable[[str, Mapping[str, Any], Mapping[str, Any]], str] | None = None
    """Takes the code of a fault, the request and the reply, and returns the likely cause as a
    clause. Returns "" if it has nothing to add to the detail of the fault."""
    cases: Callable[[], bytes] | None = None
    """Returns the conformance cases for bots, as JSON (tests/conformance/README.md)."""
    situation: Callable[[GameSetup, Mapping[str, Any]], Game] | None = None
    """Creates a game that begins in the middle, from a JSON object with the state."""
    simplest_reply: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Returns the simplest legal reply to a request, both as JSON objects."""
    starters: Starters | None = None
    """Templates of bots for `referee new`."""
    page: PageDefinition | None = None
    """How matches of this game are drawn in the browser."""
    vocabulary: Vocabulary | None = None
    """The words of the game's rule files, and the player that follows such a file."""
    make_environment: Callable[[], Environment] | None = None
    """Returns the environment for reinforcement learning. It's a function, because the environment
    imports numpy."""
    make_probes: Callable[[], Probes] | None = None
    """Returns the tests for other referees of this game."""

    @property
    def environment(self) -> Environment | None:
        """The environment for reinforcement learning, loaded on first use."""
        return None if self.make_environment is None else self.make_environment()

    def tells_hidden(self, dialect: str) -> bool:
        """Check whether bots of this dialect see hidden information. "" stands for no dialect."""
        return bool(dialect) and self.dialects[dialect].tells_hidden

    def announced(self, info: Any) -> Any:
        """Read the options of a match from its first public message.

        Every program that reads a log gets the options here. A message either has a field `options`
        or a field for each option. Options that it doesn't have get their defaults.

        Raises:
            DifferenceError: no match can have these options.
        """
        given = getattr(info, "options", info)
        try:
            return msgspec.convert(given, self.options, from_attributes=True)
        except (UsageError, KeyError, msgspec.ValidationError) as error:
            raise DifferenceError(f"options of the game: {error}") from None

    def why_ended(
        self, reason: str, names: Sequence[str] = (), winners: Collection[int] = ()
    ) -> str:
        """Describe an end reason in words, as a clause.

        Args:
            reason: the end reason. If we don't know it, we only replace its hyphens by spaces.
            names: the players' names, in seat order. Without names, the text says "the winner" and
                "the loser".
            winners: the seats of the winners.
        """
        words = {**END_REASONS, **self.reasons}.get(reason)
        if words is None:
            return reason.replace("-", " ")
        won = [name for seat, name in enumerate(names) if seat in winners]
        lost = [name for seat, name in enumerate(names) if seat not in winners]
        players = {
            "{winner}": " and ".join(won or names) or "the winner",
            "{loser}": " and ".join(lost or names) or "the loser",
        }
        # `str.format` would raise an exception if the text contains any other brace.
        return re.sub(r"\{(?:winner|loser)\}", lambda found: players[found[0]], words)

    @property
    def tie_note(self) -> str:
        """Why a match with equal scores has a winner, or "" if the game has no tie-break."""
        return f"level, won with fewer {self.tie_break}" if self.tie_break else ""

    def result_note(
        self, ranks: Sequence[int], scores: Sequence[Score], out: Sequence[bool]
    ) -> str:
        """Explain a draw, or why a player won although another one has the same score.

        All arguments are in seat order.

        Args:
            out: True for each seat that was disqualified.

        Returns:
            A clause, or "" if there's nothing to explain.
        """
        if ranks.count(1) > 1:
            return "drawn"
        seats = list(zip(ranks, scores, out, strict=False))
        won = [score for rank, score, _ in seats if rank == 1]
        lost = [score for rank, score, is_out in seats if rank > 1 and not is_out]
        return self.tie_note if len(won) == 1 and won[0] in lost else ""

    def probes(self) -> Probes:
        """Return the tests for other referees, which are imported on first use.

        Raises:
            UsageError: the game has no such tests.
        """
        if self.make_probes is None:
            raise UsageError("this game has no probes yet: other referees of it cannot be checked")
        return self.make_probes()


def part_of(module: str, name: str) -> Callable[[], Any]:
    """Return a function that imports a module and returns one of its attributes.

    A `GameDefinition` refers to slow modules in this way, so that a command only imports the parts
    of a game that it uses.
    """
    return lambda: getattr(import_module(module), name)


def called_late(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports the function `name` of a module when it is called."""
    return lambda *args: getattr(import_module(module), name)(*args)
