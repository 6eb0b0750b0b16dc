"""Bikes rented per day, where hours of most days are missing: the hours that are there are the exposure."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import mean_poisson_deviance

from surefoot import SurefootRegressor

DATA = Path(__file__).resolve().parents[2] / "data"
DAY = ["dteday", "season", "yr", "weekday", "holiday"]


def days(part):
    """Return one row per day: rented bikes, the number of hours that are known, and the weather."""
    hours = pd.read_csv(DATA / f"bike.{part}.csv.gz").groupby(DAY, as_index=False)
    return hours.agg(bikes=("cnt", "sum"), hours=("cnt", "size"), temp=("temp", "mean"), wet=("weathersit", "max"))


train, test = days("train"), days("test")
print(f"{len(train)} days with {train['hours'].min()} to {train['hours'].max()} hours to learn from")
print(f"{len(test)} days with {test['hours'].min()} to {test['hours'].max()} hours to predict")

codes = ["season", "weekday", "wet"]
plain = SurefootRegressor("poisson", categorical=codes, ignore=["dteday", "hours"]).fit(train, "bikes")
rates = SurefootRegressor("poisson", categorical=codes, ignore=["dteday"])
rates.fit(train, "bikes", exposure="hours")

for name, model in (("without exposure", plain), ("with exposure", rates)):
    predicted = model.predict(test)
    print(f"{name}: deviance {mean_poisson_deviance(test['bikes'], predicted):.1f} per day")
constant = test["hours"] * train["bikes"].sum() / train["hours"].sum()
print(f"one rate for all hours: deviance {mean_poisson_deviance(test['bikes'], constant):.1f} per day")

weights = pd.Series(rates.coef_, rates.coef_names_)
print(f"the second year has {np.exp(weights['yr']):.3f} times the rate of the first")
print(f"certified to {max(rates.certificate_.relative, 1e-12):.0e} of the objective")
