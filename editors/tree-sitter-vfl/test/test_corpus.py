"""What the compiler reads, this grammar reads."""

import pytest
from vfl import blocks, examples, mistakes, models, parse


@pytest.mark.parametrize(
    ("texts", "least"),
    [
        pytest.param(models("examples", "stdlib", "bench", "repl"), 150, id="models"),
        pytest.param(blocks(), 20, id="blocks of the documentation"),
        pytest.param(examples("right"), 200, id="right examples of messages"),
    ],
)
def test_right(texts, least):
    assert len(texts) >= least
    assert [f"{name}:{m}" for name, text in texts for m in mistakes(parse(text))] == []


# What stands in strings and comments, depth, and rules of single words are the compiler's alone.
BEYOND = ["V0101", "V0103", "V0105", "V0108", "V0122", "V0123", "V0124", "V0125", "V0126", "V0127"]


def test_wrong_examples_of_the_parser():
    wrong = examples("wrong", "V01")
    assert len(wrong) > 20
    assert [name for name, text in wrong if not mistakes(parse(text))] == BEYOND


def test_unfinished_statements():
    """A statement that is being typed takes at most the next one along."""
    for unfinished in ["let b =", "let b = exp(a", "param b ~", "data x : real[N", "y ~ normal(a,", "generate g ~ normal"]:
        tree = parse(f"param a ~ normal(0, 1)\n{unfinished}\nparam c ~ normal(0, 1)\nlet d = c\n")
        assert mistakes(tree), unfinished
        names = [n.child_by_field_name("name").text for n in tree.children if n.type in ("param_statement", "let_statement")]
        assert names[0] == b"a" and names[-1] == b"d", (unfinished, names)
