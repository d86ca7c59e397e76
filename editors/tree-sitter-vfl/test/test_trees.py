"""The trees of test/corpus, which is in the form that `tree-sitter test` reads, and what the queries find. With UPDATE=1 in the environment the trees are written anew."""

import os
import re

import pytest
from vfl import HERE, captures, mistakes, parse

FILE = HERE / "corpus" / "statements.txt"
PARTS = re.split(r"^=+\n(.*)\n=+\n\n", FILE.read_text(), flags=re.M)[1:]
CASES = list(zip(PARTS[::2], PARTS[1::2]))


def lines(node, field=None, depth=0) -> str:
    """Puts each node on a line of its own."""
    out = "  " * depth + (f"{field}: " if field else "") + f"({node.type}"
    for i, child in enumerate(node.children):
        if child.is_named:
            out += "\n" + lines(child, node.field_name_for_child(i), depth + 1)
    return out + ")"


def test_update():
    bar, texts = "=" * 20, []
    for name, case in CASES:
        text = case.split("\n\n---\n\n")[0]
        texts.append(f"{bar}\n{name}\n{bar}\n\n{text}\n\n---\n\n{lines(parse(text))}\n\n")
    if os.environ.get("UPDATE"):
        FILE.write_text("".join(texts))
    assert FILE.read_text() == "".join(texts)


@pytest.mark.parametrize(("name", "case"), CASES, ids=[name for name, _ in CASES])
def test_no_mistakes(name, case):
    assert mistakes(parse(case.split("\n\n---\n\n")[0])) == []


def test_highlights():
    text = "/// doc\ndata y : real[N] @ shared\nparam my ~ mine(1)\ny ~ normal(dot(x, my), sd = f(2)) // c"
    assert [f"{word} {name}" for word, name in captures("highlights.scm", text) if "punctuation" not in name] == [
        "/// doc comment.documentation",
        "data keyword",
        "real type.builtin",
        "N variable",
        "shared module",
        "param keyword",
        "~ operator",
        "mine function",
        "1 number",
        "y variable",
        "~ operator",
        "normal function.builtin",
        "dot function.builtin",
        "x variable",
        "my variable",
        "sd variable.parameter",
        "= operator",
        "f function",
        "2 number",
        "// c comment",
    ]


def test_declarations():
    text = "fn f(x) = x\nparam a ~ normal(0, 1)\nlet s = sum(f(a) * k for k in 1..3)"
    kinds = [(word, name.removeprefix("local.")) for word, name in captures("locals.scm", text) if "scope" not in name]
    assert kinds == [
        ("f", "definition.function"),
        ("x", "definition.parameter"),
        ("x", "reference"),
        ("a", "definition.var"),
        ("s", "definition.var"),
        ("sum", "reference"),
        ("f", "reference"),
        ("a", "reference"),
        ("k", "reference"),
        ("k", "definition.var"),
    ]
    assert [word for word, name in captures("tags.scm", text) if name == "name"] == ["f", "a", "normal", "s", "sum", "f"]


def test_folds():
    found = captures("folds.scm", "// a\n// b\nfn f(x) {\n  return x\n}")
    assert found == [("// a", "fold"), ("// b", "fold"), ("{", "fold")]
