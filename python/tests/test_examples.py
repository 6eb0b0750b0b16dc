"""Tests that the examples run and print what they are known to find."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "python/examples"
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")

#: Lines that an example prints; numbers are compared to 3 %, and one that is below 1e-9 with any such number.
EXPECTED = {
    "certified_stopping": """
        4,000 rows: no model of the ball is better by more than 0.490
        16,000 rows: no model of the ball is better by more than 0.241
        stopped; the loss so far is 0.3475
        gap 0.1: objective 0.33489989 after 7 passes
        gap 1e-08: objective 0.33271331 after 25 passes
    """,
    "choosing_a_penalty": """
        chosen in one pass: l2 4.6e-05, test loss 0.3244
        one pass with l2 0: test loss 0.3249
        one pass with l2 0.01: test loss 0.3519
        the optimum, chosen by held-out rows: l2 8e-05, test loss 0.3239
    """,
    "counts_with_exposure": """
        without exposure: deviance 3416.8 per day
        with exposure: deviance 125.9 per day
        one rate for all hours: deviance 282.6 per day
        the second year has 1.610 times the rate of the first
        certified to 1e-12 of the objective
    """,
    "out_of_core_parquet": """
        278,060 rows in 20 files
        one pass took less than 100 MB more: True
        278,060 rows learnt, 58 weights
        test deviance 32.30, of a constant 169.49, R² 0.7646
    """,
    "own_learner": """
        Mirror: loss 0.0945, no point of the ball is better by more than 0.0019
    """,
    "streaming_text": """
        500 messages, mean loss 0.1909, 2,127 words
        4,459 messages, mean loss 0.0796, 7,883 words
        predicted before they were learnt: 0.9813 right
        test accuracy 0.9874
    """,
}


def alike(shown, printed):
    if NUMBER.sub("0", shown) != NUMBER.sub("0", printed):
        return False
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (shown, printed)]
    return all(abs(a - b) <= max(0.03 * abs(a), 1e-9) for a, b in zip(*numbers, strict=True))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example_prints_what_it_found(path, tmp_path):
    for module in ("pandas", "pyarrow"):
        pytest.importorskip(module)
    assert len(path.read_text().splitlines()) <= 40
    places = [str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", str(path)]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stderr
    printed = [line.strip() for line in run.stdout.splitlines()]
    for shown in EXPECTED[path.stem].strip().splitlines():
        assert any(alike(shown.strip(), line) for line in printed), f"{shown.strip()}\nis not in\n{run.stdout}"


def test_each_example_has_an_expected_output():
    assert sorted(EXPECTED) == sorted(path.stem for path in EXAMPLES.glob("*.py"))
