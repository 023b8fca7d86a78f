"""A bot that gets one thing wrong: wrong_bot.py MODE. The modes in `ODD` are odd, but correct.

Without a mode, it plays every card and uses every kind of reply, as the protocol says. Each mode
is a function, registered for the step that it changes: received messages, choices, replies or
output.

A run of the cases starts it a hundred times, so it imports very little. Modes with normal output
and a normal exit can also run inside the test process.
"""

import json
import os
import sys
from time import sleep

ORDER = "province 8 gold 6 market 5 mine 5 duchy 5 militia 4 smithy 4 remodel 4 silver 3 village 3"
ORDER += " woodcutter 3 workshop 3 moat 2 cellar 2 estate 2 copper 0 curse 0"
COST = dict(zip(ORDER.split()[::2], map(int, ORDER.split()[1::2]), strict=True))
"""Most expensive first, which is also the order in which the bot buys."""
WORTH = {"copper": 1, "silver": 2, "gold": 3}
PLAIN = ("village", "market", "smithy", "moat", "militia", "woodcutter")
REQUESTS = ("player-name-request", "play-turn", "attack-request")
NEWS = ("player-name", "game-info", "supply-info", "player-gained", "player-played")
NEWS += ("player-trashed", "player-top-discard", "player-reveal", "player-shuffled")
NEWS += ("player-disqualified", "game-end")

MODE = "plain"
supply = {}
me = ""


# --- how it plays ---------------------------------------------------------------------------------


def answer(message):
    """Return the correct reply to a request."""
    if message["type"] == "player-name-request":
        number = message["player_number"]
        return {"type": "player-name-reply", "player_number": number, "name": MODE, "version": 1}
    if message["type"] == "attack-request":
        if "moat" in message["options"]:
            return {"type": "attack-reply-reaction", "reaction": "moat"}
        return {"type": "attack-reply", "discard": message["options"][: message["discard"]]}
    if message["actions"]:
        for card in dict.fromkeys(message["hand"]):
            parameters = CHOOSES.get(MODE, choose)(card, message["hand"])
            if parameters is not None:
                reply = {"type": "play-reply", "phase": "action", "card": card}
                return {**reply, "additional_parameters": parameters}
    if message["buys"]:
        treasures = [card for card in message["hand"] if card in WORTH]
        money = message["extra_money"] + sum(WORTH[card] for card in treasures)
        bought = shop(money, message["buys"], dict(supply))
        return buy(treasures, bought)
    reply = {"type": "play-reply", "phase": "cleanup"}
    cards = message["hand"] + message["cards_played"]
    return {**reply, "top_discard": cards[0]} if cards else reply


def buy(treasures, cards):
    reply = {"type": "play-reply", "phase": "buy"}
    return {**reply, "played_treasures": treasures, "cards_to_buy": cards}


def choose(card, hand):
    """Return the parameters for playing an action card, or None to keep it in hand."""
    others = list(hand)
    others.remove(card)
    if card == "cellar":
        return {"cards": [other for other in others if other in ("estate", "curse", "duchy")]}
    if card == "workshop":
        return {"desired_card": dearest(4)}
    if card == "remodel" and others:
        return {"card_to_trash": others[0], "desired_card": dearest(COST[others[0]] + 2)}
    if card == "mine":
        for other in others:
            if other in WORTH:
                return {"card_to_trash": other, "desired_card": dearest(COST[other] + 3, WORTH)}
    return {} if card in PLAIN else None


def dearest(limit, among=COST):
    """Return the most expensive card for up to `limit`. There's always a copper left."""
    return next(card for card in COST if card in among and COST[card] <= limit and supply[card])


def shop(money, buys, left):
    bought = []
    for card in COST:
        while COST[card] and COST[card] <= money and left[card] and len(bought) < buys:
            bought.append(card)
            money -= COST[card]
            left[card] -= 1
    return bought


# --- the modes ------------------------------------------------------------------------------------

HEARS = {}
"""Mode -> function(message), called for every message before the bot handles it."""
REPLIES = {}
"""Mode -> function(request, correct reply). Returns the reply to send."""
WRITES = {}
"""Mode -> function(request, correct line). Returns the bytes to write."""
MAINS = {}
"""Mode -> function that replaces the main loop."""
CHOOSES = {}
"""Mode -> function that replaces `choose`."""
ODD = set()
"""The modes that are correct."""
ALONE = set()
"""Modes that need a process, because of what they write, how they exit or how long they take."""


