"""A bot that plays several matches and misbehaves in or between them: kept.py MODE [ARGUMENT].

It plays Big Money. In the N-th match of its process it's called "match N", and it also writes this
to stderr before each reply. Without a mode it does nothing wrong. The modes in `STRIKES` write
nothing of their own to stderr. They misbehave at the third turn of match ARGUMENT and of all later
matches.
"""

import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

MODE, ARGUMENT = (*sys.argv[1:], "", "")[:2]
WORTH = {"copper": 1, "silver": 2, "gold": 3}
BUYS = (("province", 8), ("gold", 6), ("silver", 3))


def send(**reply):
    if MODE not in STRIKES:
        sys.stderr.write(f"match {match}\n")
        sys.stderr.flush()
    print(json.dumps(reply), flush=True)


def sleep_forever():
    while True:
        signal.pause()


def hold(fd, flags):
    """Also open one of the bot's pipes in the opposite direction, and keep it open."""
    globals().setdefault("held", []).append(os.open(f"/proc/self/fd/{fd}", flags))


def flood(fd):
    """Write as fast as the referee reads, while the bot plays on."""

    lines = (b"x" * 999 + b"\n") * 100  # a single write exceeds the limit

    def write():
        while True:
            os.write(fd, lines)

    os.write(fd, lines)  # the match may end before the thread runs
    threading.Thread(target=write, daemon=True).start()


def half_line():
    os.write(1, b'{"type":"play-reply",')
    sleep_forever()


def rest_is_late():
    os.write(1, b'{"type":"play-reply",')
    time.sleep(2.2)  # the time limit is 2 s
    os.write(1, b'"phase":"cleanup"}\n')


def slow_bytes():
    for byte in b'{"type":"play-reply","phase":"cleanup"}\n':
        os.write(1, bytes([byte]))
        time.sleep(0.01)
    return True


def slow_line():
    while True:
        os.write(1, b"x")
        time.sleep(0.01)


def blank_lines():
    while True:
        os.write(1, b"\n")
        time.sleep(0.01)


def early():
    """Write two replies at once. The second one answers the next request."""
    global skipped
    skipped = 1
    for phase in (b"buy", b"cleanup"):
        os.write(1, b'{"type":"play-reply","phase":"%s"}\n' % phase)
    return True


def long_line():
    line = memoryview(b"x" * 64 * 1024 * 1024)
    while line:
        line = line[os.write(1, line) :]


def closes_all():
    os.close(0)
    os.close(1)
    sleep_forever()


def heir():
    """Exit, but leave a child that holds the pipes."""
    if not os.fork():
        sleep_forever()
    os._exit(3)


def orphans():
    """Start a grandchild in its own session."""
    code = "import os, signal\nif not os.fork(): os.setsid(); signal.pause()"
    subprocess.run([sys.executable, "-I", "-S", "-c", code])


def ignores_sigterm():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    hold(0, os.O_WRONLY)  # so the bot's input never ends


def small_pipes():
    for fd in (0, 1, 2):
        fcntl.fcntl(fd, 1031, 4096)  # F_SETPIPE_SZ
        os.set_blocking(fd, False)
    os.set_blocking(0, True)


def resource_limits():
    for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
        resource.setrlimit(what, (3, 3))


STRIKES = {
    "early": early,
    "half_line": half_line,
    "rest_is_late": rest_is_late,
    "slow_bytes": slow_bytes,
    "slow_line": slow_line,
    "blank_lines": blank_lines,
    "long_line": long_line,
    "flood_stdout": lambda: flood(1),
    "flood_stderr": lambda: flood(2),
    "closes_all": closes_all,
    "closes_stderr": lambda: os.closerange(2, 3),
    "stops_itself": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "heir": heir,
    "orphans": orphans,
    "ignores_sigterm": ignores_sigterm,
    "small_pipes": small_pipes,
    "resource_limits": resource_limits,
    "reads_its_stdout": lambda: hold(1, os.O_RDONLY),
    "thinks": lambda: time.sleep(0.05),
    "exits": lambda: os._exit(3),
}
"""Each function returns True if it has already replied."""


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
    if MODE == "daemon":  # the daemon outlives its parent
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
    elif MODE == "prewrites":  # on SIGUSR1, reply to a request that is yet to come
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


match = turn = skipped = 0
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
for line in sys.stdin.buffer:
    message = json.loads(line)
    kind = message["type"]
    if kind == "player-name-request":
        match, turn = match + 1, 0
        start_match(message["player_number"])
    elif kind == "play-turn":
        turn += 1
        is_struck = MODE in STRIKES and match >= int(ARGUMENT) and turn >= 3
        if skipped:
            skipped = 0
        elif not (is_struck and (turn == 3 or MODE == "thinks") and STRIKES[MODE]()):
            send(**play_turn(message))
    elif kind == "attack-request":
        send(type="attack-reply", discard=message["options"][: message["discard"]])
    elif kind == "game-end":
        after_match()
