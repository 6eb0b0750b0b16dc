#!/usr/bin/env python3
"""Penalties that are chosen, on test rows: one pass, no penalty, --l2 auto and scikit-learn's cross-validated twin.

  python3 penalties.py SUREFOOT DIR NAME...

DIR holds NAME.train.svm and NAME.test.svm. A name with :LOSS behind it says the loss (default logistic). Each set is measured as it is,
and with its third column times 1e6. Printed are mean test losses less those of a saturated model, and how much of what a constant
loses `auto` is above the better of one pass and no penalty. scikit-learn sees columns divided by their largest |x|.
"""
import json, math, platform, subprocess, sys, tempfile, time
from pathlib import Path

import numpy as np
import scipy.sparse as sp


def read(path):
    """Labels, and rows as a matrix whose columns are the indices of the file."""
    labels, index, value, start = [], [], [], [0]
    for line in open(path):
        label, *pairs = line.split()
        labels.append(float(label))
        for pair in pairs:
            i, x = pair.split(":")
            index.append(int(i)), value.append(float(x))
        start.append(len(index))
    return np.array(labels), (np.array(value), np.array(index), np.array(start))


def matrices(train, test):
    width = 1 + max(train[1].max(), test[1].max())
    return [sp.csr_matrix(parts, shape=(len(parts[2]) - 1, width)) for parts in (train, test)]


def rescaled(source, target):
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            label, *pairs = line.split()
            pairs = [p if not p.startswith("3:") else f"3:{float(p[2:]) * 1e6!r}" for p in pairs]
            print(label, *pairs, file=out)


def surefoot(command, train, test, loss, flags):
    with tempfile.TemporaryDirectory() as folder:
        words = [command, "fit", train, "--test", test, "--loss", loss, "--json", "-o", f"{folder}/m", *flags]
        began = time.time()
        ran = subprocess.run(words, capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(ran.stderr)
        done = json.loads(ran.stdout.splitlines()[-1])
        return done["test_loss"], time.time() - began


def floor_and_constant(loss, y, test):
    """The test loss of a saturated model, and what that of the mean of the training labels is above it."""
    m = y.mean()
    if loss == "squared":
        return 0.0, np.mean((test - m) ** 2) / 2
    if loss == "poisson":
        floor = np.mean(test - np.where(test > 0, test * np.log(np.maximum(test, 1)), 0))
        return floor, m - math.log(m) * test.mean() - floor
    if loss == "gamma":
        floor = np.mean(1 + np.log(test))
        return floor, math.log(m) + test.mean() / m - floor
    shares = {k: np.mean(y == k) for k in np.unique(y)}
    return 0.0, -np.mean([math.log(shares[k]) for k in test])


def twin(loss, X, y, T, t):
    """scikit-learn's, cross-validated."""
    from sklearn.linear_model import GammaRegressor, LogisticRegressionCV, PoissonRegressor, RidgeCV
    from sklearn.metrics import log_loss
    from sklearn.model_selection import GridSearchCV

    M = np.maximum(abs(X).max(axis=0).toarray().ravel(), 1e-300)
    M[M <= 1e-300] = 1
    X, T = X @ sp.diags(1 / M), T @ sp.diags(1 / M)
    if loss == "squared":
        model = RidgeCV(alphas=len(y) * np.logspace(-8, 1, 19)).fit(X.toarray(), y)
        return np.mean((model.predict(T.toarray()) - t) ** 2) / 2
    if loss in ("poisson", "gamma"):
        kind = PoissonRegressor if loss == "poisson" else GammaRegressor
        model = GridSearchCV(kind(max_iter=2000), {"alpha": np.logspace(-8, 1, 19)}).fit(X, y)
        mean = model.predict(T)
        return np.mean(mean - t * np.log(mean)) if loss == "poisson" else np.mean(np.log(mean) + t / mean)
    model = LogisticRegressionCV(Cs=10, max_iter=1000, scoring="neg_log_loss").fit(X, y)
    return log_loss(t, model.predict_proba(T), labels=model.classes_)


def main():
    command, folder, *names = sys.argv[1:]
    import sklearn

    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"{cpu}, {time.strftime('%Y-%m-%d')}, scikit-learn {sklearn.__version__}, Python {platform.python_version()}\n")
    print("| set | constant | one pass | no penalty | `--l2 auto` | the same, a column × 10⁶ | above the better | scikit-learn | seconds |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as scaled:
        for name in names:
            name, loss = (name.split(":") + ["logistic"])[:2]
            train, test = (f"{folder}/{name}.{part}.svm" for part in ("train", "test"))
            (y, X), (t, T) = read(train), read(test)
            X, T = matrices(X, T)
            floor, constant = floor_and_constant(loss, y, t)
            run = lambda *flags: surefoot(command, train, test, loss, flags)[0] - floor
            one, none = run(), run("--passes", "auto")
            auto, seconds = surefoot(command, train, test, loss, ["--passes", "auto", "--l2", "auto"])
            for part, source in (("train", train), ("test", test)):
                rescaled(source, f"{scaled}/{part}.svm")
            files = (f"{scaled}/train.svm", f"{scaled}/test.svm")
            other = surefoot(command, *files, loss, ["--passes", "auto", "--l2", "auto"])[0] - floor
            auto -= floor
            above = 100 * (auto - min(one, none)) / constant
            peer = twin(loss, X, y, T, t) - floor
            cells = [f"{x:.4f}" for x in (constant, one, none, auto, other)] + [f"{above:+.2f} %", f"{peer:.4f}", f"{seconds:.1f}"]
            print("|", name, "|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
