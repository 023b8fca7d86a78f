"""Dialects for bots that were written for the game's engine (protocol, 6).

The engine sends its external bots a state. In the older dialect, the bot answers with a command. In
the newer one, it answers with an index into a list of actions.

The state contains more than our requests do: the definitions of all its cards, and everything that
has happened in the match. A dialect therefore has to remember the card table, the cards seen so
far, and the completed actions.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations, islice
from math import comb
from typing import Any, TypeAlias

import msgspec

from referee.games.interface.dialect import DialectKind
from referee.games.interface.faults import Fault
from referee.games.tribute.rules.cards import PATRONS, TREASURY
from referee.games.tribute.rules.messages import CALL_PATRON, END_TURN
from referee.games.tribute.rules.table import FIRST_UID

Json: TypeAlias = dict[str, Any]

_COMMANDS = {
    "PLAY": "play-card",
    "BUY": "buy-card",
    "ATTACK": "attack",
    "ACTIVATE": "activate-agent",
}
# Like C#'s int.Parse, this allows white space around an integer. The number of digits is limited
# because Python's int() raises an error if there are more than 4,300.
_INTEGER = re.compile(r"[\t-\r ]*([+-]?[0-9]{1,4000})[\t-\r ]*")
_MOST_NAMED = 12
"""If a bot's answer is illegal, the explanation lists at most this many legal ones."""
_MOMENTS = 5
"""At the end of a match, the engine shows the bot this many of the last actions and choices."""
_BOARD_STATES = {"discard": "START_OF_TURN_CHOICE_PENDING", "complete": "PATRON_CHOICE_PENDING"}
_LISTED = {"play-card": "PLAY_CARD", "activate-agent": "ACTIVATE_AGENT", "buy-card": "BUY_CARD"}
"""Names of actions in the list of completed actions. Attacks are listed as events instead."""
_ONLY_TARGET = ("AGENT_DEATH", "KNOCKOUT_ALL", "ATTACK_AGENT")
_AMOUNTS = (
    *("GAIN_COIN", "GAIN_POWER", "GAIN_PRESTIGE", "OPP_LOSE_PRESTIGE", "DRAW"),
    *("ADD_PATRON_CALLS", "HEAL_AGENT", "ATTACK_AGENT"),
)
_OWN = "Hand Cooldown Played KnownPile Agents Power PatronCalls Coins Prestige DrawPile"
_OTHERS = "Cooldown Played HandAndDraw Agents Power Coins Prestige"
"""The opponent's fields in the engine's state. `_OWN` has the fields of the bot's own player."""
_FIELDS = {
    "KnownPile": "known",
    "PatronCalls": "patron_calls",
    "DrawPile": "draw_pile",
    "HandAndDraw": "hand_and_draw",
}
"""Maps a field of the engine's state to our name for it. All other names only differ in case."""
_REASONS = {
    "prestige-80": "PRESTIGE_OVER_80",
    "prestige-40": "PRESTIGE_OVER_40_NOT_MATCHED",
    "patron-favour": "PATRON_FAVOR",
    "turn-limit": "TURN_LIMIT_EXCEEDED",
    "bad-patron": "PATRON_SELECTION_FAILURE",
}
"""The engine's names for our end reasons. If a reason isn't listed, it's a BOT_EXCEPTION."""
NOBODY = "NO_PLAYER_SELECTED"


def board_state(follow_up: str) -> str:
    """Return the engine's `BoardState` while the player makes a choice with this `follow_up`."""
    return _BOARD_STATES.get(follow_up.split("-")[0], "CHOICE_PENDING")


def reason_of(reason: str) -> str:
    """Convert one of our end reasons to the engine's name for it."""
    return _REASONS.get(reason, "BOT_EXCEPTION")


