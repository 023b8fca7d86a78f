"""The dialects classic and classic-index, compared with an independent writer (protocol, 6)."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface.dialect import DialectKind
from referee.games.interface.faults import Disqualification, Fault, InvalidReply
from referee.games.tribute import RULES
from referee.games.tribute.classic import CLASSIC, CLASSIC_INDEX, Classic, ClassicIndex
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Match
from tests.games.tribute.test_vectors import Completed
from tests.games.tribute.tribute_matches import new_match, right
from tests.support.helpers import TIMES, Announced, seat_of, to_line
from tests.support.live import referee

Json = dict[str, Any]
KINDS = {"classic": Classic, "classic-index": ClassicIndex}
BOT = f"{sys.executable} {Path(__file__).with_name('end_turn_bot.py')}"


class Writer:
    """Writes what a bot must receive, using the public messages but none of the dialects' code."""

    def __init__(self, seat: int, dialect: str) -> None:
        self.seat, self.is_index = seat, dialect == "classic-index"
        self.completed = Completed()
        self.moments: list[str] = []

    def observe(self, message: Json) -> bytes:
        """Return the bytes for a public message."""
        self.completed.observe(message)
        if message["type"] == "action":
            self.moments.append(self.action(message["action"]))
        if message["type"] == "chosen":
            effect = message["effect"] is not None
            self.moments.append(
                self.either(message["source"]) if effect else self.choice(message["cards"])
            )
        if message["type"] != "game-end":
            return b""
        reason = {
            "prestige-80": "PRESTIGE_OVER_80",
            "prestige-40": "PRESTIGE_OVER_40_NOT_MATCHED",
            "patron-favour": "PATRON_FAVOR",
            "turn-limit": "TURN_LIMIT_EXCEEDED",
            "illegal-reply": "BOT_EXCEPTION",
        }[message["reason"]]
        won = message["winners"][0].upper()
        if len(message["winners"]) > 1:
            won = "NO_PLAYER_SELECTED"
        moves = "".join(f"{move}\n" for move in self.moments[-5:])
        return f"FINISHED {won} {reason} \nLast few moves for context:\n{moves}EOT\n".encode()

    def ask(self, request: Json) -> bytes:
        """Return the bytes for a request."""
        if request["type"] == "patron-request":
            return (",".join(request["available"]) + f" {request['round']}\n").encode()
        shown = json.dumps(self.state(request), indent=2, ensure_ascii=False)
        if self.is_index:
            listed = ",".join(json.dumps(each, ensure_ascii=False) for each in self.all(request))
            shown = f'{{ "State":\n{shown}\n, "Actions": [\n{listed}\n]}}'
        return f"{shown}\nEOT\n".encode()

    def all(self, request: Json) -> list[str]:
        if request["type"] == "play-turn":
            return [self.action(action) for action in request["actions"]]
        if request["effects"]:
            return [self.either(request["source"])] * 2
        return [self.choice(cards) for cards in self.subsets(request)]

    def subsets(self, request: Json) -> list[list[Json]]:
        cards = request["cards"]
        return [
            [*chosen]
            for size in range(len(cards) + 1)
            if request["min"] <= size <= request["max"]
            for chosen in combinations(cards, size)
        ]

    def action(self, action: Json) -> str:
        words = {
            "play-card": "PLAY_CARD",
            "activate-agent": "ACTIVATE_AGENT",
            "attack": "ATTACK",
            "buy-card": "BUY_CARD",
            "call-patron": "PATRON",
            "end-turn": "END_TURN",
        }
        word = words[action["type"]]
        if word == "PATRON":
            return f"PATRON {action['patron']}"
        return word if word == "END_TURN" else f"{word} {self.completed.cards[action['card']]}"

    def either(self, source: Json) -> str:
        return f"CHOICE {self.completed.rows[source['card']]['name']}"

    def choice(self, cards: list[Json]) -> str:
        names = [self.completed.rows[card["card"]]["name"] for card in cards]
        return "CHOICE " + " ".join("_".join(name.upper().split(" ")) for name in names)

    def card(self, card: Json) -> Json:
        row = self.completed.rows[card["card"]]
        hp = -1 if row["hp"] is None else row["hp"]
        shown = {"name": row["name"], "deck": row["deck"], "cost": row["cost"]}
        shown |= {"type": row["type"], "HP": hp, "taunt": row["taunt"]}
        return shown | {"UniqueId": card["uid"], "effects": row["effects"]}

    def cards(self, cards: list[Json]) -> list[Json]:
        return [self.card(card) for card in cards]

    def agents(self, agents: list[Json]) -> list[Json]:
        return [
            {"CurrentHP": each["hp"], "Card": self.card(each), "Activated": each["activated"]}
            for each in agents
        ]

    def state(self, request: Json) -> Json:
        state, me, other = (
            request["state"],
            request["state"]["me"],
            request["state"]["opponent"],
        )
        favours = {None: "NO_PLAYER_SELECTED", "player1": "PLAYER1", "player2": "PLAYER2"}
        players = ["PLAYER1", "PLAYER2"]
        follow_up = request.get("follow_up")
        if follow_up is None:
            board = "NORMAL"
        elif follow_up == "discard-cards":
            board = "START_OF_TURN_CHOICE_PENDING"
        elif follow_up in (
            *("complete-hlaalu", "complete-pellin", "complete-psijic", "complete-treasury"),
        ):
            board = "PATRON_CHOICE_PENDING"
        else:
            board = "CHOICE_PENDING"
        lines = self.completed.lines
        if not self.is_index:  # The classic dialect has no space after the type.
            lines = [line.replace(" ", "", 1) for line in lines]
        current: Json = {"Player": players[self.seat], "Hand": self.cards(me["hand"])}
        current |= {"Cooldown": self.cards(me["cooldown"]), "Played": self.cards(me["played"])}
        current |= {"KnownPile": self.cards(me["known"]), "Agents": self.agents(me["agents"])}
        current |= {"Power": me["power"], "PatronCalls": me["patron_calls"], "Coins": me["coins"]}
        current |= {"Prestige": me["prestige"], "DrawPile": self.cards(me["draw_pile"])}
        enemy: Json = {"Player": players[1 - self.seat], "Cooldown": self.cards(other["cooldown"])}
        enemy |= {"Played": self.cards(other["played"])}
        enemy |= {"HandAndDraw": self.cards(other["hand_and_draw"])}
        enemy |= {"Agents": self.agents(other["agents"]), "Power": other["power"]}
        enemy |= {"Coins": other["coins"], "Prestige": other["prestige"]}
        return {
            "PatronStates": {patron: favours[of] for patron, of in state["favours"].items()},
            "TavernAvailableCards": self.cards(state["row"]),
            "BoardState": board,
            "UpcomingEffects": [each["effect"] for each in request.get("upcoming", [])],
            "StartOfNextTurnEffects": [each["effect"] for each in state["start_of_next_turn"]],
            "GameEndState": "",
            "CurrentPlayer": current,
            "EnemyPlayer": enemy,
            "CompletedActions": lines,
            "TavernCards": self.cards(state["tavern_deck"]),
            "PendingChoice": self.pending(request) if follow_up else "",
        }

    def pending(self, request: Json) -> Json:
        source = request["source"]
        choice = {"MaxChoices": request["max"], "MinChoices": request["min"]}
        follow_up = request["follow_up"].replace("-", "_").upper()
        if request["effects"]:
            choice |= {"Context": "EFFECT_CHOICE", "ChoiceFollowUp": follow_up, "Type": "EFFECT"}
            return choice | {"PossibleEffects": request["effects"]}
        context = source
        if isinstance(source, dict):
            context = self.completed.rows[source["card"]]["effects"][request["level"] - 1]
        choice |= {"Context": context, "ChoiceFollowUp": follow_up, "Type": "CARD"}
        return choice | {"PossibleCards": self.cards(request["cards"])}

    def answer(self, request: Json, reply: Json) -> str:
        """Translate a legal canonical reply into the dialect."""
        if request["type"] == "patron-request":
            return f" {reply['patron'].lower()} "
        if request["type"] == "play-turn":
            index = reply["index"]
            if self.is_index:
                return f" +{index}"
            action = request["actions"][index]
            verb = {"end-turn": "ENDTURN", "call-patron": f"PATRON {action.get('patron')}"}
            word = action["type"].split("-")[0].upper()
            return verb.get(action["type"]) or f"{word} {action['card']}"
        if request["effects"]:
            effect = int(reply["effect"])
            return str(effect) if self.is_index else ("CHOICE LEFT", "CHOICE RIGHT")[effect]
        if self.is_index:
            chosen = [card for card in request["cards"] if card["uid"] in reply["cards"]]
            return str(self.subsets(request).index(chosen))
        return "CHOICE " + " ".join(map(str, reply["cards"] or [10000]))


