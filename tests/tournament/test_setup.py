"""Test tournament setups: which ones are valid, names of bots, and differences from a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from referee.bots.command import together
from referee.errors import UsageError
from referee.match.position import Position
from referee.tournament.entrants import find_entrant
from referee.tournament.rating.sprt import Sprt
from referee.tournament.rows import Entrant
from referee.tournament.schedule.format import Knockout, TournamentSetup
from referee.tournament.setup import (
    as_stored,
    as_unicode,
    check_extension,
    differences,
    entrants,
    setup,
    short_names,
    short_names_of_all,
    with_bots,
    with_unique_names,
    with_withdrawn,
)
from tests.support.made_up import made_setup


@pytest.mark.parametrize(
    ("argument", "name", "bot"),
    [
        ("big_money", "big_money", "big_money"),
        ("new=big_money", "new", "big_money"),
        ("v2.1-é=python3 bot.py --x=3", "v2.1-é", "python3 bot.py --x=3"),
        ("a=b=c", "a", "b=c"),
        # If an argument already has a different meaning, we don't split it at its "=".
        ("http://localhost:80/?a=b", "http://localhost:80/?a=b", "http://localhost:80/?a=b"),
        ("./bots/x=1.py", "./bots/x=1.py", "./bots/x=1.py"),
        ("python3 bot.py --x=3", "python3 bot.py --x=3", "python3 bot.py --x=3"),
        ("=bot", "=bot", "=bot"),
        ("name=", "name=", "name="),
    ],
)
def test_a_bot_argument(argument: str, name: str, bot: str) -> None:
    assert entrants([argument], "dominion") == ([Entrant(name, bot)], {})


START = Position("g.jsonl", 5, 1, (), ((None,),) * 3)


def names(*given: str) -> list[str]:
    return [bot.name for bot in with_unique_names([Entrant(name, "bot") for name in given])]


def test_equal_names_are_numbered() -> None:
    assert names("a", "b", "a", "a") == ["a", "b", "a #2", "a #3"]
    assert names("a", "a #2", "a") == ["a", "a #2", "a #3"]


@given(st.lists(st.sampled_from(["a", "a #2", "a #2 #2", "b"]), max_size=8))
def test_names_are_unique_and_the_first_keeps_its_own(given: list[str]) -> None:
    unique = names(*given)
    assert len(set(unique)) == len(given)
    assert all(new.startswith(old) for new, old in zip(unique, given, strict=True))
    if given:
        assert unique[0] == given[0]


@pytest.mark.parametrize(
    ("bots", "options", "says"),
    [
        (1, {}, "1 bot: with 2 players in a match, a tournament needs 2 to 2,000 bots"),
        (
            3,
            {"players": 4},
            "3 bots: with 4 players in a match, a tournament needs 4 to 2,000 bots",
        ),
        (2_001, {}, "2,001 bots"),
        (5, {"players": 5}, "--players 5: a match of dominion has 2 to 4"),
        (3, {"deals": 2, "matches": 4}, "cannot be combined with --deals; give one of them"),
        (3, {"format": "swiss", "matches": 4}, "with --pairing swiss; give --deals"),
        (3, {"rounds": 2}, "--rounds can only be used with --pairing swiss"),
        (3, {"challengers": 2}, "--challengers can only be used with --pairing gauntlet"),
        (2, {"sprt": Sprt()}, "--alpha and --beta can only be used with --pairing sprt"),
        (3, {"format": "gauntlet", "challengers": 3}, "nobody is left to play against"),
        (3, {"format": "sprt"}, "--pairing sprt compares two bots in matches of two"),
        (3, {"format": "sprt", "players": 3}, "--pairing sprt compares two bots in matches of two"),
        (3, {"deals": 3, "deal_seeds": (1, 2)}, "--deals 3: --deal-seeds has 2 deals"),
        (3, {"matches": 3, "deal_seeds": (1, 2)}, "--deal-seeds cannot be combined with --matches"),
        (2, {"format": "sprt", "seats": "fixed"}, "--seats fixed is not for --pairing sprt"),
        (3, {"seed": 2**53}, "seed 9007199254740992 is not an integer from 0 to 2**53 - 1"),
        (3, {"settings": {"colour": "red"}}, "dominion has no option 'colour'"),
        (3, {"settings": {"max_turns": "many"}}, "option max_turns=many"),
        (3, {"settings": {"time_limit": "none"}}, "a tournament needs time limits"),
        (3, {"settings": {"startup_limit": "none"}}, "a tournament needs time limits"),
        (3, {"position": START}, "turn 5 of g.jsonl: its match has 3 players"),
        (4, {"position": START, "players": 4}, "turn 5 of g.jsonl: its match has 3 players"),
        (3, {"opening": 1_001}, "--opening 1001: give a number from 1 to 1,000"),
    ],
)
def test_what_is_no_tournament(bots: int, options: Any, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        made_setup(bots, **options)
    assert says in str(caught.value)


def test_defaults() -> None:
    assert made_setup(3).deals == 10
    assert made_setup(3, deal_seeds=(5, 6, 7)).deals == 3
    assert made_setup(2, format="sprt", deal_seeds=(5, 6, 7)).deals == 3
    assert made_setup(9, format="swiss").rounds == 6
    assert made_setup(2, format="sprt").sprt == Sprt(0, 10, 0.05, 0.05)
    assert made_setup(3, settings={"max_turns": "7"}).settings["max_turns"] == 7
    assert made_setup(3).settings["time_limit"] == 10.0


@pytest.mark.parametrize(
    "setup",
    [
        made_setup(3, matches=5, settings={"time_limit": "2"}),
        made_setup(2, format="sprt", sprt=Sprt(1, 2, 0.1, 0.2)),
        made_setup(3, game="botwars", settings={"rows": 8}),
    ],
)
def test_a_setup_is_the_same_after_it_was_stored(setup: TournamentSetup) -> None:
    """If storing a setup changed it, running the same command again would be refused."""
    stored = msgspec.json.encode(setup)
    again = msgspec.convert(msgspec.json.decode(stored), TournamentSetup)
    assert again == setup
    assert differences(again, setup) == []


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "game": ({"game": "botwars"}, "game: dominion in the store, botwars now"),
    "format": ({"format": "gauntlet"}, "pairing: round-robin in the store, gauntlet now"),
    "players": ({"players": 3}, "players: 2 in the store, 3 now"),
    "deals": ({"deals": 3}, "deals: 10 in the store, 3 now"),
    "matches": ({"matches": 3}, "matches: none in the store, 3 now"),
    "seats": ({"seats": "all"}, "seats: rotate in the store, all now"),
    "seed": ({"seed": 7}, "seed: 1 in the store, 7 now"),
    "keep_alive": ({"keep_alive": False}, "keep_alive: True in the store, False now"),
    "opening": ({"opening": 4}, "opening: none in the store, 4 now"),
    "a limit": ({"settings": {"memory_limit": 2**20}}, "memory_limit: none in the store, 1048576"),
    "settings": (
        {"settings": {"time_limit": 2.5, "max_turns": 9}},
        "time_limit: 10.0 in the store, 2.5 now; max_turns: 500 in the store, 9 now",
    ),
    "bots": ({"bots": 5}, "bots: 4 in the store, 5 now"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_differs(change: str) -> None:
    options, says = CHANGES[change]
    found = differences(made_setup(4), made_setup(**({"bots": 4} | options)))
    assert says in "; ".join(found)


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (
            Knockout((0, 1, 2, 3)),
            ["seeding: bot2, bot1, bot0, bot3 in the store, bot0, bot1"],
        ),
        (UNSET, ["seeding: bot2, bot1, bot0, bot3 in the store, in the order of the bots now"]),
        (Knockout((2, 1, 0, 3), third_place=True), ["third_place: False in the store, True now"]),
    ],
)
def test_how_brackets_differ(now: Any, says: list[str]) -> None:
    old = made_setup(4, format="knockout", deals=1, knockout=Knockout((2, 1, 0, 3)))
    found = differences(old, made_setup(4, format="knockout", deals=1, knockout=now))
    assert [line[: len(start)] for line, start in zip(found, says, strict=True)] == says


def test_which_bot_differs() -> None:
    old = made_setup(3)

    def changed(**fields: Any) -> TournamentSetup:
        bots = list(old.bots)
        bots[1] = msgspec.structs.replace(bots[1], **fields)
        return msgspec.structs.replace(old, bots=tuple(bots))

    for field, value in (
        ("name", "Ben"),
        ("bot", "other.py"),
        ("directory", "/elsewhere"),
        ("env", (("A", "b"),)),
    ):
        (found,) = differences(old, changed(**{field: value}))
        assert found.startswith(f"{field} of bot 2: ")
        assert repr(value) in found


# --- extensions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ({}, {"seed": 2}, "cannot change this: seed: 1 in the store, 2 now"),
        ({}, {"settings": {"max_turns": 9}}, "cannot change this: max_turns"),
        ({"deals": 5}, {"deals": 4}, "only adds: deals: 5 in the store, 4 now"),
        ({"deals": 5}, {"matches": 100}, "only adds: deals: 5 in the store, none now"),
        ({"matches": 20}, {"matches": 10}, "only adds: matches: 20 in the store, 10 now"),
        ({"bots": 5}, {"bots": 4}, "only adds bots at the end: bots: 5 in the store, 4 now"),
        ({"matches": 20}, {"matches": 20, "bots": 9}, "needs more --matches"),
        ({"deal_seeds": (5, 6)}, {"deal_seeds": (5,)}, "deal_seeds: 2 from 5, 6 on in the store"),
        (
            {"format": "knockout", "deals": 2},
            {"format": "knockout", "deals": 3},
            "--extend cannot add anything to a knockout",
        ),
        (
            {"deal_seeds": (5, 6)},
            {"deal_seeds": (5, 7, 8)},
            "cannot change this: deal_seeds: 2 from 5, 6 on in the store, 3 from 5, 7 on now",
        ),
        ({}, {"deals": 1, "deal_seeds": (5,)}, "deal_seeds: none in the store, 1 from 5 on now"),
        (
            {"format": "swiss", "rounds": 3},
            {"format": "swiss", "rounds": 3, "bots": 9},
            "needs more --rounds",
        ),
        (
            {"format": "swiss", "rounds": 3},
            {"format": "swiss", "rounds": 3, "deals": 20},
            "needs more --rounds",
        ),
    ],
)
def test_what_no_extension_is(old: Any, new: Any, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_extension(made_setup(**({"bots": 4} | old)), made_setup(**({"bots": 4} | new)))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"deals": 5}, {"deals": 5}),
        ({"deals": 5}, {"deals": 6}),
        ({"deals": 5}, {"deals": 5, "bots": 5}),
        ({"matches": 20}, {"matches": 21}),
        ({"deal_seeds": (5, 6)}, {"deal_seeds": (5, 6)}),
        ({"deal_seeds": (5, 6)}, {"deal_seeds": (5, 6, 7)}),
        ({"format": "swiss", "rounds": 3}, {"format": "swiss", "rounds": 4}),
    ],
)
def test_what_an_extension_is(old: Any, new: Any) -> None:
    check_extension(made_setup(**({"bots": 4} | old)), made_setup(**({"bots": 4} | new)))


@pytest.mark.parametrize(("before", "now"), [(None, 3), (3, None), (3, 4)])
def test_a_tournament_is_not_extended_by_another_rule_of_withdrawals(
    before: int | None, now: int | None
) -> None:
    old, new = (made_setup(4, withdraw_after=after) for after in (before, now))
    words = f"withdraw-after: {before or 'never'} in the store, {now or 'never'} now"
    assert differences(old, new) == [words]


def test_bots_are_replaced_in_each_stage_that_has_them() -> None:
    stages = [made_setup(2), made_setup(4)]
    bots = [Entrant(name, name) for name in "abcd"]
    for numbers, names in (
        ([], [["bot0", "bot1"], ["bot0", "bot1", "bot2", "bot3"]]),
        ([1], [["bot0", "b"], ["bot0", "b", "bot2", "bot3"]]),
        ([0, 3, 4, 9], [["a", "bot1"], ["a", "bot1", "bot2", "d"]]),
    ):
        found = with_bots(stages, bots, numbers)
        assert [[bot.name for bot in stage.bots] for stage in found] == names


def test_withdrawn_bots_that_are_not_named_are_put_in_their_places() -> None:
    a, b, c, d = bots = [Entrant(name, name) for name in "abcd"]
    error = UsageError("it is not there")
    assert with_withdrawn([a, c, d], {2: error}, bots[:3], {"b"}) == (bots, {3: error})
    assert with_withdrawn([a, b], {1: error}, [a, b], {"b"}) == ([a, b], {1: error})
    assert with_withdrawn([b], {}, [a, b], set()) == ([b], {})


def test_if_one_tournament_needs_whole_names_all_do() -> None:
    one, two = [Entrant("x/a", "x/a")], [Entrant("x/a", "x/a"), Entrant("y/a", "y/a")]
    assert short_names_of_all([one]) == [["a"]]
    assert short_names_of_all([one, two]) == [["x/a"], ["x/a", "y/a"]]


def test_a_new_bot_cannot_stand_before_the_others() -> None:
    old = made_setup(3)
    new = msgspec.structs.replace(old, bots=(Entrant("new", "new"), *old.bots))
    with pytest.raises(UsageError, match=r"only adds bots at the end: name of bot 1: 'bot0' in "):
        check_extension(old, new)


# --- limits of single bots ------------------------------------------------------------------------


def with_limits(*limits: tuple[str, float | None]) -> TournamentSetup:
    bots = [Entrant("a", "minimal"), Entrant("b", "minimal", limits=limits)]
    return setup(bots, game="dominion", seed=1, settings={"time_bank": 60})


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        (("time_limit", None), "a tournament needs time limits"),
        (("time_limit", 0), "bot b: option time_limit=0: give a number above 0.0"),
        (("colour", 1), "bot b: a bot has no limit 'colour'; there are: time_limit, "),
        (("max_turns", 1), "bot b: a bot has no limit 'max_turns'"),
    ],
)
def test_what_is_no_limit_of_a_bot(limit: tuple[str, float | None], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_limits(limit)
    assert str(caught.value).startswith(says)


def test_an_increment_of_a_bot_needs_a_time_bank() -> None:
    assert with_limits(("increment", 2.0)).bots[1].limits == (("increment", 2.0),)
    with pytest.raises(
        UsageError, match=r"bot b: option increment=[0-9.]+: it is added to a time bank"
    ):
        with_limits(("time_bank", None), ("increment", 2.0))


def test_other_limits_of_a_bot_are_another_tournament() -> None:
    one, other = with_limits(("time_limit", 2.0), ("cpu_limit", None)), with_limits()
    assert differences(one, other) == [
        "limits of bot 2: --time-limit 2, --cpu-limit none in the store, none now"
    ]


def test_a_setup_without_such_limits_is_written_as_before() -> None:
    written = msgspec.to_builtins(made_setup(2))
    assert {*written["bots"][0]} == {"name", "bot", "directory", "env"}
    assert written.keys().isdisjoint(["knockout", "deal_seeds"])


# --- folders --------------------------------------------------------------------------------------


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a new folder with three bot folders."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        Path("bots", name).mkdir(parents=True)
        Path("bots", name, "bot.toml").write_text(f'command = "minimal"\nname = "Bot {name}"\n')
    return tmp_path


def test_a_folder_is_an_entrant_of_its_own_name(folders: Path) -> None:
    Path("bots/c/bot.toml").write_text('command = "minimal"\n')
    bots, broken = entrants(["bots/a/", "new=bots/b", "bots/c/", "minimal"], "dominion")
    assert not broken
    assert bots == [
        Entrant("Bot a", "minimal", str(folders / "bots/a")),
        Entrant("new", "minimal", str(folders / "bots/b")),
        Entrant("c", "minimal", str(folders / "bots/c")),
        Entrant("minimal", "minimal"),
    ]


def test_all_mistakes_of_all_folders_are_told_at_once(folders: Path) -> None:
    Path("bots/a/bot.toml").write_text('command = "minimal"\nnmae = "A"\n')
    Path("bots/b/bot.toml").write_text('command = "./none"\nname = "minimal"\nfiles = ["x"]\n')
    Path("bots/c/bot.toml").write_text('command = "minimal"\nbuild = "make"\n')
    _, broken = entrants(["minimal", "bots/a/", "bots/b/", "bots/c/"], "dominion")
    starts = [
        "bots/a/bot.toml: unknown key 'nmae'; did you mean name?",
        "bots/b/bot.toml: files: x is not there",
        "bots/b/bot.toml: command: BOT ./none not found",
        "bots/b: its name minimal is, or looks like, that of another bot: minimal; change name in "
        "a bot.toml, or give NAME=bots/b",
        "bots/c is not built, or changed since: referee build bots/c",
    ]
    assert [len(broken[number].lines) for number in (1, 2, 3)] == [1, 3, 1]
    lines = together(broken.values()).lines
    assert len(lines) == len(starts)
    assert [line[: len(start)] for line, start in zip(lines, starts, strict=True)] == starts


def test_all_that_is_to_be_built_stands_in_one_line(folders: Path) -> None:
    for name in ("a", "b", "c", "d e"):
        Path("bots", name).mkdir(exist_ok=True)
        Path("bots", name, "bot.toml").write_text('command = "minimal"\nbuild = "make"\n')
    _, broken = entrants(["bots/a/", "minimal", "bots/b/", "bots/c/", "bots/d e"], "dominion")
    assert [*broken] == [0, 2, 3, 4]
    assert together(broken.values()).lines == (
        "bots/a, bots/b, bots/c and 1 more are not built, or changed since: "
        "referee build bots/a bots/b bots/c 'bots/d e'",
    )


def test_a_folder_with_the_name_of_another_gets_it_before_it_is_built(folders: Path) -> None:
    for name in ("a", "b"):
        Path("bots", name, "bot.toml").write_text('command = "x"\nname = "X"\nbuild = "make"\n')
    _, broken = entrants(["bots/a", "bots/b"], "dominion")
    assert broken[0].lines[0].startswith("bots/a is not built")
    (line,) = broken[1].lines
    assert line.startswith("bots/b: its name X is, or looks like, that of another bot: bots/a;")


@pytest.mark.parametrize("name", ["big_money", "Big_Money", "big_m\u03bfney", "big_m0ney"])
def test_no_folder_has_the_name_of_a_bundled_bot(name: str, folders: Path) -> None:
    Path("bots/a/bot.toml").write_text(f'command = "minimal"\nname = "{name}"\n')
    _, broken = entrants(["bots/a", "bots/b"], "dominion")
    assert f"its name {name} is, or looks like, that of another bot: the bundled" in str(broken[0])
    assert entrants(["anna=bots/a", "bots/b"], "dominion")[1] == {}


@pytest.mark.parametrize(
    "argument", ["z\udcff=minimal", "b\udcff.py", "bots/f\udcff", "bots/a\udcff"]
)
def test_what_is_no_unicode_is_told_and_can_be_left_out(argument: str, folders: Path) -> None:
    """Text that isn't valid Unicode can't be in a store or a record."""
    if argument.startswith("bots/f"):
        Path(argument).mkdir()
        (Path(argument) / "bot.toml").write_text('command = "minimal"\nname = "F"\n')
    (bot, _), broken = as_unicode(entrants([argument, "minimal"], "dominion")[0])
    assert msgspec.json.decode(msgspec.json.encode(bot), type=Entrant) == bot
    assert [*broken] == [0]
    assert str(broken[0]).isprintable()
    assert "has bytes that are not UTF-8: rename it" in str(broken[0])


@pytest.mark.parametrize("folder_first", [True, False])
def test_no_folder_takes_a_name_that_the_organiser_gave(folder_first: bool, folders: Path) -> None:
    words = ["bots/a", "Bot-A=big_money", "bot-b=bots/b"]
    Path("bots/a/bot.toml").write_text('command = "minimal"\nname = "b\u043et-a"\n')
    _, broken = entrants(words if folder_first else words[::-1], "dominion")
    assert [*broken] == [0 if folder_first else 2]


@pytest.mark.parametrize(
    "name", ["x=sh -c 'cat honest' #", "x=big_money", "x=http:", "a=b", "x=human"]
)
@pytest.mark.parametrize("kind", ["folder", "plain folder", "file", "link"])
def test_what_is_there_is_never_read_as_a_name_and_a_command(
    name: str, kind: str, folders: Path
) -> None:
    """`referee tournament *` passes names of folders that strangers have chosen."""
    path = Path(name)
    if kind == "file":
        path.write_text("")
    elif kind == "link":
        path.symlink_to("nowhere")
    else:
        path.mkdir()
        if kind == "folder":
            (path / "bot.toml").write_text('command = "minimal"\nname = "Mine"\n')
    bots, broken = entrants([name], "dominion")
    assert not broken
    wanted = Entrant("Mine", "minimal", str(path.absolute()))
    assert bots == [wanted if kind == "folder" else Entrant(name, name)]
    if kind != "folder":
        with pytest.raises(UsageError):
            find_entrant(bots[0], "dominion")


@pytest.mark.parametrize("name", ["b", "B", "c", "\u0441"])
def test_a_bot_that_takes_the_name_of_another_folder_is_the_one_that_may_not_play(
    name: str, folders: Path
) -> None:
    for own in ("b", "c"):
        Path("bots", own, "bot.toml").write_text('command = "minimal"\n')
    Path("bots/a/bot.toml").write_text(f'command = "minimal"\nname = "{name}"\n')
    bots, broken = entrants(["bots/a", "bots/b", "bots/c"], "dominion")
    assert [*broken] == [0]
    assert [bot.name for bot in bots] == ["bots/a", "b", "c"]


def test_one_folder_twice_has_two_names(folders: Path) -> None:
    _, broken = entrants(["bots/a", "bots/a/"], "dominion")
    assert "its name Bot a is, or looks like, that of another bot: bots/a;" in str(broken[1])
    assert entrants(["bots/a", "again=bots/a"], "dominion")[1] == {}


def test_a_bot_that_is_told_what_is_hidden_plays_in_no_tournament() -> None:
    bot = Entrant("a", "classic-leaks:true")
    with pytest.raises(UsageError, match="classic-leaks shows hidden information"):
        find_entrant(bot, "tribute")
    assert find_entrant(replace(bot, bot="classic:true"), "tribute").dialect == "classic"


@pytest.mark.parametrize(
    ("bots", "shown"),
    [
        ([("./b/my_bot.py", ""), ("minimal", "")], ["my_bot.py", "minimal"]),
        ([("./b/my_bot.py", ""), ("my_bot.py", "x")], ["./b/my_bot.py", "my_bot.py"]),
        ([("./b/", ""), ("./c/b", "")], ["./b/", "b"]),
        ([("x/anna", "./bot.py"), ("minimal", "")], ["x/anna", "minimal"]),
        ([("http://host/anna", ""), ("node a/b.js", "")], ["http://host/anna", "node a/b.js"]),
    ],
)
def test_a_path_that_nobody_named_is_shown_without_its_folders(
    bots: list[tuple[str, str]], shown: list[str]
) -> None:
    assert short_names([Entrant(name, bot or name) for name, bot in bots]) == shown


def test_a_bot_whose_folder_can_be_read_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "bot.py").touch()
    bot = Entrant("a", "./bot.py", str(tmp_path))
    assert as_stored([bot], {}, [bot], [0, 1], "dominion") == ([bot], {})
