"""Summarizes each turn of a Scripts of Tribute match, for people and scripts (`referee replay`).

Only `game-info` contains the names, prices and HP of cards, so we keep its card table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import UNSET, Struct, field

from referee.games.interface import turns
from referee.games.interface.capabilities import Phrase, Picture
from referee.games.interface.counts import plural
from referee.games.interface.seats import seat_id, seat_of
from referee.games.interface.sentence import Card, Part
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.cards import CONTRACT_ACTION, CONTRACT_AGENT, TREASURY, title_of
from referee.games.tribute.rules.patrons import favour_after

_LABELS = {
    say.PLAY_CARD: "plays",
    say.ACTIVATE_AGENT: "activates",
    say.ATTACK: "attacks",
    say.BUY_CARD: "buys",
    say.CALL_PATRON: "calls",
}
_GAINS = {
    "gain-coin": "coins",
    "gain-power": "power",
    "gain-prestige": "prestige",
    "add-patron-calls": "more calls",
}
_DONE = {
    "acquire-card": "acquires {}",
    "replace-tavern": "replaces {}",
    "destroy-card": "destroys {}",
    "discard": "discards {}",
    "refresh": "puts {} on top",
    "toss": "tosses {}",
    "knockout": "knocks out {}",
    "knockout-all": "knocks out all agents",
    "opp-lose-prestige": "the other loses {} prestige",
    "add-bewilderment-to-opponent": "gives {}",
}
"""Phrases for events. Any other event with a card creates that card: "gets Writ of Coin"."""
_CONTRACTS = {CONTRACT_ACTION, CONTRACT_AGENT}


class Turn(turns.Turn, kw_only=True):
    """One turn, which is one line of `referee replay --format json`. Turn 1 begins with the draft.

    Attributes:
        coins, power: amounts gained, without subtracting prices. `coins` includes the coins at the
            start.
        prestige: amount gained, including unused power.
        bought: names of the bought cards.
        called: names of the called patrons.
        agents: names and HP of the agents after the turn, in seat order.
        favours: patron -> the favoured player after the turn, or null.
    """

    coins: int = 0
    power: int = 0
    prestige: int = 0
    bought: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    agents: list[list[str]] = field(default_factory=list)
    favours: dict[str, str | None] = field(default_factory=dict)


class Turns(turns.TurnReader[Turn]):
    """Builds the turns of a match from its messages. The score is the prestige."""

    turn_type = Turn
    styles: ClassVar[Mapping[str, str]] = {
        "attacks": "red",
        "buys": "green",
        "calls": "blue",
        "ends": "dim",
    }
    columns: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("coins", "power", "prestige"), ""),
        "bought": "cards",
        "called": "calls",
    }

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self._rows: dict[str, say.CardRow] = {}
        self._cards: dict[int, str] = {}  # uid -> card
        self._favours: dict[str, str | None] = {}
        self._agents: dict[int, tuple[str, int]] = {}  # uid -> owner, HP
        self._left: Counter[str] = Counter()  # unspent coins and power

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        match message:
            case say.TurnStarted(turn=turn, player_number=player, coins=coins):
                over = self.begin(turn, player)
                self._left = Counter(coins=coins)
                self.now.coins = coins
                return over
            case say.TurnEnded(prestige=scores):
                self._end_turn(scores)
            # Once the turn has ended, the player only draws a new hand. We don't report that.
            case say.PlayerDrew(count=count) if self.now.scores is None:
                self.add_effects(f"draws {plural(count, 'card')}")
            case say.PlayerShuffled() if self.now.scores is None:
                self.add_effects("shuffles")
            case say.GameInfo() | say.PatronPicked() | say.TableSet():
                self._set_up(message)
            case say.Acted(action=action):
                self._act(action)
            case say.Chosen(follow_up="discard-cards", cards=cards):
                for card in cards:
                    self.act("discards", self._title(card.card))
            case say.Event():
                self._handle_event(message)
        return []

    def close(self) -> Turn:
        self.now.favours = self._favours.copy()
        for seat in range(len(self._names)):
            own = [(uid, hp) for uid, (who, hp) in self._agents.items() if who == seat_id(seat)]
            self.now.agents.append([f"{self._title_of_uid(uid)} {hp}" for uid, hp in own])
        return super().close()

    def _set_up(self, message: say.GameInfo | say.PatronPicked | say.TableSet) -> None:
        match message:
            case say.GameInfo(card_table=rows):
                self._rows = {row.card: row for row in rows}
            case say.PatronPicked(player_number=player, patron=patron):
                self.act("drafts", title_of(patron), self._name(player))
            case say.TableSet():
                for cards in (message.row, message.tavern_deck, *message.starters):
                    self._cards |= {card.uid: card.card for card in cards}
                # The Treasury never favours anybody.
                self._favours = dict.fromkeys(p for p in message.patrons if p != TREASURY)

    def _end_turn(self, prestige: Sequence[int]) -> None:
        power, coins = self._left["power"], self._left["coins"]
        lost = [f"{_amount(coins, 'coins')} left over"] * (coins > 0)
        self.act("ends", "", *[f"{power} power becomes prestige"] * (power > 0), *lost)
        self.now.prestige += max(power, 0)
        self.now.scores = list(prestige)

    def _act(self, action: say.Action) -> None:
        label = _LABELS.get(action.type)
        if label is None:
            return
        if action.patron is not UNSET:
            self._call(action.patron)
            return
        # If the log is damaged, the card may be missing or unknown.
        uid = 0 if action.card is UNSET else action.card
        row = self._rows.get(self._cards.get(uid, ""))
        self.act(label, self._title_of_uid(uid))
        if row is None:
            return
        if label == "buys":
            self.append_limited(self.now.bought, row.name)
            self._left["coins"] -= row.cost
            self.add_effects(f"for {row.cost}")
        # Contract agents come into play when they're bought. All others go to the cooldown pile.
        if label == "plays" or (label == "buys" and row.type in _CONTRACTS):
            self._enter(uid, row)

    def _call(self, patron: str) -> None:
        self.append_limited(self.now.called, title_of(patron))
        self.act("calls", title_of(patron))
        # `_favours` doesn't contain the Treasury.
        if patron in self._favours:
            before = self._favours[patron]
            self._favours[patron] = after = favour_after(patron, before, self.now.player_number)
            if after != before:
                self.add_effects("neutral now" if after is None else f"favours {self._name(after)}")

    def _enter(self, uid: int, row: say.CardRow) -> None:
        # Only agents have HP.
        if row.hp is not None:
            self._agents[uid] = (self.now.player_number, row.hp)
            self.add_effects(f"{'taunt agent' if row.taunt else 'agent'} of {row.hp} HP")

    def _handle_event(self, event: say.Event) -> None:
        kind, amount, target = event.kind, event.amount, event.target
        if kind in _GAINS:
            self._gain(event.player_number, amount, _GAINS[kind])
        elif target is None:
            if kind in _DONE:  # draws aren't, because read() has already reported them
                self.add_effects(_DONE[kind].format(amount))
        else:
            self._cards[target.uid] = target.card
            self._handle_card_event(event, target)

    def _handle_card_event(self, event: say.Event, target: say.CardRef) -> None:
        kind, amount, name = event.kind, event.amount, self._title(target.card)
        row = self._rows.get(target.card)
        match kind:
            case "heal-agent":
                owner, hp = self._agents.get(target.uid, (event.player_number, 0))
                hp = min(hp + amount, row.hp if row is not None and row.hp else amount)
                self._agents[target.uid] = (owner, hp)
                self.add_effects(f"heals to {hp} HP")
            case "attack-agent":
                self.add_effects(f"with {amount}", *self._hit(target.uid, amount))
            case "agent-hit":
                left = self._hit(target.uid, amount)
                # At the end of a turn, unused power hits taunt agents. The last action has nothing
                # to do with it, so report it as an action of its own.
                self.act("attacks", name, f"with {amount} at the end", *left)
            case "agent-death":
                self._agents.pop(target.uid, None)  # we've already said "dies" after the attack
            case "discard" if self.now.actions and self.now.actions[-1].what == "discards":
                pass  # we've already reported this when `chosen` arrived
            case _:
                self.add_effects(_DONE.get(kind, "gets {}").format(name))
                if kind == "knockout-all":
                    self._agents.clear()
                elif kind in ("destroy-card", "knockout"):
                    self._agents.pop(target.uid, None)
                elif row is not None and kind == "acquire-card" and row.type in _CONTRACTS:
                    self._enter(target.uid, row)

    def _gain(self, player: str, amount: int, what: str) -> None:
        if player != self.now.player_number:
            self.add_effects(f"{self._name(player)} gets {_amount(amount, what)}")
            return
        self._left[what] += amount
        if amount > 0 and what in self.columns:
            setattr(self.now, what, getattr(self.now, what) + amount)
        effects = self.now.actions[-1].effects if self.now.actions else []
        # One action may give coins several times, e.g. if a combo is released. Only show the sum.
        same = (e for e in effects if re.fullmatch(rf"[0-9]+ {what}?", e))
        if amount > 0 and (before := next(same, "")):
            total = int(before.split()[0]) + amount
            effects[effects.index(before)] = _amount(total, what)
        elif amount:
            self.add_effects(f"{'for ' * (amount < 0)}{_amount(abs(amount), what)}")

    def _hit(self, uid: int, damage: int) -> list[str]:
        self._left["power"] -= damage
        if uid not in self._agents:
            return []
        owner, hp = self._agents[uid]
        if hp <= damage:
            del self._agents[uid]
            return ["dies"]
        self._agents[uid] = (owner, hp - damage)
        return [f"{hp - damage} HP left"]

    def _name(self, player: str) -> str:
        seat = seat_of(player, len(self._names))
        return player if seat is None else self._names[seat]

    def _title(self, card: str) -> str:
        return self._rows[card].name if card in self._rows else title_of(card)

    def _title_of_uid(self, uid: int) -> str:
        return self._title(self._cards.get(uid, f"card {uid}"))

    def part_of(self, action: turns.Action) -> Part:
        # Actions contain the names that people see, so we have to look up the card by its name.
        cards = (row.card for row in self._rows.values() if row.name == action.card)
        card = "" if action.what == "calls" else next(cards, "")
        return Card(card, name=action.card) if card else action.card

    def words(self, turn: Turn) -> list[Phrase | Picture]:
        parts = super().words(turn)
        for seat, agents in enumerate(turn.agents if turn.scores is not None else ()):
            favours = [title_of(p) for p, who in turn.favours.items() if who == seat_id(seat)]
            lists = (("agents", agents), ("favours of", favours))
            has = [f"{what} {', '.join(names)}" for what, names in lists if names]
            if has:
                parts.append(Phrase("after", f"{self._names[seat]}: {'; '.join(has)}", "dim"))
        return parts


def _amount(number: int, what: str) -> str:
    return f"{number} {what.removesuffix('s') if number == 1 else what}"
