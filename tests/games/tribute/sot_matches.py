"""Matches inside the test process with bots of the Scripts of Tribute Python library."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from time import monotonic
from typing import Any, Union

import msgspec
from scripts_of_tribute.base_ai import BaseAI
from scripts_of_tribute.board import GameState, build_game_state
from scripts_of_tribute.enums import BoardState, CardType, ChoiceDataType, PatronId, PlayerEnum
from scripts_of_tribute.protos import basics_pb2 as basics
from scripts_of_tribute.protos import main_pb2 as main

from referee.games.interface.game import ALL
from referee.games.tribute import RULES
from referee.games.tribute.classic import CLASSIC_INDEX
from referee.games.tribute.rules.game import Tribute
from referee.games.tribute.rules.view import request_of, view_of
from referee.games.tribute.sot.dialogue import Dialogue, _reply
from tests.games.tribute.tribute_matches import new_match, new_setup, right
from tests.support.helpers import Announced, name_line, seat_of, to_line

Json = dict[str, Any]
LIMIT = 30.0


class RandomBot(BaseAI):
    """Plays at random. `on_play` is called with each state and its possible moves."""

    on_play: Callable[[GameState, list[Any]], None] | None = None

    def select_patron(self, available_patrons: list[PatronId]) -> PatronId:
        return random.choice(available_patrons)

    def play(self, game_state: GameState, possible_moves: list[Any], remaining_time: int) -> Any:
        if RandomBot.on_play is not None:
            RandomBot.on_play(game_state, possible_moves)
        return random.choice(possible_moves[:-1] or possible_moves)


def play(
    seed: int,
    maker: Any = RandomBot,
    on_request: Callable[[Json], None] | None = None,
    **options: Any,
) -> Iterator[tuple[Json, Json]]:
    """Play a match between a bot of the library and random legal replies.

    The library's bot is player 1 if the seed is even, and player 2 if it's odd.

    Yields:
        Each request of the game, in the order of the match, and the reply to it.
    """
    match, dialogue, dice = new_match(seed, **options), Dialogue(maker, LIMIT), Random(seed)
    match.start()
    while True:
        told = Announced(match.take_entries())
        for message in told.public:
            dialogue.take(message, monotonic())
            if on_request is not None:
                on_request(message)
        if not match.due:
            return
        for to, request in told.requests:
            if seat_of(to) != seed % 2:
                is_name = request["type"] == "player-name-request"
                line = name_line(seat_of(to)) if is_name else right(dice, request)
            else:
                if on_request is not None:
                    on_request(request)
                line = to_line(dialogue.take(request, monotonic()))
            match.receive(seat_of(to), line)
            if request["type"] != "player-name-request":
                yield request, json.loads(line)


# --- the same state, made of what a bot of `classic-index` is sent ----------------------------


def from_classic(state: Json, id: str) -> GameState:
    """Build a state with the library's own builder from the engine's JSON."""
    patrons = basics.PatronStatesProto(patrons=state["PatronStates"])
    own, other = state["CurrentPlayer"], state["EnemyPlayer"]
    names = {"Hand": "hand", "Cooldown": "cooldown_pile", "Played": "played"}
    names |= {"KnownPile": "known_upcoming_draws", "DrawPile": "draw_pile"}
    names |= {"HandAndDraw": "hand_and_draw"}

    def cards(shown: list[Json]) -> list[Any]:
        return [
            basics.UniqueCardProto(
                name=card["name"],
                deck=PatronId[card["deck"]].value,
                cost=card["cost"],
                type=CardType[card["type"]].value,
                hp=card["HP"],
                taunt=card["taunt"],
                unique_id=card["UniqueId"],
                effects=card["effects"],
            )
            for card in shown
        ]

    def player(shown: Json) -> Json:
        made: Json = {names[key]: cards(value) for key, value in shown.items() if key in names}
        made["player_id"] = PlayerEnum[shown["Player"]].value
        made["agents"] = [
            basics.SerializedAgentProto(
                currentHP=agent["CurrentHP"],
                representing_card=cards([agent["Card"]])[0],
                activated=agent["Activated"],
            )
            for agent in shown["Agents"]
        ]
        numbers = {"Power": "power", "Coins": "coins", "Prestige": "prestige"}
        numbers["PatronCalls"] = "patron_calls"
        return made | {numbers[key]: value for key, value in shown.items() if key in numbers}

    choice, pending = state["PendingChoice"], None
    if choice:
        pending = basics.ChoiceProto(
            max_choices=choice["MaxChoices"],
            min_choices=choice["MinChoices"],
            context=choice["Context"],
            choice_follow_up=choice["ChoiceFollowUp"],
            type=ChoiceDataType[choice["Type"]].value,
        )
        if choice["Type"] == "CARD":
            options = basics.CardOptions(possible_cards=cards(choice["PossibleCards"]))
            pending.card_options.CopyFrom(options)
        else:
            effects = basics.EffectOptions(possible_effects=choice["PossibleEffects"])
            pending.effect_options.CopyFrom(effects)
    proto = main.GameStateProto(
        state_id=id,
        patron_states=patrons,
        tavern_available_cards=cards(state["TavernAvailableCards"]),
        board_state=BoardState[state["BoardState"]].value,
        upcoming_effects=state["UpcomingEffects"],
        start_of_next_turn_effects=state["StartOfNextTurnEffects"],
        current_player=basics.PlayerProto(**player(own)),
        enemy_player=basics.EnemyPlayerProto(**player(other)),
        completed_actions=state["CompletedActions"],
        tavern_cards=cards(state["TavernCards"]),
        pending_choice=pending,
    )
    return build_game_state(proto, None)


def fields(thing: Any) -> Any:
    """Convert an object of the library to plain values, with all its fields."""
    if isinstance(thing, list):
        return [fields(each) for each in thing]
    if isinstance(thing, dict):
        return {key: fields(value) for key, value in thing.items()}
    if type(thing).__module__ == "scripts_of_tribute.board":
        facts = {k: fields(v) for k, v in vars(thing).items() if k != "_engine_service_stub"}
        return [type(thing).__name__, facts]
    return thing


def compare_states(seed: int) -> int:
    """Compare all states of a match with those of `classic-index`. Returns their number."""
    dialect = CLASSIC_INDEX.new(seed % 2, seed, "bot")
    sent: list[bytes] = []
    seen = count()

    def on_request(message: Json) -> None:
        data = dialect.send(to_line(message))
        if message["type"] in ("play-turn", "choose-request"):
            sent.append(data)

    def on_play(state: GameState, moves: list[Any]) -> None:
        both = json.loads(sent.pop().removesuffix(b"EOT\n"))
        assert fields(state) == fields(from_classic(both["State"], state.state_id))
        assert len(moves) == len(both["Actions"])
        next(seen)

    RandomBot.on_play = on_play
    try:
        for _ in play(seed, on_request=on_request):
            pass
    finally:
        RandomBot.on_play = None
    return next(seen)


# --- simulations against the rules -------------------------------------------------------------


class Numbers:
    """A separate implementation of the engine's generator (protocol, 4.11)."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**48

    def next(self) -> int:
        self.state = (25214903917 * self.state + 11) % 2**48
        return (self.state // 65536) * 2147483646 // 2**32

    def shuffle(self, items: list[Any]) -> None:
        keyed = [(self.next(), place, item) for place, item in enumerate(items)]
        items[:] = [item for _, _, item in sorted(keyed, key=lambda each: each[:2])]


def replayed(seed: int, replies: list[tuple[int, Json]], **options: Any) -> Tribute:
    """Create a game and replay these replies."""
    game: Tribute = RULES.new(new_setup(seed, **options))  # type: ignore[assignment]
    for seat, reply in replies:
        game.advance({seat: decoded(reply)})
    return game


def decoded(reply: Json) -> Any:
    return msgspec.convert(reply, Union[RULES.replies])  # noqa: UP007


def hide(game: Tribute, seed: int) -> None:
    """Shuffle the hidden cards and replace the generators, as a simulation with this seed does."""
    table, numbers = game.table, Numbers(seed)
    me, other = table.me, table.other
    by_kind = lambda card: (card.kind.number, card.uid)  # noqa: E731
    known, hidden = me.draw_pile[: me.known], sorted(me.draw_pile[me.known :], key=by_kind)
    both, size = sorted(other.hand + other.draw_pile, key=by_kind), len(other.hand)
    table.deck.sort(key=by_kind)
    for pile in (me.cooldown, hidden, other.cooldown, both, table.deck):
        numbers.shuffle(pile)
    me.draw_pile = known + hidden
    other.hand, other.draw_pile, other.known = both[:size], both[size:], 0
    for name in table.generators:
        table.generators[name] = numbers  # type: ignore[index]


def looks(game: Tribute) -> Json:
    """The whole state, hidden cards included, without fields that simulations don't have."""
    view: Json = msgspec.to_builtins(game.view(ALL))
    return _comparable(view, game.outcome is not None)


def state_looks(state: Any) -> Json:
    """The same data as `looks`, for the state of a simulation."""
    requests = () if state.end else (request_of(state.table, state.asked),)
    view = view_of(state.table, requests, ALL, state.table.me.seat)
    return _comparable(msgspec.to_builtins(view), bool(state.end))


def _comparable(view: Json, is_over: bool) -> Json:
    for seat in view["seats"]:
        del seat["turns"]
    if is_over:
        del view["player"]
    return view


def compare_simulations(seed: int, every: int = 1, most: int = 10**9) -> tuple[int, int]:
    """Simulate each move of every n-th decision, and compare it with the same move in a real game.

    Returns:
        How many decisions and how many moves were compared.
    """
    replies: list[tuple[int, Json]] = []
    decisions = moves_seen = 0
    number = count()

    def on_play(state: GameState, moves: list[Any]) -> None:
        nonlocal decisions, moves_seen
        if next(number) % every or decisions >= most:
            return
        decisions += 1
        engine = state._engine_service_stub
        for move in moves:
            moves_seen += 1
            chance = seed * 1000 + moves_seen
            simulated, then = state.apply_move(move, chance)
            made = engine._states[simulated.state_id]
            assert made.count == len(then)
            game = replayed(seed, replies)
            hide(game, chance)
            game.advance({seed % 2: decoded(_reply(last[0], move, engine._states[state.state_id]))})
            assert state_looks(made) == looks(game)
            assert (game.outcome is None) == (simulated.end_game_state is None)
            if game.outcome is not None:
                assert then == []
                winners = game.outcome.winners
                assert simulated.end_game_state.winner == (
                    f"PLAYER{winners[0] + 1}" if len(winners) == 1 else "NO_PLAYER_SELECTED"
                )

    last: list[Json] = [{}]

    def on_request(message: Json) -> None:
        last[0] = message

    RandomBot.on_play = on_play
    try:
        for request, reply in play(seed, on_request=on_request):
            seat = seed % 2 if request is last[0] else 1 - seed % 2
            replies.append((seat, reply))
    finally:
        RandomBot.on_play = None
    return decisions, moves_seen
