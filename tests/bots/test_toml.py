"""Reading the TOML of strangers within limits (spec/organisers.md, 2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.bots import toml
from referee.bots.toml import name_problem, read_toml
from referee.errors import UsageError

DEEP = "[" * 15 + "'x'" + "]" * 15


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#" * 100, ""),
        ("#" * 101, "it has more than 100 bytes"),
        ("a = 1\nb = '....'", "line 2 has more than 3 dots: use shorter keys"),
        ("a.b.c.d = 1", ""),
        ("a = 1\n  # ....", ""),
        ("a = 'x\\u0000'", ""),  # a literal string
        ('a = "x\\u0000"', "a has the character U+0000 in it"),
        ('a = [{"b\\u0000" = 1}]', "a has the character U+0000 in it"),
        (f"a = {DEEP}", ""),
        (f"a = [{DEEP}]", ""),
        (f"a = [[{DEEP}]]", "its values are nested too deeply"),
        ("\ufeffa = 1", ""),
    ],
)
def test_what_keeps_nobody_busy_is_read(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toml, "MAX_BYTES", 100)
    monkeypatch.setattr(toml, "_MAX_DOTS", 3)
    file = tmp_path / "bot.toml"
    file.write_text(text, encoding="utf-8")
    if says:
        with pytest.raises(UsageError) as caught:
            read_toml(str(file))
        assert says in str(caught.value)
    else:
        read_toml(str(file))


def test_a_wide_encoding_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text("a = 1", encoding="utf-16")
    with pytest.raises(UsageError, match="it is UTF-16; save it as UTF-8"):
        read_toml(str(file))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Anna 2", ""),
        ("x" * 64, ""),
        ("x" * 65, "it has 65 letters: 64 is the most"),
        ("a\u3164b", r"it has an invisible character (U+3164)"),
        ("a\nb", r"'a\nb' has a character that cannot be shown"),
        (" a", "it begins or ends with a space"),
        ("a  b", "it begins or ends with a space, or has two in a row"),
    ],
)
def test_a_name_can_be_shown(name: str, says: str) -> None:
    assert name_problem(name).startswith(says)
    assert bool(name_problem(name)) == bool(says)
