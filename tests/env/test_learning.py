"""Tests for the programs of tools/learning."""

from __future__ import annotations

from random import Random
from xml.etree import ElementTree

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install -e '.[rl]'")

from referee.env import starrealms_v2
from tools.learning import libraries, tree_search
from tools.learning.picture import picture

pytestmark = pytest.mark.extras


@pytest.mark.all_cases
def test_a_search_chooses_among_legal_actions_and_leaves_the_match_as_it_was() -> None:
    env = starrealms_v2.raw_env(max_turns=8)
    env.reset(seed=3)
    searched = 0
    while not all(env.terminations.values()):
        agent = env.agent_selection
        before, mask = str(env.observe(agent)), env.action_mask(agent)
        action = tree_search.search(env, agent, 2, Random(1))
        assert mask[action]
        assert action == tree_search.search(env, agent, 2, Random(1))
        assert str(env.observe(agent)) == before
        searched += action != tree_search.by_thumb(env)
        env.step(action)
    assert searched > 0


def test_the_rule_of_thumb_plays_then_attacks_then_buys_the_dearest() -> None:
    names = ("play Ram", "attack-player", "buy Ram discard", "buy Explorer discard", "end-turn")
    ranks = [tree_search.rank(name) for name in (*names, "scrap Ram")]
    assert ranks == sorted(set(ranks), reverse=True)


def test_a_picture_has_a_bar_for_each_error() -> None:
    root = ElementTree.fromstring(picture([(0, 0.4, 0.02), (1, 0.6, 0.03)], [(0, "0"), (1, "4")]))
    paths = [element.get("d", "") for element in root.iter() if element.tag.endswith("path")]
    assert paths[-1] == "M60 146v8M560 104v12"


def test_the_page_has_a_program_for_each_library() -> None:
    programs = libraries.programs()
    assert list(programs) == list(libraries.PACKAGES)
    for library, program in programs.items():
        compile(program, library, "exec")
        assert "print(" in program
