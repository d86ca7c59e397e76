"""What goes wrong, as exceptions and warnings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence


@dataclass(frozen=True)
class Place:
    """A part of a file. Lines and columns are counted from 1, and an end is behind the last character."""

    file: str
    line: int
    column: int = 1
    end_line: Optional[int] = None
    end_column: Optional[int] = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Note:
    """A sentence that belongs to a diagnostic, and the place that it is about."""

    message: str
    place: Optional[Place]


@dataclass(frozen=True)
class Fix:
    """What to write: ``text`` in the place of ``place``."""

    message: str
    place: Optional[Place]
    text: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Diagnostic:
    """One message about a model or its data, with the code that ``vflc explain`` takes."""

    code: str
    severity: str
    reason: str
    place: Optional[Place]
    notes: tuple[Note, ...]
    fixes: tuple[Fix, ...]
    text: str

    def __str__(self) -> str:
        return self.text


def _place(of: Optional[Mapping[str, Any]]) -> Optional[Place]:
    return None if of is None else Place(**of)


def _data_place(text: str) -> Optional[Place]:
    """The place FILE:LINE in a table, or FILE."""
    file, _, line = text.rpartition(":")
    if file and line.isdigit():
        return Place(file, int(line))
    return Place(text, 1) if text else None


def diagnostic(of: Mapping[str, Any], text: str = "") -> Diagnostic:
    """Make a Diagnostic of its form in JSON; ``text`` is what a terminal shows of it."""
    message = str(of["message"])
    return Diagnostic(
        code=of["code"],
        severity=of["severity"],
        reason=message,
        place=_place(of["place"]) or _data_place(of.get("data", "")),
        notes=tuple(Note(n["message"], _place(n["place"])) for n in of["notes"]),
        fixes=tuple(Fix(f["message"], _place(f["place"]), f["text"]) for f in of["fixes"]),
        text=text or f"{of['severity']} {of['code']}: {message}",
    )


class VflcError(Exception):
    """An error of the program, with what it says about it.

    ``diagnostics`` are all errors that it found, and ``code``, ``place``, ``reason`` and ``fixes`` those of the
    first; ``code`` is ``None`` where the command line is wrong or another process has failed. The text of the
    exception is what the command prints. ``exit_code`` is that of the command.
    """

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = (), exit_code: int = 1) -> None:
        super().__init__(text)
        self.diagnostics = list(diagnostics)
        self.exit_code = exit_code
        first = self.diagnostics[0] if self.diagnostics else None
        self.code: Optional[str] = first.code if first else None
        self.place: Optional[Place] = first.place if first else None
        self.reason: str = first.reason if first else text
        self.fixes: list[Fix] = list(first.fixes) if first else []

    @property
    def fix(self) -> Optional[str]:
        """What to do: the first fix, else the first note; ``None`` where there is neither."""
        if self.fixes:
            return self.fixes[0].message
        notes = self.diagnostics[0].notes if self.diagnostics else ()
        return notes[0].message if notes else None


class VflcWarning(UserWarning):
    """What the program warns of: findings about a result, and what a model or its data let one expect."""


class Interrupted(KeyboardInterrupt):
    """A run that was interrupted. ``vflc.resume(folder)`` continues it, with the draws that it would have had."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"interrupted; vflc.resume({folder!r}) continues the run")
        self.folder = folder