def play(seed: int, kinds: tuple[str, str]) -> list[list[bytes]]:
    """Play a match of random bots through dialects, and compare all output with `Writer`.

    Returns:
        What each bot was sent for its requests and at the end.
    """
    match = new_match(seed, max_turns=3)
    dialects = [KINDS[kind](seat, seed, "bot") for seat, kind in enumerate(kinds)]
    writers = [Writer(seat, kind) for seat, kind in enumerate(kinds)]
    sent: list[list[bytes]] = [[], []]
    dice = Random(seed)
    match.start()
    while True:
        told = Announced(match.take_entries())
        for message in told.public:
            for seat in (0, 1):
                data = dialects[seat].send(to_line(message))
                assert data == writers[seat].observe(message), message["type"]
                if data:
                    sent[seat].append(data)
        if not match.due:
            return sent
        for to, request in told.requests:
            seat = seat_of(to)
            data = dialects[seat].send(to_line(request))
            if request["type"] == "player-name-request":
                assert data == b""
                match.receive(seat, dialects[seat].answer() or b"")
                continue
            assert data == writers[seat].ask(request)
            sent[seat].append(data)
            reply = json.loads(right(dice, request))
            if request["type"] == "play-turn":
                count = len(request["actions"])
                reply = {"type": "play-reply", "index": dice.randrange(max(1, count - 1))}
            line = writers[seat].answer(request, reply).encode()
            match.receive(seat, dialects[seat].reply(line))


