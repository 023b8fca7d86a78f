"""Suggests options to people who type the options of other tools."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

Row = tuple[str, ...]

# This entry isn't an option. If we suggest it, we advise people to name bots without an option.
BOTS = "BOT"
# With this entry, we advise people to use the command that plays many matches.
MANY = "referee tournament"

_BOTS: Row = (BOTS, "--play")
_FORCE: Row = ("--force",)
_JOBS: Row = ("--jobs", MANY)
_LISTEN: Row = ("--listen",)
_LIVE: Row = ("--follow", "--browser", "--open")
_MANY: Row = (MANY, "--matches --deals")
_OUTPUT: Row = ("--output", "--record --log", "--store --records")
_QUIET: Row = ("--quiet",)
_SEED: Row = ("--seed",)
_STORE: Row = ("--store",)
_TIME: Row = ("--time-limit",)
_TURNS: Row = ("--max-turns",)

# Maps each unknown option to suggestions, the best first. We show the first suggestion that the
# command supports. A suggestion is one or more options, separated by spaces, or an option with its
# value ("--format=json"), or one of `BOTS` and `MANY`.
FOREIGN: dict[str, Row] = {
    "--address": _LISTEN,
    "--bind": _LISTEN,
    "--host": _LISTEN,
    "--port": _LISTEN,
    "-p": _LISTEN,
    "--count": _MANY,
    "--deals": (MANY,),
    "--games": _MANY,
    "--iterations": _MANY,
    "--num-games": _MANY,
    "--repeat": _MANY,
    "--rounds": (MANY,),
    "--runs": _MANY,
    "--matches": (MANY,),
    "-n": _MANY,
    "-r": _MANY,
    "--clobber": _FORCE,
    "--overwrite": _FORCE,
    "--concurrency": _JOBS,
    "--cores": _JOBS,
    "--cpus": _JOBS,
    "--jobs": (MANY,),
    "--parallel": _JOBS,
    "--processes": _JOBS,
    "--threads": _JOBS,
    "--workers": _JOBS,
    "-j": _JOBS,
    "--agent": _BOTS,
    "--agents": _BOTS,
    "--bot": _BOTS,
    "--bot1": _BOTS,
    "--bot2": _BOTS,
    "--bots": _BOTS,
    "--engine": _BOTS,
    "--engines": _BOTS,
    "--player": _BOTS,
    "--players": _BOTS,
    "-b": _BOTS,
    "--max-moves": _TURNS,
    "--max-rounds": _TURNS,
    "--max-steps": _TURNS,
    "--steps": _TURNS,
    "--turn-limit": _TURNS,
    "--turns": _TURNS,
    "--move-time": _TIME,
    "--movetime": _TIME,
    "--tc": _TIME,
    "--time": _TIME,
    "--time-control": _TIME,
    "--timeout": _TIME,
    "-t": _TIME,
    "--mem": ("--memory-limit",),
    "--memory": ("--memory-limit",),
    "--ram": ("--memory-limit",),
    "--random-seed": _SEED,
    "--rng": _SEED,
    "--srand": _SEED,
    "-s": _SEED,
    "--out": _OUTPUT,
    "--outfile": _OUTPUT,
    "--output": _OUTPUT[1:],
    "--output-file": _OUTPUT,
    "--save": _OUTPUT,
    "-o": _OUTPUT,
    "--log-dir": ("--log", "--records"),
    "--log-file": ("--log", "--records"),
    "--logs": ("--log", "--records"),
    "--continue": ("--resume", "--store"),
    "--database": _STORE,
    "--db": _STORE,
    "--sqlite": _STORE,
    "--csv": ("--format=csv",),
    "--html": ("--format=html",),
    "--json": ("--format=json",),
    "--junit": ("--format=junit",),
    "--gauntlet": ("--pairing=gauntlet",),
    "--round-robin": ("--pairing=round-robin",),
    "--sprt": ("--pairing=sprt",),
    "--swiss": ("--pairing=swiss",),
    "--knockout": ("--pairing=knockout",),
    "--elimination": ("--pairing=knockout",),
    "--book": ("--deal-seeds",),
    "--opening-book": ("--deal-seeds",),
    "--openings": ("--deal-seeds",),
    "--no-rotation": ("--seats=fixed",),
    "--no-swap": ("--seats=fixed",),
    "--noswap": ("--seats=fixed",),
    "--affinity": ("--pin",),
    "--inc": ("--increment",),
    "--conf": ("--config",),
    "--config-file": ("--config",),
    "-c": ("--config",),
    "--opt": ("--set",),
    "--option": ("--set",),
    "-g": ("--game",),
    "--lang": ("--language",),
    "-l": ("--language",),
    "--docker": ("--sandbox",),
    "--no-sandbox": ("--sandbox=none",),
    "--unsafe": ("--sandbox=none",),
    "--debug": ("--verbose", "--stderr", "--record-stderr"),
    "--verbose": ("--stderr", "--record-stderr"),
    "-v": ("--stderr", "--record-stderr"),
    "--no-progress": _QUIET,
    "--ratinginterval": ("--table-every",),
    "--silent": _QUIET,
    "--gui": _LIVE,
    "--live": _LIVE,
    "--ui": _LIVE,
    "--watch": _LIVE,
    "--web": _LIVE,
}


def suggestion_for(
    flag: str, prog: str, actions: Sequence[argparse.Action], *, in_file: bool = False
) -> str:
    """Suggest an option for an unknown one. Returns "" if we have no suggestion.

    Args:
        flag: the unknown option, e.g. "--port", "-games" or "-j4".
        prog: e.g. "referee play".
        actions: the arguments in the help of the command.
        in_file: True for a key of a configuration file, without its dashes.
    """
    name = re.sub(r"^-([a-z])\d+$", r"-\1", flag.lower().replace("_", "-"))
    name = re.sub(r"^-([a-z]{2})", r"--\1", name)
    for entry in FOREIGN.get(name, ()):
        if entry == MANY and prog == "referee play":
            return f"; {prog} plays one match, and {MANY} plays many"
        if entry == BOTS and any(_is_bot_argument(action) for action in actions):
            how = "in a [[bot]] table" if in_file else "without an option: BOT"
            return f"; name each bot {how}"
        found = [shown for word in entry.split() if (shown := _shown(word, actions, in_file))]
        if found:
            return f"; use {' or '.join(found)}"
    return ""


def _is_bot_argument(action: argparse.Action) -> bool:
    return action.metavar == BOTS and not action.option_strings


def _shown(word: str, actions: Sequence[argparse.Action], in_file: bool) -> str:
    option, _, value = word.partition("=")
    for action in actions:
        if option not in action.option_strings:
            continue
        if value and value not in (action.choices or ()):
            return ""
        if in_file:
            key = option.removeprefix("--")
            return f'{key} = "{value}"' if value else key
        if value:
            return f"{option} {value}"
        return f"{option} {action.metavar or '...'}" if action.nargs != 0 else option
    return ""
