"""The languages of the engine's external bots: a state in, a command or an index out (protocol, 6).

A dialect only sees the messages to its bot, but the engine's state also contains the definitions of
cards and everything that happened in the match. A dialect therefore keeps the card table, the cards
seen so far, and the list of completed actions.
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
# Accepts the same integers as C#'s int.Parse, including white space. Python refuses integers of
# more than 4,300 digits, so longer texts don't match.
_INTEGER = re.compile(r"[\t-\r ]*([+-]?[0-9]{1,4000})[\t-\r ]*")
_MOST_NAMED = 12
"""Maximum number of commands or cards in a list of legal replies."""
_MOMENTS = 5
"""Maximum number of actions and choices in the context of the end."""
_BOARD_STATES = {"discard": "START_OF_TURN_CHOICE_PENDING", "complete": "PATRON_CHOICE_PENDING"}
_LISTED = {"play-card": "PLAY_CARD", "activate-agent": "ACTIVATE_AGENT", "buy-card": "BUY_CARD"}
"""Action type -> its name in the list of completed actions, which has only events for attacks."""
_ONLY_TARGET = ("AGENT_DEATH", "KNOCKOUT_ALL", "ATTACK_AGENT")
_AMOUNTS = (
    *("GAIN_COIN", "GAIN_POWER", "GAIN_PRESTIGE", "OPP_LOSE_PRESTIGE", "DRAW"),
    *("ADD_PATRON_CALLS", "HEAL_AGENT", "ATTACK_AGENT"),
)
_OWN = "Hand Cooldown Played KnownPile Agents Power PatronCalls Coins Prestige DrawPile"
_OTHERS = "Cooldown Played HandAndDraw Agents Power Coins Prestige"
"""Fields of the opponent in a state, in this order. `_OWN` has the fields of the bot's player."""
_FIELDS = {
    "KnownPile": "known",
    "PatronCalls": "patron_calls",
    "DrawPile": "draw_pile",
    "HandAndDraw": "hand_and_draw",
}
"""Field of a state -> its name in our requests, if it isn't the same in lower case."""
_REASONS = {
    "prestige-80": "PRESTIGE_OVER_80",
    "prestige-40": "PRESTIGE_OVER_40_NOT_MATCHED",
    "patron-favour": "PATRON_FAVOR",
    "turn-limit": "TURN_LIMIT_EXCEEDED",
    "bad-patron": "PATRON_SELECTION_FAILURE",
}
"""End reason -> its name in the engine. All other codes are BOT_EXCEPTION."""
NOBODY = "NO_PLAYER_SELECTED"


def board_state(follow_up: str) -> str:
    """Return the engine's state of the board during a choice."""
    return _BOARD_STATES.get(follow_up.split("-")[0], "CHOICE_PENDING")


def reason_of(reason: str) -> str:
    """Return the engine's name of an end reason."""
    return _REASONS.get(reason, "BOT_EXCEPTION")