def mode(table, *, odd=False, alone=False):
    def enter(function):
        name = function.__name__.replace("_", "-")
        table[name] = function
        if odd:
            ODD.add(name)
        if alone or table is MAINS:
            ALONE.add(name)
        return function

    return enter


def to_line(reply):
    return json.dumps(reply).encode() + b"\n"


def is_play(message):
    return message["type"] == "play-turn"


def is_handshake(message):
    return message["type"] == "player-name-request"


def is_attack(message):
    return message["type"] == "attack-request"


# Lines and output (1.1 to 1.3).


@mode(MAINS)
def no_flush():
    """Python buffers standard output if it's a pipe, as most languages do. Nothing flushes it."""
    for message in messages():
        if message["type"] in REQUESTS:
            sys.stdout.write(json.dumps(answer(message)) + "\n")


@mode(MAINS)
def flushes_the_name_only():
    for message in messages():
        if message["type"] in REQUESTS:
            print(json.dumps(answer(message)), flush=is_handshake(message))


@mode(MAINS)
def banner():
    write(b"Wrong Bot 1.0, ready to play\n")
    play()


@mode(WRITES, alone=True)
def prompts(message, line):
    return b"> " + line


@mode(WRITES, alone=True)
def prints_debug_lines(message, line):
    return b"holding %d cards\n" % len(message["hand"]) + line if is_play(message) else line


@mode(WRITES, alone=True)
def prints_debug_objects(message, line):
    return b'{"debug": "my turn"}\n' + line if is_play(message) else line


@mode(HEARS, alone=True)
def answers_news(message):
    if message["type"] in NEWS[:-1]:
        write(b'{"type": "ok"}\n')


@mode(HEARS, alone=True)
def answers_news_with_clean_up(message):
    """The referee takes this line as the reply to the next request, where it's usually legal."""
    if message["type"] in NEWS[:-1]:
        write(b'{"type": "play-reply", "phase": "cleanup"}\n')


@mode(HEARS, alone=True)
def answers_gains(message):
    if message["type"] == "player-gained":
        write(b'{"type": "thanks"}\n')


@mode(HEARS, alone=True)
def answers_disqualifications_with_clean_up(message):
    if message["type"] == "player-disqualified":
        write(b'{"type": "play-reply", "phase": "cleanup"}\n')


@mode(HEARS, alone=True)
def answers_unknown_types(message):
    if message["type"] not in REQUESTS + NEWS:
        write(b'{"type": "error", "text": "unknown message"}\n')


@mode(WRITES, alone=True)
def replies_twice(message, line):
    return line + line


@mode(WRITES, alone=True)
def plays_twice(message, line):
    return line + line if is_play(message) else line


@mode(HEARS, alone=True)
def says_goodbye(message):
    if message["type"] == "game-end":
        write(b"good game\n")


@mode(HEARS, alone=True)
def floods_at_the_end(message):
    if message["type"] == "game-end":
        write(b"x" * 70_000 + b"\n")


@mode(WRITES)
def single_quotes(message, line):
    return line.replace(b'"', b"'")


@mode(WRITES)
def single_quotes_in_play(message, line):
    return line.replace(b'"', b"'") if is_play(message) else line


@mode(WRITES)
def latin_1(message, line):
    return line.replace(b'"name": "', b'"name": "Zo\xeb ')


@mode(WRITES)
def byte_order_mark(message, line):
    return b"\xef\xbb\xbf" + line if is_handshake(message) else line


@mode(WRITES)
def two_objects_in_a_line(message, line):
    return line.rstrip() + b' {"debug": true}\n'


@mode(WRITES, alone=True)
def pretty_printed(message, line):
    return json.dumps(json.loads(line), indent=2).encode() + b"\n"


@mode(WRITES, alone=True)
def pretty_printed_in_play(message, line):
    return pretty_printed(message, line) if is_play(message) else line


@mode(WRITES, alone=True)
def no_line_end(message, line):
    return line.rstrip()


@mode(WRITES, alone=True)
def no_line_end_in_play(message, line):
    return line.rstrip() if is_play(message) else line


