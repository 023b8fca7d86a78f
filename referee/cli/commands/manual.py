"""Makes a manual page for the program, and one for each command, e.g. `referee-play(1)`.

Everything in the pages is taken from the parsers. `hatch_build.py` adds the pages to the wheel,
which installs them to `share/man/man1`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from referee._version import __version__
from referee.cli import registry as commands
from referee.cli.parser import Parser


def pages() -> dict[str, str]:
    """Return the pages by file name. They're written with the man(7) macros."""
    top = commands.parser()
    parsers = top.commands.choices
    abouts = {str(action.dest): str(action.help) for action in top.commands._get_subactions()}
    others = [f"referee-{name}" for name in parsers]
    about = str(top.description)[:1].lower() + str(top.description)[1:].rstrip(".")
    found = {"referee.1": _page(top, "referee", about, others)}
    for name, parser in parsers.items():
        found[f"referee-{name}.1"] = _page(parser, f"referee-{name}", abouts[name], ["referee"])
    return found


def _page(parser: Parser, title: str, about: str, others: list[str]) -> str:
    lines = [
        f'.TH {title.upper()} 1 "" "referee {__version__}" "User Commands"',
        *(".nh", ".ad l"),  # turn off hyphenation, because people copy these words
        *(".SH NAME", rf"{_text(title)} \- {_text(about)}"),
        *(".SH SYNOPSIS", _synopsis(parser)),
        *(".SH DESCRIPTION", _text(str(parser.description))),
    ]
    if parser.epilog:
        lines += [".PP", _text(parser.epilog)]
    for group in parser._action_groups:
        lines += _group(parser, group)
    if parser.exit_codes:
        lines.append(".SH EXIT STATUS")
        for code, what in sorted(parser.exit_codes.items()):
            lines += [".TP", f".B {code}", _text(what)]
    lines.append(".SH EXAMPLES")
    for command, what in parser.examples:
        lines += [".TP", rf"\fB{_text(command)}\fR", _text(what)]
    lines += [".SH SEE ALSO", ", ".join(rf"\fB{_text(other)}\fR(1)" for other in others)]
    return "\n".join(lines) + "\n"


def _synopsis(parser: Parser) -> str:
    words = " ".join(parser.format_usage().split()[1:]).removeprefix(parser.prog)
    values = re.sub("[A-Z]+", lambda word: rf"\fI{word[0]}\fR", _text(words))
    return rf"\fB{_text(parser.prog)}\fR{values}"


def _group(parser: Parser, group: argparse._ArgumentGroup) -> Iterator[str]:
    actions = [each for each in group._group_actions if each.help != argparse.SUPPRESS]
    if not actions:
        return
    yield f".SH {_text(str(group.title)).upper()}"
    if group.description:
        yield _text(group.description)
    formatter = parser._get_formatter()
    for action in actions:
        if isinstance(action.choices, dict):
            for command in parser.commands._get_subactions():
                yield from (".TP", rf"\fB{_text(command.dest)}\fR", _text(str(command.help)))
            continue
        yield from (".TP", _invocation(formatter, action), _text(formatter._expand_help(action)))


def _invocation(formatter: argparse.HelpFormatter, action: argparse.Action) -> str:
    if not action.option_strings:
        return rf"\fI{_text(str(action.metavar))}\fR"
    names = ", ".join(rf"\fB{_text(name)}\fR" for name in action.option_strings)
    if action.nargs == 0:
        return names
    value = formatter._format_args(action, action.dest.upper())
    return rf"{names} \fI{_text(value)}\fR"


def _text(text: str) -> str:
    # If a hyphen isn't escaped, troff prints a typographic one, and then the option can't be copied
    # any more. A line that begins with a dot or an apostrophe would be a macro.
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text
