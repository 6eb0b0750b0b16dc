"""Quality of the default estimators beside tuned linear estimators of scikit-learn.

    python benchmarks/quality.py [FOLDER]

Prints a Markdown table: the mean test score (accuracy, or R² for numbers) over the outer folds, of the default
estimator of Surefoot, of Surefoot with `l2="auto"`, and of the best tuned rival. Rivals are tuned within each training
part by five folds, over the penalty and over standardised and raw columns. The sets are those that scikit-learn ships,
or, if FOLDER is given, from there `spambase.csv`, `adult.train.csv`, `sms_spam.tsv`, `california_housing.csv` and
`higgs7k.train.tsv`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, RepeatedKFold, RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from surefoot import SurefootClassifier, SurefootRegressor

Set = tuple[str, Any, Any, bool]


def shipped() -> Iterator[Set]:
    """Yield the sets of scikit-learn: name, rows, labels, whether labels are classes."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield name, X, y, True
    X, y = datasets.load_diabetes(return_X_y=True)
    yield "diabetes", X, y, False


def read(folder: Path) -> Iterator[Set]:
    """Yield the sets of a folder."""
    table = pd.read_csv(folder / "spambase.csv", header=None)
    yield "spambase", table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy(), True
    table = pd.read_csv(folder / "adult.train.csv").sample(6000, random_state=0)
    label = table.columns[-1]
    kinds = [name for name in table.select_dtypes(exclude="number").columns if name != label]
    codes = OneHotEncoder(handle_unknown="ignore").fit_transform(table[kinds])
    rest = table.drop(columns=[*kinds, label]).to_numpy(float)
    yield (
        "adult (6,000 rows)",
        np.hstack([codes.toarray(), rest]),
        (table[label] == table[label].max()).to_numpy(),
        True,
    )
    table = pd.read_csv(folder / "sms_spam.tsv", sep="\t", header=None, quoting=3)
    yield "sms_spam", CountVectorizer(binary=True).fit_transform(table[1]).astype(float), table[0].to_numpy(), True
    table = pd.read_csv(folder / "california_housing.csv").dropna().select_dtypes("number")
    yield "california", table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy(float), False
    table = pd.read_csv(folder / "higgs7k.train.tsv", sep="\t", header=None)
    yield "higgs7k", table.iloc[:, 1:].to_numpy(float), table.iloc[:, 0].to_numpy(), True


def rivals(is_class: bool, is_sparse: bool, is_small: bool) -> dict[str, GridSearchCV]:
    """Return tuned estimators of scikit-learn; for large sets on standardised columns alone, and without LinearSVC."""
    scaler = MaxAbsScaler() if is_sparse else StandardScaler()
    scalers = ["passthrough", scaler] if is_small else [scaler]
    strengths = np.logspace(-3, 3, 7)
    if is_class:
        models = {
            "LogisticRegression": (LogisticRegression(max_iter=2000), {"model__C": strengths}),
            "LinearSVC": (LinearSVC(), {"model__C": strengths}),
            "RidgeClassifier": (RidgeClassifier(), {"model__alpha": strengths}),
        }
        if not is_small:
            del models["LinearSVC"]
    else:
        models = {
            "Ridge": (Ridge(), {"model__alpha": strengths}),
            "Lasso": (Lasso(), {"model__alpha": strengths}),
            "ElasticNet": (ElasticNet(), {"model__alpha": strengths}),
        }
    return {
        name: GridSearchCV(Pipeline([("scale", "passthrough"), ("model", model)]), {"scale": scalers, **grid}, cv=5)
        for name, (model, grid) in models.items()
    }


def scores(estimator: Any, X: Any, y: Any, folds: list[tuple[Any, Any]]) -> float:
    """Return the mean test score over the folds."""
    return float(np.mean([estimator.fit(X[train], y[train]).score(X[test], y[test]) for train, test in folds]))


def row(name: str, X: Any, y: Any, is_class: bool) -> str:
    """Return a line of the table."""
    small = X.shape[0] < 3000
    kind = RepeatedStratifiedKFold if is_class else RepeatedKFold
    folds = list(kind(n_splits=5, n_repeats=3 if small else 1, random_state=0).split(X, y))
    ours = SurefootClassifier if is_class else SurefootRegressor
    default = scores(ours(), X, y, folds)
    chosen = scores(ours(l2="auto"), X, y, folds)
    others = rivals(is_class, not isinstance(X, np.ndarray), small)
    tuned = {name: scores(model, X, y, folds) for name, model in others.items()}
    best = max(tuned, key=lambda one: tuned[one])
    return (
        f"| {name} | {X.shape[0]:,} × {X.shape[1]:,} | {default:.4f} | {chosen:.4f} | {tuned[best]:.4f} ({best}) "
        f"| {default / tuned[best]:.3f} | {chosen / tuned[best]:.3f} |"
    )


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    print('| set | rows × columns | default | l2="auto" | best tuned rival | default/rival | auto/rival |')
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for one in shipped() if len(sys.argv) < 2 else read(Path(sys.argv[1])):
        print(row(*one), flush=True)


if __name__ == "__main__":
    main()
