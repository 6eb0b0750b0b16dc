"""Anytime beside Adam, SGD and Schedule-Free, each with its best learning rate of a grid; prints Markdown.

Run with ``python run.py`` where torch, schedulefree and scikit-learn are installed; takes some minutes.
"""

from __future__ import annotations

import argparse
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import schedulefree
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tasks import Task, tasks

from surefoot.torch import Anytime

SEEDS = (0, 1, 2)
Parameters = Iterable[torch.Tensor]


def adam(parameters: Parameters, lr: float) -> torch.optim.Optimizer:
    """Return AdamW without decay."""
    return torch.optim.AdamW(parameters, lr=lr, weight_decay=0.0)


def sgd(parameters: Parameters, lr: float) -> torch.optim.Optimizer:
    """Return SGD with momentum."""
    return torch.optim.SGD(parameters, lr=lr, momentum=0.9)


def schedule_free(parameters: Parameters, lr: float) -> torch.optim.Optimizer:
    """Return Schedule-Free AdamW with its own defaults."""
    optimizer: torch.optim.Optimizer = schedulefree.AdamWScheduleFree(parameters, lr=lr)
    return optimizer


def anytime(parameters: Parameters, lr: float) -> torch.optim.Optimizer:
    """Return Anytime with its defaults."""
    return Anytime(parameters, lr=lr)


def anytime_sums(parameters: Parameters, lr: float) -> torch.optim.Optimizer:
    """Return Anytime with sums of squares."""
    return Anytime(parameters, lr=lr, beta2=1.0)


def anytime_near(parameters: Parameters, lr: float) -> torch.optim.Optimizer:
    """Return Anytime with a first distance that is a hundredth of the default."""
    return Anytime(parameters, lr=lr, initial_distance=1e-8)


def anytime_far(parameters: Parameters, lr: float) -> torch.optim.Optimizer:
    """Return Anytime with a first distance that is a hundred times the default."""
    return Anytime(parameters, lr=lr, initial_distance=1e-4)


@dataclass(frozen=True)
class Method:
    """An optimiser with the learning rates to choose from."""

    name: str
    make: Callable[[Parameters, float], torch.optim.Optimizer]
    rates: tuple[float, ...]
    cosine: bool = False
    at_query: bool = False


LOW, HIGH = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0)
METHODS = [
    Method("**Anytime**", anytime, (1.0,)),
    Method("Anytime, evaluated at the parameters", anytime, (1.0,), at_query=True),
    Method("Anytime, `initial_distance=1e-8`", anytime_near, (1.0,)),
    Method("Anytime, `initial_distance=1e-4`", anytime_far, (1.0,)),
    Method("Anytime, `beta2=1`", anytime_sums, (1.0,)),
    Method("AdamW, its default", adam, (1e-3,)),
    Method("Schedule-Free AdamW, its default", schedule_free, (2.5e-3,)),
    Method("AdamW, tuned", adam, LOW),
    Method("AdamW, tuned, cosine schedule", adam, LOW, cosine=True),
    Method("SGD with momentum, tuned", sgd, HIGH),
    Method("SGD with momentum, tuned, cosine schedule", sgd, HIGH, cosine=True),
    Method("Schedule-Free AdamW, tuned", schedule_free, LOW),
]


@dataclass
class Result:
    """Losses of a run, and its score on the test part."""

    validation: float
    test: float
    score: float


def evaluation(optimizer: Any, at_query: bool) -> AbstractContextManager[None]:
    """Put the point that the method wants evaluated into the parameters."""
    if isinstance(optimizer, schedulefree.AdamWScheduleFree):
        optimizer.eval()
    context: AbstractContextManager[None] = nullcontext()
    return optimizer.averaged() if isinstance(optimizer, Anytime) and not at_query else context


def run(task: Task, method: Method, rate: float, seed: int) -> Result:
    """Train once."""
    torch.manual_seed(seed)
    model = task.network()
    optimizer = method.make(model.parameters(), rate)
    if isinstance(optimizer, schedulefree.AdamWScheduleFree):
        optimizer.train()
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, task.steps) if method.cosine else None
    for inputs, labels in task.batches(seed):
        optimizer.zero_grad()
        task.loss(model(inputs), labels).backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
    model.eval()
    with evaluation(optimizer, method.at_query):
        test, score = task.measure(model, task.test)
        return Result(task.measure(model, task.validation)[0], test, score)