@pytest.mark.parametrize("seed", range(TIMES))
@pytest.mark.parametrize("kinds", [("classic", "classic-index")])
def test_what_bots_are_sent(seed: int, kinds: tuple[str, str]) -> None:
    sent = play(seed, kinds)
    for data in sent:
        assert b"BOT_EXCEPTION" not in data[-1]
        assert data[-1].startswith(b"FINISHED ")
        assert data[-1].count(b"\n") == 8


# --- replies (protocol, 6.2, 6.6, 6.7) ----------------------------------------------------------

PICK: Json = {"type": "patron-request", "round": 1, "available": ["ANSEI", "PELIN"], "picked": []}
PLAYER: Json = {
    **{key: [] for key in ("hand", "draw_pile", "known", "cooldown", "played", "agents")},
    **dict.fromkeys(("coins", "power", "prestige", "patron_calls", "hand_size"), 0),
    "hand_and_draw": [],
}
GOLD = [{"uid": uid, "card": "GOLD"} for uid in (10001, 10002, 10003)]
ROW = {"card": "GOLD", "name": "Gold", "deck": "TREASURY", "type": "STARTER", "cost": 0}
ROW |= {"hp": None, "taunt": False, "effects": ["GAIN_COIN 1", "", "", ""]}
INFO = {"type": "game-info", "card_table": [ROW]}
TABLE = {"type": "table-set", "row": [], "tavern_deck": GOLD, "starters": []}
STATE: Json = {"favours": {"TREASURY": None}, "row": [], "tavern_deck": GOLD}
STATE |= {"start_of_next_turn": [], "me": PLAYER, "opponent": PLAYER}
TURN: Json = {"type": "play-turn", "turn": 1, "state": STATE}
TURN |= {"actions": [{"type": "play-card", "card": 10001}, {"type": "end-turn"}]}
CARDS: Json = {"type": "choose-request", "turn": 1, "follow_up": "refresh-cards", "state": STATE}
CARDS |= {"source": GOLD[0], "level": 1, "min": 0, "max": 2, "cards": GOLD, "effects": []}
CARDS |= {"upcoming": []}
EITHER = CARDS | {"follow_up": "enact-chosen-effect", "min": 1, "max": 1, "cards": []}
EITHER |= {"effects": ["GAIN_COIN 1", "TOSS 1"]}
ENDS = {"type": "play-reply", "action": {"type": "end-turn"}}


