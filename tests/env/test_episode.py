"""Test `Episode`: legal actions, observations and rewards. PettingZoo isn't needed for this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.env.episode import Episode
from referee.env.observer import Observer
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.botwars.environment import Translator as BotWarsTranslator
from referee.games.botwars.rules.messages import Side, State
from referee.games.dominion.environment import Translator, spaces_of
from referee.games.dominion.rules.messages import (
    AttackRequest,
    PlayTurn,
)
from referee.games.dominion.rules.view import OwnCards, SeatView, View
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.match.machine import Match
from referee.match.spec import SHORT_SEEDS
from tests.support.helpers import (
    COST,
    KINGDOM,
    PILES,
    POINTS,
    TIMES,
    WORTH,
    cautious,
    from_struct,
    full_supply,
)
from tests.support.learners import Watched, chosen, play_episode
from tests.support.random_players import right

SEEDS = st.integers(0, 2**53 - 1)
DOMINION, BOTWARS = GAMES["dominion"], GAMES["botwars"]
SPACES = spaces_of(tuple(KINGDOM))
NAMES = SPACES.choices
BOARDS = st.fixed_dictionaries(
    {
        "rows": st.integers(4, 9),
        "cols": st.integers(4, 9),
        "max_turns": st.integers(1, 40),
        "energy_every": st.integers(0, 4),
    }
)


# --- Dominion -------------------------------------------------------------------------------------


@pytest.mark.untraced
@settings(max_examples=2 * TIMES)
@given(SEEDS, st.integers(2, 4), st.sampled_from(PILES))
def test_what_a_seat_sees_is_so(seed: int, seats: int, wanted: str) -> None:
    """Compare each observation with the cards on the table, at the start of every reply."""
    watched = Watched(DOMINION)
    episode = Episode(DOMINION, seats, {"max_turns": 12})
    numbers = episode.environment.observation(seats, episode.options)
    random = Random(seed)
    watched.begin(episode, seed)
    replies = -1
    while episode.due:
        (seat,) = episode.due
        for other in range(seats):
            seen = episode.observe(other)
            assert (
                (numbers.low <= seen["observation"]) & (seen["observation"] <= numbers.high)
            ).all()
            assert seen["action_mask"].any() == (other == seat)
            if other != seat:
                sight = dict(zip(numbers.names, seen["observation"].tolist(), strict=True))
                assert (sight["actions"], sight["buys"], sight["money"]) == (0, 0, 0)
        seen = episode.observe(seat)
        if len(watched.replies) > replies:
            replies = len(watched.replies)
            check_sight(
                dict(zip(numbers.names, seen["observation"].tolist(), strict=True)),
                watched.game,
                seat,
            )
        action = NAMES.index(f"buy {wanted}")
        if not seen["action_mask"][action]:
            action = chosen(random, seen)
        episode.act(seat, action)


def check_sight(sight: dict[str, int], game: Any, seat: int) -> None:
    table = game.table
    player = table.players[seat]
    message = from_struct(game.requests[0].message)
    places = {
        "hand": player.hand,
        "in play": player.in_play,
        "discard pile": player.discard_pile,
        "deck": player.deck,
        "chosen": [],
        "supply": Counter(table.supply.counts).elements(),
    }
    for place, cards in places.items():
        assert Counter({card: sight[f"{place} {card}"] for card in PILES}) == Counter(cards), place
    others = table.players[seat + 1 :] + table.players[:seat]
    for number, other in enumerate(others, 1):
        owned = {card: sight[f"opponent {number} owns {card}"] for card in PILES}
        assert Counter(owned) == Counter(other.cards())
        assert sight[f"opponent {number} score"] == other.score()
    assert sight["score"] == player.score()
    assert sight["seat"] == seat
    assert sight["turns"] == player.turns
    stage = [name for name in sight if name.startswith("stage ") and sight[name]]
    assert len(stage) == 1
    if message["type"] == "attack-request":
        assert (stage, sight["due"]) == (["stage militia"], message["discard"])
        return
    for name, field in (("actions", "actions"), ("buys", "buys"), ("extra money", "extra_money")):
        assert sight[name] == message[field]
    coins = sum(WORTH.get(card, 0) for card in player.hand)
    assert sight["money"] == coins + message["extra_money"]
    assert sight["due"] == 0


@pytest.mark.slow
@pytest.mark.untraced
@settings(max_examples=6 * TIMES)
@given(SEEDS, st.integers(2, 3))
def test_every_legal_reply_can_be_made(seed: int, seats: int) -> None:
    """Turn random legal replies into actions, which must result in the same replies.

    Environments always play all treasures, so we don't try to keep any back.
    """
    random = Random(seed)
    names = tuple("ABCD"[:seats])
    options = DOMINION.options(max_turns=12)
    game = DOMINION.new(GameSetup(chance=SeededRandomSource(seed), names=names, options=options))
    players = [Translator(seat, seats, SPACES) for seat in range(seats)]
    entries = DOMINION.environment.observation(seats, options).names  # type: ignore[misc]
    while True:
        if not game.requests:
            break
        (request,) = game.requests
        player = players[request.seat]
        player.look(game.view(request.seat), asked=True)
        supply = game.table.supply.counts  # type: ignore[attr-defined]
        wish = msgspec.json.decode(right(random, from_struct(request.message), supply))
        if wish.get("phase") == "buy" and not wish["cards_to_buy"]:
            wish = {"type": "play-reply", "phase": "cleanup"}
        reply = None
        for name in actions_for(wish, player, entries):
            assert reply is None
            assert player.legal()[NAMES.index(name)], name
            reply = player.act(NAMES.index(name))
        made = {field: value for field, value in from_struct(reply).items() if value is not None}
        wish = {field: value for field, value in wish.items() if value != {}}
        if wish.get("phase") == "buy":
            played = Counter(made.pop("played_treasures"))
            assert Counter(wish.pop("played_treasures")) <= played
        assert made == wish
        game.advance({request.seat: reply})


def actions_for(
    wish: dict[str, Any], player: Translator, entries: tuple[str, ...]
) -> Iterator[str]:
    """Yield the names of the actions that lead to the reply `wish`."""

    def stage() -> str:
        seen = dict(zip(entries, player.observe().tolist(), strict=True))
        return next((name for name in seen if name.startswith("stage ") and seen[name]), "none")

    if wish["type"] == "attack-reply-reaction":
        yield "reveal moat"
    elif wish["type"] == "attack-reply":
        yield from (f"discard {card}" for card in wish["discard"])
    elif wish["phase"] == "action":
        yield f"play {wish['card']}"
        parameters = wish["additional_parameters"]
        yield from (f"discard {card}" for card in parameters.get("cards", ()))
        if "card_to_trash" in parameters:
            yield f"trash {parameters['card_to_trash']}"
        if "desired_card" in parameters:
            yield f"gain {parameters['desired_card']}"
        if stage() == "stage cellar":
            yield "done"
    elif wish["phase"] == "buy":
        if stage() == "stage action":
            yield "done"
        yield from (f"buy {card}" for card in wish["cards_to_buy"])
        if stage() == "stage buy":
            yield "done"
    else:
        while stage() != "stage clean-up":
            yield "done"
        yield f"top {wish['top_discard']}" if "top_discard" in wish else "done"


def asked(
    hand: list[str], *, actions: int = 1, buys: int = 1, money: int = 0, **supply: int
) -> Translator:
    """Return a translator for seat 0, during its own turn."""
    return looking(0, hand, PlayTurn(actions, buys, money, hand, [], [], []), **supply)


def looking(
    seat: int, hand: list[str], request: PlayTurn | AttackRequest, **supply: int
) -> Translator:
    """Return a translator for a seat with a request. All its cards are in its hand."""
    other = SeatView({}, 0, None)
    own = SeatView(dict(Counter(hand)), 0, OwnCards(hand, [], [], [], 1, 0))
    seats = [own, other] if seat == 0 else [other, own]
    player = Translator(seat, 2, SPACES)
    player.look(View(full_supply(2) | supply, seats, seat, request), asked=True)
    return player


def legal(player: Translator) -> set[str]:
    return {NAMES[action] for action in np.flatnonzero(player.legal())}


def act(player: Translator, *names: str) -> Any:
    """Take these actions, and return the reply that the last one completes."""
    *first, last = [player.act(NAMES.index(name)) for name in names]
    assert first == [None] * len(first)
    return None if last is None else from_struct(last)


def test_cards_that_could_only_be_consumed_are_not_legal() -> None:
    """By the rules, you may waste such a card by playing it (6). We don't offer that."""
    assert legal(asked(["mine", "remodel", "estate"])) == {"done", "play remodel"}
    assert legal(asked(["mine", "copper"])) == {"done", "play mine"}
    assert "play remodel" in legal(asked(["remodel", "remodel"]))
    # If no action can be played, the turn starts with the buy phase.
    assert legal(asked(["remodel"])) == {"done", "buy copper", "buy curse"}
    cheap = dict.fromkeys([card for card in PILES if COST[card] <= 4], 0)
    assert "play workshop" not in legal(asked(["workshop", "village"], **cheap))


