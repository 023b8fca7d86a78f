"""A bot that plays match after match and goes wrong between two of them: kept.py MODE [ARGUMENT].

It plays Big Money. In the N-th match of its process it is called "match N", and says so on stderr
before each reply. Without a mode it goes wrong in no way.
"""

import json
import os
import signal
import subprocess
import sys

MODE, ARGUMENT = (*sys.argv[1:], "", "")[:2]
WORTH = {"copper": 1, "silver": 2, "gold": 3}
BUYS = (("province", 8), ("gold", 6), ("silver", 3))


def send(**reply):
    sys.stderr.write(f"match {match}\n")
    sys.stderr.flush()
    print(json.dumps(reply), flush=True)


def play_turn(message):
    if MODE == "wrong_state" and match > 1:
        return {"type": "play-reply", "phase": "of another match"}
    if MODE == "dies_in_second" and match > 1:
        sys.exit(3)
    if not message["buys"]:
        return {"type": "play-reply", "phase": "cleanup"}
    coins = [card for card in message["hand"] if card in WORTH]
    money = sum(WORTH[card] for card in coins)
    bought = [card for card, cost in BUYS if cost <= money][:1]
    return {"type": "play-reply", "phase": "buy", "played_treasures": coins, "cards_to_buy": bought}


def start_match(number):
    if MODE == "daemon":  # what it starts outlives the one that started it
        code = "import os, signal\nif not os.fork(): os.setsid(); signal.pause()"
        subprocess.run([sys.executable, "-I", "-S", "-c", code])
    if MODE == "dies_when_asked" and match > 1:
        sys.exit(3)
    if MODE == "hangs" and match > 1:
        signal.pause()
    keep_alive = json.loads(ARGUMENT) if MODE == "says" else True
    if MODE == "wrong_name" and match > 1:
        number = "player7"
    name = f"match {match}"
    send(type="player-name-reply", player_number=number, name=name, keep_alive=keep_alive)


def after_match():
    if MODE == "writes":
        print("that was it", flush=True)
    elif MODE == "prewrites":  # when it is told to, its reply to what it will be asked
        signal.sigwait({signal.SIGUSR1})
        start_match("player1")
    elif MODE == "writes_blank":
        print(" \t\r\n", flush=True)
    elif MODE == "dies":
        sys.exit()
    elif MODE == "stops":
        os.kill(0, signal.SIGSTOP)
    elif MODE == "closes_stdin":
        os.close(0)
        signal.pause()
    elif MODE == "floods":
        for _ in range(20):
            sys.stderr.write("x" * 99_999 + "\n")


match = 0
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
for line in sys.stdin.buffer:
    message = json.loads(line)
    kind = message["type"]
    if kind == "player-name-request":
        match += 1
        start_match(message["player_number"])
    elif kind == "play-turn":
        send(**play_turn(message))
    elif kind == "attack-request":
        send(type="attack-reply", discard=message["options"][: message["discard"]])
    elif kind == "game-end":
        after_match()
