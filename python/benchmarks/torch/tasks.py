"""The tasks of the benchmark: four small real data sets, each with a network and a training loop."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sklearn.datasets
import torch
from torch import nn

DATA = Path(__file__).resolve().parents[3] / "data"
Split = tuple[torch.Tensor, torch.Tensor]


@dataclass
class Task:
    """Data in three parts, a network, and how long to train it."""

    name: str
    train: Split
    validation: Split
    test: Split
    network: Callable[[], nn.Module]
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    batch: int
    epochs: int

    @property
    def steps(self) -> int:
        """The number of steps of a run."""
        return self.epochs * -(-len(self.train[0]) // self.batch)

    def batches(self, seed: int) -> Iterator[Split]:
        """Iterate over the batches of all epochs, in an order that depends on the seed."""
        generator = torch.Generator().manual_seed(seed)
        for _ in range(self.epochs):
            for rows in torch.randperm(len(self.train[0]), generator=generator).split(self.batch):
                yield self.train[0][rows], self.train[1][rows]

    def measure(self, model: nn.Module, part: Split) -> tuple[float, float]:
        """Return loss and score of a model: accuracy, or R² if labels are numbers."""
        with torch.no_grad():
            output, labels = model(part[0]), part[1]
            loss = self.loss(output, labels).item()
            if labels.dtype == torch.float32:
                return loss, 1 - loss / labels.var(correction=0).item()
            return loss, (output.argmax(-1) == labels).float().mean().item()


def cross_entropy(output: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy, over all positions of a text."""
    return nn.functional.cross_entropy(output.flatten(0, -2), labels.flatten())


def cut(inputs: torch.Tensor, labels: torch.Tensor) -> tuple[Split, Split]:
    """Return a random 80 % for training and the rest for validation."""
    order = torch.randperm(len(inputs), generator=torch.Generator().manual_seed(0))
    first, rest = order[: len(order) * 4 // 5], order[len(order) * 4 // 5 :]
    return (inputs[first], labels[first]), (inputs[rest], labels[rest])


def read_svm(path: Path, columns: int) -> Split:
    """Return the dense rows of a compressed LIBSVM file, and its labels as they are."""
    file = io.BytesIO(gzip.decompress(path.read_bytes()))
    rows, labels = sklearn.datasets.load_svmlight_file(file, n_features=columns)
    return torch.tensor(rows.toarray(), dtype=torch.float32), torch.tensor(labels)


def digits() -> Task:
    """Which digit (1 to 10 in the file) is on an image of 8 by 8? A network of two convolutions."""
    (inputs, labels), test = (read_svm(DATA / f"digits.{part}.svm.gz", 64) for part in ("train", "test"))
    train, validation = cut(inputs, labels.long() - 1)

    def network() -> nn.Module:
        return nn.Sequential(
            nn.Unflatten(1, (1, 8, 8)),
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(512, 10),
        )

    return Task("digits", train, validation, (test[0], test[1].long() - 1), network, cross_entropy, 32, 8)


def a9a() -> Task:
    """Is the income above 50K? Sparse 0/1 columns, a network of two hidden layers."""
    (inputs, labels), test = (read_svm(DATA / f"a9a.{part}.svm.gz", 123) for part in ("train", "test"))
    train, validation = cut(inputs, (labels > 0).long())

    def network() -> nn.Module:
        return nn.Sequential(nn.Linear(123, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))

    return Task("a9a", train, validation, (test[0], (test[1] > 0).long()), network, cross_entropy, 128, 2)


CATEGORIES = {"season": 5, "mnth": 13, "hr": 24, "weekday": 7, "weathersit": 5}
NUMBERS = ["yr", "holiday", "workingday", "temp", "atemp", "hum", "windspeed"]


class Rentals(nn.Module):
    """An embedding of each category beside the numbers, and two hidden layers."""

    def __init__(self) -> None:
        """Create the layers."""
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(levels, 8) for levels in CATEGORIES.values())
        self.layers = nn.Sequential(
            nn.Linear(8 * len(CATEGORIES) + len(NUMBERS), 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
        )
        self.head = nn.Linear(64, 1)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the predicted logarithm of the count, standardised."""
        codes, numbers = rows[:, : len(CATEGORIES)].long(), rows[:, len(CATEGORIES) :]
        embedded = [table(codes[:, place]) for place, table in enumerate(self.tables)]
        output: torch.Tensor = self.head(self.layers(torch.cat([*embedded, numbers], 1)))
        return output.squeeze(1)


def read_bike(part: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the bike data, and the logarithms of the counts."""
    with gzip.open(DATA / f"bike.{part}.csv.gz", "rt") as file:
        lines = list(csv.DictReader(file))
    rows = np.array([[float(line[name]) for name in [*CATEGORIES, *NUMBERS]] for line in lines])
    return rows, np.log1p([float(line["cnt"]) for line in lines])


def bike() -> Task:
    """How many bikes are rented in an hour? Embeddings of categories, squared loss of logarithms."""
    (rows, labels), (test_rows, test_labels) = read_bike("train"), read_bike("test")
    mean, size = labels.mean(), labels.std()
    numbers = [torch.tensor(values, dtype=torch.float32) for values in (rows, (labels - mean) / size)]
    train, validation = cut(numbers[0], numbers[1])
    tests = [torch.tensor(values, dtype=torch.float32) for values in (test_rows, (test_labels - mean) / size)]
    return Task("bike", train, validation, (tests[0], tests[1]), Rentals, nn.functional.mse_loss, 64, 3)


class Writer(nn.Module):
    """A transformer of two blocks over characters."""

    def __init__(self, letters: int, width: int = 32, length: int = 32) -> None:
        """Create the layers."""
        super().__init__()
        self.letter, self.place = nn.Embedding(letters, width), nn.Embedding(length, width)
        blocks = [
            nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, batch_first=True, norm_first=True) for _ in range(2)
        ]
        self.blocks, self.norm, self.head = (
            nn.ModuleList(blocks),
            nn.LayerNorm(width),
            nn.Linear(width, letters),
        )
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length))

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        """Return logits of the next character at every position."""
        hidden = self.letter(text) + self.place.weight
        for block in self.blocks:
            hidden = block(hidden, src_mask=self.mask, is_causal=True)
        output: torch.Tensor = self.head(self.norm(hidden))
        return output


def text() -> Task:
    """Which character comes next, in scikit-learn's descriptions of its data sets? A small transformer."""
    folder = Path(sklearn.datasets.__file__).parent / "descr"
    whole = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.rst")))
    letters = sorted(set(whole))
    codes = torch.tensor([letters.index(letter) for letter in whole])
    parts: list[list[torch.Tensor]] = [[], [], []]
    for number, block in enumerate(codes.split(512)):
        kind = {8: 1, 9: 2}.get(number % 10, 0)
        parts[kind] += list(block.unfold(0, 33, 8 if kind == 0 else 32)) if len(block) > 32 else []
    windows = [torch.stack(part) for part in parts]
    train, validation, test = ((window[:, :-1], window[:, 1:]) for window in windows)
    return Task("text", train, validation, test, lambda: Writer(len(letters)), cross_entropy, 32, 2)


def tasks() -> list[Task]:
    """Return all tasks."""
    return [digits(), a9a(), bike(), text()]
