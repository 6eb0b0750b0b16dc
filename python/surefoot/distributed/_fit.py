"""`fit_distributed`: an estimator trained on files by the workers of an engine."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from surefoot._base import SurefootBase
from surefoot._errors import translated
from surefoot._flags import flags
from surefoot._outcome import Outcome
from surefoot.distributed._carry_out import carried_out, engine_flags, file_names, of_reading
from surefoot.distributed._datasets import is_dataset, written
from surefoot.distributed._engine import Engine
from surefoot.distributed._local import LocalEngine
from surefoot.distributed._watch import Status

E = TypeVar("E", bound=SurefootBase)

#: Parameters about files, as `fit_file` has them.
_READING = ("skip_bad_rows", "format", "header", "delimiter", "quote", "decimal", "index_base")


def fit_distributed(
    estimator: E,
    data: Any,
    *,
    engine: Engine | None = None,
    shards: int = 16,
    checkpoint: str | os.PathLike[str] | None = None,
    label: str | None = None,
    sample_weight: str | None = None,
    exposure: str | None = None,
    offset: str | None = None,
    trials: str | None = None,
    max_time: float | None = None,
    progress: bool | Callable[[Status], object] | None = None,
    **reading: Any,
) -> E:
    r"""Train an estimator on files with several worker processes, each of which reads and keeps a part of the rows.

    The model is the optimum with its certificate (`passes="auto"`), or that of one pass (`passes=1`). To the last bit
    it does not depend on the engine, on the number of workers, nor on workers that were lost on the way.

    Parameters
    ----------
    estimator : SurefootClassifier or SurefootRegressor
        What to train. With `passes="auto"` it needs a penalty: `l2="auto"`, or `l2=1/n` for n rows.
    data : path, list of paths, or Ray Dataset
        Files, folders, glob patterns and addresses, as for `fit_file`. All workers have to find them under the same
        names. A Ray Dataset is first written to Parquet files in the engine's `storage_path`.
    engine : Engine, optional
        `LocalEngine()`, the default, `RayEngine()` or `MpiEngine()` of `surefoot.distributed`.
    shards : int, default=16
        Number of parts that the rows are divided into, at least the number of workers. The last digits of the model
        depend on it.
    checkpoint : path, optional
        Folder for the state of the run: the same call goes on from there after an interruption, also with another
        engine. It is removed when the run has ended.
    label, sample_weight, exposure, offset, trials : str, optional
        Names of columns, for tables.
    max_time : float, optional
        Seconds after which the run ends with the best model so far; the estimator's `budget` by default.
    progress : bool or function, optional
        Whether a line shows where the run stands, or a function that gets each `Status`; by default as `verbose` says.
    **reading
        `skip_bad_rows`, `format`, `header`, `delimiter`, `quote`, `decimal` and `index_base`, as for `fit_file`.

    Returns
    -------
    estimator
        With its attributes set.

    Raises
    ------
    ValueError
        A parameter, a file or a row at fault; the message says where and what to do.
    KeyboardInterrupt
        After Ctrl-C, once the estimator has the best model so far. A second Ctrl-C ends the run without it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from surefoot import SurefootRegressor, fit_distributed
    >>> from surefoot.distributed import LocalEngine
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a.csv", "b.csv"):
    ...         _ = pathlib.Path(folder, name).write_text("y,x\n1,1\n2,2\n3,3\n")
    ...     model = SurefootRegressor(l2=1e-6)
    ...     _ = fit_distributed(model, folder, label="y", engine=LocalEngine(workers=2), shards=2)
    >>> model.coef_.round(3)
    array([1.])

    """
    engine = LocalEngine() if engine is None else engine
    checkpoint = getattr(engine, "checkpoint", None) if checkpoint is None else checkpoint
    columns = {"label": label, "sample_weight": sample_weight, "exposure": exposure, "offset": offset, "trials": trials}
    values = {**_checked(estimator), **columns, **of_reading("fit_distributed", reading, _READING)}
    budget = values.pop("budget") if max_time is None else max_time
    how = {"budget": budget, "shards": shards, "checkpoint": checkpoint, "report": estimator.report}

    def work() -> Outcome:
        with ExitStack() as kept:
            files = file_names(data) if not is_dataset(data) else kept.enter_context(written(data, engine, checkpoint))
            return carried_out(_line(values, how, files), estimator.verbose, engine, progress)

    with estimator._or_as_before():
        words = flags(values)
        estimator._forget_columns()
        with translated():
            outcome = engine.lead(work)
        if outcome.model is None and outcome.raised is None:
            raise ValueError(
                "max_time: the time was over before there was a model; with a checkpoint the same call goes on"
            )
        estimator._take_outcome(outcome, words, estimator._take_columns)
    return estimator


def _checked(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator, once it is clear that workers can train it."""
    if not isinstance(estimator, SurefootBase):
        raise ValueError(f"estimator: a SurefootClassifier or SurefootRegressor is needed, got {estimator!r}")
    if estimator.passes not in ("auto", 1):
        either = "workers make one pass, or compute the optimum: set passes=1 or passes='auto'"
        raise ValueError(f"passes={estimator.passes!r}: {either}")
    if estimator.shuffle:
        raise ValueError("shuffle=True: workers do not exchange rows: set shuffle=False")
    return estimator._values(None)


def _line(values: dict[str, Any], how: dict[str, Any], files: list[str]) -> list[str]:
    """Return the line of the command that stands for the fit."""
    line = ["fit", *flags({**values, "budget": how["budget"]}), *engine_flags(how["shards"])]
    if how["report"]:
        line.append("--report=page")
    if how["checkpoint"] is not None:
        line.append(f"--checkpoint={os.fspath(how['checkpoint'])}")
    return [*line, "--", *files]
