"""The log player of Star Realms infers each reply from the messages that follow it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import Struct

from referee.games.interface.log_player import DifferenceError, End
from referee.games.starrealms.log_player import StarRealmsLog
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.player import Piece, Player

ME = "player1"
END: dict[str, str] = {"action": "end-turn"}


def discarded(*cards: str) -> say.PlayerDiscarded:
    return say.PlayerDiscarded(ME, list(cards))


def scrapped(card: str, place: str) -> say.PlayerScrapped:
    return say.PlayerScrapped(ME, card, place)


def row(*cards: str) -> say.TradeRow:
    return say.TradeRow(list(cards), 9, 10)


def gained(card: str, paid: int = 0) -> say.PlayerGained:
    return say.PlayerGained(ME, card, paid, "discard")


DREW, SHUFFLED = say.PlayerDrew(ME, 1), say.PlayerShuffled(ME)
ENDED = say.TurnEnded(1, ME, [], [], [], [], [])
USED = say.PlayerUsed(ME, "Blob Wheel", "primary")


def infer(
    ahead: list[Struct], *, hand: str = "", deck: str = "", kind: str = "", **more: Any
) -> tuple[Any, list[str]]:
    """Return the inferred picks or action, and the hand afterwards. Cards are "Scout, Ram"."""
    player, opponent = Player(0), Player(1)
    player.hand, player.deck = cards(hand), cards(deck)
    player.discard = cards(more.pop("discard", ""))
    opponent.in_play = [Piece(CARDS[card]) for card in cards(more.pop("bases", ""))]
    table = SimpleNamespace(row=cards(more.pop("row", "")), trade_deck=[], explorers=10)
    question = SimpleNamespace(kind=kind, **{"least": 0, "most": 1, "options": []} | more)
    turn = SimpleNamespace(player=player, opponent=opponent, question=question if kind else None)
    game: Any = SimpleNamespace(table=table, turn=turn)
    reply: Any = StarRealmsLog().reply(game, None, ahead)  # type: ignore[arg-type]
    found = reply and (reply.picks if kind else reply.actions[0])
    return found, player.hand


def cards(words: str) -> list[str]:
    return words.split(", ") if words else []


@pytest.mark.parametrize(
    ("ahead", "action"),
    [
        (say.PlayerUsed(ME, "Ram", "ally"), {"action": "use-ally", "card": "Ram"}),
        (USED, {"action": "use-base", "card": "Blob Wheel"}),
        (scrapped("Ram", "play"), {"action": "scrap", "card": "Ram"}),
        (scrapped("Ram", "hand"), END),
        (gained("Ram", 3), {"action": "buy", "card": "Ram", "to": "discard"}),
        (say.BaseDestroyed(ME, "Junkyard", 5), {"action": "attack-base", "card": "Junkyard"}),
        (say.PlayerAttacked(ME, 1, 49), {"action": "attack-player"}),
        (discarded("Viper"), END),
        (ENDED, END),
    ],
)
def test_an_action(ahead: Struct, action: dict[str, str]) -> None:
    assert infer([ahead], hand="Scout, Scout")[0] == action


def test_the_clean_up_discards_the_hand_in_the_order_of_the_log() -> None:
    """A discard of other cards than the whole hand isn't the clean-up, so the hand stays."""
    assert infer([discarded("Ram", "Scout")], hand="Scout, Viper", deck="Ram")[1] == [
        "Ram",
        "Scout",
    ]
    assert infer([discarded("Ram")], hand="Scout, Viper", deck="Ram")[1] == ["Scout", "Viper"]


@pytest.mark.parametrize(
    ("least", "hand", "deck", "after", "picks"),
    [
        # The player must discard, or the hand has other cards left, so it isn't the clean-up.
        (1, "Scout", "", [], [0]),
        (0, "Viper, Scout", "", [], [1]),
        # The deck has enough cards to tell the two draws apart.
        (0, "Scout", "Ram, Ram", [DREW], [0]),
        (0, "Scout", "Ram, Ram", [say.PlayerDrew(ME, 2)], []),
        (0, "Scout", "Ram, Ram", [USED], [0]),
        # Otherwise, only the next message of another kind tells.
        (0, "Scout", "", [], None),
        (0, "Scout", "Ram", [DREW], None),
        (0, "Scout", "Ram", [say.PlayerDrew(ME, 2), ENDED], []),
        (0, "Scout", "", [SHUFFLED, DREW, USED], [0]),
        (0, "Scout", "", [SHUFFLED, DREW, ENDED], []),
        (0, "Scout", "", [ENDED], []),
    ],
)
def test_a_discard_is_a_choice_or_the_clean_up(
    least: int, hand: str, deck: str, after: list[Struct], picks: list[int] | None
) -> None:
    ahead = [discarded("Scout"), *after]
    assert infer(ahead, hand=hand, deck=deck, kind="discard", least=least)[0] == picks