def test_a_mine_gains_up_to_three_more() -> None:
    player = asked(["mine", "copper", "gold"])
    act(player, "play mine")
    assert legal(player) == {"trash copper", "trash gold"}
    act(player, "trash copper")
    assert legal(player) == {"gain copper", "gain silver"}
    assert act(player, "gain silver") == {
        "type": "play-reply",
        "phase": "action",
        "card": "mine",
        "top_discard": None,
        "additional_parameters": {"card_to_trash": "copper", "desired_card": "silver"},
    }


def test_with_nothing_to_gain_trashing_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there's nothing to gain, the reply has no `desired_card` (6.4)."""
    player = asked(["mine", "copper"], copper=0, silver=0)
    reply = act(player, "play mine", "trash copper")
    assert reply["additional_parameters"] == {"card_to_trash": "copper"}


def test_a_buy_spends_money_and_buys() -> None:
    player = asked(["gold", "silver"], actions=0, buys=2, money=1, copper=1)
    assert "buy gold" in legal(player)
    assert "buy province" not in legal(player)  # that's only 6 money
    act(player, "buy village")
    assert legal(player) == {"done", *(f"buy {card}" for card in PILES if COST[card] <= 3)}
    assert act(player, "buy copper") == {
        "type": "play-reply",
        "phase": "buy",
        "top_discard": None,
        "played_treasures": ["silver", "gold"],
        "cards_to_buy": ["village", "copper"],
    }
    player = asked(["copper"], actions=0, buys=3, copper=1, curse=0)
    assert act(player, "buy copper") is not None  # no card is cheap enough for the other buys


