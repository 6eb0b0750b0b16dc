"""Tables of pandas, Polars and PyArrow: columns by name and by type, missing cells, categories."""

import datetime
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from surefoot import SurefootClassifier, SurefootRegressor, load


def frame(rows: int = 120) -> pd.DataFrame:
    random = np.random.default_rng(2)
    city = random.choice(["Bern", "Chur", "Genf"], rows)
    age = random.normal(40.0, 10.0, rows)
    member = random.random(rows) < 0.5
    margin = (city == "Bern") * 2.0 - 1.0 + 0.05 * (age - 40.0) + member
    label = np.where(margin + random.logistic(size=rows) > 0, "yes", "no")
    return pd.DataFrame({"city": city, "age": age, "member": member, "label": label})


FORMS = {
    "pandas": lambda table: table,
    "pandas with types of Arrow": lambda table: table.convert_dtypes(dtype_backend="pyarrow"),
    "pandas with types that may be missing": lambda table: table.convert_dtypes(),
    "pandas with categories": lambda table: table.astype({"city": "category"}),
    "Polars": pl.from_pandas,
    "Polars with categories": lambda table: pl.from_pandas(table).with_columns(pl.col("city").cast(pl.Categorical)),
    "PyArrow": pa.Table.from_pandas,
    "PyArrow in batches": lambda table: pa.Table.from_batches(pa.Table.from_pandas(table).to_batches(max_chunksize=7)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("passes", [1, "auto"])
def test_all_libraries_give_the_same_model(form, passes):
    table = frame()
    features, y = table.drop(columns="label"), table["label"]
    reference = SurefootClassifier(passes=passes).fit(features, y)
    given = FORMS[form](features)
    model = SurefootClassifier(passes=passes).fit(given, y)
    assert model.model_.to_bytes() == reference.model_.to_bytes()
    assert np.array_equal(model.predict_proba(given), reference.predict_proba(features))
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["city", "age", "member"]
    assert "city=Bern" in model.coef_names_


@pytest.mark.parametrize("form", FORMS)
def test_the_label_may_be_a_column_of_the_table(form):
    table = frame()
    model = SurefootClassifier().fit(FORMS[form](table), "label")
    apart = SurefootClassifier().fit(table.drop(columns="label"), table["label"])
    assert model.classes_.tolist() == ["no", "yes"]
    assert np.allclose(model.predict_proba(table), apart.predict_proba(table.drop(columns="label")), atol=1e-9)
    assert model.score(FORMS[form](table), "label") == model.score(table.drop(columns="label"), table["label"])


def test_without_pyarrow_pandas_tables_are_refused_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "surefoot\[pandas\]", or give a table of Polars'):
        SurefootClassifier().fit(frame().drop(columns="label"), frame()["label"])


@pytest.mark.parametrize("missing", [None, "error", "indicator", "mean"])
@pytest.mark.parametrize("form", FORMS)
def test_missing_cells_are_told_or_features(missing, form):
    table = frame()
    features = table.drop(columns="label").astype({"city": object})
    features.loc[7, "age"] = np.nan
    features.loc[9, "city"] = None
    given = FORMS[form](features)
    model = SurefootClassifier(missing=missing)
    if missing in (None, "error"):
        with pytest.raises(ValueError, match=r"X: row 7, column 'age': .*missing=\"indicator\""):
            model.fit(given, table["label"])
        return
    model.fit(given, table["label"])
    assert {"city=", "age="} <= set(model.coef_names_)
    assert any("1 in age" in note for note in model.notes_)


def test_columns_go_by_name_in_any_order_and_further_ones_are_passed_over():
    table = frame()
    model = SurefootClassifier().fit(table.drop(columns="label"), table["label"])
    expected = model.predict_proba(table.drop(columns="label"))
    assert np.array_equal(model.predict_proba(table), expected)
    assert np.array_equal(model.predict_proba(table[["label", "member", "age", "city"]]), expected)
    with pytest.raises(ValueError, match="age"):
        model.predict(table.drop(columns="age"))


def test_arrays_are_taken_by_the_order_of_the_columns():
    table = frame()[["age", "member"]].astype(float)
    y = frame()["label"]
    model = SurefootClassifier().fit(table, y)
    assert np.allclose(model.predict_proba(table.to_numpy()), model.predict_proba(table), atol=1e-12)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.zeros((2, 3)))


def test_numbers_given_at_prediction_stand_for_the_column():
    table = frame()[["age", "member"]].astype(float).assign(years=2.0, claims=[0.0, 1.0, 3.0] * 40)
    model = SurefootRegressor("poisson").fit(table, "claims", exposure="years")
    assert np.allclose(model.predict(table.drop(columns="years"), exposure=4.0), 2.0 * model.predict(table))
    assert np.allclose(model.predict(table, rates=True), 0.5 * model.predict(table))
    with pytest.raises(ValueError, match="exposure: a column of X goes by name where y does too"):
        SurefootRegressor("poisson").fit(table, table["claims"], exposure="years")


def test_single_columns_and_arrays_of_texts_are_told_from_tables():
    table = frame()
    for column in (table["city"], pl.from_pandas(table)["city"]):
        with pytest.raises(ValueError, match=r"give X\.to_frame\(\)"):
            SurefootClassifier().fit(column, table["label"])
    with pytest.raises(ValueError, match="give a DataFrame"):
        SurefootClassifier().fit(table.drop(columns="label").to_numpy(), table["label"])


def test_tables_of_arrow_are_taken_without_warnings(recwarn):
    batches = pa.Table.from_pandas(frame()).to_batches(max_chunksize=40)
    model = SurefootClassifier()
    for batch in batches:
        model.partial_fit(batch.drop_columns(["label"]), batch["label"].to_numpy(zero_copy_only=False), ["no", "yes"])
    assert model.predict(batches[0]).shape == (40,)
    assert not [one for one in recwarn if "feature names" in str(one.message)]
    with pytest.raises(ValueError, match="X has no column 'age'"):
        model.predict(batches[0].drop_columns(["age"]))


def test_categories_go_by_their_text_never_by_their_code():
    train = pd.DataFrame({"c": pd.Categorical(["be", "fr", "de", "it", "es"] * 4)})
    model = SurefootClassifier(l2=0.01).fit(train, [1, 0, 1, 0, 1] * 4)
    test = pd.DataFrame({"c": pd.Categorical(["de", "fr", "es", "be"])})
    assert (model.predict_proba(test)[:, 1] > 0.5).tolist() == [True, False, True, True]
    unknown = pd.DataFrame({"c": pd.Categorical(["de", "pt"])})
    assert model.decision_function(unknown)[1] == model.intercept_[0]
    with pytest.raises(ValueError, match="column 'c'"):
        model.predict(pd.DataFrame({"c": ["de", None]}))


def test_categories_that_are_numbers_are_categories():
    table = pd.DataFrame({"code": pd.Categorical([10, 20, 30, 40] * 10)})
    model = SurefootClassifier().fit(table, [0, 1, 1, 0] * 10)
    assert model.coef_names_.tolist() == ["code=10", "code=20", "code=30", "code=40"]
    as_number = SurefootClassifier(numeric=["code"]).fit(table, [0, 1, 1, 0] * 10)
    assert as_number.coef_names_.tolist() == ["code"]
    parts = SurefootClassifier().partial_fit(table, [0, 1, 1, 0] * 10)
    assert parts.coef_names_.tolist() == model.coef_names_.tolist()


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [False, True], ["0", "1"], ["01", "02"], [1, 2], [0.0, 1.0], ["false", "true"]]
)
def test_labels_of_a_column_are_those_of_the_array(labels):
    table = frame()
    given = np.array(labels)[(table["label"] == "yes").to_numpy().astype(int)]
    features = table.drop(columns="label")
    named, array = SurefootClassifier().fit(features.assign(y=given), "y"), SurefootClassifier().fit(features, given)
    assert named.classes_.tolist() == array.classes_.tolist()
    assert np.array_equal(named.predict(features), array.predict(features))
    assert named.score(features.assign(y=given), "y") == array.score(features, given)


