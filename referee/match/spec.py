"""Describes a match. You can pickle the description, and a record's header contains all of it.

A match has two kinds of settings: the limits of its bots and the options of its game. Users see
both in one flat list, and so does everybody who reads a record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from inspect import cleandoc
from operator import index
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from referee.errors import UsageError
from referee.games import DEFAULT_GAME, GAMES, game_rules
from referee.games.interface.data import about
from referee.games.interface.definition import GameDefinition
from referee.match.limits import (
    LIMITS,
    MAX_BYTES,
    MAX_COUNT,
    MAX_SECONDS,
    OF_TOURNAMENTS,
    LimitKind,
    Limits,
    flag,
    is_none,
    limit_word,
)
from referee.match.machine import MAX_SEED, Match, Redeal
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.text.nearest import instead

if TYPE_CHECKING:
    from random import Random

OwnLimits: TypeAlias = tuple[tuple[str, int | float | None], ...]
"""Limits of a single bot, as pairs of a name and a value. None means no limit."""
SHORT_SEEDS = 10**9
"""Random seeds are at least this large, so that no bot can find one by trying all of them."""
MAX_OPENING = 1_000
"""Maximum length of an opening, in rounds."""

_Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=MAX_SECONDS)]
_KINDS: dict[LimitKind, Any] = {
    "clock": _Seconds | None,
    "pause": Annotated[float, Meta(ge=0, le=MAX_SECONDS)],
    "line": Annotated[int, Meta(ge=1, le=MAX_COUNT)],
    # UNSET, because records contain these limits only if they differ from the defaults.
    "seconds": _Seconds | None | UnsetType,
    "gain": Annotated[float, Meta(ge=0, le=MAX_SECONDS)] | UnsetType,
    "bytes": Annotated[int, Meta(ge=1, le=MAX_BYTES)] | None | UnsetType,
    "count": Annotated[int, Meta(ge=1, le=MAX_COUNT)] | None | UnsetType,
}
# Every record contains these limits. Other limits are recorded only if they differ from the
# default.
_ALWAYS = {name for name, row in LIMITS.items() if row.kind in ("clock", "pause", "line")}
_CAN_BE_NONE = {name for name, row in LIMITS.items() if row.kind not in ("pause", "line", "gain")}
_DEFAULTS = Limits()._asdict()
# Rewords msgspec's validation errors so that users understand them.
_PLAIN = {
    "Expected `int`": "give an integer",
    "Expected `float`": "give a number",
    "Expected `bool`": "give true or false",
    ", got `str`": "",
    " >= ": " of at least ",
    " <= ": " of at most ",
    " > ": " above ",
    " < ": " below ",
}
# These settings are listed before the options of the game, because users need them most often.
_BEFORE_OWN = {"time_limit", "startup_limit", "grace"}


class MatchSpec(Struct, frozen=True):
    """The description of a match, before or after it is played.

    Attributes:
        game: a key of `GAMES`.
        bots: the BOT arguments, in seat order.
        seed: 0 <= seed < `MAX_SEED`.
        options: an instance of `GameDefinition.options`.
        limits: the limits of every bot, unless `limits_of_bots` is given.
        sandbox: the sandbox of every bot.
        names: the names that the tournament or `NAME=BOT` gave to the bots, in seat order. A bot
            without such a name has "". If no bot has one, the tuple is empty.
        redeals: the redeals of `Match`. Without any, the seed determines the whole match.
        limits_of_bots: the limits of each bot, in seat order. The tuple is empty if they are all
            equal.
        opening: in this number of rounds, the replies are drawn at random, before the bots play on
            their own (`opening_answers`). If there are redeals, these rounds come after the last.
    """

    game: str
    bots: tuple[str, ...]
    seed: int
    options: Any
    limits: Limits
    sandbox: Sandbox = NO_SANDBOX
    names: tuple[str, ...] = ()
    redeals: tuple[Redeal, ...] = ()
    limits_of_bots: tuple[Limits, ...] = ()
    opening: int = 0

    @property
    def each_limits(self) -> tuple[Limits, ...]:
        """The limits of each bot, in seat order, even if they are all equal."""
        return self.limits_of_bots or (self.limits,) * len(self.bots)

    @property
    def definition(self) -> GameDefinition:
        """The definition of the game."""
        return GAMES[self.game]

    def __reduce__(self) -> tuple[Any, ...]:
        # A game from outside may not be loaded in the other process, so unpickling couldn't find
        # its classes. Therefore we pickle the options as a dict, and `unpickled` converts the dict
        # to a struct again.
        fields = msgspec.structs.asdict(self)
        if self.game in GAMES.outside:
            fields["options"] = msgspec.to_builtins(self.options)
        return MatchSpec, tuple(fields.values())

    def unpickled(self) -> MatchSpec:
        """Complete a pickled spec, i.e. convert the options from a dict to the game's struct."""
        if not isinstance(self.options, dict):
            return self
        options = msgspec.convert(self.options, self.definition.options)
        return msgspec.structs.replace(self, options=options)

    @property
    def by_name(self) -> dict[str, Any]:
        """Options and limits in one dict, as `match_spec` accepts them."""
        return msgspec.structs.asdict(self.options) | self.limits._asdict()

    @property
    def settings(self) -> Struct:
        """Options and limits in one struct of `settings_type`. The inverse of `split`."""
        values = self.by_name
        for name, value in self.limits._asdict().items():
            if name not in _ALWAYS and value == _DEFAULTS[name]:
                values[name] = UNSET
            elif value == math.inf:
                values[name] = None
        return settings_type(self.definition)(**values)

    def new_match(self, **form: Any) -> Match:
        """Create the match without starting it.

        Every match that is played or played again is created here, so a limit that the match itself
        enforces holds for all of them.

        Args:
            form: the arguments `lines`, `readers`, `heard` and `copies` of `Match`.
        """
        return Match(
            self.definition,
            seats=len(self.bots),
            seed=self.seed,
            options=self.options,
            redeals=self.redeals,
            **form,
        )

    @property
    def luck(self) -> int:
        """The seed in effect, i.e. `seed` or, after redeals, the seed of the last one."""
        return self.redeals[-1].seed if self.redeals else self.seed

    def with_luck(self, seed: int) -> MatchSpec:
        """Return a copy with this seed in effect (see `luck`)."""
        if not self.redeals:
            return msgspec.structs.replace(self, seed=seed)
        *before, last = self.redeals
        return msgspec.structs.replace(self, redeals=(*before, Redeal(last.turn, seed)))