def test_buying_nothing_goes_on_to_the_clean_up() -> None:
    player = asked(["copper", "estate"], actions=0)
    act(player, "done")
    assert legal(player) == {"done", "top copper", "top estate"}
    reply = {"type": "play-reply", "phase": "cleanup", "top_discard": "estate"}
    assert act(player, "top estate") == reply
    assert legal(player) == set()
    assert not any(player.observe()[:10])  # there is no stage without a choice


def test_militia() -> None:
    """A player either discards as many cards as requested or reveals a moat, but not both (7)."""
    hand = ["moat", "copper", "copper", "estate", "estate"]
    player = looking(1, hand, AttackRequest(2, hand))
    assert legal(player) == {"reveal moat", "discard moat", "discard copper", "discard estate"}
    act(player, "discard copper")
    assert legal(player) == {"discard moat", "discard copper", "discard estate"}
    assert act(player, "discard moat") == {"type": "attack-reply", "discard": ["copper", "moat"]}
    player = looking(1, hand, AttackRequest(2, hand))
    assert act(player, "reveal moat") == {"type": "attack-reply-reaction", "reaction": "moat"}


@pytest.mark.parametrize("action", [-1, len(NAMES), NAMES.index("buy gold"), None, "done", 0.0])
def test_what_is_not_legal_is_refused_and_changes_nothing(action: Any) -> None:
    player = asked(["village", "copper"])
    before = player.observe()
    with pytest.raises(UsageError, match=r"not legal now; legal are: 0 done, .* play village"):
        player.act(action)
    assert (player.observe() == before).all()
    with pytest.raises(UsageError, match="is not asked"):
        Translator(0, 2, SPACES).act(0)