def test_named_weights_set_the_usual_penalty_as_arrays_do():
    table = frame().assign(w=np.arange(120) % 5 + 1.0)
    features = table[["city", "age", "member"]]
    array = SurefootClassifier().fit(features, table["label"], sample_weight=table["w"])
    named = SurefootClassifier().fit(table, "label", sample_weight="w")
    assert named.penalty_ == array.penalty_ == {"l1": 0.0, "l2": 1 / table["w"].sum()}
    for weights in ({"yes": 5}, {"yes": 5.0, "no": 2}):
        both = [
            SurefootClassifier(class_weight=weights).fit(features, table["label"]),
            SurefootClassifier(class_weight=weights).fit(features.assign(label=table["label"]), "label"),
        ]
        assert both[0].penalty_ == both[1].penalty_
        assert both[0].penalty_["l2"] < 1 / 120


def test_tables_that_cannot_be_read_are_told():
    table = pl.from_pandas(frame())
    with pytest.raises(ValueError, match=r"give X\.collect\(\)"):
        SurefootClassifier().fit(table.lazy(), frame()["label"])
    reader = pa.RecordBatchReader.from_batches(table.to_arrow().schema, table.to_arrow().to_batches())
    assert SurefootClassifier().fit(reader, "label").classes_.tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match="0 feature"):
        SurefootClassifier().fit(frame()[[]], frame()["label"])
    offsets = pa.py_buffer(np.array([0, 100_000, 5], "i4").tobytes())
    damaged = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abcdef")])
    with pytest.raises(ValueError, match="X: the table cannot be read"):
        SurefootRegressor().fit(pa.table({"a": damaged}), [1.0, 2.0])