@cache
def settings_type(definition: GameDefinition) -> type[Struct]:
    """Create a struct for all settings of a game's matches: limits and options, with defaults.

    A record's header stores its `options` in this form. JSON has no infinity, so if there's no
    limit, the field is None or missing.
    """
    limits = {}
    for name, row in LIMITS.items():
        unit = ", in bytes" if row.kind in ("line", "bytes") else ""
        meta = about(f"{row.about}{unit}")
        default = definition.limits.get(name, _DEFAULTS[name] if name in _ALWAYS else UNSET)
        limits[name] = (name, Annotated[_KINDS[row.kind], meta], default)
    own = [
        (field.name, field.type, field.default)
        for field in msgspec.structs.fields(definition.options)
    ]
    first = [limits.pop(name) for name in LIMITS if name in _BEFORE_OWN]
    fields = [*first, *own, *limits.values()]
    text = f"The limits of bots (limits.md).\n\n{cleandoc(f'{definition.options.__doc__}')}"
    return msgspec.defstruct("Options", fields, frozen=True, namespace={"__doc__": text})


def default_limits(definition: GameDefinition) -> Limits:
    """Return the default limits of a game."""
    return split(definition, settings_type(definition)())[1]


def split(definition: GameDefinition, settings: Any) -> tuple[Struct, Limits]:
    """Split an instance of `settings_type` into the game's options and the limits."""
    own = {name: getattr(settings, name) for name in definition.options.__struct_fields__}
    given = {name: getattr(settings, name) for name in LIMITS}
    limits: dict[str, Any] = {
        name: math.inf if value is None else value
        for name, value in given.items()
        if value is not UNSET
    }
    return definition.options(**own), Limits(**limits)


def with_own(limits: Limits, own: OwnLimits) -> Limits:
    """Return a copy of `limits`, overridden by a bot's own limits."""
    return limits._replace(
        **{name: math.inf if value is None else value for name, value in own}  # type: ignore[arg-type]
    )


def own_limits(limits: Limits, own: Limits) -> dict[str, int | float | None]:
    """Return the limits in `own` that differ from `limits`."""
    pairs = zip(limits._asdict().items(), own, strict=True)
    return {
        name: None if value == math.inf else value
        for (name, usual), value in pairs
        if value != usual
    }


def checked_own(definition: GameDefinition, limits: Limits, own: Mapping[str, Any]) -> OwnLimits:
    """Validate the limits of one bot.

    Args:
        limits: the limits of the other bots.
        own: limit names and values, as in the options of `match_spec`.

    Returns:
        The limits of the bot, in the order of `Limits`.

    Raises:
        UsageError: a name is unknown or a value isn't valid.
    """
    for name in own:
        if name not in LIMITS:
            raise UsageError(f"a bot has no limit {name!r}{instead(name, LIMITS)}")
    every = {**limits._asdict(), **own}
    if is_none(every["time_bank"]) and "increment" not in own:
        every["increment"] = 0  # without a time bank, this bot doesn't need the others' increment
    found = _chosen(definition, every)[1]._asdict()
    return tuple(
        (name, None if found[name] == math.inf else found[name]) for name in LIMITS if name in own
    )


def tournament_limits(definition: GameDefinition) -> dict[str, float]:
    """Return a game's default limits in tournaments."""
    return {**OF_TOURNAMENTS, **definition.tournament_limits}