class Classic:
    """Implements `referee.games.interface.dialect.Dialect`: states in, commands out.

    This is the older of the two languages. The newer language derives from it, and only changes the
    frame and the answers.
    """

    gap = ""
    """Separator after the type of a completed action."""

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
            # The engine sends the draft in a different format, which is a single line without EOT.
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
            # If the match ends early, the engine's name for the reason depends on whether the draft
            # was over.
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
        # These bots have no handshake, so we answer for them.
        if self._asked["type"] != "player-name-request":
            return None
        number = self._asked["player_number"]
        reply = {"type": "player-name-reply", "player_number": number, "name": self._name}
        return msgspec.json.encode(reply | {"version": 1})

    def reply(self, data: bytes) -> bytes:
        kind = self._asked["type"]
        # A line may end with \r\n.
        text = data.decode(errors="replace").removesuffix("\r")
        if kind == "patron-request":
            patron = text.strip().upper()
            known = patron in self._asked["available"]
            reply: Json | None = {"type": "patron-reply", "patron": patron} if known else None
        else:
            reply = self._read(text)
        if reply is not None:
            return msgspec.json.encode(reply)
        # An object would be read as a reply in the referee's own protocol, which this bot can't
        # mean. With brackets around it, the game rejects it.
        return b"[" + data + b"]" if data.lstrip().startswith(b"{") else data

    # --- differences between the two languages ----------------------------------------------------

    def _framed(self, state: bytes) -> bytes:
        return state + b"\nEOT\n"

    # The engine has the same order of tests. The results for odd lines depend on this order, so
    # don't change it (6.7 shows it as a table).
    def _read(self, text: str) -> Json | None:
        words = text.split(" ")
        # In the engine, an unknown command ends the turn, however strange that looks.
        ends: Json = {"type": "play-reply", "action": {"type": END_TURN}}
        if len(words) < 2:
            return ends
        verb, *rest = words
        if verb == "PATRON" and len(rest) == 1 and rest[0] in (*PATRONS, TREASURY):
            return {"type": "play-reply", "action": {"type": CALL_PATRON, "patron": rest[0]}}
        if verb == "CHOICE" and self._asked.get("effects"):
            # Any word except LEFT means the right effect.
            return {"type": "choose-reply", "effect": int(rest[0] != "LEFT")}
        numbers = [number for word in rest if (number := _integer(word)) is not None]
        # A word that isn't a valid id loses the game for any verb. (min() is safe, because there's
        # at least one word.)
        if len(numbers) < len(rest) or min(numbers) < FIRST_UID:
            return None
        if verb in _COMMANDS and len(numbers) == 1:
            return {"type": "play-reply", "action": {"type": _COMMANDS[verb], "card": numbers[0]}}
        if verb == "CHOICE" and self._asked["type"] == "choose-request":
            # Ids that aren't in the list are ignored. For example, these bots send CHOICE 10000 to
            # choose no cards.
            listed = [card["uid"] for card in self._asked["cards"]]
            return {"type": "choose-reply", "cards": [uid for uid in listed if uid in numbers]}
        return ends

    # --- state ------------------------------------------------------------------------------------

    def _state(self, asked: Json) -> bytes:
        state = asked["state"]
        is_choice = asked["type"] == "choose-request"
        return msgspec.json.encode(
            {
                # (6.4 also defines the order of the keys.)
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
        # The engine's bots read these fields, so they have the names of the engine's classes.
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
            # If a patron asks, the context is the patron's name. If a card asks, the context is the
            # whole entry of its effects.
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
        # The engine doesn't list hits by unused power at the end of a turn.
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
        # Actions have this format in `classic-index`.
        verb = action["type"].upper().replace("-", "_")
        if verb == "CALL_PATRON":
            return f"PATRON {action['patron']}"
        return f"{verb} {self._cards[action['card']]}" if "card" in action else verb

    def _effect_choice(self, source: Json) -> str:
        # The engine lists the same action twice, once for each effect of an OR.
        return f"CHOICE {self._table[source['card']]['name']}"

    def _choice(self, cards: Iterable[Json]) -> str:
        names = [self._table[card["card"]]["name"].upper().replace(" ", "_") for card in cards]
        return "CHOICE " + " ".join(names)

    def ending(self, end: Json) -> tuple[str, str, str]:
        """Return winner, reason and context of the end."""
        winners = end["winners"]
        winner = winners[0].upper() if len(winners) == 1 else NOBODY
        reason = reason_of(end["reason"])
        # Our reason only shows that the other player left the match, but the engine has a name for
        # each kind of timeout.
        if self._left == "timeout":
            reason = "TURN_TIMEOUT" if self._is_drafted else "PATRON_SELECTION_TIMEOUT"
        elif self._left == "startup-timeout":
            reason = "PREPARE_TIME_EXCEEDED"
        context = ["", "Last few moves for context:", *self._moments] if self._is_drafted else []
        return winner, reason, "\n".join(context)


class ClassicIndex(Classic):
    """The newer language. The state comes with a list of actions, and the answer is an index."""

    gap = " "

    def _framed(self, state: bytes) -> bytes:
        asked = self._asked
        if asked["type"] == "play-turn":
            listed = [self._action(action) for action in asked["actions"]]
        elif asked["effects"]:
            # Both effects have the same text, as in the engine, so a bot can only distinguish them
            # by their positions.
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
        # 20 cards have a million subsets, so don't create a list of them for one index. islice()
        # also refuses indices above 2**63.
        chosen = next(islice(_subsets(asked), min(index, 2**62), None), None)
        if chosen is None:
            return None
        return {"type": "choose-reply", "cards": [card["uid"] for card in chosen]}


def _subsets(asked: Mapping[str, Any]) -> Iterator[tuple[Json, ...]]:
    # Sort by size, then in lexicographic order of the positions. The bot answers with an index, so
    # this order is part of the protocol.
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
    # Ids rather than names, because the bot has to write ids.
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
    # The two languages are easy to mix up, so look for a command of the other language.
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
