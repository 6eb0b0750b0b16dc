"""One thread for all tests: tensors this small only wait for each other on more."""

import contextlib

with contextlib.suppress(ImportError):
    import torch

    torch.set_num_threads(1)
