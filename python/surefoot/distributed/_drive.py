"""The loop that all engines share: it carries messages between a run and its workers until the run has ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing

from surefoot._surefoot import Run
from surefoot.distributed._engine import Crew, Engine, Event, Joined, Received, WorkersFailed
from surefoot.distributed._watch import Status

#: Seconds between two ticks of the coordinator.
TICK = 0.05
#: Seconds between two looks of the workers' owner at where the run stands.
LOOK = 1.0

Letters = list[tuple[int, bytes, bytes]]


def drive(run: Run, engine: Engine, watch: Callable[[Run], None], is_interrupted: Callable[[], bool]) -> None:
    """Carry out a run with the workers of an engine.

    `watch` is called about twenty times a second. Once `is_interrupted` returns true, the run ends with the best model
    so far.
    """
    with closing(engine.open(run.workers, run.shards)) as crew:
        run.start(crew.workers, round(1000 * crew.patience))
        try:
            crew.begin()
            _until_the_end(run, crew, watch, is_interrupted)
        except WorkersFailed as error:
            run.fail(str(error))


def _until_the_end(run: Run, crew: Crew, watch: Callable[[Run], None], is_interrupted: Callable[[], bool]) -> None:
    ticked = looked = 0.0
    while not run.has_ended:
        letters: Letters = []
        for event in crew.receive(TICK):
            letters += _tell(run, event)
        if is_interrupted():
            run.stop()
            ticked = 0.0
        if time.monotonic() - ticked >= TICK:
            ticked = time.monotonic()
            letters += run.tick()
            watch(run)
            if ticked - looked >= LOOK:
                looked = ticked
                _show_crew(run, crew)
        for worker, head, body in letters:
            crew.send(worker, head, body)
    # Short runs end between two ticks.
    watch(run)
    _show_crew(run, crew)


def _show_crew(run: Run, crew: Crew) -> None:
    """Show the workers' owner where the run stands, if it wants to know."""
    if (look := getattr(crew, "watch", None)) is not None:
        look(Status.of(run))


def _tell(run: Run, event: Event) -> Letters:
    if isinstance(event, Received):
        return run.received(event.worker, event.message)
    return run.joined(event.worker) if isinstance(event, Joined) else run.lost(event.worker, event.how)
