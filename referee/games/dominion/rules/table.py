"""The table, with basic moves such as gaining, trashing and discarding cards.

Each move changes the cards and adds the messages about it, in the order of protocol-v1, 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from referee.games.dominion.rules import messages as say
from referee.games.dominion.rules.cards import COST, WORTH
from referee.games.dominion.rules.faults import SECTIONS
from referee.games.dominion.rules.player import Player, TurnState
from referee.games.dominion.rules.supply import Supply
from referee.games.interface import table as interface
from referee.games.interface.random_source import RandomSource
from referee.games.interface.sentence import Card, Part, listed
from referee.games.interface.table import Move, Moved, moves_of


class Table(interface.Table[Player]):
    """Players, supply and the messages about their changes.

    Effects and turns go through these methods, so they can't forget to publish a change.
    """

    sections = SECTIONS

    def __init__(self, chance: RandomSource, players: int, kingdom: Iterable[str]) -> None:
        super().__init__([Player(seat, chance) for seat in range(players)])
        self._chance = chance
        self.turn: TurnState | None = None  # the current turn
        self.supply = Supply(players, kingdom)

    def gain(
        self, player: Player, card: str, *, to_hand: bool = False, money: int | None = None
    ) -> None:
        """Give the player a card from the supply. The pile must not be empty.

        Args:
            to_hand: True if the card goes to the hand instead of the discard pile.
            money: the player's money before the purchase, or None if the card isn't bought.
        """
        self.supply.take(card)
        (player.hand if to_hand else player.discard_pile).append(card)
        player.count_one_more(card)
        self.events += (say.PlayerGained(player.number, card), self.supply.info)
        if self.watchers:
            public = [Move(player.seat, "supply", "hand" if to_hand else "discard", card)]
            gained = Card(card)
            told: list[Part] = ["gains ", gained]
            # The player knows that it has bought this card. Other players can't tell whether it was
            # bought or gained by an action.
            bought: list[Part] = ["buys ", gained, f" for {COST[card]} of {money}"]
            did = told if money is None else bought
            self.moved(
                Moved(
                    player.seat,
                    public,
                    public,
                    public,
                    did,
                    told,
                    [card],
                    counters=self._counters(player),
                )
            )

    def played(self, player: Player, card: str, *, back: bool = False) -> None:
        """Notify watchers of a played card. The other players only see it at the clean-up.

        Args:
            back: True if the card goes back to the hand, because it couldn't be played.
        """
        if self.watchers:
            way = ("play", "hand") if back else ("hand", "play")
            own = [Move(player.seat, *way, card)]
            did: list[Part] = ["takes back " if back else "plays ", Card(card)]
            self.moved(Moved(player.seat, own, own, did=did, counters=self._counters(player)))

    def _counters(self, player: Player) -> tuple[int, ...]:
        """Return remaining actions, buys and money, or () if it isn't the player's turn."""
        turn = self.turn
        if turn is None or turn.player is not player:
            return ()
        # Treasures in hand count as money, because a person sees them as money to spend. (In the
        # rules, treasures only become money when a buy reply plays them.)
        treasures = sum(WORTH.get(card, 0) for card in chain(player.hand, player.in_play))
        spent = sum(COST[card] for card in turn.bought)
        return turn.actions, turn.buys - len(turn.bought), turn.money + treasures - spent

    def trash(self, player: Player, card: str) -> None:
        player.hand.remove(card)
        player.counted = None
        self.events.append(say.PlayerTrashed(player.number, [card]))
        if self.watchers:
            public = [Move(player.seat, "hand", "trash", card)]
            told: list[Part] = ["trashes ", Card(card)]
            self.moved(Moved(player.seat, public, public, public, told, told))

    def discard(
        self, player: Player, cards: list[str], played: Sequence[str] | None = None
    ) -> None:
        """Put cards on the discard pile. The last card ends up on top.

        The caller must already have removed them from the hand or from play.

        Args:
            played: the cards that were in play if this is the clean-up, otherwise None.
        """
        if cards:
            player.discard_pile += cards
            self.events.append(say.PlayerTopDiscard(player.number, cards[-1]))
            if self.watchers:
                self.moved(_discarded(player, cards, played))

    def draw(self, player: Player, count: int) -> None:
        before = len(player.hand)
        if player.draw(count):
            self.events.append(say.PlayerShuffled(player.number))
        if self.watchers:
            drawn = player.hand[before:]
            whole = moves_of(player.seat, drawn, "deck", "hand")
            # Until its next request, the player only knows how many cards it has drawn. The others
            # don't even know that.
            own = [Move(player.seat, "deck", "hand", count=len(drawn))] if drawn else []
            self.moved(Moved(player.seat, whole, own, ()))

    def take_at_random(self, player: Player, count: int) -> list[str]:
        """Let the referee choose `count` cards at random, and remove them from the hand (7.4)."""
        taken = self._chance.take("referee", player.hand, count, player.number)
        # The player knows which card is on top of the pile now, but not which others we have taken.
        player.is_shown, player.unseen = False, taken[:-1]
        return taken

    def others(self, player: Player) -> list[Player]:
        """Return the other players in the match, in turn order from the player's left (7.1)."""
        order = [*self.players[player.seat + 1 :], *self.players[: player.seat]]
        return [other for other in order if not other.left]


def _discarded(player: Player, cards: Sequence[str], in_play: Sequence[str] | None) -> Moved:
    """Describe a discard for watchers. Everybody sees the top card and cards that were in play."""
    played = in_play or ()
    from_hand = (Counter(cards) - Counter(played)).elements()
    from_play = moves_of(player.seat, played, "play", "discard")
    whole = [*from_play, *moves_of(player.seat, from_hand, "hand", "discard")]
    top = [] if cards[-1] in played else [Move(player.seat, "hand", "discard", cards[-1])]
    public = [*from_play, *top]
    if in_play is not None:  # at the end of a turn, all counters become 0
        own = whole if player.is_shown else public
        return Moved(player.seat, whole, own, public, shows=played, counters=(0, 0, 0))
    # The referee has chosen these cards at random, and the player doesn't know yet which ones.
    if not player.is_shown:
        return Moved(player.seat, whole, public, public)
    return Moved(player.seat, whole, whole, public, ["discards ", *listed(map(Card, cards))])
