"""The command line `surefoot`, which the wheel carries along."""

from __future__ import annotations

import signal
import sys

from surefoot import _surefoot


def main() -> int:
    """Run the command line of this process and return its exit status."""
    # The command catches Ctrl-C itself, in order to save its model.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _surefoot.command(["surefoot", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
