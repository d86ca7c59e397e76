"""The command ``vflc``: the program that the package has found."""

from __future__ import annotations

import os
import subprocess
import sys

from ._process import binary


def main() -> None:
    """Run the program with the arguments of the command line, and end with its exit code."""
    command = [binary(), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    main()