def act(kind: str, **what: Any) -> Json:
    return {"type": "play-reply", "action": {"type": kind} | what}


def chosen(*uids: int) -> Json:
    return {"type": "choose-reply", "cards": [*uids]}


def replied(kind: str, request: Json, line: str) -> bytes:
    dialect = KINDS[kind](0, 1, "bot")
    for message in (INFO, TABLE, request):
        dialect.send(to_line(message))
    return dialect.reply(line.encode())


@pytest.mark.parametrize(
    ("kind", "request_", "line", "reply"),
    [
        ("classic", PICK, " pelin ", {"type": "patron-reply", "patron": "PELIN"}),
        # The line has fewer than two words.
        ("classic", TURN, "ENDTURN", ENDS),
        ("classic", TURN, "END_TURN", ENDS),
        ("classic", CARDS, "ENDTURN", ENDS),
        ("classic", EITHER, "CHOICE", ENDS),
        # Patrons.
        ("classic", TURN, "PATRON HLAALU", act("call-patron", patron="HLAALU")),
        ("classic", TURN, "PATRON TREASURY", act("call-patron", patron="TREASURY")),
        # A choice between two effects.
        ("classic", EITHER, "CHOICE LEFT", {"type": "choose-reply", "effect": 0}),
        ("classic", EITHER, "CHOICE left", {"type": "choose-reply", "effect": 1}),
        ("classic", EITHER, "CHOICE RIGHT or not", {"type": "choose-reply", "effect": 1}),
        ("classic", EITHER, "CHOICE 5", {"type": "choose-reply", "effect": 1}),
        # One card.
        ("classic", TURN, "PLAY 10001", act("play-card", card=10001)),
        ("classic", TURN, "BUY 10001", act("buy-card", card=10001)),
        ("classic", TURN, "ATTACK 10001", act("attack", card=10001)),
        ("classic", TURN, "ACTIVATE 10001", act("activate-agent", card=10001)),
        # Several cards.
        ("classic", CARDS, "CHOICE 10003 10001", chosen(10001, 10003)),
        ("classic", CARDS, "CHOICE 10001 10001 10099", chosen(10001)),
        ("classic", CARDS, "CHOICE 10000", chosen()),
        # Any other line.
        ("classic", TURN, "CHOICE 10001", ENDS),
        ("classic", TURN, "PLAY 10001 10002", ENDS),
        ("classic", TURN, "play 10001", ENDS),
        ("classic", EITHER, "PLAY 10001 10002", ENDS),
        ("classic-index", TURN, "1", {"type": "play-reply", "index": 1}),
        ("classic-index", TURN, " +01 ", {"type": "play-reply", "index": 1}),
        ("classic-index", TURN, "-0", {"type": "play-reply", "index": 0}),
        ("classic-index", EITHER, "1", {"type": "choose-reply", "effect": 1}),
        ("classic-index", CARDS, "0", chosen()),
        ("classic-index", CARDS, "3", chosen(10003)),
        ("classic-index", CARDS, "5", chosen(10001, 10003)),
        ("classic-index", CARDS, "6", chosen(10002, 10003)),
    ],
)
def test_a_reply(kind: str, request_: Json, line: str, reply: Json) -> None:
    assert json.loads(replied(kind, request_, line)) == reply