def test_columns_of_a_table_do_not_go_by_number():
    table = frame().drop(columns="label")
    for parameters in (
        {"ignore": ["1"]},
        {"keep": ["1-2"]},
        {"bounds": {1: (0, None)}},
        {"penalty_factor": {"2": 0.0}},
    ):
        with pytest.raises(ValueError, match="columns of a table go by name"):
            SurefootClassifier(**parameters).fit(table, frame()["label"])
    numbered = pd.DataFrame(np.random.default_rng(0).normal(size=(120, 3)))
    model = SurefootClassifier(ignore=["1"]).fit(numbered, frame()["label"])
    assert model.coef_names_.tolist() == ["0", "2"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(numbered).shape == (120,)
    assert SurefootRegressor().fit(numbered, "2").coef_names_.tolist() == ["0", "1"]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": pd.period_range("2020", periods=120, freq="M")}),
        pl.DataFrame({"a": pl.Series(["u", 3] * 60, dtype=pl.Object)}),
        np.ma.array(np.ones((120, 2)), mask=True),
        np.full((120, 1), np.datetime64("2020-01-01")),
    ],
    ids=["periods", "objects", "masked", "times"],
)
def test_what_is_no_number_is_refused(table):
    with pytest.raises(ValueError, match="X: "):
        SurefootClassifier().fit(table, frame()["label"])


def test_ignored_columns_may_be_missing_later():
    table = frame().drop(columns="label")
    model = SurefootClassifier(ignore=["age"]).fit(table, frame()["label"])
    assert np.array_equal(model.predict(table[["city", "member"]]), model.predict(table))