def test_a_discard_shows_cards_of_the_hand() -> None:
    ahead: list[Struct] = [discarded("Ram", "Ram")]
    more: Any = {"kind": "discard", "least": 2, "most": 2}
    assert infer(ahead, hand="Scout, Ram, Viper", deck="Ram", **more) == (
        [1, 2],
        ["Scout", "Ram", "Ram"],
    )
    for hand, deck in (("Scout, Ram", "Scout"), ("Ram", "Ram")):
        with pytest.raises(DifferenceError, match="can be in the hand"):
            infer(ahead, hand=hand, deck=deck, **more)


@pytest.mark.parametrize(
    ("kind", "ahead", "picks"),
    [
        # The row that follows shows which of two copies is gone, and new cards come last.
        ("scrap-trade-row", [scrapped("Ram", "trade-row")], None),
        ("scrap-trade-row", [scrapped("Ram", "trade-row"), row("Junkyard", "Ram")], [0]),
        ("scrap-trade-row", [scrapped("Ram", "trade-row"), row("Ram", "Junkyard", "Ram")], [2]),
        ("scrap-trade-row", [scrapped("Ram", "trade-row"), ENDED], [0]),
        ("scrap-trade-row", [scrapped("Cutter", "trade-row"), ENDED], []),
        ("scrap-trade-row", [scrapped("Ram", "hand"), ENDED], []),
        # Only ships can be gained, so the Junkyard is not an option.
        ("gain-ship", [gained("Ram"), row("Ram", "Junkyard")], [1]),
        ("gain-ship", [gained("Ram", 3), row("Ram", "Junkyard")], []),
    ],
)
def test_a_card_of_the_row(kind: str, ahead: list[Struct], picks: list[int] | None) -> None:
    assert infer(ahead, kind=kind, row="Ram, Junkyard, Ram")[0] == picks


@pytest.mark.parametrize(
    ("least", "most", "ahead", "picks"),
    [
        (0, 1, [scrapped("Scout", "discard")], [0]),
        (0, 2, [scrapped("Scout", "discard")], None),
        (0, 2, [scrapped("Scout", "discard"), USED], [0]),
        (0, 2, [scrapped("Scout", "hand"), scrapped("Scout", "discard"), USED], [2, 0]),
        (0, 2, [scrapped("Scout", "discard"), scrapped("Ram", "play")], [0]),
        # An Explorer changes the row, which is published before the next card is scrapped.
        (0, 2, [scrapped("Explorer", "discard"), row(), scrapped("Scout", "hand")], [1, 2]),
        (0, 2, [scrapped("Scout", "discard"), row(), scrapped("Scout", "hand")], [0]),
        # A card that must be scrapped is one of the hand.
        (1, 1, [scrapped("Scout", "hand")], [0]),
    ],
)
def test_scrapped_cards(
    least: int, most: int, ahead: list[Struct], picks: list[int] | None
) -> None:
    asked: Any = {"kind": "scrap", "least": least, "most": most}
    assert infer(ahead, hand="Scout", discard="Scout, Explorer", **asked)[0] == picks


def test_other_choices() -> None:
    ships = [say.Option("Ram", "play"), say.Option("Cutter", "play")]
    copied: list[Struct] = [say.PlayerCopied(ME, "Cutter")]
    assert infer(copied, kind="copy-ship", options=ships)[0] == [1]
    assert infer([say.PlayerChose(ME, "Ram", 2)], kind="option")[0] == [1]
    bases = "Blob Wheel, Junkyard, The Hive"
    for combat, picks in ((0, [0]), (5, [])):
        destroyed: list[Struct] = [say.BaseDestroyed("player2", "Junkyard", combat)]
        assert infer(destroyed, kind="destroy-base", bases=bases)[0] == picks
    with pytest.raises(DifferenceError, match="can be there"):
        infer([say.BaseDestroyed("player2", "Ram", 0)], kind="destroy-base", bases=bases)


def test_new_cards_of_the_row_come_from_the_trade_deck() -> None:
    log, table = StarRealmsLog(), SimpleNamespace(row=["Ram"], trade_deck=["Cutter"], explorers=10)
    player = SimpleNamespace(deck=[], hand=[])
    game: Any = SimpleNamespace(table=table, turn=SimpleNamespace(player=player, question=None))
    log.reply(game, None, [ENDED])  # type: ignore[arg-type]
    assert not log.settle(game, say.TradeRow(["Ram"], 1, 10), say.TradeRow(["Cutter"], 1, 10))
    assert table.row == ["Ram"]
    table.trade_deck = ["Cutter", "Junkyard"]
    log.reply(game, None, [ENDED])  # type: ignore[arg-type]
    table.row, table.trade_deck = ["Ram", "Junkyard"], ["Cutter"]
    expected = say.TradeRow(["Ram", "Junkyard"], 1, 10)
    assert not log.settle(game, expected, End([], [], ""))
    assert log.settle(game, expected, say.TradeRow(["Ram", "Cutter"], 1, 10))
    assert (table.row, table.trade_deck) == (["Ram", "Cutter"], ["Junkyard"])
    assert not log.settle(game, expected, say.TradeRow(["Ram", "Cutter"], 0, 10))
    with pytest.raises(DifferenceError, match="still in the trade deck"):
        log.settle(game, expected, say.TradeRow(["Ram", "Viper"], 1, 10))
