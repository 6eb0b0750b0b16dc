"""Work of several processes: on this machine, on a Ray cluster, or under MPI.

| name | what it is |
| --- | --- |
| `fit_distributed` | trains an estimator on files, with the workers of an engine |
| `evaluate_distributed`, `predict_distributed` | apply a trained one to files |
| `LocalEngine` | worker processes on this machine |
| `RayEngine` | actors of a Ray cluster; they may be lost, replaced and added on the way |
| `MpiEngine` | the processes that `mpiexec` has started |
| `Engine`, `Crew` | what an engine of your own has to have |

The model does not depend on the engine, on the number of workers, nor on workers that were lost: it has the same bytes.
"""

from surefoot.distributed._apply import evaluate_distributed, predict_distributed
from surefoot.distributed._engine import Crew, Engine, Event, Joined, Lost, Received, WorkersFailed
from surefoot.distributed._fit import fit_distributed
from surefoot.distributed._local import LocalEngine
from surefoot.distributed._mpi import MpiEngine
from surefoot.distributed._ray import RayEngine
from surefoot.distributed._watch import Status, WorkerStatus

__all__ = [
    "Crew",
    "Engine",
    "Event",
    "Joined",
    "LocalEngine",
    "Lost",
    "MpiEngine",
    "RayEngine",
    "Received",
    "Status",
    "WorkerStatus",
    "WorkersFailed",
    "evaluate_distributed",
    "fit_distributed",
    "predict_distributed",
]
