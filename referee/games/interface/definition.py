"""A game's entry in `referee.games.GAMES`. This is how the rest of the referee sees a game.

Everything that makes a game special is defined here. No other code checks which game is played.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from referee.errors import UsageError
from referee.games.interface.capabilities import LogChecker, Starters, Statistics
from referee.games.interface.dialect import Adapter, DialectKind
from referee.games.interface.dialogue import Dialogue
from referee.games.interface.environment import Environment
from referee.games.interface.faults import END_REASONS
from referee.games.interface.game import Game, GameSetup, Score
from referee.games.interface.log_player import LogPlayer
from referee.games.interface.page import PageDefinition
from referee.games.interface.turns import TurnReader
from referee.games.interface.vocabulary import Vocabulary

if TYPE_CHECKING:
    from referee.games.interface.probing import Probes


class GameDefinition(Struct, frozen=True, eq=False, kw_only=True):
    """A game's entry in `referee.games.GAMES`.

    Attributes:
        name: id of the game in logs, such as "dominion".
        specification: the page with the sections of faults and findings: its path in spec/, without
            ".md", or its title if `specification_text` has the text.
        specification_text: Markdown whose sections replace sections of that page, or the whole page
            if it isn't in spec/. Sections are numbered: "### 4.3 Options".
        options: a struct with the options of the game and their defaults. Values are numbers,
            strings, booleans or lists of them.
        limits: name -> default, for limits whose defaults differ from the general ones.
        facts: the struct of `SeatState.facts`.
        public: the structs of its public messages.
        requests: the structs of its requests.
        replies: the structs of its replies.
        faults: its fault codes, each with the section that defines it.
        reasons: end reason -> description, for end reasons that aren't in `EndReason`: "{loser}
            lost all botlets". `{winner}` and `{loser}` stand for names.
        hidden: description of the information that a match record has and a spectator log lacks.
        tie_break: the quantity that decides ties, where less is better: "turns taken". Empty: none.
        dialects: name -> dialect.
        fractions: True if a score can be a fraction, such as 0.5.
        bundled: for a game from outside, the subfolder of example_bots/ with its bundled bots.
            Empty: none. Built-in games use the folder of their name.
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
    """Decides whether a message of type `game-info` belongs to this game. None: its field `game`
    decides."""
    checker: Callable[[Sequence[str]], LogChecker] | None = None
    """Creates a checker of logs from the players' names, in seat order."""
    log_player: Callable[[], LogPlayer] | None = None
    """Creates the object that infers replies from a log, for checking the log and for the page.
    Replaces a checker."""
    turns: Callable[[Sequence[str]], TurnReader[Any]] | None = None
    """Creates a reader of turns from the players' names, in seat order."""
    turn: type[Struct] | None = None
    """The struct of these turns. `referee replay --format json` prints one per line."""
    person: Callable[[Sequence[str], int], Dialogue] | None = None
    """Creates the dialogue of a person at the terminal, from the players' names in seat order and
    the person's seat."""
    statistics: Callable[[], Statistics] | None = None
    """Creates the collector of statistics for tournaments."""
    adapters: Mapping[str, Adapter] = {}
    """Prefix of a BOT argument, such as "sot" -> adapter for bots with this prefix."""
    notes: Callable[[Any], list[list[str]]] | None = None
    """Returns hints about probable mistakes that aren't faults, for authors of bots: for each
    seat, a list of sentences. The argument is a finished game, as created by `new`."""
    hint: Callable[[str, Mapping[str, Any], Mapping[str, Any]], str] | None = None
    """Returns the likely cause of a fault as a clause, from its code and the request and reply as
    JSON objects. Empty if the detail of the fault is sufficient."""
    cases: Callable[[], bytes] | None = None
    """Returns the conformance cases for bots, as JSON (spec/vectors/README.md)."""
    situation: Callable[[GameSetup, Mapping[str, Any]], Game] | None = None
    """Creates a game that begins in the middle, from a JSON object with the state."""
    simplest_reply: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Returns the simplest legal reply to a request, both as JSON objects."""
    starters: Starters | None = None
    """Templates of bots for `referee new`."""
    page: PageDefinition | None = None
    """The game's parts of the page that shows its matches."""
    vocabulary: Vocabulary | None = None
    """The words of the game's rule files, and the player that follows them."""
    make_environment: Callable[[], Environment] | None = None
    """Creates `environment`. It's a function, because the environment imports numpy."""
    make_probes: Callable[[], Probes] | None = None
    """Creates `probes`."""

    @property
    def environment(self) -> Environment | None:
        """The environment for reinforcement learning, loaded on first use."""
        return None if self.make_environment is None else self.make_environment()

    def why_ended(
        self, reason: str, names: Sequence[str] = (), winners: Collection[int] = ()
    ) -> str:
        """Describe an end reason in words, as a clause.

        Args:
            reason: the code. An unknown code is returned as it is.
            names: names of the players, in seat order. Empty: "the winner" and "the loser".
            winners: seats of the winners.
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
        # We don't use `str.format`, because it raises an exception for any other brace.
        return re.sub(r"\{(?:winner|loser)\}", lambda found: players[found[0]], words)

    @property
    def tie_note(self) -> str:
        """Explain why a match with equal scores has a winner. Empty: no tie-break."""
        return f"level, won with fewer {self.tie_break}" if self.tie_break else ""

    def result_note(
        self, ranks: Sequence[int], scores: Sequence[Score], out: Sequence[bool]
    ) -> str:
        """Explain a draw, or why a player has won in spite of an equal score.

        Args:
            ranks, scores: in seat order.
            out: True for each seat that was disqualified.

        Returns:
            A clause. Empty if there is nothing to explain.
        """
        if ranks.count(1) > 1:
            return "drawn"
        seats = list(zip(ranks, scores, out, strict=False))
        won = [score for rank, score, _ in seats if rank == 1]
        lost = [score for rank, score, is_out in seats if rank > 1 and not is_out]
        return self.tie_note if len(won) == 1 and won[0] in lost else ""

    def probes(self) -> Probes:
        """Return the tests of other referees, loaded on first use.

        Raises:
            UsageError: the game has no probes.
        """
        if self.make_probes is None:
            raise UsageError("this game has no probes yet: other referees of it cannot be checked")
        return self.make_probes()


def part_of(module: str, name: str) -> Callable[[], Any]:
    """Return a function that imports a module on its first call and returns its attribute.

    Thanks to this, a command doesn't load the parts of a game that it doesn't use.
    """
    return lambda: getattr(import_module(module), name)
