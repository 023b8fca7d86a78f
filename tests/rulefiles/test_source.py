"""Test the JSON parser that keeps lines and paths (referee/rulefiles/source.py)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rulefiles.source import MAX_DEPTH, Node, NotJSONError, parse
from tests.support.helpers import TIMES

PLAIN = st.recursive(
    st.none() | st.booleans() | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=15,
)


def plain(node: Node) -> Any:
    """Convert a node to plain Python objects."""
    if isinstance(node.value, dict):
        return {name: plain(each) for name, each in node.value.items()}
    return [plain(each) for each in node.value] if isinstance(node.value, list) else node.value


@settings(max_examples=6 * TIMES)
@given(PLAIN, st.sampled_from([None, 2]))
def test_what_the_standard_library_writes_is_read(value: Any, indent: int | None) -> None:
    try:
        text = json.dumps(value, indent=indent, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        return
    assert plain(parse(text)[0]) == value


@given(st.text('{}[]",:01.-eE \n\\ntrufalse', max_size=40))
def test_what_the_standard_library_refuses_is_refused(text: str) -> None:
    def forbidden(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=forbidden)
    except ValueError:
        with pytest.raises(NotJSONError):
            parse(text)
    else:
        parse(text)


@pytest.mark.parametrize(
    ("text", "line", "path", "said"),
    [
        ('{\n"a": 1\n"b": 2}', 2, "$", "`,` or `}` is missing here: the `{` of line 1 is open"),
        ('{"a": [\n1,\n]}', 2, "$.a", "there is a comma before `]`"),
        ('{"a": [1, 2}', 1, "$.a", "`,` or `]` is missing"),
        ('{"a": 1', 1, "$", "the file ends"),
        ('{"a" 1}', 1, "$.a", "`:` is missing"),
        ('{"a" 1 \n}', 1, "$.a", "after 'a'; found '1'"),
        ("{a: 1}", 1, "$", "a name in quotes"),
        ('{\n\u201ca": 1}', 2, "$", "\u201c is a curly quote: type a straight one"),
        ('{"a\u201d: "b"}', 1, "$['a\u201d: ']", "\u201d is a curly quote"),
        ('{"a": yes}', 1, "$.a", "text needs quotes"),
        ('{"a": NaN}', 1, "$.a", "text needs quotes"),
        ('{"a": "x\n"}', 1, "$.a", "continues after its line"),
        ('{"a b": {"c": "\\ud800"}}', 1, "$['a b'].c", "half a character"),
        ("{}\n{}", 2, "$", "the file should end here"),
        ("[" * (MAX_DEPTH + 1), 1, "$" + "[0]" * MAX_DEPTH, f"more than {MAX_DEPTH} brackets"),
    ],
)
def test_says_what_is_wrong_and_where(text: str, line: int, path: str, said: str) -> None:
    with pytest.raises(NotJSONError) as caught:
        parse(text)
    problem = caught.value.args[0]
    assert (problem.line, problem.path) == (line, path)
    assert said in problem.text
    assert "\n" not in problem.text


def test_a_curly_quote_of_a_later_line_is_not_the_cause() -> None:
    with pytest.raises(NotJSONError) as caught:
        parse('{"a" 1,\n\u201cb": 2}')
    assert "curly" not in caught.value.args[0].text


def test_a_key_that_stands_twice() -> None:
    _, twice = parse('{"a": 1,\n "a": 2}')
    assert [(each.line, each.path) for each in twice] == [(2, "$.a")]