@pytest.mark.parametrize(
    ("kind", "request_", "line"),
    [
        ("classic", PICK, "HLAALU"),
        ("classic", PICK, "0"),
        ("classic", PICK, "ANSEI,PELIN"),
        ("classic", TURN, "PATRON hlaalu"),
        ("classic", TURN, "PATRON SOMEBODY"),
        ("classic", TURN, "PLAY GOLD"),
        ("classic", TURN, "PLAY  10001"),
        ("classic", TURN, "PLAY 9999"),
        ("classic", TURN, "ENDTURN "),
        ("classic", CARDS, "CHOICE LEFT"),
        ("classic", CARDS, "CHOICE 10001 0"),
        ("classic-index", PICK, "0"),
        ("classic-index", TURN, "ENDTURN"),
        ("classic-index", TURN, "2"),
        ("classic-index", TURN, "-1"),
        ("classic-index", TURN, "1.0"),
        ("classic-index", TURN, "1_0"),
        ("classic-index", TURN, "\u0661"),
        ("classic-index", TURN, "9" * 5000),
        ("classic-index", CARDS, "7"),
        ("classic-index", EITHER, "2"),
        ("classic-index", TURN, "PLAY_CARD GOLD"),
    ],
)
def test_a_line_that_loses_stands_as_it_came(kind: str, request_: Json, line: str) -> None:
    reply = replied(kind, request_, line)
    assert reply == line.encode()
    assert type(decode_reply(reply, reply_decoder(RULES.replies))) is InvalidReply


@pytest.mark.parametrize("request_", [PICK, TURN, CARDS, EITHER], ids=lambda asked: asked["type"])
def test_a_canonical_reply_is_none_of_classic_index(request_: Json) -> None:
    line = '{"type":"play-reply","index":0,"patron":"ANSEI"}'
    assert replied("classic-index", request_, line) == f"[{line}]".encode()


WORDS = st.sampled_from(
    [
        *("PLAY", "BUY", "ATTACK", "ACTIVATE", "CHOICE", "PATRON", "ENDTURN", "LEFT", "RIGHT"),
        *("HLAALU", "pelin", "TREASURY", "ANSEI", "0", "1", "+2", "-1", "9999", "", " ", "\u0661"),
    ]
)
UIDS = st.integers(10_000, 10_130).map(str)
LINES = st.one_of(
    st.lists(WORDS | UIDS, max_size=5).map(lambda words: " ".join(words).encode()),
    st.integers(-1, 20).map(lambda index: b"%d" % index),
    st.sampled_from([b'{"type":"play-reply","index":0}', b'{"type":"patron-reply"}', b"[]"]),
    st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"")),
)


@pytest.mark.slow
@pytest.mark.untraced
@settings(max_examples=20 * TIMES)
@given(
    st.sampled_from([*KINDS]),
    st.integers(0, 2),
    st.integers(0, 60),
    st.lists(LINES.filter(bytes.strip), min_size=1, max_size=5),
)
def test_any_line_is_a_legal_reply_or_a_fault_by_section(
    kind: str, seed: int, after: int, lines: list[bytes]
) -> None:
    """The given lines begin after both bots have sent `after` correct replies."""
    match = new_match(seed)
    dialects = [KINDS[kind](seat, seed, "bot") for seat in (0, 1)]
    dice = Random(seed)
    match.start()
    while True:
        told = Announced(match.take_entries())
        for message in told.public:
            for dialect in dialects:
                dialect.send(to_line(message))
        if not match.due:
            assert len(told.faults) == (match.outcome.reason in ("illegal-reply", "bad-patron"))
            assert all(RULES.faults[fault.code] == fault.section for fault in told.faults)
            return
        assert told.faults == []
        for to, request in told.requests:
            seat = seat_of(to)
            dialects[seat].send(to_line(request))
            handshake = dialects[seat].answer()
            after -= handshake is None
            if handshake or after >= 0:
                match.receive(seat, handshake or right(dice, request))
            elif lines:
                match.receive(seat, dialects[seat].reply(lines.pop(0)))
            else:
                return