class Classic:
    """Implements `referee.games.interface.dialect.Dialect` for the older dialect.

    The newer dialect is a subclass. It only changes the text around the state, and how we read the
    bot's answers.
    """

    gap = ""
    """Separates the name of a completed action from the card or patron after it."""

    def __init__(self, seat: int, seed: int, name: str) -> None:
        self._seat = seat
        self._name = name
        self._asked: Json = {}
        self._table: dict[str, Json] = {}
        self._cards: dict[int, str] = {}
        self.completed: list[str] = []
        self._moments: deque[str] = deque(maxlen=_MOMENTS)
        self._is_drafted = False
        self._left = ""

    def send(self, line: bytes) -> bytes:
        self._asked = message = msgspec.json.decode(line)
        match message["type"]:
            # In the draft, the engine only sends a single line, without EOT (6.2).
            case "patron-request":
                return f"{','.join(message['available'])} {message['round']}\n".encode()
            case "play-turn" | "choose-request":
                return self._framed(msgspec.json.format(self._state(message), indent=2))
            case "game-end":
                winner, reason, context = self.ending(message)
                return f"FINISHED {winner} {reason} {context}\nEOT\n".encode()
        self.observe(message)
        return b""

    def observe(self, message: Json) -> None:
        match message["type"]:
            case "game-info":
                self._table = {row["card"]: row for row in message["card_table"]}
            case "table-set":
                starters = chain(*message["starters"])
                self.learn(chain(message["row"], message["tavern_deck"], starters))
            # If the match ends early, ending() needs to know whether the draft was over.
            case "turn-started":
                self._is_drafted = True
            case "action":
                self._read_action(message["action"])
            case "chosen":
                is_effect = message["effect"] is not None
                what = message["source"] if is_effect else message["cards"]
                self._moments.append(self._effect_choice(what) if is_effect else self._choice(what))
            case "event":
                self._read_event(message)
            case "player-disqualified":
                self._left = message["reason"]

    def answer(self) -> bytes | None:
        # The engine's bots don't know about our handshake, so we answer for them.
        if self._asked["type"] != "player-name-request":
            return None
        number = self._asked["player_number"]
        reply = {"type": "player-name-reply", "player_number": number, "name": self._name}
        return msgspec.json.encode(reply | {"version": 1})

    def reply(self, data: bytes) -> bytes:
        kind = self._asked["type"]
        text = data.decode(errors="replace").removesuffix("\r")  # the line may have ended with \r\n
        if kind == "patron-request":
            patron = text.strip().upper()
            known = patron in self._asked["available"]
            reply: Json | None = {"type": "patron-reply", "patron": patron} if known else None
        else:
            reply = self._read(text)
        if reply is not None:
            return msgspec.json.encode(reply)
        # If the bot has sent a JSON object, the referee might accept it as a reply in its own
        # protocol. These bots don't speak that, so wrap the object in a list to have it rejected.
        return b"[" + data + b"]" if data.lstrip().startswith(b"{") else data

    # --- differences between the two languages ----------------------------------------------------

    def _framed(self, state: bytes) -> bytes:
        return state + b"\nEOT\n"

    # Keep these checks in the same order as in the engine, because odd answers may pass several of
    # them. Section 6.7 of the protocol shows them as a table.
    def _read(self, text: str) -> Json | None:
        words = text.split(" ")
        # This may look like a bug, but the engine does end the turn if the command is unknown.
        ends: Json = {"type": "play-reply", "action": {"type": END_TURN}}
        if len(words) < 2:
            return ends
        verb, *rest = words
        if verb == "PATRON" and len(rest) == 1 and rest[0] in (*PATRONS, TREASURY):
            return {"type": "play-reply", "action": {"type": CALL_PATRON, "patron": rest[0]}}
        if verb == "CHOICE" and self._asked.get("effects"):
            # The engine takes anything except LEFT as the right effect.
            return {"type": "choose-reply", "effect": int(rest[0] != "LEFT")}
        numbers = [number for word in rest if (number := _integer(word)) is not None]
        # If there's a word that isn't a valid id, the bot loses the game, even if the verb is
        # unknown. (We can call min() here, because `rest` can't be empty.)
        if len(numbers) < len(rest) or min(numbers) < FIRST_UID:
            return None
        if verb in _COMMANDS and len(numbers) == 1:
            return {"type": "play-reply", "action": {"type": _COMMANDS[verb], "card": numbers[0]}}
        if verb == "CHOICE" and self._asked["type"] == "choose-request":
            # The engine ignores ids that aren't in the list. Some bots rely on that, and send
            # CHOICE 10000 if they don't want to choose any cards.
            listed = [card["uid"] for card in self._asked["cards"]]
            return {"type": "choose-reply", "cards": [uid for uid in listed if uid in numbers]}
        return ends

    # --- state ------------------------------------------------------------------------------------

    def _state(self, asked: Json) -> bytes:
        state = asked["state"]
        is_choice = asked["type"] == "choose-request"
        return msgspec.json.encode(
            {
                # The keys have to be in this order (6.4).
                "PatronStates": {
                    patron: (player or NOBODY).upper()
                    for patron, player in state["favours"].items()
                },
                "TavernAvailableCards": self._shown_cards(state["row"]),
                "BoardState": board_state(asked["follow_up"]) if is_choice else "NORMAL",
                "UpcomingEffects": _effects(asked.get("upcoming", ())),
                "StartOfNextTurnEffects": _effects(state["start_of_next_turn"]),
                "GameEndState": "",
                "CurrentPlayer": self._shown_player(self._seat, state["me"], _OWN),
                "EnemyPlayer": self._shown_player(1 - self._seat, state["opponent"], _OTHERS),
                "CompletedActions": self.completed,
                "TavernCards": self._shown_cards(state["tavern_deck"]),
                "PendingChoice": self._shown_choice(asked) if is_choice else "",
            }
        )

    def _shown_player(self, seat: int, player: Json, fields: str) -> Json:
        # Bots look for the names that the engine uses, such as CurrentHP.
        shown: Json = {"Player": f"PLAYER{seat + 1}"}
        for theirs in fields.split():
            value = player[_FIELDS.get(theirs, theirs.lower())]
            if theirs == "Agents":
                value = [
                    {"CurrentHP": a["hp"], "Card": self._shown_card(a), "Activated": a["activated"]}
                    for a in value
                ]
            elif isinstance(value, list):
                value = self._shown_cards(value)
            shown[theirs] = value
        return shown

    def _shown_choice(self, asked: Json) -> Json:
        source, effects = asked["source"], asked["effects"]
        what: Json = {"Type": "EFFECT", "PossibleEffects": effects}
        context = "EFFECT_CHOICE"
        if not effects:
            what = {"Type": "CARD", "PossibleCards": self._shown_cards(asked["cards"])}
            # If a patron offers the choice, the context is the patron's name. If it's a card, the
            # context is the text of all its effects at this level.
            context = source
            if not isinstance(source, str):
                context = self._table[source["card"]]["effects"][asked["level"] - 1]
        follow_up = asked["follow_up"].upper().replace("-", "_")
        about = {"MaxChoices": asked["max"], "MinChoices": asked["min"], "Context": context}
        return about | {"ChoiceFollowUp": follow_up} | what

    def _shown_cards(self, cards: list[Json]) -> list[Json]:
        return [self._shown_card(card) for card in cards]

    def _shown_card(self, card: Json) -> Json:
        row = self._table[card["card"]]
        shown = {fact: row[fact] for fact in ("name", "deck", "cost", "type")}
        shown |= {"HP": -1 if row["hp"] is None else row["hp"], "taunt": row["taunt"]}
        return shown | {"UniqueId": card["uid"], "effects": row["effects"]}

    # --- news -------------------------------------------------------------------------------------

    def learn(self, cards: Iterable[Json]) -> None:
        for card in cards:
            self._cards[card["uid"]] = card["card"]

    def _read_action(self, action: Json) -> None:
        kind = action["type"]
        self._moments.append(self._action(action))
        if kind == END_TURN:
            self.completed.append(f"END_TURN{self.gap}")
        elif kind == CALL_PATRON:
            self.completed.append(f"ACTIVATE_PATRON{self.gap}{action['patron']}")
        elif kind in _LISTED:
            card = self._named({"uid": action["card"], "card": self._cards[action["card"]]})
            self.completed.append(_LISTED[kind] + self.gap + card)

    def _read_event(self, event: Json) -> None:
        kind = event["kind"].upper().replace("-", "_")
        target = event["target"]
        if target is not None:
            self.learn([target])
        # At the end of a turn, unused power hits taunt agents. The engine doesn't list these hits.
        if kind == "AGENT_HIT":
            return
        words = [] if kind in _ONLY_TARGET else [self._named(event["source"])]
        words += [self._named(target)] if target and not kind.startswith("ADD_") else []
        words += [str(event["amount"])] if kind in _AMOUNTS else []
        self.completed.append(kind + self.gap + " ".join(words))

    def _named(self, source: Json | str) -> str:
        if isinstance(source, str):
            return source
        row = self._table[source["card"]]
        return (
            f"Card: {row['name']}, Deck: {row['deck']}, Cost: {row['cost']}, "
            f"Type: {row['type']}, UniqueId: {source['uid']}"
        )

    def _action(self, action: Json) -> str:
        # This is how `classic-index` writes an action in its list.
        verb = action["type"].upper().replace("-", "_")
        if verb == "CALL_PATRON":
            return f"PATRON {action['patron']}"
        return f"{verb} {self._cards[action['card']]}" if "card" in action else verb

    def _effect_choice(self, source: Json) -> str:
        # In the engine, both effects of an OR have the same text.
        return f"CHOICE {self._table[source['card']]['name']}"

    def _choice(self, cards: Iterable[Json]) -> str:
        names = [self._table[card["card"]]["name"].upper().replace(" ", "_") for card in cards]
        return "CHOICE " + " ".join(names)

    def ending(self, end: Json) -> tuple[str, str, str]:
        """Return the winner, reason and context that the engine reports at the end of a match."""
        winners = end["winners"]
        winner = winners[0].upper() if len(winners) == 1 else NOBODY
        reason = reason_of(end["reason"])
        # If a bot times out, our `game-end` only says that it has left the match. The engine has
        # different reasons, depending on when it happened.
        if self._left == "timeout":
            reason = "TURN_TIMEOUT" if self._is_drafted else "PATRON_SELECTION_TIMEOUT"
        elif self._left == "startup-timeout":
            reason = "PREPARE_TIME_EXCEEDED"
        context = ["", "Last few moves for context:", *self._moments] if self._is_drafted else []
        return winner, reason, "\n".join(context)


