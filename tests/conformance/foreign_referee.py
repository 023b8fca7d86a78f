"""A referee written from spec/protocol-v1.md only, with 149 modes that make one mistake each.

    python -I -S foreign_referee.py [--wrong MODE] [--seed N] BOT BOT [BOT [BOT]]

Plays one match and prints the result. Each BOT is a command line. The exit code is 0.

Except for the specification, this program has nothing in common with the package: it imports only
the standard library, and it doesn't shuffle as in 4.7.

Look for `wrong("...")` to see where a mistake is made. MODES, near the end of the file, lists
them all. Numbers in comments and docstrings are sections of the specification.

There is one thread, which calls poll(). `Bot` has a process and its three pipes, `BotGroup` has
all the bots, `Seat` has a player's cards, and `Match` has the rules.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import re
import select
import shlex
import signal
import subprocess
import sys
import time

# importing typing takes longer than all the other imports together
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Message = dict[str, object]

START_LIMIT = 10.0  # seconds: 3.4
TIME_LIMIT = 10.0  # 8.1
GRACE = 1.0  # 8.4
TICK = 0.02  # seconds between checks that a process is alive
LINE_LIMIT = 65536  # bytes: 1.3
QUEUE_LIMIT = 65536
NESTING = 128  # 1.8
MAX_TURNS = 500  # 4.4

COST = {
    "curse": 0,
    "copper": 0,
    "silver": 3,
    "gold": 6,
    "estate": 2,
    "duchy": 5,
    "province": 8,
    "cellar": 2,
    "market": 5,
    "militia": 4,
    "mine": 5,
    "moat": 2,
    "remodel": 4,
    "smithy": 4,
    "village": 3,
    "woodcutter": 3,
    "workshop": 3,
}
KINGDOM = list(COST)[7:]
WORTH = {"copper": 1, "silver": 2, "gold": 3}
POINTS = {"curse": -1, "estate": 1, "duchy": 3, "province": 6}
PLUS = {  # cards, actions, buys, money: 6
    "cellar": (0, 1, 0, 0),
    "market": (1, 1, 1, 1),
    "militia": (0, 0, 0, 2),
    "moat": (2, 0, 0, 0),
    "smithy": (3, 0, 0, 0),
    "village": (1, 2, 0, 0),
    "woodcutter": (0, 0, 1, 2),
}

wrong_mode = ""


def wrong(mode: str) -> bool:
    """Return True if this is the mistake to make."""
    return wrong_mode == mode


# ---- JSON (1.8) ----------------------------------------------------------------------------------

STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
SURROGATES = re.compile(  # a pair, a single surrogate, or any other escape
    r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F])|\\.", re.DOTALL
)
BRACKET = re.compile(r"[][{}]")
CONTROLS = re.compile("[\0-\x1f\x7f-\x9f]")
WHITE = b" \t\r"
COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
ROOMY = json.JSONEncoder(ensure_ascii=False)


def no_constant(name: str) -> object:
    raise ValueError(name)


def any_integer(digits: str) -> object:
    """Convert an integer, or return infinity if it has too many digits.

    No field allows numbers that big, so it doesn't matter which one we return. But int() would
    raise an exception.
    """
    return int(digits) if len(digits) < 1000 else float("inf")


def first_counts(pairs: list[tuple[str, object]]) -> Message:
    return dict(reversed(pairs))


def decoder() -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_int=int if wrong("very long integer crashes") else any_integer,
        parse_constant=None if wrong("NaN accepted") else no_constant,
        strict=not wrong("control characters in strings accepted"),
        object_pairs_hook=first_counts if wrong("first duplicate counts") else None,
    )


def depth(text: str) -> int:
    """Return how deeply arrays and objects are nested, ignoring brackets in strings."""
    if not wrong("brackets inside strings counted"):
        text = STRING.sub("", text)
    deepest = now = 0
    for bracket in BRACKET.findall(text):
        now += 1 if bracket in "[{" else -1
        deepest = max(deepest, now)
    return deepest


def parse(line: bytes) -> Message | None:
    """Parse a line as a JSON object. Returns None for the fault invalid-json."""
    if wrong("invalid UTF-8 replaced"):
        line = line.decode(errors="replace").encode()
    if wrong("byte order mark accepted"):
        line = line.removeprefix(b"\xef\xbb\xbf")
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None
    try:
        if wrong("text after the object ignored"):
            value, _ = decoder().raw_decode(text.strip(" \t\r"))
        else:
            value = decoder().decode(text)
    except RecursionError:
        return None
    except ValueError as error:
        if wrong("very long integer crashes") and not isinstance(error, json.JSONDecodeError):
            raise
        return None
    if not isinstance(value, dict):
        if wrong("object in a list accepted") and isinstance(value, list) and value:
            return value[0] if isinstance(value[0], dict) else None
        return None
    if depth(text) > NESTING and not wrong("nesting without a limit"):
        return None
    if not wrong("lone surrogates accepted") and any(m[1] for m in SURROGATES.finditer(text)):
        return None
    return value


def encode(message: Message, news: bool) -> bytes:
    old = wrong("old server: integer players, gained in a list, no player-name")
    if old or (news and wrong("integer player_number in news")):
        message = dict(message)
        for key, value in message.items():
            if key == "player_number":
                message[key] = int(str(value)[-1])
            elif key == "winners" and isinstance(value, list):
                message[key] = [int(name[-1]) for name in value]
            elif key == "gained" and old:
                message[key] = [value]
    text = (ROOMY if wrong("spaces in JSON") else COMPACT).encode(message)
    return text.encode(errors="replace") + (b"\r\n" if wrong("CRLF line ends") else b"\n")


# ---- Processes (1.1 to 1.4, 8) -------------------------------------------------------------------


class Left(Exception):
    """Raised when a bot must leave the match. The text is a disqualification code of section 9."""


def children_of(pid: int) -> list[int]:
    """Return the ids of all living descendants of a process.

    The list is empty on systems without /proc.
    """
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if state != b"Z":
                parents.setdefault(int(parent), []).append(int(name))
    found, waiting = [], [pid]
    while waiting:
        more = parents.get(waiting.pop(), [])
        found += more
        waiting += more
    return found


def signal_to(send: str, pid: int, number: int) -> None:
    """Call os.kill or os.killpg. The process may have ended already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        (os.kill if send == "kill" else os.killpg)(pid, number)


