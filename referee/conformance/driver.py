"""Runs one case: a match in which the other seats are scripted or played by bots.

We play a real match with the real rules, so that the tests can't disagree with the game. The case
only says how the match begins, how the other seats reply, and which extra input the bot gets. A
`Runner` plays the match as usual, and the driver sits between the runner and the bot. After some
mistakes, such as an extra line, we can't tell which reply belongs to which request any more, so we
end the case.

If the bot speaks a dialect, the driver translates the lines itself. We can't use a `DialectBot`
for this, because some cases split or cut the bytes that the bot receives.
"""

from __future__ import annotations

import codecs
import json
import math
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import msgspec
import trio
from msgspec import Struct

from referee.bots.bot import Answer, Bot, Failure, as_line
from referee.bots.command import BotAddress, BotCommand, BotSource, resolve_bot
from referee.bots.hosting import QUICK_SECONDS, new_bot, quick_answer
from referee.bots.in_process import InProcessBot
from referee.bots.process_report import TimeoutObservation
from referee.bots.processes.launch import launch
from referee.bots.processes.process import BotProcess
from referee.bots.stand_in import StandIn
from referee.bots.wrapper import BotWrapper
from referee.conformance import verdict
from referee.conformance.case import Case
from referee.conformance.verdict import Hung, Known, Observed, Violation, request_type, shown
from referee.course import Course
from referee.errors import UsageError
from referee.explaining import sentence, sentences
from referee.games.interface import faults
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialect import Dialect
from referee.games.interface.faults import Disqualification, Fault, InvalidReply, describe
from referee.games.interface.game import Game, GameSetup
from referee.games.interface.seats import seat_id, seat_index
from referee.match.decode import decode_reply, reply_decoder
from referee.match.limits import memory_words
from referee.match.machine import Entry, Match
from referee.match.messages import PlayerNameReply
from referee.match.pages import SHARED, game_page
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.match.spec import MatchSpec, default_limits
from referee.runner import Runner

# Unless the case has `listen`, we only wait for this fraction of `ConformanceLimits.rest`. Most
# bots have exited by then.
_SHORT_REST = 0.25
# We wait this many seconds for a reply that was missing in another case.
_KNOWN_SECONDS = 0.5
# Maximum seconds to observe a bot whose reply is late.
_LOOK_SECONDS = 3.0
_MOST_REST = 50
# In each case, we look for misspelt fields in at most this many replies.
_MOST_REPLIES = 500
# We keep this many lines from each end of stderr.
_STDERR_LINES = 8
_PIECE_SECONDS = 0.001
_HTTP_SECTION = "http-bots.md 3"


class ConformanceLimits(Struct, frozen=True):
    """The limits of a run.

    Attributes:
        timeout: seconds that the bot has for its handshake, for each reply, and for exiting after
            its stdin is closed.
        grace: seconds that the bot has for exiting after `game-end` (8.4).
        quiet: seconds to wait before `game-end` for lines that we didn't request, if the case has
            `listen`.
        rest: seconds to wait for more output after closing stdin, if the case has `listen`.
        system: other limits of the bot, by their names in `referee.match.limits.Limits`.
        sandbox: the sandbox of the bot.
    """

    timeout: float = 10.0
    grace: float = 1.0
    quiet: float = 0.3
    rest: float = 2.0
    system: Mapping[str, Any] = {}
    sandbox: Sandbox = NO_SANDBOX


class _Missing(NamedTuple):
    """The part of a `Violation` that says which rule a bot broke by not replying."""

    kind: str
    section: str
    expected: str


class _CaseMatch(Match):
    """A match that also collects its faults in `unjudged`, so that the driver can judge them."""

    def __init__(self, case: Case, definition: GameDefinition, seed: int) -> None:
        options = msgspec.convert(case.options, definition.options)
        super().__init__(definition, seats=case.players, seed=seed, options=options)
        self.unjudged: list[Fault] = []

    def take_entries(self) -> list[Entry]:
        entries = super().take_entries()
        self.unjudged += [entry for entry in entries if isinstance(entry, Fault)]
        return entries


