"""`evaluate_distributed` and `predict_distributed`: a trained model applied to files by the workers of an engine."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surefoot._base import SurefootBase
from surefoot._errors import SurefootWarning, translated
from surefoot._flags import flags
from surefoot._outcome import Outcome
from surefoot._words import translate
from surefoot.distributed._carry_out import carried_out, engine_flags, file_names, of_reading
from surefoot.distributed._engine import Engine
from surefoot.distributed._local import LocalEngine
from surefoot.distributed._watch import Status

#: Parameters about files.
_READING = ("format", "header", "delimiter", "quote", "decimal", "index_base")


def evaluate_distributed(
    estimator: SurefootBase,
    data: Any,
    *,
    engine: Engine | None = None,
    shards: int = 16,
    label: str | None = None,
    skip_bad_rows: int = 0,
    progress: bool | Callable[[Status], object] | None = None,
    **reading: Any,
) -> dict[str, Any]:
    r"""Measure a trained estimator on labelled files with several worker processes.

    The metrics are those of `evaluate_file`, sums to rounding. To the last bit they do not depend on the engine, on the
    number of workers, nor on workers that were lost on the way.

    Parameters
    ----------
    estimator : SurefootClassifier or SurefootRegressor
        What to measure; it has to be trained.
    data : path or list of paths
        Files, folders, glob patterns and addresses, which all workers have to find under the same names.
    engine : Engine, optional
        `LocalEngine()`, the default, `RayEngine()` or `MpiEngine()` of `surefoot.distributed`.
    shards : int, default=16
        Number of parts that the rows are divided into, at least the number of workers.
    label : str, optional
        Name of the column of the labels, for tables and a model that was trained with labels beside its table.
    skip_bad_rows : int, default=0
        Number of rows at fault, in all shards together, that may be passed over.
    progress : bool or function, optional
        Whether a line shows where the run stands, or a function that gets each `Status`; by default as `verbose` says.
    **reading
        `format`, `header`, `delimiter`, `quote`, `decimal` and `index_base`, as for `fit_file`.

    Returns
    -------
    dict
        Metrics by name, as `evaluate_file` returns them.

    Raises
    ------
    ValueError
        A parameter, a file or a row at fault; the message says where and what to do.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from surefoot import SurefootRegressor, evaluate_distributed, fit_distributed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a.csv", "b.csv"):
    ...         _ = pathlib.Path(folder, name).write_text("y,x\n1,1\n2,2\n3,3\n")
    ...     model = fit_distributed(SurefootRegressor(l2=1e-6), folder, label="y", shards=2)
    ...     measured = evaluate_distributed(model, folder, shards=2)
    >>> measured["rows"], round(measured["r2"], 3)
    (6, 1.0)

    """
    values = {"skip_bad_rows": skip_bad_rows, **of_reading("evaluate_distributed", reading, _READING)}
    outcome = _applied(estimator, "eval", values, [], data, engine, shards, progress, label)
    measured: dict[str, Any] = json.loads(outcome.results)
    return measured


def predict_distributed(
    estimator: SurefootBase,
    data: Any,
    folder: str | os.PathLike[str],
    *,
    response: str | None = None,
    id: str | None = None,
    on_error: str = "stop",
    rates: bool = False,
    unlabelled: bool = False,
    engine: Engine | None = None,
    shards: int = 16,
    progress: bool | Callable[[Status], object] | None = None,
    **reading: Any,
) -> list[Path]:
    r"""Predict the rows of files with several worker processes, each of which writes files of its own.

    One after the other, the files have a line for each row, in order: the bytes that the command `predict` writes. They
    do not depend on the engine, on the number of workers, nor on workers that were lost on the way. The files of all
    shards are replaced once all rows are predicted.

    Parameters
    ----------
    estimator : SurefootClassifier or SurefootRegressor
        What to predict with; it has to be trained.
    data : path or list of paths
        Files, folders, glob patterns and addresses, which all workers have to find under the same names.
    folder : path
        Where the files go, such as `part-00003-of-00016.txt`; all workers have to find it. It is created if need be.
    response : {"margin", "probability", "mean", "class"}, optional
        What to predict; by default the probability for classes, the margin for hinge losses, else the mean.
    id : str, optional
        Name of a column whose value follows each prediction, behind a tab.
    on_error : {"stop", "empty", "skip"}, default="stop"
        What becomes of a row at fault: an error, an empty line, or no line.
    rates : bool, default=False
        Whether each row has an exposure of 1 or an offset of 0.
    unlabelled : bool, default=False
        Whether rows of svmlight may lack their label.
    engine : Engine, optional
        `LocalEngine()`, the default, `RayEngine()` or `MpiEngine()` of `surefoot.distributed`.
    shards : int, default=16
        Number of parts that the rows are divided into, and of files; at least the number of workers.
    progress : bool or function, optional
        Whether a line shows where the run stands, or a function that gets each `Status`; by default as `verbose` says.
    **reading
        `format`, `header`, `delimiter`, `quote`, `decimal` and `index_base`, as for `fit_file`.

    Returns
    -------
    list of Path
        The files, in the order of the rows.

    Raises
    ------
    ValueError
        A parameter, a file or a row at fault; the message says where and what to do.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from surefoot import SurefootRegressor, fit_distributed, predict_distributed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = pathlib.Path(folder, "rows.csv")
    ...     _ = rows.write_text("y,x\n1,1\n2,2\n3,3\n")
    ...     model = fit_distributed(SurefootRegressor(l2=1e-6), rows, label="y", shards=2)
    ...     files = predict_distributed(model, rows, pathlib.Path(folder, "predictions"), shards=2)
    ...     lines = "".join(file.read_text() for file in files).split()
    >>> [round(float(line), 3) for line in lines]
    [1.0, 2.0, 3.0]

    """
    where = Path(os.path.abspath(folder))
    words = [f"--output={where}/", f"--on-error={on_error}"]
    words += [f"--type={response}"] if response is not None else []
    words += [f"--id={id}"] if id is not None else []
    words += ["--rates"] if rates else []
    words += ["--unlabelled"] if unlabelled else []
    values = of_reading("predict_distributed", reading, _READING)
    _applied(estimator, "predict", values, words, data, engine, shards, progress, None)
    return [where / f"part-{shard:05}-of-{shards:05}.txt" for shard in range(shards)]


def _applied(
    estimator: SurefootBase,
    command: str,
    values: dict[str, Any],
    words: list[str],
    data: Any,
    engine: Engine | None,
    shards: int,
    progress: Any,
    label: str | None,
) -> Outcome:
    """Run a command that applies the model of an estimator, and pass on its warnings."""
    if not isinstance(estimator, SurefootBase):
        raise ValueError(f"estimator: a SurefootClassifier or SurefootRegressor is needed, got {estimator!r}")
    model, engine = estimator._fitted().model, LocalEngine() if engine is None else engine
    line = [command, *flags(values), *words, *engine_flags(shards), "--"]

    def work() -> Outcome:
        # The workers get the model from the run, which has read it by then.
        with tempfile.TemporaryDirectory(prefix="surefoot-model-") as folder:
            path = os.path.join(folder, "model")
            (model if label is None else model.with_label(label)).save(path)
            return carried_out([*line, path, *file_names(data)], estimator.verbose, engine, progress)

    with translated():
        outcome = engine.lead(work)
    for kind, message in outcome.messages:
        if kind == "warning":
            warnings.warn(translate(message), SurefootWarning, stacklevel=3)
    if outcome.raised is not None:
        raise outcome.raised
    return outcome