def test_any_type_of_integer_is_an_action() -> None:
    for kind in (int, np.int64, np.int32, np.uint8):
        player = asked(["village", "copper"])
        assert player.act(kind(NAMES.index("play village"))) is not None
    assert asked(["village"]).act(np.array(NAMES.index("play village"))) is not None


def test_what_is_shown_to_people() -> None:
    shown = asked(["village", "copper"]).show()
    assert "hand: 1 copper, 1 village" in shown
    assert "legal: done, play village" in shown


# --- Bot Wars -------------------------------------------------------------------------------------


@settings(max_examples=6 * TIMES)
@given(SEEDS, BOARDS)
def test_each_seat_sees_the_grid_from_its_own_corner(seed: int, board: dict[str, int]) -> None:
    """Both players also move botlets at random, and the game must get exactly these moves."""
    watched = Watched(BOTWARS)
    episode = Episode(BOTWARS, None, board)
    numbers = episode.environment.observation(2, episode.options)
    random = Random(seed)
    watched.begin(episode, seed)
    cols, cells = board["cols"], board["rows"] * board["cols"]
    while episode.due:
        state = from_struct(watched.game.requests[0].message)["state"]
        wishes = []
        for seat, (own, other) in enumerate(("rb", "br")):
            seen = episode.observe(seat)
            assert ((numbers.low <= seen) & (seen <= numbers.high)).all()
            planes = dict(zip(numbers.names, seen.reshape(cells, -1).T.tolist(), strict=True))
            turned = [cells - 1 - cell if seat else cell for cell in range(cells)]
            for plane, what in (
                ("own botlets", own),
                ("other botlets", other),
                ("energy", "*"),
                ("died", "x"),
            ):
                assert planes[plane] == [int(state["grid"][cell] == what) for cell in turned]
            side, foe = (state["p1"], state["p2"]) if own == "r" else (state["p2"], state["p1"])
            for whose, which in (("own", side), ("other", foe)):
                spawn = 0 if which["spawnDisabled"] else 1
                assert planes[f"{whose} spawn point"] == [
                    spawn * (cell == which["spawn"]) for cell in turned
                ]
                assert planes[f"{whose} energy"] == [which["energy"]] * cells
            assert planes["turns left"] == [state["maxTurns"] - state["turnsElapsed"]] * cells
            action = np.array([random.randrange(5) for _ in range(cells)])
            steps = [0, -cols, -1, 1, cols]
            wish = []
            for place, cell in enumerate(turned):
                to = place + steps[action[place]]
                inside = 0 <= to < cells and (
                    abs(steps[action[place]]) > 1 or to // cols == place // cols
                )
                if state["grid"][cell] == own and action[place] and inside:
                    wish.append({"from": cell, "to": turned[to]})
            wishes.append(wish)
            episode.act(seat, action.reshape(board["rows"], cols))
        made = [reply.moves for _, reply in watched.replies[-2:]]  # type: ignore[attr-defined]
        assert made == wishes


def test_a_razed_spawn_point_is_not_shown() -> None:
    state = State(4, 5, Side(3, 6, True), Side(1, 13, False), "." * 20, 10, 4)
    for seat in range(2):
        player = BotWarsTranslator(seat, 2)
        player.look(state, asked=True)
        own, other = player.observe()[..., 4], player.observe()[..., 5]
        seen = own if seat else other
        assert np.argwhere(seen).tolist() == [[1, 1] if seat else [2, 3]]
        assert not (other if seat else own).any()