def mean(results: list[Result], what: str) -> float:
    """Return a mean over seeds, infinite if one run failed."""
    value = statistics.fmean(getattr(result, what) for result in results)
    return value if math.isfinite(value) else math.inf


def tune(task: Task, method: Method) -> tuple[float, dict[float, list[Result]]]:
    """Return the rate with the best mean validation loss, and the results of all."""
    results = {rate: [run(task, method, rate, seed) for seed in SEEDS] for rate in method.rates}
    return min(results, key=lambda rate: mean(results[rate], "validation")), results


def beside(results: dict[float, list[Result]], best: float) -> str:
    """Return the test losses with the rates of the grid below and above the best."""
    rates = list(results)
    places = [rates.index(best) - 1, rates.index(best) + 1]
    if len(rates) == 1:
        return "–"
    return ", ".join(f"{mean(results[rates[i]], 'test'):.4f}" if 0 <= i < len(rates) else "–" for i in places)


def row(task: Task, method: Method) -> str:
    """Return the row of a method in the table of a task."""
    best, results = tune(task, method)
    tests = [result.test for result in results[best]]
    rate = "none" if method.name.strip("*").startswith("Anytime") else f"{best:g}"
    cells = [method.name, rate, f"{statistics.fmean(tests):.4f} ± {statistics.stdev(tests):.4f}"]
    cells += [f"{mean(results[best], 'score'):.4f}", beside(results, best)]
    return "| " + " | ".join(cells) + " |"


def print_task(task: Task) -> None:
    """Print the table of a task."""
    count = sum(p.numel() for p in task.network().parameters())
    score = "R²" if task.test[1].dtype == torch.float32 else "accuracy"
    print(f"\n### {task.name}: {count:,} parameters, {task.steps} steps of {task.batch} rows\n")
    print(f"| method | learning rate | test loss | {score} | test loss with the rate a step below, above |")
    print("| --- | --- | ---: | ---: | ---: |", flush=True)
    for method in METHODS:
        print(row(task, method), flush=True)


def big(seed: int = 0) -> list[nn.Parameter]:
    """Return parameters with gradients: 1.05 million in 16 tensors."""
    torch.manual_seed(seed)
    parameters = [p for _ in range(8) for p in nn.Linear(361, 361).parameters()]
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    return parameters


def step_time(optimizer: Any, steps: int) -> float:
    """Return the milliseconds of a step, with gradients that turn round at every step."""
    gradients = [p.grad for group in optimizer.param_groups for p in group["params"]]
    total = 0.0
    for _ in range(steps):
        torch._foreach_neg_(gradients)
        start = time.perf_counter()
        optimizer.step()
        total += time.perf_counter() - start
    return total / steps * 1e3


def print_costs(rounds: int = 9, steps: int = 20) -> None:
    """Print the time of a step without the network, all optimisers in turn."""
    makers: dict[str, Callable[[Parameters], torch.optim.Optimizer]] = {
        "Anytime": Anytime,
        "Anytime, `foreach=False`": lambda p: Anytime(p, foreach=False),
        "AdamW, `foreach=True`": lambda p: torch.optim.AdamW(p, foreach=True),
        "Schedule-Free AdamW": lambda p: schedulefree.AdamWScheduleFree(p),
        "SGD with momentum": lambda p: torch.optim.SGD(p, lr=1e-3, momentum=0.9),
    }
    optimizers = {name: make(big()) for name, make in makers.items()}
    times: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(rounds):
        for name, optimizer in optimizers.items():
            if isinstance(optimizer, schedulefree.AdamWScheduleFree):
                optimizer.train()
            times[name].append(step_time(optimizer, steps))
    print("\n### A step of 1.05 million parameters in 16 tensors, milliseconds\n")
    print("| optimiser | least | median | most |\n| --- | ---: | ---: | ---: |")
    for name, values in times.items():
        print(f"| {name} | {min(values):.2f} | {statistics.median(values):.2f} | {max(values):.2f} |")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", help="only this task")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    start = time.perf_counter()
    names = f"PyTorch {torch.__version__}, schedulefree {version('schedulefree')}"
    print(f"Python {platform.python_version()}, {names}, one thread, means over {len(SEEDS)} seeds.")
    for task in tasks():
        if arguments.task in (None, task.name):
            print_task(task)
    print_costs()
    print(f"\nTook {(time.perf_counter() - start) / 60:.1f} minutes.")


if __name__ == "__main__":
    main()