@mode(WRITES)
def nan(message, line):
    return line.replace(b"}\n", b', "value": NaN}\n')


@mode(REPLIES)
def null_for_a_name(message, reply):
    return None if is_handshake(message) else reply


@mode(REPLIES)
def arrays_in_play(message, reply):
    return [reply] if is_play(message) else reply


@mode(REPLIES, alone=True)
def long_lines(message, reply):
    return {**reply, "thoughts": "x" * 65_536}


@mode(WRITES, alone=True)
def floods_blank_lines(message, line):
    return b"\n" * 70_000 + line if is_play(message) else line


# Reading (1.1, 1.5, 8.1).


@mode(HEARS)
def reads_ascii(message):
    # raises an error, as a bot with an ASCII locale would
    json.dumps(message, ensure_ascii=False).encode("ascii")


@mode(MAINS)
def reads_pieces_as_lines():
    """After the handshake, assume that each read returns whole lines."""
    line = data = b" "
    while data and not line.endswith(b"\n"):
        data = os.read(0, 1)
        line += data
    if not data:
        return
    hear(json.loads(line))
    while data := os.read(0, 1 << 20):
        for line in data.splitlines():
            hear(json.loads(line))


@mode(REPLIES)
def depends_on_the_order_of_fields(message, reply):
    return reply if next(iter(message)) == "type" else ...


@mode(HEARS)
def reads_slowly(message):
    """Ten milliseconds per message only matter in cases with very many messages."""
    sleep(0.01)


@mode(HEARS)
def crashes_on_unknown_types(message):
    if message["type"] not in REQUESTS + NEWS:
        raise ValueError(message["type"])


@mode(HEARS)
def crashes_on_what_comes_before_the_handshake(message):
    if not me and not is_handshake(message):
        raise ValueError(message["type"])


@mode(HEARS)
def crashes_on_long_lines(message):
    if len(json.dumps(message)) > 8192:
        raise ValueError("buffer overflow")


FIELDS = {
    *("type", "player_number", "version", "name", "kingdom_cards", "player_bot_names", "cards"),
    *("gained", "played", "card", "from", "trashed", "actions", "buys", "extra_money", "hand"),
    *("cards_played", "cards_bought", "cards_gained", "discard", "options", "reason", "scores"),
    "winners",
}


@mode(HEARS)
def crashes_on_unknown_fields(message):
    if message["type"] in REQUESTS + NEWS and not message.keys() <= FIELDS:
        raise ValueError("unexpected keyword argument")


# News and players (2).


def crash_if(condition):
    if condition:
        raise ValueError("this bot cannot do that")


@mode(HEARS)
def crashes_on_three_players(message):
    crash_if(message["type"] == "game-info" and len(message["player_bot_names"]) == 3)


@mode(HEARS)
def crashes_on_four_players(message):
    crash_if(message["type"] == "game-info" and len(message["player_bot_names"]) == 4)


@mode(HEARS)
def crashes_on_empty_names(message):
    crash_if(message["type"] == "player-name" and not message["name"])


@mode(HEARS)
def crashes_on_disqualification(message):
    crash_if(message["type"] == "player-disqualified")


@mode(HEARS)
def crashes_on_unknown_codes(message):
    known = ("timeout", "exited", "output-limit", "startup-timeout")
    crash_if(message["type"] == "player-disqualified" and message["reason"] not in known)


@mode(HEARS)
def crashes_when_others_gain(message):
    crash_if(message["type"] == "player-gained" and message["player_number"] != me)


@mode(HEARS)
def crashes_when_others_trash(message):
    crash_if(message["type"] == "player-trashed" and message["player_number"] != me)


@mode(HEARS)
def crashes_when_others_reveal(message):
    crash_if(message["type"] == "player-reveal" and message["player_number"] != me)


@mode(HEARS)
def crashes_when_others_shuffle(message):
    crash_if(message["type"] == "player-shuffled" and message["player_number"] != me)


# Handshake (3).


def name_reply(**changes):
    def replies(message, reply):
        if not is_handshake(message):
            return reply
        changed = {**reply, **changes}
        return {field: value for field, value in changed.items() if value is not ...}

    return replies