class Bot:
    """A bot's process and pipes. We only read its stdout while we wait for a reply (1.3)."""

    def __init__(self, command: str) -> None:
        self.outbox = bytearray()  # bytes that didn't fit into the pipe yet
        self.held = b""  # messages that some modes send late
        self.inbox = bytearray()  # bytes that were read but not used yet
        self.blank = 0  # number of bytes in blank lines since the last reply
        self.ended = False  # True at the end of stdout
        self.said = bytearray()  # the first 64 KiB of stderr
        self.process: subprocess.Popen[bytes] | None = None
        try:
            self.process = subprocess.Popen(
                shlex.split(command),
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=not wrong("bots share the referee's session"),
                cwd="/" if wrong("bots in another working directory") else None,
            )
        except (OSError, ValueError, IndexError):
            self.stdin = self.stdout = self.stderr = -1
            return
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        self.stderr = self.process.stderr.fileno()
        for pipe in (self.stdin, self.stdout, self.stderr):
            fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_NONBLOCK)

    def send(self, line: bytes) -> None:
        if self.stdin >= 0:
            self.outbox += line
            self.flush()

    def flush(self) -> None:
        try:
            while self.outbox:
                del self.outbox[: os.write(self.stdin, self.outbox)]
        except BlockingIOError:
            pass
        except OSError:  # its stdin is closed, but it may still reply: 8.2
            self.outbox.clear()

    def listen_to_stderr(self) -> None:
        try:
            said = os.read(self.stderr, 65536)
        except BlockingIOError:
            return
        if said:
            self.said += said[: 65536 - len(self.said)]
        else:
            self.stderr = -1

    def read(self) -> bool:
        """Read from stdout without blocking. Returns False if nothing was read."""
        if self.ended:
            return False
        try:
            piece = os.read(self.stdout, 65536)
        except BlockingIOError:
            return False
        self.ended = not piece
        self.inbox += piece
        return bool(piece)

    def next_line(self) -> bytes | None:
        """Return the next line that isn't blank, or None if there's no complete one yet.

        Raises:
            Left: With "output-limit" if the bot wrote too much.
        """
        white = WHITE + b"\v\f" if wrong("form feeds are white space") else WHITE
        limit = LINE_LIMIT - 1 if wrong("line of just the limit too long") else LINE_LIMIT
        if wrong("lines of any length"):
            limit = 1 << 40
        start = 0  # no newline before this index
        while True:
            while (end := self.inbox.find(b"\n", start)) >= 0:
                line = bytes(self.inbox[:end])
                del self.inbox[: end + 1]
                start = 0
                if len(line) > limit:
                    raise Left("output-limit")
                if line.strip(white) or wrong("blank lines are replies"):
                    self.blank = 0
                    self.look_behind(limit)
                    return line
                self.blank += end + 1
                if self.blank > QUEUE_LIMIT:
                    raise Left("output-limit")
            start = len(self.inbox)
            if start > limit:
                raise Left("output-limit")
            if not self.read():
                if self.ended and self.inbox and wrong("last line without its end counts"):
                    self.inbox += b"\n"
                    continue
                return None

    def look_behind(self, limit: int) -> None:
        """Disqualify the bot if it has more than 64 KiB of unread output after a reply (1.3)."""
        while len(self.inbox) <= QUEUE_LIMIT:
            if not self.read():
                return
        if limit <= LINE_LIMIT:
            raise Left("output-limit")

    def close_input(self) -> None:
        if self.process and self.process.stdin:
            self.process.stdin.close()
        self.stdin = -1
        self.outbox.clear()

    def gone(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def leaves(self) -> bool:
        """Return True if the bot has exited, or exits within a few milliseconds.

        Only used by a mode that drops the last reply of such a bot.
        """
        hangs_up = select.poll()
        hangs_up.register(self.stdout, 0)
        return bool(hangs_up.poll(50 if self.inbox else 2)) or self.gone()

    def signal(self, number: int) -> None:
        if self.process:
            pid = self.process.pid
            signal_to(
                "kill" if wrong("bots share the referee's session") else "killpg", pid, number
            )

    def kill(self) -> None:
        """Kill the process group, and descendants that started their own sessions (8.3)."""
        if self.process:
            for pid in children_of(self.process.pid):
                signal_to("kill", pid, signal.SIGKILL)
            self.signal(signal.SIGKILL)
            self.process.wait()
        self.close_input()
        self.stderr = -1
        self.ended = True


class BotGroup:
    """All bots, with a watchdog process that kills them if the referee dies (8.4)."""

    def __init__(self, commands: list[str]) -> None:
        self.bots = [Bot(command) for command in commands]
        self.begun = time.monotonic()
        self.adopt_orphans()
        ear, self.line = os.pipe()
        self.watchdog = os.fork()
        if self.watchdog == 0:
            self.watch(ear)
        os.close(ear)

    def adopt_orphans(self) -> None:
        """Become the subreaper, so that orphaned descendants stay below us in the process tree."""
        try:
            import ctypes

            ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        except (ImportError, OSError, AttributeError):
            pass

    def watch(self, ear: int) -> None:
        """Run the watchdog, which kills all bots if the referee dies.

        In that case the pipe closes without a message.
        """
        os.setsid()
        os.closerange(0, ear)
        os.closerange(ear + 1, 1024)
        if not os.read(ear, 1):
            for bot in self.bots:
                bot.signal(signal.SIGKILL)
        os._exit(0)

    def pump(self, asked: list[Bot], seconds: float) -> None:
        """Poll all pipes once and move data. Blocks for at most `seconds`."""
        poller = select.poll()
        for bot in self.bots:
            if bot.stdin >= 0 and bot.outbox:
                poller.register(bot.stdin, select.POLLOUT)
            if bot.stderr >= 0 and not wrong("stderr not drained"):
                poller.register(bot.stderr, select.POLLIN)
        for bot in asked:
            if not bot.ended:
                poller.register(bot.stdout, select.POLLIN)
        ready = {fd for fd, _ in poller.poll(max(0.0, seconds) * 1000)}
        for bot in self.bots:
            if bot.stdin in ready:
                bot.flush()
            if bot.stderr in ready:
                bot.listen_to_stderr()

    def replies(self, asked: list[Bot], limit: float) -> Iterator[tuple[Bot, bytes | Left]]:
        """Yield each bot with its reply or the reason to disqualify it, in order of arrival."""
        start = time.monotonic()
        if wrong("one second for a reply"):
            limit = min(limit, 1.0)
        asked = list(asked)
        while asked:
            late = time.monotonic() >= start + limit
            for bot in list(asked):
                # Check this before reading the pipe, as a bot may reply and then exit (8.2).
                gone = bot.gone()
                answer: bytes | Left | None
                try:
                    answer = bot.next_line()
                except Left as left:
                    answer = left
                if wrong("reply of a bot that is gone does not count") and bot.leaves():
                    gone, answer = True, None
                if answer is None:
                    if wrong("closed stdout goes unnoticed"):
                        gone = gone and bot.ended
                    else:
                        gone = gone or bot.ended
                    answer = Left("exited") if gone else Left("timeout") if late else None
                if answer is not None:
                    asked.remove(bot)
                    yield bot, answer
            if asked:
                self.pump(asked, min(TICK, start + limit - time.monotonic()))

    def wait(self, bots: list[Bot], seconds: float) -> None:
        """Wait until all these bots have exited, but at most `seconds`."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not all(bot.gone() for bot in bots):
            self.pump([], min(TICK, until - time.monotonic()))
            for bot in bots:
                if not bot.outbox and bot.stdin >= 0 and not wrong("stdin left open"):
                    bot.close_input()

    def end(self, bots: list[Bot]) -> None:
        """Shut down the bots after game-end (8.4)."""
        if wrong("SIGTERM right after game-end"):
            for bot in bots:
                bot.signal(signal.SIGTERM)
        left_alive = wrong("bots left alive")
        for bot in bots:
            if not bot.outbox and not wrong("stdin left open"):
                bot.close_input()
        if not left_alive:
            self.wait(bots, GRACE)
            for number in (signal.SIGTERM, signal.SIGKILL):
                staying = [bot for bot in bots if not bot.gone()]
                if number == signal.SIGTERM and wrong("SIGKILL without SIGTERM"):
                    continue
                for bot in staying:
                    bot.signal(number)
                self.wait(staying, GRACE)
            for bot in self.bots:
                bot.signal(signal.SIGKILL)  # what is left of the process group
        with contextlib.suppress(OSError):  # the watchdog may be dead
            os.write(self.line, b".")
            os.waitpid(self.watchdog, 0)
        while not left_alive and (rest := children_of(os.getpid())):
            for pid in rest:
                signal_to("kill", pid, signal.SIGKILL)
            time.sleep(0.005)


# ---- The game (4 to 7) ---------------------------------------------------------------------------


class Over(Exception):
    """Raised to end the match. The text is an end reason of section 9."""


class Seat:
    """A player's cards and bot. The last item of a list is the top of the pile."""

    def __init__(self, number: int, bot: Bot, dice: random.Random) -> None:
        self.id = f"player{number}"
        self.name = f"PLAYER{number}"
        self.bot = bot
        self.dice = dice
        self.left = ""  # the disqualification code, if any
        self.faults: list[str] = []
        self.turns = 0
        self.deck = ["copper"] * 7 + ["estate"] * 3
        if not wrong("starting decks not shuffled"):
            dice.shuffle(self.deck)
        self.hand: list[str] = []
        self.in_play: list[str] = []
        self.discards: list[str] = []
        for _ in range(5):
            self.hand.append(self.deck.pop())

    def points(self) -> int:
        cards = self.deck + self.hand + self.in_play + self.discards
        if wrong("scores without the hand"):
            cards = self.deck + self.in_play + self.discards
        if wrong("scores without the deck"):
            cards = self.hand + self.in_play + self.discards
        return sum(POINTS.get(card, 0) for card in cards)

    def fault(self, code: str, section: str) -> None:
        self.faults.append(f"{code} ({section})")


class TurnState:
    """The actions, buys and money that are left in a turn, and the cards gained so far."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.actions = 1
        self.buys = 1
        self.money = 0
        self.bought: list[str] = []
        self.gained: list[str] = []

    def request(self) -> Message:
        hand = self.seat.hand
        gained = self.gained
        if wrong("cards_gained without what was bought"):
            gained = gained[len(self.bought) :]
        return {
            "type": "play-turn",
            "actions": self.actions,
            "buys": self.buys,
            "extra_money": self.money,
            "hand": sorted(hand) if wrong("hand sorted") else hand,
            "cards_played": self.seat.in_play,
            "cards_bought": self.bought,
            "cards_gained": gained,
        }


def supply_for(players: int) -> dict[str, int]:
    """Return the number of cards in each pile after the deal (4.2)."""
    supply = dict.fromkeys(COST, 10)
    victory = 8 if players == 2 or wrong("three players have eight of each victory card") else 12
    supply.update(estate=victory, duchy=victory, province=victory, silver=40, gold=30)
    supply["copper"] = 60 - 7 * players
    supply["curse"] = 10 * (players - 1)
    if wrong("ten curses for any number of players"):
        supply["curse"] = 10
    if wrong("coppers of the deal not taken from the pile"):
        supply["copper"] = 60
    return supply


class Match:
    """The rules of a match between two to four bots."""

    def __init__(self, bots: BotGroup, seed: str) -> None:
        self.group = bots
        self.dice = random.Random(f"{seed} lots")
        self.seats = [
            Seat(number, bot, random.Random(f"{seed} seat {number}"))
            for number, bot in enumerate(bots.bots, 1)
        ]
        self.supply = supply_for(len(self.seats))

    # Messages

    def there(self) -> list[Seat]:
        return [seat for seat in self.seats if not seat.left]

    def tell(self, kind: str, **fields: object) -> None:
        """Send news to all bots still in the match, without waiting for a request (1.1, 1.7)."""
        message: Message = {"type": kind, **fields}
        line = encode(message, news=True)
        for seat in self.there():
            its_own = fields.get("player_number") == seat.id and kind != "player-name"
            if its_own and wrong("nobody is told what it did itself"):
                continue
            if wrong("news with the next request") and kind != "game-end":
                seat.bot.held += line
            else:
                seat.bot.send(seat.bot.held + line)
                seat.bot.held = b""

    def tell_supply(self) -> None:
        piles = sorted(self.supply) if wrong("supply-info alphabetical") else self.supply
        cards = [{"card": card, "count": self.supply[card]} for card in piles]
        self.tell("supply-info", cards=cards)

    def tell_top(self, seat: Seat, discarded: int) -> None:
        """Send `player-top-discard`, after `discarded` cards were put on the discard pile (2.8)."""
        cards = seat.discards[-1:]
        if wrong("player-top-discard for each card"):
            cards = seat.discards[-discarded:]
        for card in cards:
            self.tell("player-top-discard", player_number=seat.id, card=card)

    def ask(self, seat: Seat, request: Message) -> bytes | None:
        """Send a request and return the reply, or None if the bot was disqualified.

        Raises:
            Over: Only one player is left.
        """
        if wrong("early lines thrown away"):
            while seat.bot.read():
                pass
            seat.bot.inbox.clear()
        line = encode(request, news=False)
        seat.bot.send(seat.bot.held + line)
        seat.bot.held = b""
        if wrong("requests go to all"):
            for other in self.there():
                if other is not seat:
                    other.bot.send(line)
        for _, answer in self.group.replies([seat.bot], TIME_LIMIT):
            if isinstance(answer, bytes):
                return answer
            if str(answer) == "exited" and wrong("exited bot passes"):
                return b'{"type":"play-reply","phase":"cleanup"}'
            self.disqualify(seat, str(answer))
        return None

    def disqualify(self, seat: Seat, code: str) -> None:
        """Disqualify a player (8.3). The caller has to clean up its turn."""
        seat.left = code
        seat.bot.kill()
        if not wrong("disqualification not announced"):
            self.tell("player-disqualified", player_number=seat.id, reason=code)
        if len(self.there()) == 1:
            raise Over("last-player-standing")

    # Handshake (3)

    def handshake(self) -> None:
        asked = {seat.bot: seat for seat in self.seats if seat.bot.process}
        for seat in self.seats:
            if not seat.bot.process:
                seat.left = "failed-to-start"
        groups = [list(asked)]
        if wrong("handshakes one after the other"):
            groups = [[bot] for bot in asked]
        for group in groups:
            for bot in group:
                message = {"type": "player-name-request", "player_number": asked[bot].id}
                bot.send(encode(message | {"version": 1}, news=False))
            for bot, answer in self.group.replies(group, START_LIMIT):
                seat = asked[bot]
                try:
                    if isinstance(answer, Left):
                        raise answer
                    name = self.name(seat, answer)
                except Left as left:
                    seat.left = str(left).replace("timeout", "startup-timeout")
                    bot.kill()
                    continue
                if name is None:
                    seat.fault("bad-name-reply", "3.2")
                    if wrong("bad name reply disqualifies"):
                        seat.left = "exited"
                        bot.kill()
                else:
                    seat.name = name
        self.announce()

    def name(self, seat: Seat, line: bytes) -> str | None:
        """Return the name in a reply to player-name-request, or None if it's a fault (3.1 to 3.3).

        Raises:
            Left: With "unsupported-version".
        """
        reply = parse(line)
        if reply is None and wrong("crash at a name reply that is no object"):
            reply = dict(json.loads(line))
            reply["name"] = reply["name"]
        if reply is None or reply.get("type") != "player-name-reply":
            return None
        name = reply.get("name")
        number = reply.get("player_number")
        right = isinstance(name, str) and (
            number == seat.id
            or wrong("player_number of a name reply not looked at")
            or wrong("old server: integer players, gained in a list, no player-name")
        )
        version = reply.get("version", 0 if wrong("missing version refused") else 1)
        true = isinstance(version, bool) and not wrong("version true accepted")
        if wrong("version 1.0 refused") and isinstance(version, float):
            version = 0
        if wrong("version as a string accepted") and version == "1":
            version = 1
        if (version != 1 or true) and (right or not wrong("version of bad replies not looked at")):
            raise Left("unsupported-version")
        known = {"type", "player_number", "name", "version"}
        if not right or (wrong("unknown fields refused") and set(reply) - known):
            return None
        name = str(name)
        if wrong("names cut before control characters are removed"):
            name = name[:64]
        if wrong("names stripped"):
            name = name.strip()
        if not wrong("control characters kept in names"):
            name = CONTROLS.sub("", name)
        return name if wrong("names not cut") else name[:64]

    def announce(self) -> None:
        """Announce the names, and the bots that were disqualified in the handshake (2.15, 3.5)."""
        for seat in self.seats:
            if not wrong("old server: integer players, gained in a list, no player-name"):
                self.tell("player-name", player_number=seat.id, name=seat.name, version=1)
        names = [seat.name for seat in self.seats]
        self.tell("game-info", kingdom_cards=KINGDOM, player_bot_names=names)
        self.tell_supply()
        if wrong("player-shuffled for the deal"):
            for seat in self.seats:
                self.tell("player-shuffled", player_number=seat.id)
        for seat in self.seats:
            if seat.left and not wrong("disqualification not announced"):
                self.tell("player-disqualified", player_number=seat.id, reason=seat.left)
        if len(self.there()) < 2:
            raise Over("last-player-standing" if self.there() else "no-players")

    # Cards

    def draw(self, seat: Seat, count: int) -> None:
        """Draw cards, and shuffle the discard pile if the deck runs out (4.6)."""
        if wrong("shuffles before the deck is empty") and len(seat.deck) < count and seat.discards:
            seat.discards += seat.deck
            seat.deck = []
        for _ in range(count):
            if not seat.deck:
                if not seat.discards or wrong("no shuffle in the middle of a draw"):
                    break
                self.shuffle(seat)
            seat.hand.append(seat.deck.pop())
        if wrong("no shuffle in the middle of a draw") and not seat.deck and seat.discards:
            self.shuffle(seat)

    def shuffle(self, seat: Seat) -> None:
        seat.deck, seat.discards = seat.discards, []
        seat.dice.shuffle(seat.deck)
        self.tell("player-shuffled", player_number=seat.id)

    def gain(self, turn: TurnState, card: str, to: list[str]) -> None:
        self.supply[card] -= 1
        to.append(card)
        turn.gained.append(card)
        self.tell("player-gained", player_number=turn.seat.id, gained=card)
        if wrong("player-top-discard on gains") and to is turn.seat.discards:
            self.tell_top(turn.seat, 1)
        if not (card in turn.bought and wrong("one supply-info for all buys")):
            self.tell_supply()

    def random_discard(self, seat: Seat, count: int) -> None:
        """Discard this many cards at random (7.4)."""
        if wrong("random discards keep two cards"):
            count = max(count, len(seat.hand) - 2)
        for _ in range(count):
            seat.discards.append(seat.hand.pop(self.dice.randrange(len(seat.hand))))
        self.tell_top(seat, count)

    # A turn (5)

    def play(self, seat: Seat) -> None:
        """Play a whole turn, including its clean-up."""
        seat.turns += 1
        turn = TurnState(seat)
        top: object = None
        while True:
            line = self.ask(seat, turn.request())
            if line is None:
                if wrong("turn of a player that left not cleaned up"):
                    return
                break
            reply = parse(line)
            known = {"type", "phase", "top_discard", "played_treasures", "cards_to_buy"}
            known |= {"card", "additional_parameters"}
            if reply is None:
                seat.fault("invalid-json", "5.5")
                if wrong("invalid JSON asks again"):
                    continue
                break
            if wrong("unknown fields refused") and set(reply) - known:
                reply = {}
            phase = reply.get("phase")
            if reply.get("type") != "play-reply" and not wrong("type of replies not looked at"):
                seat.fault("wrong-type", "5.5")
                break
            if phase == "cleanup":
                top = reply.get("top_discard")
                if wrong("null top_discard is no missing one"):
                    top = reply.get("top_discard", ())
                break
            if phase == "action" and turn.actions > 0:
                faults = len(seat.faults)
                self.play_action(turn, reply)
                if len(seat.faults) > faults and wrong("bad action ends the turn"):
                    break
            elif phase == "action":
                seat.fault("no-actions", "5.5")
                if not wrong("no-actions reply ignored"):
                    break
            elif phase == "buy" and turn.buys > 0:
                self.play_buy(turn, reply)
                if self.supply["province"] == 0 and wrong("provinces looked at before clean-up"):
                    raise Over("provinces-empty")
            elif phase == "buy":
                seat.fault("no-buys", "5.5")
                if not wrong("second buy reply ignored"):
                    break
            else:
                seat.fault("bad-phase", "5.5")
                if not wrong("bad phase ignored"):
                    break
        self.clean_up(seat, top)

    def clean_up(self, seat: Seat, top: object) -> None:
        """Clean up (5.1), with the messages in the order of 2.15."""
        hand, drawn_first = seat.hand, wrong("clean-up draws before it discards")
        if drawn_first:
            seat.hand = []
            self.draw(seat, 5)
        if seat.in_play or wrong("player-played of nothing"):
            self.tell("player-played", player_number=seat.id, played=seat.in_play)
        cards = hand + seat.in_play
        choice = hand if wrong("top_discard only from the hand") else cards
        if top in choice and not wrong("top_discard ignored"):
            cards.remove(str(top))
            cards.append(str(top))
        elif top is not None and top != ():
            seat.fault("bad-top-discard", "5.1")
            if wrong("bad top_discard puts the last of the hand on top"):
                cards = seat.in_play + hand
        elif wrong("last of the hand on top") or (
            top is None and wrong("null top_discard is no missing one")
        ):
            cards = seat.in_play + hand
        seat.discards += cards
        seat.in_play = []
        if cards:
            self.tell_top(seat, len(cards))
        if not drawn_first:
            seat.hand = []
            self.draw(seat, 6 if wrong("clean-up draws six") else 5)

    def play_buy(self, turn: TurnState, reply: Message) -> None:
        """Play the treasures and buy the cards of a buy reply (5.2)."""
        seat = turn.seat
        treasures = reply.get("played_treasures", [])
        wanted = reply.get("cards_to_buy", [])
        if wrong("missing played_treasures is a fault") and "played_treasures" not in reply:
            treasures = None
        if wrong("null lists count as empty"):
            treasures, wanted = treasures or [], wanted or []
        if wrong("treasures played by themselves"):
            treasures = [card for card in seat.hand if card in WORTH]
        bad = not isinstance(treasures, list)
        money = turn.money
        for card in treasures if isinstance(treasures, list) else []:
            if card not in seat.hand or card not in WORTH:
                bad = True
                if wrong("bad treasure skipped"):
                    continue
                break
            seat.hand.remove(card)
            seat.in_play.append(card)
            money += WORTH[card]
        if bad:
            seat.fault("bad-treasure", "5.2")
            if wrong("buys after a bad treasure"):
                bad = False
        if not bad or wrong("bad treasure skipped"):
            self.buy(turn, wanted, money)
        if not wrong("buys left are kept after a buy"):
            turn.buys = 0
        turn.actions = turn.money = 0
        if wrong("money left is kept after a buy"):
            turn.money = money - sum(COST[card] for card in turn.bought)
        if wrong("actions left are kept after a buy"):
            turn.actions = 1

    def buy(self, turn: TurnState, wanted: object, money: int) -> None:
        if not isinstance(wanted, list):
            turn.seat.fault("cannot-buy", "5.2")
            return
        if wrong("cards bought right to left"):
            wanted = wanted[::-1]
        if wrong("all or nothing bought") and (
            len(wanted) > turn.buys
            or any(card not in COST for card in wanted)
            or sum(COST[card] for card in wanted) > money
        ):
            wanted = []
        for card in wanted:
            known = card in list(COST)
            empty = known and self.supply[card] == 0
            dear = known and COST[card] > money
            if not known or empty or dear or turn.buys == 0:
                turn.seat.fault("cannot-buy", "5.2")
                if (
                    (dear and wrong("too dear card skipped"))
                    or (empty and wrong("empty pile skipped"))
                    or (not known and wrong("unknown card skipped"))
                ):
                    continue
                break
            turn.buys -= 1
            money -= COST[card]
            turn.bought.append(card)
            self.gain(turn, card, turn.seat.discards)
        if turn.bought and wrong("one supply-info for all buys"):
            self.tell_supply()

    # Actions (5.3, 5.4, 6)

    def play_action(self, turn: TurnState, reply: Message) -> None:
        seat = turn.seat
        card = reply.get("card")
        if not isinstance(card, str) or card not in KINGDOM or card not in seat.hand:
            no_action = card not in KINGDOM
            seat.fault("not-an-action" if no_action else "not-in-hand", "5.4")
            if not wrong("bad card costs nothing"):
                turn.actions -= 1
            return
        parameters = reply.get("additional_parameters")
        if not isinstance(parameters, dict):
            parameters = {}
        rest = list(seat.hand)
        if not wrong("played card counts as in hand"):
            rest.remove(card)
        choice: tuple[str, str] | None = ("", "")
        if card in ("mine", "remodel", "workshop"):
            choice = self.choose(card, rest, parameters)
        no_cards = card == "cellar" and "cards" not in parameters
        if no_cards and wrong("cellar without cards is a fault"):
            choice = None
        turn.actions -= 1
        if choice is None:
            seat.fault("bad-parameters", f"6 {card}")
            if wrong("card with bad parameters stays in play"):
                seat.hand.remove(card)
                seat.in_play.append(card)
            if wrong("bad parameters cost nothing"):
                turn.actions += 1
            return
        seat.hand.remove(card)
        seat.in_play.append(card)
        plus = PLUS.get(card, (0, 0, 0, 0))
        self.draw(seat, plus[0])
        turn.actions += plus[1]
        turn.buys += plus[2]
        turn.money += plus[3]
        if card == "cellar":
            self.cellar(seat, parameters)
        elif card == "militia":
            self.militia(seat)
        else:
            self.exchange(turn, card, choice)

    def choose(self, card: str, rest: list[str], parameters: Message) -> tuple[str, str] | None:
        """Check the parameters of a mine, remodel or workshop.

        Returns the card to trash and the card to gain. Either is "" if there's none. Returns None
        if the parameters are bad, which uses the card up.
        """
        trash = ""
        more = 5 if wrong("workshop up to five") else 4
        if card != "workshop":
            named = parameters.get("card_to_trash")
            if not isinstance(named, str) or named not in rest:
                return None
            if card == "mine" and named not in WORTH:
                return None
            trash = named
            more = COST[trash] + (3 if card == "mine" else 2)
            if card == "mine" and wrong("mine up to two more"):
                more -= 1
            if card == "remodel" and wrong("remodel up to three more"):
                more += 1
        kinds = list(WORTH if card == "mine" else COST)
        within = [one for one in kinds if COST[one] <= more and self.supply[one] > 0]
        if card == "remodel" and wrong("remodel to exactly two more"):
            within = [one for one in within if COST[one] == more]
        if card == "workshop" and wrong("workshop at exactly four"):
            within = [one for one in within if COST[one] == more]
        desired = parameters.get("desired_card")
        if isinstance(desired, str) and desired in within:
            return trash, desired
        if card == "workshop" or within or wrong("exchange for nothing is consumed"):
            return None
        return trash, ""

    def exchange(self, turn: TurnState, card: str, choice: tuple[str, str]) -> None:
        """Trash the first card and gain the second, as chosen by `choose`."""
        seat = turn.seat
        trash, desired = choice
        to_hand = card == "mine"
        if to_hand and wrong("mine gains to the discard pile"):
            to_hand = False
        if card == "workshop" and wrong("workshop gains to the hand"):
            to_hand = True
        target = seat.hand if to_hand else seat.discards
        if trash:
            seat.hand.remove(trash)
        if trash and not wrong("player-trashed after the gain"):
            self.tell("player-trashed", player_number=seat.id, trashed=[trash])
        if desired:
            self.gain(turn, desired, target)
        if trash and wrong("player-trashed after the gain"):
            self.tell("player-trashed", player_number=seat.id, trashed=[trash])

    def cellar(self, seat: Seat, parameters: Message) -> None:
        """Play a cellar (6.1)."""
        cards = parameters.get("cards", [])
        count = 0
        if cards is None and wrong("null lists count as empty"):
            cards = []
        if not isinstance(cards, list):
            seat.fault("bad-parameters", "6 cellar")
            return
        if wrong("cellar draws before it discards"):
            self.draw(seat, len(cards))
        if wrong("cellar with a bad card discards nothing"):
            held = list(seat.hand)
            for card in cards:
                if card not in held:
                    cards = []
                    break
                held.remove(card)
        for card in cards:
            if card not in seat.hand:
                seat.fault("bad-parameters", "6 cellar")
                if wrong("cellar skips a bad card"):
                    continue
                break
            seat.hand.remove(card)
            seat.discards.append(card)
            count += 1
        if count:
            self.tell_top(seat, count)
        if not wrong("cellar draws before it discards"):
            self.draw(seat, count)

    # Militia and moat (7)

    def militia(self, attacker: Seat) -> None:
        if wrong("militia attacks nobody"):
            return
        first = attacker.in_play[0] == "militia"
        if not first and wrong("militia attacks only if it is the first card in play"):
            return
        place = self.seats.index(attacker)
        others = self.seats[place + 1 :] + self.seats[:place]
        if wrong("attack order reversed"):
            others.reverse()
        if wrong("militia attacks the next player only"):
            others = others[:1]
        for seat in others:
            if seat.left:
                if len(seat.hand) > 3 and wrong("player that left still attacked"):
                    self.random_discard(seat, len(seat.hand) - 3)
                continue
            if "moat" in seat.hand and wrong("moat in hand protects unrevealed"):
                continue
            if len(seat.hand) > 3 or wrong("players with three cards are asked"):
                self.attack(seat)

    def attack(self, seat: Seat) -> None:
        """Make one player discard down to three cards, or reveal a moat (7)."""
        count = len(seat.hand) - 3
        if wrong("militia leaves two cards"):
            count += 1
        request = {"type": "attack-request", "discard": count, "options": seat.hand}
        line = self.ask(seat, request)
        if line is None:
            if wrong("player that leaves while attacked discards"):
                self.random_discard(seat, count)
            return
        reply = parse(line)
        more = set(reply or ()) - {"type", "discard", "reaction"}
        if more and wrong("unknown fields refused"):
            reply = {}
        kind = None if reply is None else reply.get("type")
        if reply is None:
            seat.fault("invalid-json", "7.4")
        elif kind == "attack-reply":
            if self.discard(seat, reply.get("discard"), count):
                return
            seat.fault("bad-discard", "7.2")
        elif kind == "attack-reply-reaction":
            known = reply.get("reaction") == "moat" or wrong("any reaction is a moat")
            if known and ("moat" in seat.hand or wrong("moat not in hand protects")):
                self.tell(
                    "player-reveal", player_number=seat.id, **{"from": "hand"}, cards=["moat"]
                )
                if wrong("revealed moat is discarded"):
                    seat.hand.remove("moat")
                    seat.discards.append("moat")
                    self.tell_top(seat, 1)
                return
            seat.fault("no-moat", "7.3")
        else:
            seat.fault("wrong-type", "7.4")
        if wrong("wrong answer to a militia discards nothing"):
            return
        self.random_discard(seat, count)

    def discard(self, seat: Seat, cards: object, count: int) -> bool:
        """Discard the cards of a reply (7.2). Returns False if they aren't a valid choice."""
        if not isinstance(cards, list) or not cards:
            return False
        if len(cards) != count and not wrong("any number of discards taken"):
            return False
        rest = list(seat.hand)
        for card in cards:
            if card not in (seat.hand if wrong("card held once named twice") else rest):
                return False
            if card in rest:
                rest.remove(card)
        seat.hand = rest
        seat.discards += cards[::-1] if wrong("first discard on top") else cards
        self.tell_top(seat, len(cards))
        return True

    # The end (4.4, 4.5, 8.4)

    def look_for_the_end(self) -> None:
        """End the match if a turn has met one of the conditions (4.4).

        Raises:
            Over: That was the last turn.
        """
        empty = sum(count == 0 for count in self.supply.values())
        if self.supply["province"] == 0:
            raise Over("provinces-empty")
        if empty >= (4 if wrong("four empty piles end the game") else 3):
            raise Over("piles-empty")
        if all(seat.turns >= MAX_TURNS for seat in self.there()):
            raise Over("turn-limit")

    def run(self) -> str:
        """Play the match and return its result as text."""
        try:
            self.handshake()
            while True:
                for seat in self.seats:
                    if not seat.left:
                        self.play(seat)
                        self.look_for_the_end()
        except Over as over:
            return self.game_end(str(over))

    def winners(self, reason: str) -> list[str]:
        there = self.there()
        if reason == "last-player-standing":
            if wrong("no winner after a disqualification"):
                return []
            if wrong("who left is the winner"):
                return [seat.id for seat in self.seats if seat.left][:1]
        if wrong("player that left can win"):
            there = self.seats
        turns = -1 if wrong("ties go to the most turns") else 1
        if wrong("ties always shared"):
            turns = 0
        best = max(((seat.points(), -turns * seat.turns) for seat in there), default=None)
        won = [seat.id for seat in there if (seat.points(), -turns * seat.turns) == best]
        return won[:1] if wrong("ties never shared") else won

    def game_end(self, reason: str) -> str:
        winners = self.winners(reason)
        standing = reason == "last-player-standing"
        if standing and wrong("clean-up after the last disqualification"):
            self.clean_up(next(seat for seat in self.seats if seat.left), None)
        scores: object = [seat.points() for seat in self.seats]
        if wrong("scores as an object"):
            scores = {seat.id: seat.points() for seat in self.seats}
        end: Message = {"scores": scores, "winners": winners, "reason": reason}
        if wrong("end without a reason"):
            del end["reason"]
        if not (standing and wrong("game-end not sent to the last player")):
            self.tell("game-end", **end)
        return f"{reason}: {scores}, won by {', '.join(winners) or 'nobody'}"


# ---- The wrong modes -----------------------------------------------------------------------------

# Maps each mistake to the sections that a report may name for it, and to the number of players
# that it takes to see it, or for which referee-cases.json has a case.
MODES: dict[str, tuple[str, int]] = {
    # 1 Framing
    "CRLF line ends": ("1.1", 2),
    "spaces in JSON": ("1.1", 2),
    "news with the next request": ("1.1", 2),
    "blank lines are replies": ("1.1", 2),
    "form feeds are white space": ("1.1 1.8", 2),
    "last line without its end counts": ("1.1", 3),
    "early lines thrown away": ("1.2", 2),
    "line of just the limit too long": ("1.3", 2),
    "lines of any length": ("1.3", 2),
    "stderr not drained": ("1.4", 2),
    "unknown fields refused": ("1.5", 2),
    "first duplicate counts": ("1.5", 2),
    "old server: integer players, gained in a list, no player-name": ("1.6 2.1 2.2 2.5", 2),
    "integer player_number in news": ("1.6", 2),
    "nobody is told what it did itself": ("1.7", 2),
    "requests go to all": ("1.7", 2),
    "invalid UTF-8 replaced": ("1.8", 2),
    "byte order mark accepted": ("1.8", 2),
    "NaN accepted": ("1.8", 2),
    "control characters in strings accepted": ("1.8", 2),
    "lone surrogates accepted": ("1.8", 2),
    "nesting without a limit": ("1.8", 2),
    "brackets inside strings counted": ("1.8", 2),
    "text after the object ignored": ("1.8", 2),
    "object in a list accepted": ("1.8", 2),
    "very long integer crashes": ("1.8", 2),
    # 2 Messages
    "supply-info alphabetical": ("2.4", 2),
    "one supply-info for all buys": ("2.4 2.15", 2),
    "player-played of nothing": ("2.6", 2),
    "player-trashed after the gain": ("2.15 6.6", 2),
    "player-top-discard for each card": ("2.8", 2),
    "player-top-discard on gains": ("2.8", 2),
    "player-shuffled for the deal": ("2.10", 2),
    "hand sorted": ("2.11", 2),
    "cards_gained without what was bought": ("2.11", 2),
    "disqualification not announced": ("2.13", 2),
    "scores as an object": ("2.14", 2),
    "end without a reason": ("2.14", 2),
    "game-end not sent to the last player": ("2.14 8.3 8.4", 2),
    # 3 Handshake
    "names stripped": ("3.1", 2),
    "names not cut": ("3.1", 2),
    "names cut before control characters are removed": ("3.1", 2),
    "control characters kept in names": ("3.1", 2),
    "crash at a name reply that is no object": ("3.2", 2),
    "bad name reply disqualifies": ("3.2", 2),
    "player_number of a name reply not looked at": ("3.2", 2),
    "missing version refused": ("3.3", 2),
    "version true accepted": ("3.3", 2),
    "version as a string accepted": ("3.3", 2),
    "version 1.0 refused": ("3.3", 2),
    "version of bad replies not looked at": ("3.3", 2),
    "handshakes one after the other": ("3.4", 2),
    # 4 Game
    "starting decks not shuffled": ("4.1", 2),
    "coppers of the deal not taken from the pile": ("4.2", 2),
    "three players have eight of each victory card": ("4.2", 3),
    "ten curses for any number of players": ("4.2", 3),
    "market costs four": ("4.3", 2),
    "gold is worth four": ("4.3", 2),
    "duchy is four points": ("4.3", 2),
    "provinces looked at before clean-up": ("4.4 2.15", 2),
    "four empty piles end the game": ("4.4", 2),
    "ties go to the most turns": ("4.5", 2),
    "ties always shared": ("4.5", 2),
    "ties never shared": ("4.5", 2),
    "scores without the hand": ("4.5", 2),
    "scores without the deck": ("4.5", 2),
    "shuffles before the deck is empty": ("4.6", 2),
    "no shuffle in the middle of a draw": ("4.6 2.10", 2),
    # 5 Replies to play-turn
    "top_discard ignored": ("5.1", 2),
    "top_discard only from the hand": ("5.1", 2),
    "null top_discard is no missing one": ("5.6 5.1", 2),
    "last of the hand on top": ("5.1", 2),
    "bad top_discard puts the last of the hand on top": ("5.1", 2),
    "clean-up draws six": ("5.1", 2),
    "clean-up draws before it discards": ("5.1 2.15", 2),
    "cards bought right to left": ("5.2", 2),
    "all or nothing bought": ("5.2", 2),
    "too dear card skipped": ("5.2", 2),
    "empty pile skipped": ("5.2", 2),
    "unknown card skipped": ("5.2", 2),
    "bad treasure skipped": ("5.2", 2),
    "buys after a bad treasure": ("5.2", 2),
    "treasures played by themselves": ("5.2", 2),
    "missing played_treasures is a fault": ("5.2", 2),
    "buys left are kept after a buy": ("5.2", 2),
    "money left is kept after a buy": ("5.2", 2),
    "actions left are kept after a buy": ("5.2", 2),
    "bad card costs nothing": ("5.4", 2),
    "bad action ends the turn": ("5.4", 2),
    "card with bad parameters stays in play": ("5.4 6.4 6.6 6.10", 2),
    "bad parameters cost nothing": ("5.4 6.4 6.6 6.10", 2),
    "invalid JSON asks again": ("5.5", 2),
    "type of replies not looked at": ("5.5", 2),
    "bad phase ignored": ("5.5", 2),
    "no-actions reply ignored": ("5.5", 2),
    "second buy reply ignored": ("5.5", 2),
    "null lists count as empty": ("5.6", 2),
    # 6 The ten kingdom cards
    "cellar draws before it discards": ("6.1 2.15", 2),
    "cellar without cards is a fault": ("6.1", 2),
    "cellar skips a bad card": ("6.1", 2),
    "cellar with a bad card discards nothing": ("6.1", 2),
    "market gives no buy": ("6.2", 2),
    "militia gives no money": ("6.3", 2),
    "mine gains to the discard pile": ("6.4", 2),
    "mine up to two more": ("6.4", 2),
    "exchange for nothing is consumed": ("6.4 6.6", 4),
    "moat gives three cards": ("6.5", 2),
    "played card counts as in hand": ("6.6", 2),
    "remodel up to three more": ("6.6", 2),
    "remodel to exactly two more": ("6.6", 2),
    "smithy gives two cards": ("6.7", 2),
    "village gives one action": ("6.8", 2),
    "woodcutter gives one money": ("6.9", 2),
    "workshop up to five": ("6.10", 2),
    "workshop at exactly four": ("6.10", 2),
    "workshop gains to the hand": ("6.10", 2),
    # 7 Militia and moat
    "militia attacks nobody": ("6.3 7.1", 2),
    "militia attacks only if it is the first card in play": ("6.3 7.1", 2),
    "militia attacks the next player only": ("6.3 7.1", 3),
    "attack order reversed": ("7.1", 3),
    "players with three cards are asked": ("7.1", 2),
    "militia leaves two cards": ("6.3 7.1", 2),
    "first discard on top": ("7.2", 2),
    "any number of discards taken": ("7.2", 2),
    "card held once named twice": ("7.2", 2),
    "moat in hand protects unrevealed": ("7.1 7.3", 2),
    "revealed moat is discarded": ("7.3", 2),
    "any reaction is a moat": ("7.3", 2),
    "moat not in hand protects": ("7.3", 2),
    "random discards keep two cards": ("7.4", 2),
    "wrong answer to a militia discards nothing": ("7.4", 2),
    # 8 Time, failure, disqualification
    "one second for a reply": ("8.1", 2),
    "reply of a bot that is gone does not count": ("8.2", 2),
    "closed stdout goes unnoticed": ("8.2", 2),
    "exited bot passes": ("8.2", 2),
    "no winner after a disqualification": ("8.3", 2),
    "who left is the winner": ("8.3 4.5", 2),
    "clean-up after the last disqualification": ("8.3", 2),
    "turn of a player that left not cleaned up": ("8.3", 3),
    "player that leaves while attacked discards": ("8.3", 3),
    "player that left still attacked": ("8.3", 3),
    "player that left can win": ("8.3 4.5", 3),
    "stdin left open": ("8.4", 2),
    "SIGTERM right after game-end": ("8.4", 2),
    "SIGKILL without SIGTERM": ("8.4", 2),
    "bots left alive": ("8.4", 2),
    "bots share the referee's session": ("8.5", 2),
    "bots in another working directory": ("8.5", 2),
}


def change_the_cards() -> None:
    """Apply the mistakes that are just other numbers in the tables."""
    if wrong("market costs four"):
        COST["market"] = 4
    if wrong("gold is worth four"):
        WORTH["gold"] = 4
    if wrong("duchy is four points"):
        POINTS["duchy"] = 4
    if wrong("market gives no buy"):
        PLUS["market"] = (1, 1, 0, 1)
    if wrong("militia gives no money"):
        PLUS["militia"] = (0, 0, 0, 0)
    if wrong("moat gives three cards"):
        PLUS["moat"] = (3, 0, 0, 0)
    if wrong("smithy gives two cards"):
        PLUS["smithy"] = (2, 0, 0, 0)
    if wrong("village gives one action"):
        PLUS["village"] = (1, 1, 0, 0)
    if wrong("woodcutter gives one money"):
        PLUS["woodcutter"] = (0, 0, 1, 1)


def take_mode(mode: str) -> str:
    """Select the mistake to make. Returns an error message, or "" if all is well.

    Fails if there's no such mode, or if MODES and the calls of wrong() don't match.
    """
    global wrong_mode
    with open(__file__) as file:
        asked = set(re.findall(r'wrong\(\s*"([^."]+[^"]*)"', file.read()))
    if asked != set(MODES):
        return f"MODES and wrong() differ: {sorted(asked ^ set(MODES))}"
    if mode not in MODES:
        return f"no such mode: {mode}"
    wrong_mode = mode
    change_the_cards()
    return ""


def main(arguments: list[str]) -> int:
    global TIME_LIMIT
    seed = "1"
    while len(arguments) > 1 and arguments[0] in ("--wrong", "--seed", "--limit"):
        option, value, *arguments = arguments
        if option == "--seed":
            seed = value
        elif option == "--limit":
            TIME_LIMIT = float(value)
        elif trouble := take_mode(value):
            print(trouble, file=sys.stderr)
            return 2
    if not 2 <= len(arguments) <= 4 or arguments[0].startswith("--"):
        print(
            "foreign_referee.py [--wrong MODE] [--seed N] [--limit S] BOT BOT [BOT [BOT]]",
            file=sys.stderr,
        )
        return 2
    bots = BotGroup(arguments)
    match = Match(bots, seed)
    result = match.run()
    bots.end([seat.bot for seat in match.there()])
    for seat in match.seats:
        print(f"{seat.id} {seat.name}: {seat.left or 'to the end'}", *seat.faults, sep=", ")
    print(result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