class ClassicIndex(Classic):
    """Implements the newer dialect. The bot gets a list of actions, and answers with an index."""

    gap = " "

    def _framed(self, state: bytes) -> bytes:
        asked = self._asked
        if asked["type"] == "play-turn":
            listed = [self._action(action) for action in asked["actions"]]
        elif asked["effects"]:
            # The bot can only tell the left effect from the right one by their positions.
            listed = [self._effect_choice(asked["source"])] * 2
        else:
            listed = [self._choice(cards) for cards in _subsets(asked)]
        actions = ",".join([f'"{action}"' for action in listed]).encode()
        return b'{ "State":\n' + state + b'\n, "Actions": [\n' + actions + b"\n]}\nEOT\n"

    def _read(self, text: str) -> Json | None:
        index, asked = _integer(text), self._asked
        if index is None or index < 0:
            return None
        if asked["type"] == "play-turn":
            fits = index < len(asked["actions"])
            return {"type": "play-reply", "index": index} if fits else None
        if asked["effects"]:
            return {"type": "choose-reply", "effect": index} if index < 2 else None
        # 20 cards have a million subsets, so don't build a list of them just for one index. The
        # min() is there because islice() raises an error if the index is huge.
        chosen = next(islice(_subsets(asked), min(index, 2**62), None), None)
        if chosen is None:
            return None
        return {"type": "choose-reply", "cards": [card["uid"] for card in chosen]}