# --- the end (protocol, 6.8) --------------------------------------------------------------------


def ended(kind: str, when: str, stop: Callable[[Match], None]) -> list[bytes]:
    """Let `stop` end the match at player 1's first request of this type.

    Returns:
        The last bytes sent to each of the bots.
    """
    match = new_match(1)
    dialects = [KINDS[kind](seat, 1, "bot") for seat in (0, 1)]
    sent = [b"", b""]
    dice = Random(1)
    match.start()
    while True:
        told = Announced(match.take_entries())
        for message in told.public:
            for seat, dialect in enumerate(dialects):
                sent[seat] = dialect.send(to_line(message)) or sent[seat]
        if not match.due:
            return sent
        for to, request in told.requests:
            seat = seat_of(to)
            dialects[seat].send(to_line(request))
            if seat == 0 and request["type"] == when:
                stop(match)
            else:
                match.receive(seat, dialects[seat].answer() or right(dice, request))


def leaving(why: Disqualification) -> Callable[[Match], None]:
    return lambda match: match.disqualify(0, why, "as the test says")


def saying(line: bytes) -> Callable[[Match], None]:
    return lambda match: match.receive(0, line)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("when", "stop", "reason"),
    [
        ("player-name-request", leaving(Disqualification.STARTUP_TIMEOUT), "PREPARE_TIME_EXCEEDED"),
        ("patron-request", leaving(Disqualification.TIMEOUT), "PATRON_SELECTION_TIMEOUT"),
        ("patron-request", leaving(Disqualification.EXITED), "BOT_EXCEPTION"),
        ("patron-request", saying(b"SHEOGORATH"), "PATRON_SELECTION_FAILURE"),
        ("play-turn", leaving(Disqualification.TIMEOUT), "TURN_TIMEOUT"),
        ("play-turn", saying(b"?"), "BOT_EXCEPTION"),
    ],
)
def test_the_end_says_why(kind: str, when: str, stop: Callable[[Match], None], reason: str) -> None:
    """The list of moves appears only after the draft."""
    moves = "Last few moves for context:\n" * (when == "play-turn")
    end = f"FINISHED PLAYER2 {reason} \n{moves}EOT\n"
    assert [data.decode() for data in ended(kind, when, stop)] == [end] * 2


# --- processes ----------------------------------------------------------------------------------


