"""The command line `surefoot`, as `python -m surefoot`."""

import sys

from surefoot._command import main

if __name__ == "__main__":
    sys.exit(main())