REPLIES["always-player-1"] = name_reply(player_number="player1")
REPLIES["no-player-number"] = name_reply(player_number=...)
REPLIES["player-number-as-integer"] = name_reply(player_number=1)
REPLIES["no-name"] = name_reply(name=...)
REPLIES["name-null"] = name_reply(name=None)
REPLIES["name-list"] = name_reply(name=["Wrong", "Bot"])
REPLIES["no-type"] = name_reply(type=...)
REPLIES["type-of-the-news"] = name_reply(type="player-name")
REPLIES["version-2"] = name_reply(version=2)
REPLIES["version-as-string"] = name_reply(version="1")
REPLIES["version-true"] = name_reply(version=True)
REPLIES["no-version"] = name_reply(version=...)


@mode(MAINS)
def exits_at_once():
    print("this bot needs a board", file=sys.stderr)
    sys.exit(1)


@mode(MAINS)
def starts_slowly():
    sleep(float(sys.argv[2]))
    play()


@mode(REPLIES)
def never_answers(message, reply):
    return ...


# Turns (5).


def play_reply(phase, /, **changes):
    """Make a mode that changes fields in the replies of a phase. `...` removes a field."""

    def replies(message, reply):
        if reply.get("phase") != phase:
            return reply
        changed = {**reply, **changes}
        return {field: value for field, value in changed.items() if value is not ...}

    return replies


REPLIES["unknown-phase"] = play_reply("cleanup", phase="end")
REPLIES["no-phase"] = play_reply("buy", phase=...)
REPLIES["no-type-in-play"] = play_reply("buy", type=...)
REPLIES["top-discard-not-held"] = play_reply("cleanup", top_discard="platinum")
REPLIES["treasures-null"] = play_reply("buy", played_treasures=None)
REPLIES["buys-null"] = play_reply("buy", cards_to_buy=None)
REPLIES["buys-an-unknown-card"] = play_reply("buy", cards_to_buy=["platinum"])


@mode(REPLIES)
def keeps_buying(message, reply):
    """The bot thinks that a turn ends by itself when no buys are left."""
    return buy([], []) if reply.get("phase") == "cleanup" else reply


@mode(REPLIES)
def overlooks_the_last_question(message, reply):
    """After buying, the bot waits for its next turn and doesn't reply."""
    return ... if reply.get("phase") == "cleanup" else reply


@mode(REPLIES)
def plays_without_actions(message, reply):
    if is_play(message) and not message["actions"]:
        for card in message["hand"]:
            if card in PLAIN:
                return {"type": "play-reply", "phase": "action", "card": card}
    return reply


@mode(REPLIES)
def plays_what_it_does_not_hold(message, reply):
    if is_play(message) and message["actions"] and "village" not in message["hand"]:
        return {"type": "play-reply", "phase": "action", "card": "village"}
    return reply


@mode(REPLIES)
def plays_copper_as_an_action(message, reply):
    if is_play(message) and message["actions"] and "copper" in message["hand"]:
        return {"type": "play-reply", "phase": "action", "card": "copper"}
    return reply


@mode(REPLIES)
def plays_the_whole_hand_as_treasures(message, reply):
    if reply.get("phase") == "buy":
        return {**reply, "played_treasures": message["hand"]}
    return reply


@mode(REPLIES)
def plays_a_copper_too_many(message, reply):
    if reply.get("phase") == "buy":
        return {**reply, "played_treasures": [*reply["played_treasures"], "copper"]}
    return reply


@mode(REPLIES)
def counts_one_coin_too_many(message, reply):
    if reply.get("phase") == "buy":
        treasures = reply["played_treasures"]
        money = message["extra_money"] + 1 + sum(WORTH[card] for card in treasures)
        return buy(treasures, shop(money, message["buys"], dict(supply)))
    return reply


@mode(REPLIES)
def counts_every_card_as_a_coin(message, reply):
    """It counts the cards in hand as money, which is right only for a hand of five coppers."""
    if reply.get("phase") == "buy":
        money = message["extra_money"] + len(message["hand"])
        return buy(reply["played_treasures"], shop(money, message["buys"], dict(supply)))
    return reply


@mode(REPLIES)
def ignores_the_number_of_buys(message, reply):
    if reply.get("phase") == "buy":
        treasures = reply["played_treasures"]
        money = message["extra_money"] + sum(WORTH[card] for card in treasures)
        return buy(treasures, shop(money, 99, dict(supply)))
    return reply