def _subsets(asked: Mapping[str, Any]) -> Iterator[tuple[Json, ...]]:
    # Small subsets come first. Subsets of the same size are in the order of combinations(). Bots
    # answer with an index, so the order is part of the protocol.
    cards = asked["cards"]
    sizes = range(asked["min"], min(asked["max"], len(cards)) + 1)
    return chain.from_iterable(map(partial(combinations, cards), sizes))


def _effects(waiting: Iterable[Json]) -> list[str]:
    return [what["effect"] for what in waiting]


def _integer(text: str) -> int | None:
    found = _INTEGER.fullmatch(text)
    return int(found[1]) if found else None


# --- explanations of wrong answers ----------------------------------------------------------------


def _wrong_command(fault: Fault, asked: Mapping[str, Any], answer: bytes) -> str:
    if asked["type"] == "patron-request":
        return _wrong_patron(asked)
    if asked["type"] == "play-turn":
        legal = [_command(action) for action in asked["actions"]]
        return f"is not a legal command here: expected {_one_of(legal)} (6.7)"
    if asked["effects"]:
        return "is not a choice: expected CHOICE LEFT or CHOICE RIGHT (6.7)"
    least, most = asked["min"], min(asked["max"], len(asked["cards"]))
    # We list ids instead of names, because the bot has to answer with ids.
    ids = [str(card["uid"]) for card in asked["cards"]]
    many = str(most) if least == most else f"{least} to {most}"
    empty = "; CHOICE 10000 chooses none" if not least else ""
    return (
        f"is not a legal choice: expected CHOICE, a space and the ids of {many} of the cards "
        f"{_one_of(ids)}{empty} (6.7)"
    )


