"""Learn a folder of Parquet files without loading it, and show how much memory that took."""

import resource
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.metrics import mean_poisson_deviance

from surefoot import SurefootRegressor

DATA = Path(__file__).resolve().parents[2] / "data"
CODES = ["season", "mnth", "hr", "weekday", "weathersit"]


def peak():
    """Return the largest memory that the process has had so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


with tempfile.TemporaryDirectory() as folder:
    bikes = pd.read_csv(DATA / "bike.train.csv.gz").drop(columns=["instant", "dteday"])
    for n in range(20):
        part = bikes.sample(frac=1, random_state=n)
        pq.write_table(pa.Table.from_pandas(part, preserve_index=False), f"{folder}/part-{n:02}.parquet")
    rows = sum(pq.read_metadata(path).num_rows for path in Path(folder).glob("*.parquet"))
    print(f"{rows:,} rows in 20 files")

    before = peak()
    model = SurefootRegressor("poisson", categorical=CODES).fit_file(folder, label="cnt")
    print(f"one pass took less than 100 MB more: {peak() - before < 100}")
    print(f"{model.results_['rows']:,} rows learnt, {len(model.coef_)} weights")

test = pd.read_csv(DATA / "bike.test.csv.gz").drop(columns=["instant", "dteday"])
deviance = mean_poisson_deviance(test["cnt"], model.predict(test))
constant = mean_poisson_deviance(test["cnt"], [bikes["cnt"].mean()] * len(test))
print(f"test deviance {deviance:.2f}, of a constant {constant:.2f}, R² {model.score(test, test['cnt']):.4f}")