def faults_of(*words: str) -> tuple[str, str]:
    done = referee("play", "--game", "tribute", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout, " ".join(done.stdout.split())


@pytest.mark.slow
def test_a_bot_that_only_ends_turns_plays_classic() -> None:
    words = ("--seed", "3", "--max-turns", "6", "--stderr", "-")
    shown, text = faults_of(f"classic:{BOT}", "random", *words)
    assert "bad-format" not in shown
    assert "the turn limit was reached" in text


def test_the_same_bot_loses_under_classic_index_and_is_told_why() -> None:
    shown, text = faults_of(f"classic-index:{BOT}", "random", "--seed", "3")
    assert "turn 1 of the match, request 3" in shown
    assert "give the bot as classic:COMMAND" in text
    # Tie-breaks played no part and aren't mentioned.
    assert "was not legal, after 1 turn; a score of 0 each. " in text


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ("SHEOGORATH", "`SHEOGORATH` is not a patron that is left: expected one of ANSEI, DUKE_OF"),
        ("ANSEI,PELIN,CHOICE ", "`CHOICE ` is not a legal command here: expected PLAY 1"),
        ("ANSEI,PELIN,BUY 99999", "`BUY 99999` is not a legal command here: expected PLAY 1"),
        ("ANSEI,PELIN,PLAY \x1b[2J" + 99 * "9", "`PLAY ?[2J999"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_dialect(
    tmp_path: Path, answers: str, says: str
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(f"for answer in {answers.split(',')}:\n    print(answer, flush=True)\ninput()")
    command = f"classic:{sys.executable} {bot}"
    _, text = faults_of(command, "random", "--seed", "3")
    assert says in text
    assert ("(6.2)" if says.startswith("`SHEO") else "ENDTURN (6.7)") in text
    assert "JSON" not in text


CHOICE = {"type": "choose-request", "effects": [], "min": 0, "max": 2} | {
    "cards": [{"uid": 10001, "card": "GOLD"}, {"uid": 10002, "card": "GOLD"}]
}


@pytest.mark.parametrize(
    ("kind", "asked", "says"),
    [
        (CLASSIC, CHOICE, "the ids of 0 to 2 of the cards 10001, 10002; CHOICE 10000 chooses none"),
        (CLASSIC, CHOICE | {"min": 2}, "the ids of 2 of the cards 10001, 10002 (6.7)"),
        (CLASSIC, CHOICE | {"effects": ["TOSS 1", "DRAW 1"]}, "CHOICE LEFT or CHOICE RIGHT (6.7)"),
        (CLASSIC_INDEX, CHOICE, "expected an integer from 0 to 3 (6.6)"),
        (CLASSIC_INDEX, CHOICE | {"effects": ["TOSS 1", "DRAW 1"]}, "from 0 to 1 (6.6)"),
    ],
)
def test_what_is_expected_at_a_choice(kind: DialectKind, asked: Json, says: str) -> None:
    assert kind.wrong is not None
    assert says in kind.wrong(Fault(0, "bad-format", "5.4", ""), asked, b"CHOICE ")


def test_conform_says_so_too_and_shows_the_state_in_few_lines() -> None:
    done = referee("conform", f"classic-index:{BOT}", "--game", "tribute", "--case", "4.1/1")
    assert done.returncode == 1
    text = " ".join(done.stdout.split())
    assert "expected an integer from 0 to 5 (6.6); it is a command, so give the bot as" in text
    assert "a JSON object" not in text
    assert 'request { "State": { "PatronStates": {' in text
    assert "reply ENDTURN" in text


@pytest.mark.parametrize(
    ("replies", "reason"),
    [("SHEOGORATH", "PATRON_SELECTION_FAILURE"), ("ANSEI PELIN 99", "BOT_EXCEPTION")],
)
def test_a_bot_that_loses_by_its_own_answer_is_told_the_end(
    tmp_path: Path, replies: str, reason: str
) -> None:
    """Losing in the draft or in the first turn. The bot then reads to the end of its input."""
    bot = tmp_path / "bot.py"
    bot.write_text(
        f"for reply in {replies.split()}:\n"
        "    if not reply.isalpha():\n"
        "        while input() != 'EOT': pass\n"
        "    else: input()\n"
        "    print(reply, flush=True)\n"
        "import sys; print(repr(sys.stdin.read()), file=sys.stderr)\n"
    )
    words = [f"classic-index:{sys.executable} {bot}", "random", "--seed", "3"]
    done = referee("play", "--game", "tribute", *words, "--stderr", str(tmp_path))
    assert done.returncode == 0
    (file,) = tmp_path.glob("*player1*")
    told = ast.literal_eval(file.read_text())
    assert told.startswith(f"FINISHED PLAYER2 {reason} \n")
    assert told.endswith("EOT\n")


if __name__ == "__main__":
    both = [play(seed, ("classic", "classic-index")) for seed in range(int(sys.argv[1]))]
    for seat, kind in enumerate(KINDS):
        sizes = sorted(len(data) for sent in both for data in sent[seat][2:-1])
        print(kind, "requests", len(sizes), "bytes", sizes[0], "to", sizes[-1])