class Driver(BotWrapper):
    """Runs one case. It wraps the tested bot, and takes its place in the match.

    The driver holds lines back until the bot's next request or the end of the match. At that point
    we know whether the bot's last reply was a fault, and can judge it before we send anything more.

    Args:
        source: the bot. If it's a command, we start it for this case.
        seed: the seed of the match, if the case doesn't have its own.
        known: mistakes that the bot has made in basic cases. If we know that a reply will be
            missing, we don't wait long for it.
        hung: requests that the bot never answers. We don't wait long for these replies, either.
        look: if True, observe the process for some seconds when a reply is missing, to find out
            why.
    """

    def __init__(
        self,
        case: Case,
        source: BotSource,
        definition: GameDefinition,
        seed: int,
        limits: ConformanceLimits,
        known: Known,
        hung: Hung,
        *,
        look: bool = True,
    ) -> None:
        self._case = case
        self._source = source
        self._known = known
        self._hung = hung
        self._look = look
        self._limits = limits
        self._seat = seat_index(case.seat)
        if case.situation:
            if definition.situation is None:
                raise UsageError(f"case {case.id}: {definition.name} cannot begin in the middle")
            begin_at = definition.situation

            def situation(setup: GameSetup) -> Game:
                return begin_at(setup, case.situation)

            definition = msgspec.structs.replace(definition, new=situation)
        self._seed = seed = seed if case.seed is None else case.seed
        self._kind = definition.dialects[source.dialect] if source.dialect else None
        self._dialect: Dialect | None = None
        if self._kind is not None:
            self._dialect = self._kind.new(self._seat, seed, source.argument)
        self._definition = definition
        adapter = source.adapter if isinstance(source, BotCommand) else ""
        self._adapter = definition.adapters.get(adapter)
        self._bot_limits = default_limits(definition)._replace(
            time_limit=limits.timeout,
            startup_limit=limits.timeout,
            grace=limits.grace,
            **limits.system,
        )
        self._decoder = reply_decoder(definition.replies)
        self._match = _CaseMatch(case, definition, seed)
        self._lines: list[bytes] = []  # lines that we haven't sent to the bot yet
        self._asked = b""  # the last request of the match
        self._request = b""  # the same request, as we sent it to the bot
        self._conversation: deque[str] = deque(maxlen=verdict.LAST_LINES)
        self._observed = Observed()
        self._first = True
        self._reply = b""  # the tested bot's last reply
        self._canonical = b""
        self._again = False
        self._replies: list[bytes] = []
        self._started: list[Bot] = []

    async def run(self) -> Observed:
        """Run the case, and return the bot's violations. Kills all bots before it returns."""
        started = trio.current_time()
        try:
            self.wrapped = self._start(self._source)
            self._process = self.wrapped if isinstance(self.wrapped, BotProcess) else None
            with trio.CancelScope() as self._scope:
                await self._play()
                self._observed.complete = True
        finally:
            for bot in self._started:
                await bot.kill()
        words, observed = self.wrapped.process_report(_STDERR_LINES), self._observed
        observed.notes = sentences("fields.ignored_fields", self._replies, self._definition.replies)
        if words is not None:
            observed.stderr = words.stderr.lines
            where = sentence("ending.started_in", words.sandbox, words.folder, words.stderr.lines)
            if where and observed.violations:
                observed.notes.append(where)
            if observed.complete and self._ran_to_its_end():
                observed.notes += sentences("author.notes_on_exit", self.exit_code, words)
        observed.seconds = round(trio.current_time() - started, 3)
        return observed

    def _ran_to_its_end(self) -> bool:
        """Return True if the bot exited by itself, after a match without mistakes."""
        is_cut = (
            self._case.close is not None or self._observed.violations or self._match.outcome is None
        )
        return not is_cut and (self.exit_code or 0) >= 0

    def _start(self, source: BotSource) -> Bot:
        limits = self._bot_limits
        bot = new_bot(self._definition, limits, launch(source, limits, self._limits.sandbox))
        self._started.append(bot)
        return bot

    def _other(self, seat: int) -> Bot:
        case, number = self._case, seat_id(seat)
        if case.opponents:
            argument = case.opponents[(seat - (seat > self._seat)) % len(case.opponents)]
            return self._start(resolve_bot(argument, game=self._definition.name))
        name = case.names.get(number, number.capitalize())
        return InProcessBot(StandIn(self._definition, name, case.others.get(number, ())))

    async def _over(self, *, planned: bool = False) -> NoReturn:
        """End the case, because it's complete or because we couldn't judge any later lines."""
        self._observed.complete = planned
        self._scope.cancel()
        await trio.sleep_forever()

    # --- the match ----------------------------------------------------------------------------

    async def _play(self) -> None:
        await self._play_match()
        # the same process plays a second match, with another seat and another shuffle
        if self._case.again:
            if self._seat not in self._match.keep_alive:
                self._observed.inapplicable = "only for bots that say `keep_alive`"
                await self._over(planned=True)
            self._note("a second match in the same process, since the bot has said `keep_alive`")
            self._again = True
            self._seat = seat_index(self._case.again)
            self._match = _CaseMatch(self._case, self._definition, self._seed + 1)
            await self._play_match()
        if self._case.exits:
            within = self._limits.grace if self._case.exits == "grace" else self._limits.timeout
            await self._await_end(within, "after `game-end`")
        rest = await self._rest(1.0 if self._case.listen else _SHORT_REST)
        if rest:
            detail = f"{len(rest)} more than requested, the first: {shown(rest[0])}"
            self._violate(verdict.SURPLUS, SHARED.requests, "one line for each request", detail)
        if self._match.outcome is not None and self._match.outcome.reason in self._observed.counts:
            await self._over()  # the bot's own fault ended the match, so the rest wasn't tested

    async def _play_match(self) -> None:
        seats = range(self._case.players)
        bots: list[Bot] = [self if s == self._seat else self._other(s) for s in seats]
        arguments = tuple([self._source.argument] * len(bots))
        spec = MatchSpec(self._definition.name, arguments, self._seed, None, self._bot_limits)
        await Runner(Course(spec, bots, match=self._match)).run()
        await self._catch_up()

    def push(self, lines: bytes) -> None:
        """Hold lines back until the next request."""
        self._lines += lines.splitlines(keepends=True)

    async def kill(self) -> None:
        """End the case.

        The match could continue without the bot, but nothing is left to test.
        """
        await self._over()

    async def reply(self, deadline: float) -> Answer:
        """Send the bot its new lines, and judge its reply."""
        in_handshake = self._match.in_handshake
        await self._catch_up(asked=True)
        answered = None if self._dialect is None else self._dialect.answer()
        if answered is None:
            self._reply = await self._read()
            answered = self._canonical = self._translated(self._reply)
            if len(self._replies) < _MOST_REPLIES:
                self._replies.append(answered)
            if in_handshake:
                await self._judge_name(answered)
        if in_handshake and self._case.until == "handshake":
            await self._over(planned=True)
        return answered

    async def _catch_up(self, *, asked: bool = False) -> None:
        unjudged, self._match.unjudged = self._match.unjudged, []
        for fault in unjudged:
            if fault.seat == self._seat:
                await self._judge_fault(fault)
        lines, self._lines = self._lines, []
        if asked:
            self._asked = lines[-1]
        for place, line in enumerate(lines, 1):
            await self._send(line, is_request=asked and place == len(lines))

    def _translated(self, answer: bytes) -> bytes:
        return answer if self._dialect is None else as_line(self._dialect.reply(answer))

    # --- input of the bot -------------------------------------------------------------------------

    async def _send(self, line: bytes, *, is_request: bool) -> None:
        message = json.loads(line)
        kind = message["type"]
        close = self._case.close
        first, self._first = self._first, False
        if kind == "game-end" and self._case.listen:
            await self._look_for_unasked()
        for insert in self._case.insert:
            types = [insert.before] if isinstance(insert.before, str) else insert.before
            if kind in types or (first and "first" in types):
                for extra in insert.lines * insert.repeat:
                    await self._push(self._in_dialect(msgspec.json.encode(extra) + b"\n"))
        if close is not None and close.at == "first":
            await self._close_input()
        if kind == "player-disqualified":  # a bot that speaks a dialect may not see this
            self._note(f"{message['player_number']} leaves the match: {message['reason']}")
        if self._case.fields or self._case.replace or self._case.reverse:
            line = self._changed(message)
        line = self._in_dialect(line)
        if is_request:
            self._request = line
        if close is not None and close.at == kind:
            await self._push(line[: len(line) // 2] if close.cut else line)
            await self._close_input()
        await self._push(line)

    def _in_dialect(self, line: bytes) -> bytes:
        return line if self._dialect is None else self._dialect.send(line[:-1])

    def _changed(self, message: dict[str, Any]) -> bytes:
        message |= self._case.replace.get(message["type"], {})
        extra = list(self._case.fields.items())
        half = len(extra) // 2
        fields = extra[:half] + list(message.items()) + extra[half:]
        if self._case.reverse:
            fields.reverse()
        return msgspec.json.encode(dict(fields)) + b"\n"

    async def _push(self, data: bytes) -> None:
        if data:
            self._note(data.decode().rstrip("\n"), ">")
        size = self._case.pieces or len(data)
        for place in range(0, len(data), size or 1):
            self.wrapped.push(data[place : place + size])
            if self._case.pieces:
                await trio.sleep(_PIECE_SECONDS)

    async def _close_input(self) -> None:
        """Close the bot's stdin, check that the bot exits, and end the case."""
        await self._await_end(self._limits.timeout, "after its input has ended")
        await self._over(planned=True)

    async def _await_end(self, seconds: float, when: str) -> None:
        assert self._process is not None  # we skip such cases for other bots (`why_skipped`)
        self._note("the end of its input")
        same = self._hung.get(request_type(self._request)) if self._case.close else None
        had = seconds if same is None else min(seconds, _KNOWN_SECONDS)
        if not await self._process.end_input(had):
            expected = f"the bot exits by itself within {seconds:g} s {when}"
            actual = "it is still running"
            if same is not None:
                actual += f" after {had:g} s, and never answers this request: see case {same[0]}"
            self._violate(verdict.STAYS, SHARED.after_match, expected, actual)

    # --- output of the bot ------------------------------------------------------------------------

    async def _look_for_unasked(self) -> None:
        # If the bot sent an extra line earlier, we took it for the reply to the next request (1.2),
        # and every later reply for the reply to the request after its own. If all of them were
        # legal, one line is left over now. After `game-end`, it would look as if the bot had
        # replied to `game-end`.
        if self._process is None:
            return
        answer = await self.wrapped.reply(trio.current_time() + self._limits.quiet)
        if isinstance(answer, bytes):
            self._note_line(answer)
            expected = "one line for each request"
            detail = f"an extra line after the last request: {shown(answer)}"
            line = shown(answer)
            self._violate(verdict.UNASKED, SHARED.requests, expected, detail, reply=line)
            await self._over()

    async def _read(self) -> bytes:
        """Return the bot's reply. If there isn't one, this ends the case."""
        kind = verdict.NO_REPLY if self._match.in_handshake else verdict.TIMEOUT
        asked = request_type(self._request)
        is_known = (kind, asked) in self._known or asked in self._hung
        timeout = min(self._limits.timeout, _KNOWN_SECONDS if is_known else math.inf)
        now = trio.current_time()
        answer = await quick_answer(self.wrapped, now + min(timeout, QUICK_SECONDS))
        if answer is None:
            answer = await self.wrapped.reply(now + timeout)
        if isinstance(answer, Failure):
            process = self._process if self._look and not is_known else None
            await self._judge_failure(answer, kind, timeout, process)
        self._note_line(answer)
        return answer

    async def _judge_failure(
        self, failure: Failure, kind: str, had: float, process: BotProcess | None
    ) -> NoReturn:
        """Report a missing reply, and end the case.

        If there's a `process`, we first observe it for a while to find out why it's silent.
        """
        in_handshake = self._match.in_handshake
        late = _Missing(
            kind,
            SHARED.start_up if in_handshake else SHARED.clock,
            f"a reply to {self._asked_type} within {had:g} s",
        )
        missing, actual, reply = self._missing(failure.code, late), failure.detail, ""
        if missing is late and process is not None:
            longer = min(had, _LOOK_SECONDS)
            silence = await process.look(longer, self._limits.rest)
            missing, reply = self._missing_in(silence, late), shown(silence.unfinished)
            again = "" if silence.late else f", and not in the {longer:g} s after them"
            actual = f"no reply within {had:g} s{again}: {self._why_silent(silence)}"
        elif in_handshake and missing.kind != verdict.UNREACHABLE:
            missing = missing._replace(expected=missing.expected + self._dialects())
        same = self._hung.get(request_type(self._request)) if missing is late else None
        if same is not None:
            id, before = same
            missing = _Missing(before.kind, before.section, before.expected)
            actual = f"no reply within {had:g} s, as in case {id}, which waited for it twice"
        section = _HTTP_SECTION if isinstance(self._source, BotAddress) else missing.section
        said = {"request": self._shown_request(), "reply": reply}
        self._violate(missing.kind, section, missing.expected, actual, **said)
        await self._over()

    def _missing(self, code: str, late: _Missing) -> _Missing:
        """Return the rule that the bot broke.

        Some codes tell us why there's no reply. In all other cases, we return `late`.
        """
        in_handshake, limits = self._match.in_handshake, self._bot_limits
        most = limits.line_limit // 1024
        match code:
            case _ if in_handshake and self._again:
                expected = "a bot that says `keep_alive` answers the next player-name-request"
                return _Missing(verdict.NOT_KEPT, SHARED.after_match, expected)
            case Disqualification.FAILED_TO_START:
                return _Missing(verdict.NOT_STARTED, SHARED.start_up, "a program that starts")
            case Disqualification.EXITED if in_handshake:
                return late._replace(kind=verdict.NOT_STARTED)
            case Disqualification.EXITED:
                return late._replace(kind=verdict.EXITED, section=SHARED.exit)
            case Disqualification.OUTPUT_LIMIT:
                expected = f"at most {most} KiB per line, and no unrequested output"
                if isinstance(self._source, BotAddress):
                    expected = f"an answer of at most {most} KiB"
                return _Missing(verdict.OUTPUT_LIMIT, SHARED.limits, expected)
            case Disqualification.MEMORY_LIMIT:
                expected = f"at most {memory_words(limits.memory_limit)} of memory"
                return _Missing(verdict.MEMORY_LIMIT, SHARED.limits, expected)
            case Disqualification.STEP_LIMIT:
                expected = "a rule file that needs fewer steps for a decision"
                return _Missing(verdict.STEP_LIMIT, SHARED.limits, expected)
            case _ if code in verdict.OF_A_SERVER:
                expected = f"a whole answer to the POST with {self._asked_type}"
                return _Missing(str(code), _HTTP_SECTION, f"{expected}, with a status of 2xx")
        return late

    def _missing_in(self, silence: TimeoutObservation, late: _Missing) -> _Missing:
        """Return the rule that a silent bot broke, judging by what we saw of its process."""
        if self._adapter is not None:
            return late  # the adapter flushes its output, so it can't be one of the mistakes below
        if silence.unfinished:
            expected = "a reply that ends with a line end"
            return _Missing(verdict.NO_LINE_END, SHARED.lines, expected)
        if silence.at_end:
            expected = "a request that is read when it comes, and a reply that is flushed"
            return _Missing(verdict.NO_FLUSH, SHARED.lines, expected)
        return late

    def _why_silent(self, silence: TimeoutObservation) -> str:
        if self._adapter is not None:
            return sentence("no_reply.why_not_returned", silence, self._asked_type, self._adapter)
        game = self._definition.name if self._match.requests[self._seat] == 1 else ""
        return sentence("no_reply.why_silent", silence, self._asked_type, game)

    @property
    def _asked_type(self) -> str:
        return str(json.loads(self._asked)["type"])

    def _dialects(self) -> str:
        """Return a hint about dialects that the bot may be speaking, or "" if we have none."""
        if self._dialect is not None or self._adapter is not None:
            return ""
        given = sentence("author.dialects_for", self._definition, self._source.argument)
        return f"; {given}" if given else ""

    async def _rest(self, share: float = 1.0) -> list[bytes]:
        """Close the bot's input and return the rest of its output.

        We wait for the bot to exit, but only for a fraction of `ConformanceLimits.rest` (`share`).
        """
        if self._process is None:
            await self.wrapped.finish(self._limits.grace)
            return []
        if not self._case.exits:
            self._note("the end of its input")
        await self._process.end_input(self._limits.rest * share)
        lines: list[bytes] = []
        while len(lines) < _MOST_REST:
            answer: Answer = await self._process.reply(trio.current_time())
            if isinstance(answer, Failure):
                if answer.code == Disqualification.OUTPUT_LIMIT:
                    lines.append(f"({answer.detail})".encode())
                break
            self._note_line(answer)
            lines.append(answer)
        return lines

    async def _judge_name(self, line: bytes) -> None:
        # A match tolerates some mistakes in the handshake, but here we check all of 3.1.
        number = seat_id(self._seat)
        reply = decode_reply(line, _names)
        if isinstance(reply, InvalidReply):
            rest = await self._rest()
            after_prompt = line[line.find(b"{") :]
            if self._process is not None and not line.startswith(codecs.BOM_UTF8):
                rest.append(after_prompt)
            if any(isinstance(decode_reply(other, _names), PlayerNameReply) for other in rest):
                self._violate_unasked(verdict.EARLY, line, "player-name-reply")
            else:
                kind, section = verdict.NAME_TYPE, SHARED.name_reply
                expected = 'an object with "type":"player-name-reply"'
                if reply.code == faults.INVALID_JSON:
                    kind, section = verdict.NO_JSON, SHARED.lines
                    expected = "a line of UTF-8 with one JSON object"
                expected += self._dialects()
                self._violate(kind, section, expected, sentence("lines.why_no_reply", line, _NAMES))
            await self._over()
        assert isinstance(reply, PlayerNameReply)
        name_reply, version = SHARED.name_reply, reply.version
        if reply.player_number != number:
            kind, section = verdict.NAME_PLAYER, name_reply
            if self._again:
                kind, section = verdict.NOT_KEPT, SHARED.after_match
            actual = sentence("fields.found", "player_number", line)
            self._violate(kind, section, f'"player_number":"{number}"', actual)
        if not isinstance(reply.name, str):
            actual = sentence("fields.found", "name", line)
            self._violate(verdict.NAME_NAME, name_reply, "`name`, a string", actual)
        if version is msgspec.UNSET:
            self._violate(verdict.NO_VERSION, name_reply, '"version":1', "no `version`")
        elif isinstance(version, bool) or version != self._definition.protocol:
            actual = describe(version)
            self._violate(verdict.OTHER_VERSION, SHARED.version, '"version":1', actual)
        if reply.keep_alive is not msgspec.UNSET and not isinstance(reply.keep_alive, bool):
            actual, expected = describe(reply.keep_alive), "`keep_alive`, true or false"
            self._violate(verdict.KEEP_ALIVE, name_reply, expected, actual)

    async def _judge_fault(self, fault: Fault) -> None:
        if fault.section == SHARED.wrong_name_reply:
            return  # _judge_name() has already judged the handshake
        # The line may not be the reply at all, but extra output before it, e.g. from a forgotten
        # print(). Some games use a fault code of their own for this, so we try to decode the line.
        doubtful = fault.code in (faults.INVALID_JSON, faults.WRONG_TYPE) or isinstance(
            decode_reply(self._canonical, self._decoder), InvalidReply
        )
        if doubtful and any(
            not isinstance(decode_reply(self._translated(line), self._decoder), InvalidReply)
            for line in await self._rest()
        ):
            expected = f"the reply to {self._asked_type}"
            self._violate_unasked(verdict.UNASKED, self._reply, expected)
            await self._over()
        legal = "a legal reply"
        own = None if self._kind is None else self._kind.wrong
        lines = self._asked, self._canonical, self._reply
        wrong = sentence("author.explained", self._definition, own, fault, *lines, self._adapter)
        is_own = self._dialect is None and self._adapter is None
        if is_own and self._definition.simplest_reply is not None:
            simplest = self._definition.simplest_reply(json.loads(self._asked))
            legal += f", such as {msgspec.json.encode(simplest).decode()}"
        page = game_page(self._definition)
        rule = "" if own else page.rule(fault.section, fault.code, fault.detail)
        said = {"request": self._shown_request(), "reply": shown(self._reply)}
        # the adapter writes the replies, so the author has never seen them
        if self._adapter is not None:
            rule = said["reply"] = ""
        self._violate(fault.code, fault.section, legal, wrong, rule=rule, **said)
        if doubtful:
            await self._over()

    def _violate_unasked(self, kind: str, line: bytes, expected: str) -> None:
        replies: list[type[Struct]] = [PlayerNameReply, *self._definition.replies]
        why = sentence("lines.why_no_reply", line, replies) if self._dialect is None else ""
        actual = f"{why or f'the line {shown(line)}'}; it comes before the reply, without a request"
        expected = f"{expected}, and no other standard output"
        said = {"request": self._shown_request(), "reply": shown(line)}
        self._violate(kind, SHARED.requests, expected, actual, **said)

    # --- notes --------------------------------------------------------------------------------

    def _violate(
        self, kind: str, section: str, expected: str, actual: str, *, rule: str = "", **said: str
    ) -> None:
        counts, violations = self._observed.counts, self._observed.violations
        counts[kind] = counts.get(kind, 0) + 1
        lines = list(self._conversation)
        found = Violation(kind, section, expected, actual, conversation=lines, rule=rule, **said)
        if all(violation.key != found.key for violation in violations):
            violations.append(found)

    def _shown_request(self) -> str:
        lines = self._request.decode().rstrip("\n").split("\n")  # a dialect may send several lines
        return " ".join(map(str.strip, lines))

    def _note_line(self, line: bytes) -> None:
        self._note(line.decode(errors="backslashreplace"), "<")

    def _note(self, text: str, mark: str = "!") -> None:
        self._conversation.append(f"{mark} {text[: verdict.MOST_LINE]}")


_NAMES = (PlayerNameReply,)
_names = reply_decoder(_NAMES)
