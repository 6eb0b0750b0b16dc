"""Stop as soon as it is certified that no other model is better by more than a given number."""

from pathlib import Path

from sklearn.datasets import load_svmlight_file

from surefoot import SurefootClassifier

DATA = Path(__file__).resolve().parents[2] / "data"
X, y = load_svmlight_file(str(DATA / "a9a.train.svm.gz"), zero_based=True)

# While rows come: with probability 95 %, for weights in a ball and rows that are independent draws. A row has
# at most 14 entries, all of them 1, and the intercept, so that its norm is below 4.
stream = SurefootClassifier(radius=3, row_norm=4)
for start in range(0, X.shape[0], 2000):
    stream.partial_fit(X[start : start + 2000], y[start : start + 2000], classes=[-1, 1])
    found = stream.certificate_
    print(f"{start + 2000:6,} rows: no model of the ball is better by more than {found.gap:.3f}")
    if found.gap < 0.25:
        break
print(f"stopped; the loss so far is {stream.progressive_loss_:.4f}")

# At the optimum: for certain, against all weights. A looser gap ends after fewer passes.
for gap in (1e-1, 1e-4, 1e-8):
    model = SurefootClassifier(l2=1e-3, until_gap=gap).fit(X, y)
    assert model.certificate_.gap <= gap
    print(f"gap {gap:g}: objective {model.loss_:.8f} after {model.n_iter_} passes")

curve = model.search_curve_
for passes, objective, bound in zip(curve["passes"], curve["objective"], curve["gap"], strict=True):
    print(f"  after {passes:.0f} passes {objective:.8f}, certified {max(bound, 1e-12):.0e}")