@mode(REPLIES)
def buys_from_empty_piles(message, reply):
    if reply.get("phase") == "buy":
        treasures = reply["played_treasures"]
        money = message["extra_money"] + sum(WORTH[card] for card in treasures)
        return buy(treasures, shop(money, message["buys"], dict.fromkeys(COST, 99)))
    return reply


@mode(REPLIES)
def buys_the_last_card_twice(message, reply):
    """It checks that a pile isn't empty, but doesn't count how many cards are left."""
    if reply.get("phase") == "buy":
        treasures = reply["played_treasures"]
        money = message["extra_money"] + sum(WORTH[card] for card in treasures)
        left = {card: 99 if count else 0 for card, count in supply.items()}
        return buy(treasures, shop(money, message["buys"], left))
    return reply


@mode(HEARS)
def crashes_on_an_empty_hand(message):
    if is_play(message) and message["buys"]:
        max(message["hand"], key=COST.get)


@mode(HEARS)
def crashes_on_a_long_hand(message):
    crash_if(is_play(message) and len(message["hand"]) > 20)


@mode(HEARS)
def crashes_on_large_numbers(message):
    crash_if(is_play(message) and message["extra_money"] > 255)


turns = 0


@mode(HEARS, alone=True)
def exits_after_its_first_turn(message):
    global turns
    turns += is_play(message) and not message["cards_played"]
    if turns > 1:
        sys.exit(0)


@mode(HEARS, alone=True)
def thinks_too_long(message):
    if is_play(message):
        sleep(float(sys.argv[2]))


# Cards (6).


def parameters_of(card, /, **changes):
    """Make a mode that changes the parameters of a card. `...` removes a parameter."""

    def replies(message, reply):
        if reply.get("card") != card:
            return reply
        changed = {**reply["additional_parameters"], **changes}
        kept = {field: value for field, value in changed.items() if value is not ...}
        return {**reply, "additional_parameters": kept}

    return replies


REPLIES["cellar-discards-null"] = parameters_of("cellar", cards=None)
REPLIES["cellar-discards-itself"] = parameters_of("cellar", cards=["cellar"])
REPLIES["mine-without-wish"] = parameters_of("mine", desired_card=...)
REPLIES["mine-gains-no-treasure"] = parameters_of("mine", desired_card="village")
REPLIES["mine-trashes-estate"] = parameters_of("mine", card_to_trash="estate")
REPLIES["remodel-trashes-itself"] = parameters_of("remodel", card_to_trash="remodel")
REPLIES["remodel-without-trash"] = parameters_of("remodel", card_to_trash=...)
REPLIES["workshop-without-parameters"] = parameters_of("workshop", desired_card=...)
REPLIES["workshop-gains-market"] = parameters_of("workshop", desired_card="market")


@mode(REPLIES)
def cellar_discards_a_card_twice(message, reply):
    if reply.get("card") == "cellar":
        others = [card for card in message["hand"] if card != "cellar"]
        once = [card for card in others if others.count(card) == 1]
        return {**reply, "additional_parameters": {"cards": once[:1] * 2}}
    return reply


@mode(CHOOSES)
def plays_a_mine_without_treasures(card, hand):
    if card == "mine" and not WORTH.keys() & set(hand):
        return {"card_to_trash": "copper", "desired_card": "silver"}
    return choose(card, hand)


@mode(CHOOSES)
def plays_a_remodel_alone(card, hand):
    if hand == ["remodel"]:
        return {"card_to_trash": "remodel", "desired_card": "gold"}
    return choose(card, hand)


@mode(CHOOSES)
def mine_always_wants_gold(card, hand):
    parameters = choose(card, hand)
    return {**parameters, "desired_card": "gold"} if card == "mine" and parameters else parameters


@mode(CHOOSES)
def remodel_always_adds_three(card, hand):
    parameters = choose(card, hand)
    if card == "remodel" and parameters:
        return {**parameters, "desired_card": dearest(COST[parameters["card_to_trash"]] + 3)}
    return parameters


@mode(CHOOSES)
def workshop_always_wants_silver(card, hand):
    return {"desired_card": "silver"} if card == "workshop" else choose(card, hand)


