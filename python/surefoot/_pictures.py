"""Pictures of a training: with matplotlib, and as a small SVG for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from surefoot._trained import Trained

WIDTH, HEIGHT, MARGIN = 420, 120, 8


def plot(trained: Trained, ax: Any = None) -> Any:
    """Draw the loss so far and that of the best constant over the rows; beside it the gap of a search."""
    curve, search = trained.arrays(), trained.search()
    if not curve:
        raise ValueError("there is no curve: it is kept by fit and fit_file, not by partial_fit or load")
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError('plot needs matplotlib: pip install "surefoot[plot]"') from error
        gaps = np.isfinite(search.get("gap", np.array([])))
        if gaps.any():
            ax, beside = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")[1]
            _plot_search(search, gaps, beside)
        else:
            ax = pyplot.subplots()[1]
    ax.plot(curve["rows"], curve["loss"], label="loss so far")
    ax.plot(curve["rows"], curve["recent"], linewidth=0.8, alpha=0.6, label="loss of recent rows")
    ax.plot(curve["rows"], curve["constant"], linestyle="--", color="grey", label="best constant")
    ax.set_xscale("log")
    ax.set_xlabel("rows, each scored before it was learnt")
    ax.set_ylabel("mean loss")
    ax.legend()
    return ax


def _plot_search(search: dict[str, NDArray[np.float64]], kept: NDArray[np.bool_], ax: Any) -> None:
    """Draw the certified gap to the optimum over the passes."""
    ax.plot(search["passes"][kept], np.maximum(search["gap"][kept], 1e-18), marker="o", markersize=3)
    ax.set_yscale("log")
    ax.set_xlabel("passes over the rows")
    ax.set_ylabel("no model is better by more than")


def curve_html(trained: Trained) -> str:
    """Return the training curve as SVG; empty if there is none."""
    curve = trained.arrays()
    if not curve or len(curve["rows"]) < 2:
        return ""
    x = np.log(np.maximum(curve["rows"], 1.0))
    lines = [(curve["loss"], "#1f6feb"), (curve["constant"], "#999")]
    finite = np.concatenate([y[np.isfinite(y)] for y, _ in lines])
    if finite.size == 0 or x[-1] <= x[0]:
        return ""
    low, high = float(finite.min()), float(finite.max())
    paths = "".join(_path(x, y, low, high, colour) for y, colour in lines)
    caption = f"loss while rows were learnt (blue, {curve['loss'][-1]:.4g}) and of the best constant (grey)"
    return (
        f'<div class="surefoot"><svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{caption}">{paths}</svg><br><small>{caption}</small></div>'
    )


def _path(x: NDArray[np.float64], y: NDArray[np.float64], low: float, high: float, colour: str) -> str:
    kept = np.isfinite(y)
    spread = (high - low) or 1.0
    across = MARGIN + (WIDTH - 2 * MARGIN) * (x - x[0]) / (x[-1] - x[0])
    down = MARGIN + (HEIGHT - 2 * MARGIN) * (high - y) / spread
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across[kept], down[kept], strict=True))
    return f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}"/>'
