"""The parser that make.sh has made, and what the tests read."""

import ctypes
import re
from pathlib import Path

import tree_sitter

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def _language() -> tree_sitter.Language:
    make = ctypes.CDLL(str(HERE.parent / "build" / "vfl.so")).tree_sitter_vfl
    make.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return tree_sitter.Language(capsule(make(), b"tree_sitter.Language", None))


LANGUAGE = _language()


def parse(text: str) -> tree_sitter.Node:
    return tree_sitter.Parser(LANGUAGE).parse(text.encode()).root_node


def mistakes(node: tree_sitter.Node) -> list[str]:
    """Lists the places where a tree does not follow the grammar, as LINE:COLUMN TEXT."""
    if node.is_error or node.is_missing:
        return [f"{node.start_point.row + 1}:{node.start_point.column + 1} {written(node)[:60]}"]
    return [m for c in node.children for m in mistakes(c)] if node.has_error else []


def written(node: tree_sitter.Node) -> str:
    return node.text.decode()


def captures(query: str, text: str) -> list[tuple[str, str]]:
    """Lists the first lines and names of what a query captures, in the order of the text; of one node the last, as in editors."""
    found = tree_sitter.Query(LANGUAGE, (HERE.parent / "queries" / query).read_text())
    last = {}
    for _, nodes in sorted(tree_sitter.QueryCursor(found).matches(parse(text)), key=lambda match: match[0]):
        for name, of in nodes.items():
            for node in of:
                last[node.start_byte, node.end_byte] = (written(node).split("\n")[0], name)
    return [last[at] for at in sorted(last)]


def models(*folders: str) -> list[tuple[str, str]]:
    return [(str(p.relative_to(ROOT)), p.read_text()) for f in folders for p in sorted((ROOT / f).rglob("*.vfl"))]


def blocks() -> list[tuple[str, str]]:
    """The models in the pages of documentation."""
    out = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        found = re.findall(r"^```vfl\n(.*?)^```$", page.read_text(), re.M | re.S)
        out += [(f"{page.name}, block {i + 1}", text) for i, text in enumerate(found)]
    return out


def examples(part: str, codes: str = "V") -> list[tuple[str, str]]:
    """The models in the right or the wrong parts of the pages of messages."""
    out = []
    for page in sorted((ROOT / "lang" / "diag" / "pages").glob(f"{codes}*.txt")):
        text = page.read_text(errors="replace").split(f"=== {part}\n")[1].split("\n=== ")[0]
        head, *files = re.split(r"^-- (.*) --\n", text, flags=re.M)
        if files:
            out += [(page.stem, body) for name, body in zip(files[::2], files[1::2]) if name.endswith(".vfl")]
        elif not head.startswith(("vflc ", "{")):
            out.append((page.stem, head))
    return out
