"""Makes all decisions about a match of `referee play` before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.capacity import check_descriptors
from referee.cli import console
from referee.cli.commands.play_options import LIVE, PlayOptions
from referee.cli.consent import chosen_sandbox, sandbox_of_recorded
from referee.cli.files import make_folder
from referee.cli.running import load_numpy
from referee.errors import UsageError
from referee.games import GAMES
from referee.logs.files import STDOUT
from referee.logs.outputs import LINKS, RECORD, check_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.bots.command import BotSource
    from referee.logs.conversation import RecordedAnswers
    from referee.logs.record import RecordedAnswer
    from referee.match.machine import Redeal
    from referee.match.sandbox import Sandbox
    from referee.match.spec import MatchSpec
    from referee.match_plan import MatchPlan
    from referee.web.server.seat import MatchSession


def plan_match(
    options: PlayOptions, temporary: str | None = None
) -> tuple[MatchPlan, MatchSession | None]:
    """Plan the match that the options describe.

    Args:
        temporary: where to put the record if it's only needed for the browser, or None to follow
            the options.

    Returns:
        The plan, and the session if people play in the browser.

    Raises:
        UsageError, LogReadError: such a match is not possible. The text gives the reason.
    """
    from referee.bots.command import game_of_bots
    from referee.match_plan import MatchPlan, settled_spec

    resumed = _resumed(options)
    names, bots = options.named_bots
    if resumed is not None and not bots:
        bots, names = resumed.header.bots, resumed.header.names or []
    if resumed is None:
        game = options.game or game_of_bots((bot, "") for bot in bots)
        seed = options.seed.seed
    else:
        game, seed = resumed.header.game, resumed.header.seed
    redeals = () if resumed is None else _redeals(options, resumed)
    if not bots:
        raise UsageError("play takes BOTs, such as ./my_bot.py big_money (see referee play --help)")
    check_descriptors()  # so that we fail before we empty old logs
    sources, session = _sources(options, game, bots)
    record = temporary or options.record
    stderr = _stderr_files(options.stderr, len(sources))
    unseen = [options.log, record, options.resume, options.seed.file, *stderr]
    spec = settled_spec(
        sources,
        game=game,
        seed=seed,
        options=options.settings,
        recorded=None if resumed is None else resumed.settings,
        redeals=redeals,
        sandbox=_sandbox(options, sources, game, unseen),
        names=names,
        limits_of_bots=_limits_of_bots(options, resumed, len(bots)),
    )
    spec, answers = _opening(options, spec, resumed)
    plan = MatchPlan(
        sources,
        spec,
        log=options.log,
        record=record,
        stderr=stderr,
        # A temporary record is only made for the page in the browser, which shows stderr, too.
        record_stderr=options.record_stderr or temporary is not None,
        answers=answers,
        force=options.force,
    )
    _check_outputs(options, plan)
    return plan, session


def _limits_of_bots(
    options: PlayOptions, resumed: RecordedAnswers | None, players: int
) -> list[dict[str, Any]]:
    found = [{} for _ in range(players)] if resumed is None else resumed.limits_of_bots
    for seat, name, value in options.limit_of:
        if seat >= players:
            raise UsageError(f"--limit-of: there is no player {seat + 1} of {players}")
        found[seat][name] = value
    return found


def _sandbox(
    options: PlayOptions, sources: Sequence[BotSource], game: str, unseen: Sequence[str | None]
) -> Sandbox:
    """Return the sandbox in which the bots run. They can't see the files in `unseen`.

    If the user hasn't named any BOT, we start the bots of the record in `--resume`, but only with
    `--run-recorded`.
    """
    from referee.bots.command import BotCommand

    if options.bots:
        return chosen_sandbox(options.sandbox, sources, *unseen)
    assert options.resume is not None
    # The variables of --env come from the user, so there's no reason to distrust them.
    named = [bot._replace(env=()) if isinstance(bot, BotCommand) else bot for bot in sources]
    choice = sandbox_of_recorded(
        options.sandbox,
        options.resume,
        named,
        game,
        hidden=unseen,
        run_recorded=options.run_recorded,
    )
    return chosen_sandbox(choice, sources, *unseen, recorded=True)


def _resumed(options: PlayOptions) -> RecordedAnswers | None:
    if options.resume is None:
        if options.turn is not None:
            raise UsageError("--turn goes with --resume FILE, a match record")
        return None
    from referee.logs.conversation import answers_before

    is_other = options.game is not None and options.game not in GAMES.outside
    has_seed = options.seed.seed is not None
    if is_other or (has_seed and options.turn is None):
        raise UsageError(
            "--resume has the seed and the game of its record: leave out the option; with --turn, "
            "a seed deals hidden cards again"
        )
    resumed = answers_before(options.resume, options.turn)
    recorded = resumed.header.bots
    if options.bots and len(options.bots) != len(recorded):
        raise UsageError(f"the match of {options.resume} has {len(recorded)} bots")
    return resumed


def _redeals(options: PlayOptions, resumed: RecordedAnswers) -> Sequence[Redeal]:
    """Return the turns and seeds with which we shuffle the hidden cards again.

    Without a seed, we take them from the record. With a seed, the new redeal comes after those that
    lead to the position.
    """
    if options.seed.seed is None:
        return resumed.header.redeals or ()
    from referee.match.machine import Redeal

    assert options.resume is not None
    assert options.turn is not None
    position = resumed.position(options.resume, options.turn)
    return (*position.redeals, Redeal(options.turn, options.seed.seed))


def _opening(
    options: PlayOptions, spec: MatchSpec, resumed: RecordedAnswers | None
) -> tuple[MatchSpec, Sequence[Sequence[RecordedAnswer]]]:
    """Return the match with its opening, and the replies that come before the bots play."""
    from msgspec.structs import replace

    from referee.match.opening import with_opening

    if options.opening is None:
        if resumed is None:
            return spec, ()
        # If there's a new redeal, an opening before it isn't one of the match that begins there.
        is_dealt_again = options.seed.seed is not None
        return replace(spec, opening=0 if is_dealt_again else resumed.opening), resumed.answers
    if resumed is None:
        return with_opening(spec, options.opening, ())
    if options.seed.seed is None:
        raise UsageError(
            "--opening with --resume goes with --turn and --seed: a new deal from there"
        )
    assert options.resume is not None
    assert options.turn is not None
    return with_opening(
        spec, options.opening, resumed.position(options.resume, options.turn).answers
    )


def _sources(
    options: PlayOptions, game: str, bots: Sequence[str]
) -> tuple[list[BotSource], MatchSession | None]:
    from referee.bots.command import HUMAN, find_all, find_bot

    people = bots.count(HUMAN)
    session = None
    if options.page:
        if not people:
            raise UsageError(f"--page goes with BOT {HUMAN}: it lets people play in the browser")
        session = _session(options, game, bots)
        persons = {seat: session.person(seat) for seat in session.seats}
    elif people:
        from referee.cli.human_terminal import seated

        person = seated(game, people, log_to_stdout=options.log == STDOUT)
        persons = dict.fromkeys(range(len(bots)), person)

    def find(place: tuple[int, str]) -> BotSource:
        seat, bot = place
        if bot == HUMAN:
            return persons[seat]
        return find_bot(bot, game, env=options.env)

    return find_all(find, enumerate(bots)), session


def _session(options: PlayOptions, game: str, bots: Sequence[str]) -> MatchSession:
    load_numpy()
    from referee.web.server.seat import MatchSession, links_beside

    # People who already have links to an interrupted match can use these links again.
    goes_on = options.resume is not None and options.turn is None
    known = links_beside(options.resume) if goes_on and options.resume is not None else None
    return MatchSession(game, bots, known)


def _stderr_files(directory: str | None, count: int) -> list[str | None]:
    if directory is None or directory == LIVE:
        return [None] * count
    folder = make_folder(directory)
    return [str(folder / f"player{seat}.stderr") for seat in range(1, count + 1)]


def _check_outputs(options: PlayOptions, plan: MatchPlan) -> None:
    """Raise a `UsageError` if an output would replace a file that we still need.

    There's one exception: an interrupted match can be continued in its own record. We have read the
    record by then, and all of it is written again. For `--page`, this also checks the file with the
    players' links.
    """
    continues = options.turn is None
    for name, kind in plan.outputs:
        if name is not None and name != STDOUT:
            resumed = None if continues and kind is RECORD else options.resume
            console.check_other_file(name, [resumed, options.seed.file, *options.named_bots[1]])
    if options.page and options.record is not None:
        from referee.web.server.seat import LINKS_SUFFIX

        check_output(options.record + LINKS_SUFFIX, LINKS, force=options.force)