@mode(CHOOSES)
def mine_overlooks_empty_piles(card, hand):
    parameters = choose(card, hand)
    if card == "mine" and parameters:
        better = {"copper": "silver", "silver": "gold", "gold": "gold"}
        return {**parameters, "desired_card": better[parameters["card_to_trash"]]}
    return parameters


# Attacks (7).


def attack_reply(choose_discard):
    def replies(message, reply):
        if not is_attack(message):
            return reply
        options, count = message["options"], message["discard"]
        return {"type": "attack-reply", "discard": choose_discard(options, count)}

    return replies


REPLIES["discards-too-few"] = attack_reply(lambda options, count: options[: count - 1])
REPLIES["discards-too-many"] = attack_reply(lambda options, count: options[: count + 1])
REPLIES["discards-one-card-twice"] = attack_reply(lambda options, count: options[:1] * count)
REPLIES["discards-always-two"] = attack_reply(lambda options, count: options[:2])
REPLIES["discards-curses"] = attack_reply(lambda options, count: ["curse"] * count)
REPLIES["discards-victory-cards-only"] = attack_reply(
    lambda options, count: [card for card in options if card in ("estate", "duchy")][:count]
)
REPLIES["discards-null"] = attack_reply(lambda options, count: None)


@mode(REPLIES)
def never_answers_attacks(message, reply):
    return ... if is_attack(message) else reply


@mode(HEARS)
def crashes_on_attacks(message):
    crash_if(is_attack(message))


@mode(REPLIES)
def answers_attacks_by_a_clean_up(message, reply):
    return {"type": "play-reply", "phase": "cleanup"} if is_attack(message) else reply


@mode(REPLIES)
def answers_attacks_by_a_list(message, reply):
    return message["options"][:2] if is_attack(message) else reply


@mode(REPLIES)
def always_reveals_a_moat(message, reply):
    return {"type": "attack-reply-reaction", "reaction": "moat"} if is_attack(message) else reply


@mode(REPLIES)
def reveals_by_another_word(message, reply):
    return {**reply, "reaction": "reveal"} if "reaction" in reply else reply


# The end (8.4, 9).


def stay():
    while True:
        sleep(3600)


@mode(MAINS)
def ignores_the_end_of_its_input():
    """It waits for game-end, and never exits if its stdin is closed before."""
    if not play():
        stay()


@mode(MAINS)
def never_exits():
    play()
    stay()


@mode(MAINS)
def exits_slowly():
    play()
    sleep(float(sys.argv[2]))


@mode(HEARS, alone=True)
def stays_when_it_is_alone(message):
    if message.get("reason") == "last-player-standing":
        stay()


@mode(HEARS, alone=True)
def stays_on_unknown_reasons(message):
    known = ("provinces-empty", "piles-empty", "turn-limit", "last-player-standing")
    if message["type"] == "game-end" and message["reason"] not in known:
        stay()


@mode(REPLIES)
def keep_alive_as_a_word(message, reply):
    return {**reply, "keep_alive": "yes"} if is_handshake(message) else reply


def play_match_after_match(say):
    """Play matches until stdin ends.

    From the second match on, `say(reply, first)` replies to the name request. `first` is the
    reply in the first match.
    """
    first = None
    kind = "game-end"
    while kind == "game-end":
        kind = ""
        for message in messages():
            kind = message["type"]
            if not is_handshake(message):
                respond(message)
            elif first is None:
                first = {**answer(message), "keep_alive": True}
                write(to_line(first))
            else:
                say({**answer(message), "keep_alive": True}, first)


@mode(MAINS)
def says_keep_alive_and_exits():
    play_match_after_match(lambda reply, first: sys.exit())


@mode(MAINS)
def keeps_its_first_seat():
    play_match_after_match(lambda reply, first: write(to_line(first)))


@mode(MAINS)
def says_hello_again():
    play_match_after_match(lambda reply, first: write(b'{"type":"hello"}\n' + to_line(reply)))


# --- odd, and right -------------------------------------------------------------------------------


@mode(HEARS, odd=True, alone=True)
def plain(message):
    """The bot without any change."""


@mode(HEARS, odd=True, alone=True)
def noise_on_stderr(message):
    os.write(2, b"\xff\x00\xfe noise \r\n" * 2000)


@mode(WRITES, odd=True, alone=True)
def carriage_returns(message, line):
    return line.replace(b"\n", b"\r\n")


