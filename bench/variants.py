#!/usr/bin/env python3
"""Five variants of every two-class set of a folder, to compare one-pass learners on more than the sets themselves.

    bench/variants.py DIR OUT

For every DIR/NAME.train.svm with its DIR/NAME.test.svm writes OUT/NAME-VARIANT.train.svm and .test.svm:
base (as it is), rare (one positive row in ten), half (half of the features), sub (a fifth of the training rows, at
least 300) and shuf (training rows in random order). The same files on every run.
"""

import random
import sys
import zlib
from pathlib import Path


def is_positive(line):
    return float(line.split(None, 1)[0]) > 0


def half(line):
    """The row without the features whose ids have an odd hash."""
    label, *pairs = line.split()
    kept = [pair for pair in pairs if zlib.crc32(pair.split(":")[0].encode()) % 2 == 0]
    return " ".join([label, *kept])


def variants(train, test, chance):
    yield "base", train, test
    thinned = [[line for line in rows if not is_positive(line) or chance.random() < 0.1] for rows in (train, test)]
    if all(any(map(is_positive, rows)) for rows in thinned):
        yield "rare", *thinned
    yield "half", [half(line) for line in train], [half(line) for line in test]
    yield "sub", train[: max(300, len(train) // 5)], test
    yield "shuf", chance.sample(train, len(train)), test


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.train.svm")):
        name = path.name.removesuffix(".train.svm")
        train, test = (
            [line for line in (source / f"{name}.{part}.svm").read_text().splitlines() if line.strip()]
            for part in ("train", "test")
        )
        if len({is_positive(line) for line in train}) < 2:
            continue
        for variant, *parts in variants(train, test, random.Random(zlib.crc32(name.encode()))):
            for part, rows in zip(("train", "test"), parts):
                (out / f"{name}-{variant}.{part}.svm").write_text("".join(f"{row}\n" for row in rows))


if __name__ == "__main__":
    main()
