"""Test counting the steps of a rule file, which must not depend on the machine."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from referee import play_match
from referee.bots import cpu_clock
from referee.match.pages import read_spec
from referee.rulefiles import bot, scores
from referee.rulefiles.bot import RuleFile
from referee.rulefiles.scores import MAX_STEPS, TooManyStepsError
from referee.rulefiles.source import MAX_BYTES
from tests.support.live import one_line, referee
from tests.support.rule_files import Json, averages, book_of, in_turn, said


def costly(steps: int, **fields: Any) -> Json:
    """Make rules that never apply, and take this number of steps to score a curse.

    The first use of a key counts as two steps.
    """
    rules = [{"turn": f"> {10**6 - number}", "score": 1} for number in range(steps - 1)]
    return {"buyRules": [{"card": "curse", "rules": rules}], **fields}


def average(over: str) -> Json:
    return {
        "cardInfo": [{"card": "*", "info": {"a": 1}}],
        "buyRules": [{"card": "curse", "rules": [{f"{over}card_info_avg_a": "> 9", "score": 1}]}],
    }


@pytest.mark.parametrize(
    ("fields", "steps"),
    [
        ({}, 0),
        (costly(2), 2),
        (costly(10), 10),
        ({"buyRules": [{"card": "curse", "rules": [{"turn": "> deck", "score": 1}]}]}, 4),
        # curse and copper are affordable
        ({"buyRules": [{"card": "*", "score": "card.cost"}]}, 4),
        # three cards, but two names
        (average(""), 2 + 3 + 2),
        # 17 piles
        (average("supply_"), 2 + 17 + 17),
    ],
)
def test_each_use_of_a_key_is_a_step(fields: Json, steps: int) -> None:
    made = book_of(**fields)
    said(made, in_turn("estate estate copper"))
    assert made.steps == steps


def test_the_examples_are_far_from_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even adaptive.json, the most expensive example, stays below a hundredth of the limit."""
    monkeypatch.setattr(scores, "MAX_STEPS", MAX_STEPS // 100)
    for player in play_match(["adaptive.json"] * 2, game="starrealms", seed=1).players:
        assert player.disqualified is None


def test_the_page_has_the_limits() -> None:
    page = read_spec("rule-files.md").decode()
    assert f"at most {MAX_STEPS:,} steps" in page
    assert f"more than {bot.TIMED_STEPS:,} steps" in page


def test_a_reply_has_a_limit_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply makes several decisions, and the limit is for all their steps together."""
    monkeypatch.setattr(scores, "MAX_STEPS", 20)
    made = book_of(**costly(20))
    said(made, in_turn("copper"))
    assert made.steps == 20
    half = costly(12)["buyRules"]
    for fields, where in (
        (costly(21), "buyRules"),
        ({"buyRules": half, "topDiscardRules": half}, "topDiscardRules"),
    ):
        with pytest.raises(TooManyStepsError, match=f"of curse in {where}, line 1: use fewer"):
            said(book_of(**fields), in_turn("curse"))


def written(folder: Path, fields: Json, name: str = "costly.json") -> str:
    path = folder / name
    path.write_text(json.dumps({"name": "A", "author": "B", "game": "dominion", **fields}))
    return str(path)


def test_a_file_with_too_many_steps_is_disqualified(tmp_path: Path) -> None:
    bots = (written(tmp_path, averages(MAX_STEPS // 36 + 1)), "smithy.json")
    words = ("--seed", "1", "--record", "r", "--quiet")
    done = referee("play", *bots, *words, cwd=tmp_path)
    assert done.returncode == 1
    text = one_line(done.stderr)
    assert "costly.json, was disqualified: step-limit, a decision took more than 20,000" in text
    assert "the score of curse in buyRules, line 1: use fewer conditions" in text
    assert referee("verify", "r", cwd=tmp_path).returncode == 0
    explained = referee("rules", "explain", bots[0], "--replay", "r", "--turn", "1", cwd=tmp_path)
    assert explained.returncode == 2
    assert "costly.json: a decision took more than 20,000 steps" in one_line(explained.stderr)


@pytest.mark.slow
def test_conform_names_the_limit_of_steps(tmp_path: Path) -> None:
    bot = written(tmp_path, averages(MAX_STEPS // 36 + 1))
    assert "step-limit" in referee("conform", bot, "--case", "4.1/1").stdout


@pytest.mark.parametrize(
    ("limit", "code"), [("time_limit", "timeout"), ("time_bank", "time-bank"), ("cpu_limit",) * 2]
)
@pytest.mark.parametrize("opponent", ["smithy.json", "minimal"])
def test_cpu_time_is_charged(
    limit: str, code: str, opponent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects and processes are driven by different loops, so we try both kinds of opponents.

    A counter replaces the clock, so each measured reply takes a second.
    """
    seconds = count()
    monkeypatch.setattr(cpu_clock.time, "thread_time", lambda: next(seconds))
    options = {limit: 0.5 if limit == "time_limit" else 2.5, "max_turns": 12}
    bots = [written(tmp_path, costly(bot.TIMED_STEPS + 1)), opponent]
    (left, _) = play_match(bots, seed=1, options=options).players
    assert left.disqualified == code.replace("_", "-")
    assert left.disqualification is not None
    assert "s of CPU time" in left.disqualification.detail
    assert f"--{limit.replace('_', '-')}" in left.disqualification.detail
    # The first expensive reply isn't measured.
    assert left.disqualification.request == (2 if limit == "time_limit" else 4)


def test_each_reply_adds_the_increment_to_the_bank_of_a_rule_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count()  # a clock that makes each measured reply take a second
    monkeypatch.setattr(cpu_clock.time, "thread_time", lambda: next(seconds))
    bots = [written(tmp_path, costly(bot.TIMED_STEPS + 1)), "smithy.json"]
    options = {"time_bank": 2.5, "max_turns": 12}
    (left, _) = play_match(bots, seed=1, options={**options, "increment": 1}).players
    assert left.disqualified is None
    (left, _) = play_match(bots, seed=1, options={**options, "increment": 0.5}).players
    assert left.disqualification is not None
    # After five measured replies it has used 5 s, but only had 2.5 + 4 * 0.5 s. The first expensive
    # reply isn't measured.
    assert left.disqualification.request == 6


def test_a_file_with_few_steps_has_no_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(cpu_clock.time, "thread_time")
    bots = [written(tmp_path, costly(bot.TIMED_STEPS)), "smithy.json"]
    (player, _) = play_match(bots, seed=1, options={"max_turns": 12}).players
    assert player.disqualified is None


def test_few_large_files_are_kept_as_read() -> None:
    """A parsed file takes up to a hundred times its size, so the cache only has room for a few."""
    files = [
        RuleFile("dominion", "", b'{"name": "%d", "author": "x"}' % number + b" " * size)
        for number, size in enumerate([0] * 20 + [MAX_BYTES - 100] * 6)
    ]
    bot._kept.clear()
    for file in files[:20]:
        file.new()
    assert len(bot._kept) == 20
    for file in files[20:]:
        file.new()
    assert sum(len(data) for data, _ in bot._kept) <= bot.KEPT_BYTES
    assert (files[-1].data, "dominion") in bot._kept
