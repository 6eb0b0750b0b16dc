"""The command line `surefoot`, which the wheel carries along."""

from __future__ import annotations

import os
import signal
import sys

from surefoot import _surefoot


def main() -> int:
    """Run the command line of this process and return its exit status."""
    # The command catches Ctrl-C itself, in order to save its model.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Worker processes are started by this interpreter, since there is no program of their own.
    os.environ["SUREFOOT_WORKER_PYTHON"] = sys.executable
    line = ["surefoot", *sys.argv[1:]]
    if any(word == "--engine" or word.startswith("--engine=") for word in line):
        from surefoot.distributed._command import run

        return run(line)
    return _surefoot.command(line)


if __name__ == "__main__":
    sys.exit(main())