def _wrong_index(fault: Fault, asked: Mapping[str, Any], answer: bytes) -> str:
    if asked["type"] == "patron-request":
        return _wrong_patron(asked)
    if asked["type"] == "play-turn":
        count = len(asked["actions"])
    else:
        cards, sizes = len(asked["cards"]), range(asked["min"], asked["max"] + 1)
        count = 2 if asked["effects"] else sum(comb(cards, size) for size in sizes)
    text = answer.decode(errors="replace")
    # It's easy to choose the wrong dialect, so check whether the answer is a command.
    verbs = (*_COMMANDS, "PATRON", "CHOICE", "ENDTURN", "END_TURN")
    is_command = text.split(" ")[0].strip() in verbs
    hint = "; it is a command, so give the bot as classic:COMMAND" if is_command else ""
    return f"is not a place in `Actions`: expected an integer from 0 to {count - 1} (6.6){hint}"


def _wrong_patron(asked: Mapping[str, Any]) -> str:
    return f"is not a patron that is left: expected one of {', '.join(asked['available'])} (6.2)"


def _command(action: Json) -> str:
    verbs = {theirs: verb for verb, theirs in _COMMANDS.items()} | {CALL_PATRON: "PATRON"}
    what = action.get("card", action.get("patron"))
    return "ENDTURN" if what is None else f"{verbs[action['type']]} {what}"


def _one_of(words: Sequence[str]) -> str:
    left_out = len(words) - _MOST_NAMED
    more = [f"... ({left_out} more)"] if left_out > 1 else words[_MOST_NAMED:]
    return ", ".join([*words[:_MOST_NAMED], *more])


CLASSIC = DialectKind(Classic, wrong=_wrong_command)
CLASSIC_INDEX = DialectKind(ClassicIndex, wrong=_wrong_index)