@mode(WRITES, odd=True, alone=True)
def blank_lines(message, line):
    return b"\n \t\r\n" + line + b"\n"


@mode(WRITES, odd=True)
def spaces_and_tabs(message, line):
    return b"\t " + line.replace(b": ", b" :\t").replace(b"{", b"{  ").rstrip() + b"  \n"


@mode(REPLIES, odd=True)
def fields_reversed(message, reply):
    return dict(reversed(reply.items()))


@mode(REPLIES, odd=True)
def more_fields(message, reply):
    return {"id": 7, "debug": {"type": "x", "phase": None}, **reply, "cards": [[]], "hand": 0}


@mode(WRITES, odd=True)
def duplicate_keys(message, line):
    """If a key is repeated, the last one counts (1.5)."""
    return line.replace(b"{", b'{"type": "oops", "name": 0, "discard": "?", "phase": [], ', 1)


@mode(WRITES, odd=True)
def not_ascii(message, line):
    return line.replace(b'"name": "', '"name": "Zoë 漢字 \\ud83c\\udccf '.encode())


@mode(REPLIES, odd=True)
def takes_its_time(message, reply):
    sleep(0.005)
    return reply


@mode(MAINS, odd=True)
def drop_by_drop():
    for message in messages():
        if message["type"] in REQUESTS:
            line = to_line(answer(message))
            for start in range(0, len(line), 25):
                write(line[start : start + 25])


@mode(MAINS, odd=True)
def clean_up_ahead():
    """It writes the clean-up right after the buy reply. It's used for the next request (1.2)."""
    ahead = False
    for message in messages():
        if message["type"] in REQUESTS and not (ahead and is_play(message)):
            reply = answer(message)
            ahead = reply.get("phase") == "buy"
            write(to_line(reply))
            if ahead:
                write(to_line({"type": "play-reply", "phase": "cleanup"}))
        elif is_play(message):
            ahead = False


@mode(REPLIES, odd=True)
def ends_every_turn_at_once(message, reply):
    return {"type": "play-reply", "phase": "cleanup"} if is_play(message) else reply


@mode(MAINS, odd=True)
def exits_at_the_end_of_its_input():
    """It ignores game-end and exits when stdin is closed after it."""
    for message in messages(last=""):
        if message["type"] in REQUESTS:
            write(to_line(answer(message)))


@mode(MAINS, odd=True)
def exit_code_3():
    play()
    sys.exit(3)


@mode(HEARS, odd=True, alone=True)
def crashes_on_the_end_of_the_match(message):
    crash_if(message["type"] == "game-end")


REPLIES["version-1.0"] = name_reply(version=1.0)
REPLIES["empty-name"] = name_reply(name="")
REPLIES["null-for-what-may-be-missing"] = play_reply("cleanup", top_discard=None)
ODD |= {"version-1.0", "empty-name", "null-for-what-may-be-missing"}


# --- how it runs ----------------------------------------------------------------------------------


def write(data):
    while data:
        data = data[os.write(1, data) :]


def messages(last="game-end"):
    for line in sys.stdin.buffer:
        if not line.endswith(b"\n"):
            return  # an incomplete line: the referee has died
        message = json.loads(line)
        note(message)
        yield message
        if message["type"] == last:
            return


def note(message):
    global me
    if message["type"] == "supply-info":
        supply.update((pile["card"], pile["count"]) for pile in message["cards"])
    if MODE in HEARS:
        HEARS[MODE](message)
    if is_handshake(message):
        me = message["player_number"]


def respond(message):
    if message["type"] not in REQUESTS:
        return
    reply = answer(message)
    if MODE in REPLIES:
        reply = REPLIES[MODE](message, reply)
    if reply is not ...:
        line = to_line(reply)
        write(WRITES[MODE](message, line) if MODE in WRITES else line)


def hear(message):
    note(message)
    respond(message)


def play():
    """Play until game-end or the end of stdin. Returns True if there was a game-end."""
    kind = ""
    for message in messages():
        respond(message)
        kind = message["type"]
    return kind == "game-end"


TABLES = (HEARS, REPLIES, WRITES, CHOOSES, MAINS)

if __name__ == "__main__":
    MODE = sys.argv[1]
    if not any(MODE in table for table in TABLES):
        sys.exit(f"no mode {MODE}")
    MAINS.get(MODE, play)()
