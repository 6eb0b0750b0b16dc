"""Learn spam from a stream of messages, each predicted before it is learnt, and keep the model at the end."""

import csv
import gzip
import itertools
import tempfile
from pathlib import Path

import pandas as pd

from surefoot import SurefootClassifier, load

DATA = Path(__file__).resolve().parents[2] / "data"


def messages(path):
    """Yield messages as they would arrive, one after the other."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


model = SurefootClassifier(text=["message"])
stream, seen, right = messages(DATA / "sms.train.csv.gz"), 0, 0
while part := list(itertools.islice(stream, 500)):
    rows = pd.DataFrame(part)
    if seen:
        right += (model.predict(rows[["message"]]) == rows["label"]).sum()
    seen += len(rows)
    model.partial_fit(rows[["message"]], rows["label"], classes=["ham", "spam"])
    print(f"{seen:5,} messages, mean loss {model.progressive_loss_:.4f}, {model.coef_.shape[1]:5,} words")
print(f"predicted before they were learnt: {right / (seen - 500):.4f} right")

with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/spam.surefoot")
    model = load(f"{folder}/spam.surefoot")
test = pd.read_csv(DATA / "sms.test.csv.gz")
print(f"test accuracy {model.score(test, 'label'):.4f}")
weights = pd.Series(model.coef_[0], model.coef_names_).nlargest(6)
print("most like spam:", ", ".join(name.removeprefix("message=") for name in weights.index))
