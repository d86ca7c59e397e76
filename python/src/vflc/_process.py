"""Where the program is, and how it is run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional

from ._errors import Diagnostic, VflcError, VflcWarning, diagnostic

_NAME = "vflc.exe" if os.name == "nt" else "vflc"


def binary() -> str:
    """Return the path of the program: ``VFLC_BINARY`` of the environment, else that of the package, else that
    on the path."""
    named = os.environ.get("VFLC_BINARY")
    if named:
        if not os.path.isfile(named):
            raise VflcError(f"VFLC_BINARY names {named}, and no file is there", exit_code=2)
        return named
    own = Path(__file__).parent / "bin" / _NAME
    if own.is_file():
        return str(own)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which(_NAME, path=folder)
        if found and not _is_script(found):
            return found
    raise VflcError(
        "the program vflc is not there: this package was installed without it. Install the wheel of your "
        "system, put vflc on the path, or set VFLC_BINARY to where it is",
        exit_code=2,
    )


def _is_script(path: str) -> bool:
    """Report whether a file is the command of this package, which would only look for the program again."""
    with open(path, "rb") as file:
        start = file.read(2)
        if start == b"#!":
            return True
        return os.name == "nt" and b"vflc.__main__" in start + file.read(1 << 20)


def flags(of: Mapping[str, Any]) -> list[str]:
    """Write keyword arguments as flags: ``target_accept=0.9`` is ``--target-accept=0.9``.

    ``True`` and ``False`` switch a flag on or off and ``None`` leaves it out; a list repeats it, and a mapping
    gives NAME=VALUE pairs.
    """
    out: list[str] = []
    for name, value in of.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if isinstance(value, Mapping):
            pairs = [f"{k}={_word(v)}" for k, v in value.items()]
            out.extend(f"{flag}={pair}" for pair in ([",".join(pairs)] if name == "rho" else pairs))
        elif isinstance(value, (list, tuple)):
            out.extend(f"{flag}={_word(v)}" for v in value)
        else:
            out.append(f"{flag}={_word(value)}")
    return out


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


class Outcome:
    """What a command has said."""

    def __init__(self) -> None:
        self.out = ""
        self.code = 0
        self.messages: list[str] = []
        self.warnings: list[str] = []
        self.diagnostics: list[Diagnostic] = []
        self._errors: list[str] = []

    def take(self, line: str) -> Optional[dict[str, Any]]:
        """Take a line of standard error, and return it if it is one of progress."""
        try:
            event = json.loads(line)
            kind = event["event"]
        except (ValueError, KeyError, TypeError):
            self._errors.append(line.rstrip("\n"))
            return None
        if kind == "progress":
            return dict(event)
        if kind == "diagnostic":
            self.diagnostics.append(diagnostic(event["diagnostic"], event["text"]))
        elif kind == "warning":
            self.warnings.append(event["text"])
        elif kind == "error":
            self._errors.append(event["text"])
        else:
            self.messages.append(event["text"])
        return None

    @property
    def errors(self) -> list[Diagnostic]:
        """The diagnostics that are errors."""
        return [d for d in self.diagnostics if d.severity == "error"]

    def error(self) -> VflcError:
        """The exception that stands for a command that has failed."""
        found = [d.text for d in self.errors] + self._errors
        if not found:
            found = self.warnings or self.messages or [f"vflc ended with the exit code {self.code}"]
        return VflcError("\n".join(found), self.errors, self.code)

    def warn(self, stacklevel: int = 4) -> None:
        """Show warnings as Python does, at the place of the call that is so many calls up."""
        for text in [d.text for d in self.diagnostics if d.severity == "warning"] + self.warnings:
            warnings.warn(text, VflcWarning, stacklevel=stacklevel)


def environment() -> dict[str, str]:
    """The environment of the program, in which it writes messages as JSON."""
    return {**os.environ, "VFLC_MESSAGES": "json"}


def _apart() -> dict[str, Any]:
    """Options for a process that Ctrl-C does not reach: it is told by :func:`interrupt`."""
    if os.name == "nt":
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP")}
    return {"start_new_session": True}


def interrupt(child: "subprocess.Popen[str]") -> None:
    """Tell the program to stop in good order."""
    child.send_signal(getattr(signal, "CTRL_BREAK_EVENT") if os.name == "nt" else signal.SIGINT)


def start(arguments: Iterable[str], **options: Any) -> "subprocess.Popen[str]":
    """Start the program with pipes to and from it."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    pipes.update(options)
    return subprocess.Popen(
        [binary(), *arguments], env=environment(), encoding="utf-8", errors="replace", **pipes, **_apart()
    )


def perform(
    arguments: Iterable[str],
    progress: Optional[Callable[[dict[str, Any]], None]] = None,
    fine: Iterable[int] = (0,),
) -> Outcome:
    """Run a command to its end. An exit code that is not fine raises VflcError. KeyboardInterrupt stops the
    command in good order, and is raised when it has ended; a second one ends it at once."""
    outcome = Outcome()
    child = start(arguments)
    assert child.stdout is not None and child.stderr is not None
    results: list[str] = []
    reader = threading.Thread(target=lambda: results.append(child.stdout.read()), daemon=True)  # type: ignore[union-attr]
    reader.start()
    stopped: Optional[KeyboardInterrupt] = None
    while True:
        try:
            for line in child.stderr:
                event = outcome.take(line)
                if event is not None and progress is not None and stopped is None:
                    progress(event)
            child.wait()
            break
        except KeyboardInterrupt as err:
            if stopped is not None:
                child.kill()
                raise
            stopped = err
            interrupt(child)
        except BaseException:
            child.kill()
            raise
    reader.join()
    child.stdout.close()
    child.stderr.close()
    outcome.out, outcome.code = "".join(results), child.returncode
    if stopped is not None:
        raise stopped
    if outcome.code not in fine:
        raise outcome.error()
    return outcome


def command(*arguments: Any, **options: Any) -> str:
    """Run any command, as ``vflc.command("doc", "normal")``, and return what it prints.

    Keyword arguments are flags: ``vflc.command("export", "out", format="csv", output="draws.csv")``.
    """
    outcome = perform([*map(_word, arguments), *flags(options)])
    outcome.warn(3)
    return outcome.out


def in_notebook() -> bool:
    """Report whether this is a kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"