@pytest.mark.parametrize(
    "action", [3, np.zeros(15, int), np.zeros((4, 4)), np.full((4, 4), 5), np.full((4, 4), -1)]
)
def test_what_is_no_action_of_bot_wars_is_refused(action: Any) -> None:
    episode = Episode(BOTWARS, None, {"rows": 4, "cols": 4})
    episode.begin(1)
    with pytest.raises(UsageError, match=r"array of integers from 0 to 4 of the shape \(4, 4\)"):
        episode.act(0, action)
    episode.act(0, np.zeros((4, 4), int))
    with pytest.raises(UsageError, match="is not asked"):
        episode.act(0, np.zeros((4, 4), int))


# --- both games -----------------------------------------------------------------------------------


def test_rewards_are_by_rank() -> None:
    """A reward is the mean over all opponents: 1 if we beat them, 0 for a draw, -1 if they won."""
    episode = Episode(BOTWARS, None, {"rows": 4, "cols": 4, "max_turns": 3})
    idle = [lambda seen: np.zeros((4, 4), int)] * 2
    play_episode(episode, idle, 1)
    assert episode.rewards() == [0.0, 0.0]
    assert episode.reason == "turn-limit"
    assert episode.facts(0) == {
        "seed": 1,
        "disqualified": 0,
        "rank": 1,
        "score": episode.facts(1)["score"],
        "margin": 0,
    }
    episode = Episode(DOMINION, 3, {"max_turns": 2})

    def buys(card: str) -> Any:
        action = NAMES.index(f"buy {card}")
        return lambda seen: action if seen["action_mask"][action] else 0

    play_episode(episode, [buys("curse"), buys("copper"), buys("estate")], 3)
    assert episode.rewards() == [-1.0, 0.0, 1.0]
    scores = [3 + 2 * POINTS.get(card, 0) for card in ("curse", "copper", "estate")]
    facts = [episode.facts(seat) for seat in range(3)]
    assert [fact["score"] for fact in facts] == scores
    assert [fact["margin"] for fact in facts] == [-4, -2, 2]
    assert [fact["rank"] for fact in facts] == [3, 2, 1]


@pytest.mark.parametrize("reward", ["score", "margin"])
def test_rewards_by_points_are_the_changes_of_each_step(reward: str) -> None:
    """They also continue in a copy, in a match that is resumed, and begin again in the next one."""
    episode = Episode(DOMINION, 2, {"max_turns": 2}, reward=reward)
    curse, copper = (NAMES.index(f"buy {card}") for card in ("curse", "copper"))

    def ends(episode: Episode) -> list[list[float]]:
        """Let player 1 buy curses and player 2 copper, and return the rewards of each step."""
        steps = []
        while episode.due:
            (seat,) = episode.due
            action = copper if seat else curse
            legal = episode.observe(seat)["action_mask"][action]
            episode.act(seat, action if legal else 0)
            steps.append(episode.rewards())
        return [rewards for rewards in steps if any(rewards)]

    change = [-1, 0] if reward == "score" else [-1, 1]
    for seed in (3, 4):
        episode.begin(seed)
        assert episode.rewards() == [0, 0]
        assert ends(episode) == [change, change]
        assert episode.rewards() == [0, 0]
    scores = [3 - 2, 3]
    facts = [episode.facts(seat) for seat in range(2)]
    assert [fact["score"] for fact in facts] == scores
    episode.begin(5)
    while not any(episode.rewards()):
        episode.act(*((0, curse) if episode.due == (0,) else (1, copper)))
    resumed = Episode(DOMINION, 2, {"max_turns": 2}, reward=reward)
    resumed.resume(episode.save())
    for other in (episode.copy(), resumed):
        assert other.rewards() == [0, 0]
        assert ends(other) == [change]
    assert episode.rewards() == [0, 0]


def test_before_the_end_the_facts_are_0_and_the_reward_too() -> None:
    episode = Episode(DOMINION, 3, {"max_turns": 1})
    assert (episode.outcome, episode.reason, episode.disqualified) == (None, None, {})
    assert (episode.opponents, episode.is_begun) == ({}, False)
    episode.begin(7)
    while episode.due:
        assert (episode.outcome, episode.reason) == (None, None)
        assert episode.rewards() == [0, 0, 0]
        assert episode.facts(0) == {
            "seed": 7,
            "rank": 0,
            "score": 0,
            "margin": 0,
            "disqualified": 0,
        }
        episode.act(episode.due[0], 0)
    assert (episode.outcome is None, episode.reason) == (False, "turn-limit")
    assert Episode(DOMINION, None, {}, [None, "big_money"]).opponents == {"player2": "big_money"}