def test_kinds_of_columns_can_be_given():
    table = pd.DataFrame({"code": [1, 2, 3, 4] * 10, "note": ["red car", "blue car"] * 20, "skip": range(40)})
    y = [0, 1] * 20
    model = SurefootClassifier(categorical=["code"], text=["note"], ignore="skip").fit(table, y)
    assert {"code=1", "note=red"} <= set(model.coef_names_)
    assert not any(name.startswith("skip") for name in model.coef_names_)
    kept = SurefootClassifier(keep=["code"]).fit(table, y)
    assert kept.coef_names_.tolist() == ["code"]
    product = SurefootClassifier(interact=[("code", "skip")]).fit(table, y)
    assert len(product.coef_names_) == 2 + 1 + 2
    with pytest.raises(ValueError, match=r"interact: a list of pairs of names is needed"):
        SurefootClassifier(interact=["code:skip"]).fit(table, y)


def test_names_of_columns_may_be_any_text():
    table = pd.DataFrame(
        {"a,b": [1.0, 2.0] * 20, 'q"x': [0.0, 1.0, 1.0, 0.0] * 10, "7": range(40), "ä b": ["x", "y"] * 20}
    )
    y = [0, 1] * 20
    model = SurefootRegressor(ignore=["a,b"], bounds={'q"x': (0, None)}).fit(table, y)
    assert "a,b" not in model.coef_names_
    assert {'q"x', "7", "ä b=x"} <= set(model.coef_names_)


def test_bounds_and_factors_of_columns_by_name():
    table = frame()
    features = table.drop(columns="label")
    bounded = SurefootClassifier(bounds={"age": (0, 0.01)}).fit(features, table["label"])
    assert dict(zip(bounded.coef_names_, bounded.coef_[0], strict=True))["age"] == pytest.approx(0.01)
    free = SurefootClassifier(penalty_factor={"city": 0}, l2=100.0).fit(features, table["label"])
    weights = dict(zip(free.coef_names_, free.coef_[0], strict=True))
    assert abs(weights["city=Bern"]) > 0.1
    assert abs(weights["member"]) < 0.01


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([{"a": 1}] * 4, "column"),
        ([complex(1, 2)] * 4, "complex"),
    ],
)
def test_columns_of_other_types_are_refused(column, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SurefootClassifier().fit(pd.DataFrame({"x": column, "z": [1.0] * 4}), [0, 1, 0, 1])


def test_dates_and_lists():
    table = pd.DataFrame(
        {
            "day": [datetime.date(2020, 1, 1 + n) for n in range(20)],
            "tags": [["a", "b"] if n % 2 else ["c"] for n in range(20)],
            "vector": [[float(n), 1.0] for n in range(20)],
        }
    )
    model = SurefootRegressor(categorical=["tags"], numeric=["day", "vector"]).fit(table, np.arange(20.0))
    assert {"tags=a", "vector[0]", "day"} <= set(model.coef_names_)


def test_a_table_without_rows_or_labels():
    with pytest.raises(ValueError, match="0 sample"):
        SurefootClassifier().fit(frame().iloc[:0, :3], [])
    with pytest.raises(ValueError, match="inconsistent"):
        SurefootClassifier().fit(frame().iloc[:, :3], [0, 1])
    with pytest.raises(ValueError, match="no column 'nosuch'"):
        SurefootClassifier().fit(frame(), "nosuch")


def test_partial_fit_of_tables_is_one_pass_over_all(tmp_path):
    table = frame()
    features, y = table.drop(columns="label"), table["label"]
    whole = SurefootClassifier(passes=1).fit(features, y)
    parts = SurefootClassifier()
    for start in range(0, len(table), 13):
        parts.partial_fit(features[start : start + 13], y[start : start + 13], classes=["no", "yes"])
    assert np.allclose(parts.predict_proba(features), whole.predict_proba(features), atol=1e-6)
    parts.save(tmp_path / "m.surefoot")
    again = load(tmp_path / "m.surefoot")
    assert np.array_equal(again.predict_proba(features), parts.predict_proba(features))
    assert again.classes_.tolist() == ["no", "yes"]
