"""The trees of expressions are those of the compiler, which go test ./editors -update writes."""

import json

from vfl import HERE, mistakes, parse, written


def form(*parts: str) -> str:
    return f"({' '.join(parts)})"


def shape(node) -> str:
    """Prints the tree of an expression, each operation before what it joins."""
    of = node.child_by_field_name
    inner = [c for c in node.named_children if c.type != "comment"]
    match node.type:
        case "number" | "string" | "name" | "identifier":
            return written(node)
        case "parenthesized":
            return form("paren", shape(inner[0]))
        case "transpose":
            return form("'", shape(inner[0]))
        case "array":
            return form("array", *map(shape, inner))
        case "unary":
            return form(written(of("operator")), shape(inner[0]))
        case "binary" | "power":
            return form(written(of("operator")), shape(of("left")), shape(of("right")))
        case "index":
            return form("index", *map(shape, inner))
        case "slice":
            return form(":", *(shape(of(end)) if of(end) else "_" for end in ("from", "to")))
        case "comprehension":
            return form("each", shape(inner[0]), *over(node))
        case "call" if of("variable"):
            return form(written(of("function")), shape(inner[1]), *over(node))
        case "call":
            by = ["by"] if any(c.type == "by" for c in node.children) else []
            return form("call", shape(inner[0]), *by, *map(shape, inner[1:]))
        case "recursion":
            entries = [shape(c) for c in inner if c.type == "entry"]
            time, *member = [written(v) for v in node.children_by_field_name("variable")]
            groups = [shape(of("by"))] if of("by") else []
            settings = [shape(c) for c in inner if c.type == "named_argument"]
            return form(written(node.children[0]), *entries, time, shape(of("over")), *member, *groups, *settings)
        case "entry" | "named_argument":
            return form(*map(shape, inner))
    raise AssertionError(node.type)


def over(node) -> list[str]:
    return [written(node.child_by_field_name("variable")), shape(node.child_by_field_name("over"))]


def roots(statement) -> list:
    of = statement.child_by_field_name
    if statement.type == "let_statement":
        return [of("value")]
    argument = next(c for c in of("distribution").named_children if c.type == "argument")
    weights = next(c for c in statement.named_children if c.type == "weights")
    return [n for n in (of("left"), argument.named_children[-1], weights.named_children[0], of("power")) if n]


def test_expressions():
    found = json.loads((HERE / "expressions.json").read_text())
    assert len(found) >= 300
    for example in found:
        tree = parse(example["text"])
        assert mistakes(tree) == [], example["text"]
        assert [shape(r) for r in roots(tree.named_children[0])] == example["trees"], example["text"]
