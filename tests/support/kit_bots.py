"""Bots that use the kit the way users do. mypy checks this file in strict mode."""

from __future__ import annotations

from referee.bot import CARDS, Cards, DominionBot, Reply, State, buy, end_turn, play, reveal_moat


class TenLines(DominionBot):
    name = "Ten Lines"

    def play_turn(self, state: State) -> Reply:
        for card in ("province", "gold", "silver"):
            if state.can_buy(card):
                return buy(card)
        return end_turn()


class Everything(DominionBot):
    """Plays every card, even if it is useless."""

    # Many bots don't call `super().__init__()` either, so that has to work.
    def __init__(self, provinces: int = 8) -> None:
        self.provinces = provinces

    def play_turn(self, state: State) -> Reply | list[str] | None:
        for card in state.playable:
            match card:
                case "cellar":
                    return play(card, discard=[c for c in state.hand if not CARDS[c].cost])
                case "mine" if "silver" in state.treasures and state.supply["gold"]:
                    return play(card, trash="silver", gain="gold")
                case "remodel" if "estate" in state.hand and state.supply["militia"]:
                    return play(card, trash="estate", gain="militia")
                case "workshop" if gains := state.in_supply(CARDS["workshop"].gains):
                    return play(card, gain=min(gains, key=state.count))
                case "mine" | "remodel" | "workshop":
                    continue
            return play(card)
        if state.can_buy("province") and state.me.cards["province"] < self.provinces:
            return ["province"]
        wishes = [c for c, count in state.supply.items() if count and state.can_buy(c)]
        if not wishes:
            return None
        wish = min(wishes, key=lambda card: (state.count(card), -CARDS[card].cost))
        return [wish, "copper"] if state.can_buy(wish, "copper") else buy(wish)

    def discard(self, state: State, count: int) -> Reply | Cards:
        if "moat" in state.hand:
            return reveal_moat()
        behind = all(other.points > state.me.points for other in state.others)
        return sorted(state.hand, reverse=behind)[:count]
