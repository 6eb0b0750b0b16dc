"""Choose a penalty in one pass over a file, and compare with one run for each penalty of a grid."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import log_loss

from surefoot import SurefootClassifier

DATA = Path(__file__).resolve().parents[2] / "data"
TRAIN = DATA / "a9a.train.svm.gz"
X_test, y_test = load_svmlight_file(str(DATA / "a9a.test.svm.gz"), n_features=124, zero_based=True)


def test_loss(model):
    """Return the mean log loss on the test rows."""
    return log_loss(y_test, model.predict_proba(X_test))


chosen = SurefootClassifier(l2="auto").fit_file(TRAIN)
print(f"chosen in one pass: l2 {chosen.penalty_['l2']:.2g}, test loss {test_loss(chosen):.4f}")

for l2 in (0.0, 1e-4, 1e-2):
    one = SurefootClassifier(l2=l2, standardize=True).fit_file(TRAIN)
    print(f"one pass with l2 {l2:g}: test loss {test_loss(one):.4f}")

sparse = SurefootClassifier(l1="auto").fit_file(TRAIN)
weights = f"{np.count_nonzero(sparse.coef_)} of {sparse.coef_.size} weights"
print(f"chosen in one pass: l1 {sparse.penalty_['l1']:.2g}, {weights}, test loss {test_loss(sparse):.4f}")

best = SurefootClassifier(l2="auto").fit_file(TRAIN, passes="auto")
print(f"the optimum, chosen by held-out rows: l2 {best.penalty_['l2']:.2g}, test loss {test_loss(best):.4f}")