def test_a_number_that_cannot_change_is_0_when_it_is_normalised() -> None:
    numbers = SimpleNamespace(low=np.array([2, 0]), high=np.array([2, 4]))
    environment: Any = SimpleNamespace(observation=lambda seats, options: numbers)
    player: Any = SimpleNamespace(observe=lambda: np.array([2, 1]), legal=lambda: None)
    seen: Any = Observer(environment, 2, None, normalised=True)(player)
    assert seen.tolist() == [0, 0.25]


def test_other_rewards_are_refused() -> None:
    with pytest.raises(UsageError, match="reward is 'win'; give one of: result, margin, score"):
        Episode(DOMINION, 2, {}, reward="win")


def seen_by(episode: Episode, seat: int) -> dict[str, list[int]]:
    seen: Any = episode.observe(seat)
    return {name: array.tolist() for name, array in seen.items()}


def same_end(one: Episode, other: Episode) -> None:
    """Play on with both in the same way, and compare what each seat sees on the way."""
    random, again = Random(1), Random(1)
    while one.due:
        assert other.due == one.due
        for seat in one.due:
            assert seen_by(one, seat) == seen_by(other, seat)
            one.act(seat, chosen(random, one.observe(seat)))
            other.act(seat, chosen(again, other.observe(seat)))
    assert (other.due, other.outcome) == ((), one.outcome)
    assert other.facts(0) == one.facts(0)


@pytest.mark.parametrize("opponents", [None, [None, "big_money"]])
def test_a_copy_and_a_saved_match_go_on_like_the_match(opponents: Any) -> None:
    """They may begin in the middle of a reply. A program plays all seats of a copy."""
    episode = Episode(DOMINION, 2, {"max_turns": 6}, opponents)
    episode.begin(4)
    random, tried = Random(2), 0
    while episode.due and tried < 2:
        (seat,) = episode.due
        earlier, seen = episode.save(), seen_by(episode, seat)
        episode.act(seat, chosen(random, episode.observe(seat)))
        if episode.due and episode.save().actions[episode.due[0]]:
            tried += 1
            before = [seen_by(episode, seat) for seat in episode.learners]
            copy = episode.copy()
            assert [seen_by(copy, seat) for seat in episode.learners] == before
            assert copy.agents == ["player_1", "player_2"]
            assert (copy.learners, copy.due, copy.seed) == ((0, 1), episode.due, episode.seed)
            assert copy.opponents == {}
            copies = [copy.copy(), copy]
            same_end(*copies)
            resumed = [Episode(DOMINION, 2, {"max_turns": 6}, opponents) for _ in range(2)]
            resumed[0].resume(earlier)
            assert seen_by(resumed[0], seat) == seen
            for each in resumed:
                each.resume(episode.save())
                assert [seen_by(each, seat) for seat in episode.learners] == before
                assert each.seed == episode.seed
            same_end(*resumed)
            if opponents is None:
                assert copy.outcome == resumed[0].outcome
            drawn = []
            for each in resumed:
                each.begin(None)
                drawn.append(each.seed)
            assert drawn[0] == drawn[1] != episode.seed
            assert [seen_by(episode, seat) for seat in episode.learners] == before
    assert tried == 2


