"""How far a run is: one line that changes, in a terminal and in notebooks."""

from __future__ import annotations

import html
import sys
from typing import Any, Optional

from ._process import in_notebook


class Progress:
    """One line about all chains of a run. Off a terminal and a notebook it shows nothing."""

    def __init__(self) -> None:
        self._chains: dict[int, tuple[int, int]] = {}
        self._drawn = 0
        self._display: Optional[Any] = None
        self._notebook = in_notebook()
        self._live = self._notebook or sys.stderr.isatty()

    def line(self, event: dict[str, Any]) -> str:
        """Take an event, and return the line that shows it."""
        self._chains[event.get("chain", 0)] = event["done"], event["total"]
        if 0 in self._chains:
            return str(event["text"])
        done = sum(d for d, _ in self._chains.values())
        total = sum(t for _, t in self._chains.values())
        cells = 24 * done // max(1, total)
        share = 100 * done // max(1, total)
        chains = "1 chain" if len(self._chains) == 1 else f"{len(self._chains)} chains"
        return f"{chains} {'━' * cells}{'─' * (24 - cells)} {done} / {total} ({share} %) {event['phase']}"

    def __call__(self, event: dict[str, Any]) -> None:
        if self._live:
            self._show(self.line(event))

    def _show(self, text: str) -> None:
        if not self._notebook:
            sys.stderr.write("\r" + text + " " * max(0, self._drawn - len(text)))
            sys.stderr.flush()
            self._drawn = len(text)
            return
        from IPython.display import HTML, display

        page = HTML(f"<pre>{html.escape(text)}</pre>")
        if self._display is None:
            self._display = display(page, display_id=True)
        else:
            self._display.update(page)

    def end(self) -> None:
        """Leave the line on the terminal."""
        if self._drawn:
            sys.stderr.write("\n")