def settings_words(spec: MatchSpec, usual: Mapping[str, float] | None = None) -> list[str]:
    """Return the settings that differ from a command's defaults, as command-line arguments.

    Args:
        usual: defaults of the command that differ from the game's.
    """
    given = spec.by_name
    options, limits = split(spec.definition, settings_type(spec.definition)())
    before = msgspec.structs.asdict(options) | limits._asdict() | dict(usual or {})
    if given["time_limit"] == math.inf:  # this also turns off the start-up limit
        before["startup_limit"] = math.inf
    words = []
    for name in settings_type(spec.definition).__struct_fields__:
        if given[name] != before[name]:
            words += setting_words(name, given[name])
    return words


def own_limits_words(spec: MatchSpec) -> list[str]:
    """Return `--limit-of` arguments of `referee play` for the bots that have their own limits."""
    return [
        word
        for seat, limits in enumerate(spec.limits_of_bots, 1)
        for name in own_limits(spec.limits, limits)
        for word in (
            "--limit-of",
            f"{seat}:{name.replace('_', '-')}={limit_word(name, getattr(limits, name))}",
        )
    ]


def setting_words(name: str, value: Any) -> list[str]:
    """Return a setting as command-line arguments."""
    if name in LIMITS:
        return [flag(name), limit_word(name, value)]
    text = ",".join(map(_as_word, value if isinstance(value, list | tuple) else [value]))
    return [flag(name), text] if name == "max_turns" else ["--set", f"{name}={text}"]


def _as_word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).removesuffix(".0")


def match_spec(
    bots: Sequence[str],
    *,
    game: str = DEFAULT_GAME,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    sandbox: Sandbox = NO_SANDBOX,
) -> MatchSpec:
    """Describe a match, and check the description.

    Args:
        bots: BOT arguments, in seat order.
        game: a key of `GAMES`.
        seed: the seed. If it's None, we choose one at random.
        options: options and limits that differ from the defaults, by name. You may give a number as
            text. None, "none" and infinity mean no limit.
        sandbox: the sandbox of the bots.

    Raises:
        UsageError: an argument isn't valid.
    """
    definition = game_rules(game)
    if not definition.min_seats <= len(bots) <= definition.max_seats:
        raise UsageError(f"{game} takes {_seats(definition)} bots, not {len(bots)}")
    seed = checked_seed(seed)
    if not isinstance(options, Mapping | None):
        raise UsageError(f"options are given by name, such as {{'max_turns': 4}}, not {options!r}")
    own, limits = _chosen(definition, options or {})
    return MatchSpec(game, tuple(bots), seed, own, limits, sandbox)


def drawn_seed(source: Random | None = None) -> int:
    """Choose a seed at random: `SHORT_SEEDS` <= result < `MAX_SEED`.

    Args:
        source: the source of random numbers. The default is the system's, which nobody can predict.
    """
    if source is None:
        import secrets  # takes long to import

        source = secrets.SystemRandom()
    return source.randrange(SHORT_SEEDS, MAX_SEED)


def checked_seed(seed: int | None) -> int:
    """Return the seed, or a random one for None. Raises `UsageError` if it isn't valid."""
    if seed is None:
        return drawn_seed()
    try:
        number = index(seed)  # any integer type will do, e.g. NumPy's
    except TypeError:
        number = -1
    if not 0 <= number < MAX_SEED:
        raise UsageError(f"seed {seed!r} is not an integer from 0 to 2**53 - 1")
    return number


def _seats(definition: GameDefinition) -> str:
    if definition.min_seats == definition.max_seats:
        return str(definition.min_seats)
    return f"{definition.min_seats} to {definition.max_seats}"


@cache
def _lists(settings: type[Struct]) -> frozenset[str]:
    fields = msgspec.structs.fields(settings)
    return frozenset(field.name for field in fields if isinstance(field.default, tuple | list))


def _chosen(definition: GameDefinition, chosen: Mapping[str, Any]) -> tuple[Struct, Limits]:
    known = settings_type(definition)
    for name in chosen:
        if name not in known.__struct_fields__:
            other = instead(str(name), known.__struct_fields__)
            raise UsageError(f"{definition.name} has no option {name!r}{other}")
    endless: dict[str, Any] = {
        name: math.inf for name in _CAN_BE_NONE & chosen.keys() if is_none(chosen[name])
    }
    values = {name: value for name, value in chosen.items() if name not in endless}
    try:
        for name in _lists(known).intersection(values):
            if isinstance(values[name], str):  # from the command line
                values[name] = values[name].split(",")
        own, limits = split(definition, msgspec.convert(values, known, strict=False))
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$.")
        for theirs, ours in _PLAIN.items():
            problem = problem.replace(theirs, ours)
        name = place.rstrip("`")
        if problem.startswith("Invalid enum value"):
            kinds = {field.name: field.type for field in msgspec.structs.fields(known)}
            problem = f"there are: {', '.join(map(str, get_args(kinds[name])))}"
        raise UsageError(f"option {name}={chosen[name]}: {problem}") from None
    limits = limits._replace(**endless)
    if limits.increment and limits.time_bank == math.inf:
        problem = "it is added to a time bank, and there is none: give time_bank too"
        raise UsageError(f"option increment={chosen['increment']}: {problem}")
    return own, limits