def test_who_may_be_the_viewer_of_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    episode = Episode(DOMINION, 2, {"max_turns": 1})
    for call in (episode.copy, episode.save):
        with pytest.raises(UsageError, match="the match is over, or none was begun"):
            call()
    with pytest.raises(UsageError, match="no match was begun: call reset"):
        episode.observe(0)
    episode.begin(1)
    with pytest.raises(UsageError, match="player_2 has no action due"):
        episode.copy(1)
    copy = episode.copy(0, 77)
    assert (copy.seed, episode.copy().seed) == (77, 1)
    assert copy.observe(0)["observation"].tolist() == episode.observe(0)["observation"].tolist()
    monkeypatch.setattr(Match, "can_redeal", False)
    episode.copy()
    with pytest.raises(UsageError, match="dominion cannot deal hidden cards again"):
        episode.copy(0)
    play_episode(episode, [lambda seen: 0] * 2, 1)
    with pytest.raises(UsageError, match="the match is over, or none was begun"):
        episode.copy()
    moving = Episode(BOTWARS, None, {"rows": 4, "cols": 4})
    moving.begin(1)
    monkeypatch.setattr(Match, "can_redeal", True)
    moving.copy(1)
    moving.act(0, np.zeros((4, 4), int))
    moving.copy()
    with pytest.raises(UsageError, match="another player has acted in this round"):
        moving.copy(1)


def test_only_bundled_opponents_are_saved() -> None:
    for bot, is_saved in (("big_money", True), (cautious, False)):
        episode = Episode(DOMINION, None, {}, [None, bot])
        episode.begin(1)
        if is_saved:
            episode.save()
            continue
        with pytest.raises(UsageError, match="only bundled bots can be copied"):
            episode.save()


def test_a_copy_may_be_saved_though_a_bot_made_faults() -> None:
    """The program plays the bot's seat now, and has made none of them."""

    def wrong(message: Any) -> Any:
        return {"type": "attack-reply"} if message["type"] == "play-turn" else cautious(message)

    episode = Episode(DOMINION, None, {"max_turns": 30}, [wrong, None])
    episode.begin(1)
    resumed = Episode(DOMINION, 2, {"max_turns": 30})
    resumed.resume(episode.copy().save())
    assert resumed.due == episode.due == (1,)


def test_actions_together_are_all_applied_or_none() -> None:
    still, wrong = np.zeros((4, 4), int), np.full((4, 4), 5)
    episode = Episode(BOTWARS, None, {"rows": 4, "cols": 4, "max_turns": 2})
    episode.begin(1)
    for actions in ({0: still, 1: wrong}, {1: wrong}, {0: wrong, 1: still}):
        with pytest.raises(UsageError, match="array of integers"):
            episode.act_together(actions)
        assert episode.due == (0, 1)
    episode.act_together({})
    assert episode.due == (0, 1)
    episode.act_together({1: still})
    assert episode.due == (0,)
    episode.act_together({})
    episode.act_together({0: still})
    assert (episode.due, episode.outcome) == ((0, 1), None)
    episode.act_together({0: still, 1: still})
    assert episode.due == ()
    assert episode.outcome is not None


def test_seeds_that_are_drawn_follow_from_the_last_that_was_given() -> None:
    episode = Episode(DOMINION, 2, {})

    def seeds(first: int) -> list[int]:
        drawn = []
        for seed in (first, None, None):
            episode.begin(seed)
            drawn.append(episode.seed)
        return drawn

    assert seeds(7) == seeds(7)
    assert len({*seeds(7), *seeds(8)}) == 6
    assert min(seeds(7)[1:]) >= SHORT_SEEDS
    others = [Episode(DOMINION, 2, {}) for _ in range(2)]
    for other in others:
        other.begin(None)
    assert others[0].seed != others[1].seed


@pytest.mark.parametrize(
    ("players", "options", "says"),
    [
        (1, {}, "2 to 4 bots, not 1"),
        (5, {}, "2 to 4 bots, not 5"),
        ("2", {}, "players is '2'"),
        (True, {}, "players is True"),
        (2, {"max_turns": 0}, "max_turns"),
        (2, {"rows": 4}, "dominion got an unexpected keyword argument 'rows'"),
        (2, {"time_limit": 4}, "dominion got an unexpected keyword argument 'time_limit'"),
    ],
)
def test_wrong_arguments(players: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Episode(DOMINION, players, options)


@pytest.mark.parametrize("seed", [-1, 2**53])
def test_wrong_seeds(seed: int) -> None:
    with pytest.raises(UsageError, match="seed"):
        Episode(DOMINION, 2, {}).begin(seed)
