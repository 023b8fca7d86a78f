"""Play human seats in tests, with a function that picks the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from msgspec import Struct

from referee.games.interface.dialogue import Dialogue, Picks, Question

Choose = Callable[[Question], Picks]


def decide(person: Dialogue, request: Struct, choose: Choose) -> Mapping[str, Any]:
    """Return the reply for these choices, and check that the question allows them."""
    decision = person.decide(request)
    try:
        question = next(decision)
        while True:
            picks = choose(question)
            assert not any(question.choices[pick].barred for pick in picks)
            assert picks or question.enter
            question = decision.send(picks)
    except StopIteration as over:
        reply: Mapping[str, Any] = over.value
        return reply


def at_random(dice: Random) -> Choose:
    def choose(question: Question) -> Picks:
        keys = [i for i, choice in enumerate(question.choices) if choice.key]
        free = [i for i, c in enumerate(question.choices) if not c.key and not c.barred]
        assert question.enter or keys or len(free) >= question.least
        if keys and (not free or dice.random() < 0.05):
            return (dice.choice(keys),)
        if question.enter and (dice.random() < 0.1 or len(free) < question.least):
            return ()
        for _ in range(20):
            few = min(question.most, len(free))
            count = dice.randint(question.least, max(few, question.least))
            if question.repeats:
                picks = tuple(dice.choices(free, k=count)) if free else ()
            else:
                picks = tuple(dice.sample(free, count))
            if (picks or question.enter) and not question.check(picks):
                return picks
        return () if question.enter else tuple(free[: max(question.least, 1)])

    return choose
