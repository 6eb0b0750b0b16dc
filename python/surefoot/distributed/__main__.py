"""The command line `surefoot`, to which the command passes fits with the engines of the package."""

import sys

from surefoot._command import main

if __name__ == "__main__":
    sys.exit(main())
