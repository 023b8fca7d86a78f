"""The situations of section 16 on the second rules. Test names begin with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.games.tribute.second.cards import OFFERED, Card, Options
from tests.games.tribute.second.engine import Agent, Game, Player
from tests.games.tribute.second.vectors import legal_replies

PILES = ("hand", "pile", "played", "cooldown")


class Scene(Game):
    """A game that starts in the first turn, in a given situation.

    Lists of cards are strings of ids with spaces in between.

    Args:
        patrons: the four patrons, in the order of the picks. Missing ones are filled up.
        me, other: what players 1 and 2 have: hand, pile, played, cooldown, agents, coins, power,
            prestige, calls. The default is empty or 0.
        row, deck: cards of the tavern.
    """

    def __init__(
        self,
        patrons: str,
        *,
        me: dict[str, Any] | None = None,
        other: dict[str, Any] | None = None,
        row: str = "",
        deck: str = "",
        max_turns: int = 500,
        max_actions: int = 1000,
    ) -> None:
        named = patrons.split()
        self._picks = (
            named + [patron for patron in OFFERED if patron not in named][: 4 - len(named)]
        )
        self._scene = ([me or {}, other or {}], row, deck)
        options = Options(max_turns=max_turns, max_actions=max_actions)
        super().__init__(options, 1, ("A", "B"))
        for patron in self._picks:
            self.answer({"type": "patron-reply", "patron": patron})

    def _set_up(self) -> None:
        super()._set_up()
        sides, row, deck = self._scene
        for player, side in zip(self.players, sides, strict=True):
            for pile in PILES:
                setattr(player, pile, self._cards(side.get(pile, "")))
            agents = self._cards(side.get("agents", ""))
            player.agents = [Agent(card, card.of.hp or 0, activated=False) for card in agents]
            for figure in ("coins", "power", "prestige"):
                setattr(player, figure, side.get(figure, 0))
            player.calls = side.get("calls", 1)
        self.row = self._cards(row)
        self.deck = self._cards(deck)
        self.events.clear()

    def _cards(self, ids: str) -> list[Card]:
        return [self._new(self.set.cards[card]) for card in ids.split()]

    @property
    def asked(self) -> Any:
        assert self.request is not None
        return self.request.message

    @property
    def listed(self) -> list[str]:
        """The ids of the cards on offer."""
        return [card["card"] for card in self.asked["cards"]]

    def can(self, kind: str) -> list[str]:
        """The ids of the cards or patrons in the legal actions of this type."""
        cards = {card.uid: card.of.id for card in self.everywhere()}
        return [
            action.get("patron") or cards[action["card"]]
            for action in self.asked["actions"]
            if action["type"] == kind
        ]

    def everywhere(self) -> list[Card]:
        found = [*self.row, *self.deck]
        for player in self.players:
            found += [*player.hand, *player.pile, *player.played, *player.cooldown]
            found += player.agent_cards
        return found

    def do(self, kind: str, *names: str) -> Scene:
        """Carry out this type of action for each of the names."""
        for name in names:
            actions = [action for action in self.asked["actions"] if action["type"] == kind]
            action = actions[self.can(kind).index(name)]
            self.answer({"type": "play-reply", "action": action})
        return self

    def play(self, *names: str) -> Scene:
        return self.do("play-card", *names)

    def buy(self, *names: str) -> Scene:
        return self.do("buy-card", *names)

    def call(self, *names: str) -> Scene:
        return self.do("call-patron", *names)

    def end(self) -> Scene:
        self.answer({"type": "play-reply", "action": {"type": "end-turn"}})
        return self

    def choose(self, *names: str) -> Scene:
        left = list(self.asked["cards"])
        uids = []
        for name in names:
            card = next(card for card in left if card["card"] == name)
            left.remove(card)
            uids.append(card["uid"])
        self.answer({"type": "choose-reply", "cards": uids})
        return self

    def pick(self, index: int) -> Scene:
        self.answer({"type": "choose-reply", "effect": index})
        return self

    def told(self, *types: str) -> list[Any]:
        return [
            event for event in self.events if isinstance(event, dict) and event["type"] in types
        ]


def ids(cards: Sequence[Card]) -> list[str]:
    return [card.of.id for card in cards]


def figures(player: Player) -> tuple[int, int]:
    return player.coins, player.power


def test_4_agents_in_a_combo() -> None:
    scene = Scene("SAINT_ALESSIA", me={"hand": "ALESSIAN_REBEL SOLDIER_OF_THE_EMPIRE"})
    me = scene.me
    scene.play("ALESSIAN_REBEL")
    assert (ids(me.agent_cards), me.coins) == (["ALESSIAN_REBEL"], 0)
    scene.play("SOLDIER_OF_THE_EMPIRE").pick(0)
    assert me.coins == 3


def test_5_saint_alessia() -> None:
    scene = Scene("SAINT_ALESSIA", me={"coins": 99, "calls": 10}, other={"coins": 9})
    me, other = scene.me, scene.other
    scene.call("SAINT_ALESSIA")
    assert (ids(me.cooldown), me.coins) == (["SOLDIER_OF_THE_EMPIRE"], 95)
    assert scene.favours["SAINT_ALESSIA"] == 0
    scene.call("SAINT_ALESSIA")
    assert ids(me.cooldown)[1:] == ["CHAINBREAKER_SERGEANT"]
    scene.end().call("SAINT_ALESSIA")
    assert scene.favours["SAINT_ALESSIA"] is None
    assert (figures(other), other.cooldown) == ((5, 2), [])


def test_6_donate() -> None:
    hand = "PRIESTESS_OF_THE_EIGHT SOLDIER_OF_THE_EMPIRE THE_ARMORY"
    pile = "CHAINBREAKER_CAPTAIN MORIHAUS_THE_ARCHER"
    scene = Scene("SAINT_ALESSIA", me={"hand": hand, "pile": pile})
    scene.play("PRIESTESS_OF_THE_EIGHT").pick(1)
    assert (scene.asked["min"], scene.asked["max"]) == (0, 2)
    scene.choose("THE_ARMORY", "SOLDIER_OF_THE_EMPIRE")
    assert ids(scene.me.hand) == pile.split()
    assert ids(scene.me.cooldown) == ["SOLDIER_OF_THE_EMPIRE", "THE_ARMORY"]


def test_7_8_knockout_all_or_draw() -> None:
    sides: dict[str, Any] = {
        "me": {"hand": "AYLEID_DEFECTOR", "agents": "NO_SHIRA_POET", "pile": "GOLD"},
        "other": {"agents": "HEL_SHIRA_HERALD"},
    }
    scene = Scene("SAINT_ALESSIA ANSEI", **sides)
    scene.play("AYLEID_DEFECTOR").pick(1)
    assert ids(scene.me.cooldown) == ["NO_SHIRA_POET"]
    assert ids(scene.other.cooldown) == ["HEL_SHIRA_HERALD"]
    assert scene.me.agents == scene.other.agents == []
    scene = Scene("SAINT_ALESSIA ANSEI", **sides)
    scene.play("AYLEID_DEFECTOR").pick(0)
    assert (len(scene.other.agents), ids(scene.me.hand)) == (1, ["GOLD"])


def test_9_to_11_morihaus() -> None:
    sacraments = "BLACK_SACRAMENT BLACK_SACRAMENT"
    scene = Scene(
        "SAINT_ALESSIA",
        me={"hand": sacraments, "agents": "MORIHAUS_SACRED_BULL"},
        other={"agents": "MORIHAUS_SACRED_BULL MORIHAUS_THE_ARCHER SOLDIER_OF_THE_EMPIRE"},
    )
    me, other = scene.me, scene.other
    scene.play("BLACK_SACRAMENT").choose("SOLDIER_OF_THE_EMPIRE")
    assert (me.coins, other.coins) == (1, 2)
    scene.play("BLACK_SACRAMENT").choose("MORIHAUS_THE_ARCHER")
    assert (me.coins, other.coins) == (2, 3)
    news = [(e.get("kind"), e["player_number"]) for e in scene.told("event", "chosen")[-4:]]
    paid = [("gain-coin", "player1"), ("gain-coin", "player2")]
    assert news == [(None, "player1"), *paid, ("knockout", "player1")]
    scene.end()
    assert other.coins == 3  # the coin is kept (situation 53)


def test_12_return_agent_top() -> None:
    cooldown = "GOLD CHAINBREAKER_SERGEANT"
    scene = Scene("SAINT_ALESSIA", me={"hand": "WHITESTRAKE_ASCENDANT", "cooldown": cooldown})
    scene.play("WHITESTRAKE_ASCENDANT").pick(1)
    assert (scene.listed, scene.asked["max"]) == (["CHAINBREAKER_SERGEANT"], 1)
    scene.choose("CHAINBREAKER_SERGEANT")
    assert ids(scene.me.pile) == ["CHAINBREAKER_SERGEANT"]
    assert scene.me.known == 1


def test_13_heal_of_an_agent_that_is_gone() -> None:
    scene = Scene(
        "PELIN RED_EAGLE",
        me={"hand": "KNIGHT_COMMANDER BRIARHEART_RITUAL BANGKORAI_SENTRIES"},
    )
    scene.play("KNIGHT_COMMANDER", "BRIARHEART_RITUAL").choose("KNIGHT_COMMANDER")
    scene.play("BANGKORAI_SENTRIES")
    assert scene.me.power == 3 + 1 + 1
    assert not [event for event in scene.told("event") if event["kind"] == "heal-agent"]


def test_13_heal_up_to_full() -> None:
    scene = Scene("PELIN", me={"hand": "KNIGHT_COMMANDER BANNERET"})
    scene.play("KNIGHT_COMMANDER")
    scene.me.agents[0].hp = 4
    scene.play("BANNERET")
    assert scene.me.agents[0].hp == 5
    [heal] = [event for event in scene.told("event") if event["kind"] == "heal-agent"]
    assert (heal["amount"], heal["source"]) == (2, heal["target"])


def test_14_29_attack() -> None:
    scene = Scene("PELIN", me={"power": 1}, other={"agents": "BLACKFEATHER_KNIGHT"})
    scene.do("attack", "BLACKFEATHER_KNIGHT")
    assert (scene.other.agents[0].hp, scene.me.power) == (2, 0)
    scene = Scene("PELIN", me={"power": 10}, other={"agents": "OATHMAN CLANWITCH"})
    scene.do("attack", "OATHMAN", "CLANWITCH")
    assert (ids(scene.other.cooldown), scene.me.power) == (["OATHMAN"], 5)
    # A contract agent returns to the tavern deck (situation 52).
    assert ids(scene.deck) == ["CLANWITCH"]
    kinds = [event["kind"] for event in scene.told("event")]
    assert kinds == ["attack-agent", "agent-death"] * 2


def test_15_49_acquired_contract() -> None:
    scene = Scene("HLAALU", me={"hand": "HLAALU_KINSMAN"}, row="GOLD KWAMA_EGG_MINE", deck="PECK")
    scene.play("HLAALU_KINSMAN").choose("KWAMA_EGG_MINE")
    # The contract counts for the Kinsman's combo 2, which asks for a choice.
    assert scene.asked["follow_up"] == "replace-cards-in-tavern"
    assert (scene.listed, ids(scene.deck)) == (["GOLD", "PECK"], ["KWAMA_EGG_MINE"])
    for deck, place in (("", "KWAMA_EGG_MINE"), ("PECK", "PECK")):
        scene = Scene("HLAALU", me={"coins": 3}, row="KWAMA_EGG_MINE GOLD", deck=deck)
        scene.buy("KWAMA_EGG_MINE")
        assert (ids(scene.row), scene.me.coins) == ([place, "GOLD"], 2)


def test_18_36_pelin() -> None:
    for power, cooldown, listed in (
        (6, "OATHMAN", True),
        (1, "OATHMAN", False),
        (6, "GOLD", False),
    ):
        scene = Scene("PELIN", me={"power": power, "cooldown": cooldown})
        assert ("PELIN" in scene.can("call-patron")) == listed
    scene = Scene("PELIN", me={"power": 3, "cooldown": "GOLD OATHMAN CLANWITCH"})
    scene.call("PELIN")
    assert (scene.listed, scene.me.power, scene.favours["PELIN"]) == (["OATHMAN"], 1, 0)
    assert (scene.asked["level"], scene.asked["source"]) == (0, "PELIN")
    scene.choose("OATHMAN")
    assert (ids(scene.me.pile), scene.me.known) == (["OATHMAN"], 1)
    assert scene.told("event")[-1]["kind"] == "refresh"


def test_19_20_choices_in_order() -> None:
    scene = Scene("HLAALU", me={"hand": "CURRENCY_EXCHANGE"}, row="GOLD PECK SWIPE")
    scene.play("CURRENCY_EXCHANGE")
    uids = [card.uid for card in scene.row]
    found = [reply["cards"] for reply in legal_replies(scene.asked)]
    assert found == [[], *([uid] for uid in uids)]
    request = {**scene.asked, "max": 2}
    pairs = [[uids[0], uids[1]], [uids[0], uids[2]], [uids[1], uids[2]]]
    assert [reply["cards"] for reply in legal_replies(request)][4:] == pairs


def test_21_to_25_combos() -> None:
    for hand in ("WAR_SONG MIDNIGHT_RAID", "MIDNIGHT_RAID WAR_SONG"):
        assert Scene("RED_EAGLE", me={"hand": hand}).play(*hand.split()).me.power == 6
    scene = Scene("RED_EAGLE", me={"hand": "MIDNIGHT_RAID MIDNIGHT_RAID WAR_SONG"})
    assert scene.play("MIDNIGHT_RAID", "MIDNIGHT_RAID").me.power == 10
    assert scene.play("WAR_SONG").me.power == 11
    scene = Scene("RED_EAGLE HLAALU", me={"hand": "MIDNIGHT_RAID GOODS_SHIPMENT"})
    assert scene.play("MIDNIGHT_RAID", "GOODS_SHIPMENT").me.power == 3
    for order in (0, 1, 2):
        scene = Scene("HLAALU", me={"hand": "GOODS_SHIPMENT GOODS_SHIPMENT EBONY_MINE"})
        cards = ["GOODS_SHIPMENT", "GOODS_SHIPMENT"]
        cards.insert(order, "EBONY_MINE")
        assert scene.play(*cards).me.coins == 8
    scene = Scene("RED_EAGLE", me={"hand": "WAR_SONG", "pile": "MIDNIGHT_RAID"})
    scene.play("WAR_SONG").end().end().play("MIDNIGHT_RAID")
    assert figures(scene.me) == (0, 3)


def test_26_four_crows() -> None:
    hand = "MURDER_OF_CROWS SCRATCH PECK POOL_OF_SHADOW"
    scene = Scene("DUKE_OF_CROWS", me={"hand": hand, "pile": "GOLD"})
    wanted = [(1, 0), (6, 4), (7, 6), (10, 8)]
    assert [figures(scene.play(card).me) for card in hand.split()] == wanted
    assert ids(scene.me.hand) == ["GOLD"]


def test_27_queue() -> None:
    hand = "CEPORAHS_INSIGHT AUGURS_COUNSEL"
    scene = Scene("PSIJIC", me={"hand": hand, "pile": "GOLD GOLD"})
    scene.play("CEPORAHS_INSIGHT")
    assert [waiting["effect"] for waiting in scene.asked["upcoming"]] == ["GAIN_COIN 2"]
    scene.choose().play("AUGURS_COUNSEL")
    assert scene.me.coins == 2
    effects = [(waiting["effect"], waiting["level"]) for waiting in scene.asked["upcoming"]]
    assert effects == [("GAIN_POWER 3", 2), ("GAIN_POWER 2", 2)]


def test_28_activation() -> None:
    scene = Scene("HLAALU", me={"agents": "OATHMAN"})
    scene.do("activate-agent", "OATHMAN")
    assert (scene.me.coins, scene.can("activate-agent")) == (2, [])


def test_30_draw_with_a_shuffle() -> None:
    scene = Scene("HLAALU", me={"pile": "GOLD GOLD", "cooldown": "PECK PECK PECK PECK"})
    me = scene.me
    scene.end()
    assert (len(me.hand), len(me.pile), len(me.cooldown)) == (5, 1, 0)
    assert ids(me.hand[:2]) == ["GOLD", "GOLD"]
    assert [event["type"] for event in scene.told("player-shuffled", "player-drew")] == [
        "player-shuffled",
        "player-drew",
    ]


def test_31_ansei() -> None:
    scene = Scene("ANSEI", me={"coins": 5, "power": 7, "calls": 9}, other={"power": 2, "coins": 1})
    scene.call("ANSEI")
    assert (figures(scene.me), scene.favours["ANSEI"]) == ((6, 5), 0)
    assert "ANSEI" not in scene.can("call-patron")
    scene.end()
    assert scene.me.coins == 1
    scene.call("ANSEI")
    assert scene.favours["ANSEI"] == 1
    scene.end()
    assert scene.me.coins == 0
    scene.end()
    assert (scene.me.coins, scene.told("turn-started")[-1]["coins"]) == (1, 1)
    assert "ANSEI" not in Scene("ANSEI", me={"power": 1}).can("call-patron")


def test_32_duke() -> None:
    scene = Scene("DUKE_OF_CROWS", me={"coins": 5, "power": 7}, other={"coins": 8, "power": 5})
    scene.call("DUKE_OF_CROWS")
    assert (figures(scene.me), scene.favours["DUKE_OF_CROWS"]) == ((0, 11), 0)
    scene.end().call("DUKE_OF_CROWS")
    assert (figures(scene.me), scene.favours["DUKE_OF_CROWS"]) == ((0, 12), None)


def test_33_rajhin() -> None:
    scene = Scene("RAJHIN", me={"coins": 5})
    scene.call("RAJHIN")
    assert (scene.me.coins, ids(scene.other.cooldown)) == (2, ["BEWILDERMENT"])
    assert "RAJHIN" not in Scene("RAJHIN", me={"coins": 1}).can("call-patron")


def test_34_orgnum() -> None:
    side = {"coins": 9, "power": 7, "calls": 9, "hand": "GOLD", "pile": "GOLD " * 7}
    side |= {"played": "GOLD", "cooldown": "GOLD GOLD", "agents": "OATHMAN"}
    scene = Scene("ORGNUM", me=side, other={"coins": 9})
    assert scene.call("ORGNUM").me.power == 9
    assert scene.call("ORGNUM").me.power == 12
    assert ids(scene.me.cooldown)[-1] == "SUMMERSET_SACKING"
    assert scene.end().call("ORGNUM").me.power == 2


def test_35_hlaalu() -> None:
    scene = Scene("HLAALU", me={"hand": "GOLD CURRENCY_EXCHANGE", "agents": "OATHMAN"})
    scene.call("HLAALU")
    assert scene.listed == ["CURRENCY_EXCHANGE", "OATHMAN"]
    scene.choose("CURRENCY_EXCHANGE")
    assert (scene.me.prestige, ids(scene.me.hand), scene.favours["HLAALU"]) == (6, ["GOLD"], 0)


def test_40_bought_choice_lists_four() -> None:
    row = "BARTERER GOLD PECK SWIPE FORTIFY"
    scene = Scene("HLAALU", me={"coins": 3}, row=row, deck="WAR_SONG")
    scene.buy("BARTERER")
    assert scene.listed == row.split()[1:]
    state = scene.asked["state"]
    assert [card["card"] for card in state["row"]] == ["WAR_SONG", *row.split()[1:]]
    assert state["me"]["coins"] == 2
    assert ids(scene.deck) == ["BARTERER"]


def test_48_second_effect_lists_the_new_row() -> None:
    row = "BLOODY_OFFERING GOLD"
    scene = Scene("RED_EAGLE", me={"coins": 9, "hand": "WAR_SONG"}, row=row, deck="PECK")
    scene.buy("BLOODY_OFFERING")
    assert (scene.listed, scene.me.power, ids(scene.row)) == (["WAR_SONG"], 2, ["PECK", "GOLD"])
    scene = Scene("HLAALU RED_EAGLE", me={"coins": 9, "agents": "ELDER_WITCH"}, row="BONFIRE GOLD")
    scene.do("activate-agent", "ELDER_WITCH").choose().buy("BONFIRE")
    assert scene.asked["follow_up"] == "destroy-cards"
    scene.choose()
    assert (scene.asked["follow_up"], scene.listed) == (
        "replace-cards-in-tavern",
        ["BONFIRE", "GOLD"],
    )


def test_41_empty_knockout() -> None:
    side = {"hand": "BLACK_SACRAMENT", "agents": "MORIHAUS_THE_ARCHER"}
    scene = Scene("SAINT_ALESSIA", me=side)
    scene.play("BLACK_SACRAMENT")
    assert (scene.listed, scene.asked["min"], scene.asked["max"]) == ([], 0, 0)
    assert scene.choose().me.coins == 1


def test_42_destroyed_card_keeps_its_combo() -> None:
    scene = Scene("RED_EAGLE", me={"hand": "MIDNIGHT_RAID BONFIRE WAR_SONG", "coins": 2})
    scene.play("MIDNIGHT_RAID").call("TREASURY").choose("MIDNIGHT_RAID")
    scene.play("WAR_SONG")
    assert scene.me.power == 3 + 1 + 2
    assert ids(scene.me.cooldown) == ["WRIT_OF_COIN"]


def test_43_forty() -> None:
    scene = Scene("HLAALU", me={"prestige": 40}, other={"prestige": 40})
    scene.end()
    assert scene.outcome is None
    scene.other.prestige = 41
    scene.end()
    assert scene.outcome is not None
    assert (scene.outcome.reason, scene.outcome.winners) == ("prestige-40", (0,))


def test_44_power_left_hits_taunts() -> None:
    agents = "OATHMAN STUBBORN_SHADOW SHIELD_BEARER"
    scene = Scene("PELIN RAJHIN", me={"power": 10}, other={"agents": agents})
    me = scene.me
    assert scene.can("attack") == ["STUBBORN_SHADOW", "SHIELD_BEARER"]
    scene.end()
    assert (me.prestige, ids(scene.me.agent_cards)) == (2, ["OATHMAN"])
    assert (ids(scene.me.cooldown), ids(scene.deck)) == (["STUBBORN_SHADOW"], ["SHIELD_BEARER"])
    assert [event["kind"] for event in scene.told("event")] == ["agent-hit", "agent-hit"]


def test_45_four_favours() -> None:
    scene = Scene("ANSEI RAJHIN RED_EAGLE ORGNUM", me={"coins": 9, "power": 9, "calls": 4})
    scene.call("ANSEI", "RAJHIN", "RED_EAGLE", "ORGNUM")
    assert scene.outcome is None
    scene.end()
    assert scene.outcome is not None
    assert scene.outcome.reason == "patron-favour"


def test_46_turn_limit() -> None:
    scene = Scene("ANSEI", max_turns=1, other={"power": 3})
    scene.end()
    assert scene.asked["turn"] == 2
    scene.end()
    assert scene.outcome is not None
    assert (scene.outcome.reason, scene.outcome.winners) == ("turn-limit", (0, 1))
    assert scene.players[1].prestige == 0
    assert scene.events[-1]["type"] == "action"  # type: ignore[index]


def test_47_curse_counts() -> None:
    scene = Scene("RAJHIN", me={"hand": "BEWILDERMENT SLIGHT_OF_HAND"}, row="GOLD")
    scene.play("BEWILDERMENT", "SLIGHT_OF_HAND")
    assert (scene.me.coins, scene.listed) == (2, ["GOLD"])


def test_50_replace_with_an_empty_deck() -> None:
    scene = Scene("PSIJIC", me={"hand": "PROPHESY"}, row="GOLD PECK SWIPE")
    scene.play("PROPHESY").choose("PECK", "GOLD")
    assert (ids(scene.row), ids(scene.deck)) == (["GOLD", "SWIPE"], ["PECK"])
    refills = [(news["place"], news["card"]) for news in scene.told("row-refilled")]
    assert [(place, card and card["card"]) for place, card in refills] == [(0, None), (0, "GOLD")]


def test_51_discards() -> None:
    hand = "TWILIGHT_REVELRY BAG_OF_TRICKS BEWILDERMENT"
    scene = Scene("RAJHIN", me={"hand": hand}, other={"hand": "GOLD PECK"}, row="GOLD", deck="GOLD")
    scene.play("TWILIGHT_REVELRY", "BAG_OF_TRICKS")
    scene.choose().play("BEWILDERMENT")
    later = scene.asked["state"]["start_of_next_turn"]
    assert [waiting["effect"] for waiting in later] == ["OPP_DISCARD 1"] * 3
    scene.end()
    assert scene.asked["source"]["card"] == "TWILIGHT_REVELRY"
    assert (scene.asked["follow_up"], scene.listed) == ("discard-cards", ["GOLD", "PECK"])
    assert len(scene.asked["upcoming"]) == 2
    scene.choose("GOLD").choose("PECK")
    assert scene.asked["type"] == "play-turn"
    assert ids(scene.me.cooldown) == ["GOLD", "PECK"]


def test_52_destroyed_contract_agent() -> None:
    scene = Scene("RED_EAGLE", me={"coins": 9}, row="CLANWITCH", deck="GOLD")
    scene.buy("CLANWITCH")
    assert scene.listed == ["CLANWITCH"]
    scene.choose("CLANWITCH")
    assert "CLANWITCH" not in ids(scene.everywhere())


def test_54_return_top() -> None:
    scene = Scene("ANSEI", me={"hand": "HEL_SHIRA_HERALD", "cooldown": "GOLD PECK SWIPE"})
    scene.play("HEL_SHIRA_HERALD").choose("SWIPE", "GOLD")
    assert ids(scene.me.pile) == ["SWIPE", "GOLD"]
    assert [event["target"]["card"] for event in scene.told("event")] == ["GOLD", "SWIPE"]


def test_55_red_eagle_with_nothing_to_draw() -> None:
    scene = Scene("RED_EAGLE", me={"power": 2})
    scene.call("RED_EAGLE")
    assert scene.told("player-shuffled", "player-drew") == []
    assert [(e["kind"], e["amount"]) for e in scene.told("event")] == [
        ("gain-power", -2),
        ("draw", 1),
    ]


def test_56_ebony_mine() -> None:
    side = {"coins": 3, "hand": "GOODS_SHIPMENT GOODS_SHIPMENT"}
    scene = Scene("HLAALU", me=side, row="EBONY_MINE", max_actions=5)
    scene.play("GOODS_SHIPMENT", "GOODS_SHIPMENT")
    coins = [scene.buy("EBONY_MINE").me.coins for _ in range(3)]
    assert coins == [8, 11, 14]
    assert [action["type"] for action in scene.asked["actions"]] == ["end-turn"]


def test_57_donate_nothing() -> None:
    scene = Scene("SAINT_ALESSIA", me={"hand": "PRIESTESS_OF_THE_EIGHT"})
    scene.play("PRIESTESS_OF_THE_EIGHT").pick(1).choose()
    assert scene.told("event")[-1]["kind"] == "draw"
    assert scene.told("event")[-1]["amount"] == 0


def test_toss_leaves_known_cards() -> None:
    """The cards that stay after a toss are known in order, until they're drawn (5, TOSS; 12.2)."""
    scene = Scene("PSIJIC", me={"hand": "SCRYING_GLOBE TIME_MASTERY", "pile": "GOLD PECK SWIPE"})
    scene.play("SCRYING_GLOBE")
    assert scene.listed == ["GOLD", "PECK"]
    assert scene.asked["state"]["me"]["known"] == scene.asked["cards"]
    scene.choose("GOLD")
    known = scene.asked["state"]["me"]["known"]
    assert [card["card"] for card in known] == ["PECK"]
    scene.play("TIME_MASTERY")
    assert scene.told("player-shuffled")
    assert scene.listed == ["PECK", "SWIPE", "GOLD"]
    scene.choose("SWIPE")
    assert ids(scene.me.pile[: scene.me.known]) == ["PECK", "GOLD"]
