#!/usr/bin/env python3
"""Time to a certified optimum beside LIBLINEAR and scikit-learn, all in one run, in turn.

  optimum.py JOBS [--rounds 5] [--threads 2] [--only PATTERN] [--peers liblinear,lbfgs,newton-cholesky,saga]

JOBS has a line for each problem: FILE.svm LOSS L2 none|free, LOSS logistic or squared_hinge. Rows are in memory on either
side before a clock starts; our time has the layout of the rows in it. Each peer's tolerance is the loosest of a ladder
at which its objective is within 1e-6 of the optimum, relatively, as ours is by its certificate. Prints milliseconds, minimum
and median over rounds, wall and (in brackets) processor time, then the ratio of ours to the best peer. Needs numpy, scipy,
scikit-learn and liblinear-official; SUREFOOT_OPTIMUM names the program (target/release/optimum).
"""
import argparse, json, math, os, statistics, subprocess, time, warnings
import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from liblinear.liblinearutil import parameter, problem, train

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("SUREFOOT_OPTIMUM", os.path.join(HERE, "../../target/release/optimum"))
TICK = os.sysconf("SC_CLK_TCK")
PATIENCE = 20.0  # seconds after which a peer is given up


class Ours:
    def __init__(self):
        self.child = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def processor(self):
        fields = open(f"/proc/{self.child.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def run(self, file, loss, l2, intercept, tol, threads):
        before = self.processor()
        self.child.stdin.write(f"{file} {loss} 0 {l2!r} {intercept} {tol} {threads}\n")
        answer = json.loads(self.child.stdout.readline())
        return answer, self.processor() - before


def objective(X, y, w, b, loss, l2):
    m = y * (X @ w + b)
    short = np.maximum(0, 1 - m)
    return (np.logaddexp(0, -m) if loss == "logistic" else short * short).mean() + 0.5 * l2 * (w @ w)


def liblinear(kind, X, y, l2):
    rows = problem(y, X)
    c = 1 / (l2 * len(y))

    def fit(eps):
        options = parameter(f"-s {kind} -c {c!r} -e {eps!r} -q")
        wall, cpu = time.perf_counter(), time.process_time()
        model = train(rows, options)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        w = np.array(model.get_decfun()[0])
        return wall, cpu, (w if model.get_labels()[0] == 1 else -w), 0.0
    return fit, [10.0**-k for k in range(1, 12)]


def sklearn(solver, X, y, l2, free):
    X = X.toarray() if X.nnz > 0.5 * X.shape[0] * X.shape[1] else X

    def fit(tol):
        model = LogisticRegression(C=1 / (l2 * len(y)), solver=solver, tol=tol, max_iter=20000, fit_intercept=free)
        wall, cpu = time.perf_counter(), time.process_time()
        model.fit(X, y)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return wall, cpu, model.coef_[0], model.intercept_[0] if free else 0.0
    return fit, [10.0**-k for k in range(2, 13)]


def calibrate(fit, ladder, gap):
    """The loosest tolerance that is good enough, or None."""
    began = time.perf_counter()
    for tol in ladder:
        found = fit(tol)
        if gap(found[2], found[3]) <= 1e-6:
            return tol
        if time.perf_counter() - began > PATIENCE:
            return None
    return None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("jobs"); ap.add_argument("--rounds", type=int, default=5); ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--only", default=""); ap.add_argument("--peers", default="liblinear,lbfgs,newton-cholesky,saga")
    a = ap.parse_args()
    ours, held, ratios, cpus = Ours(), None, [], []
    for line in open(a.jobs):
        if a.only not in line or not line.strip():
            continue
        file, loss, l2, intercept = line.split()
        l2, free, name = float(l2), intercept == "free", os.path.basename(file).split(".")[0]
        if held is None or held[0] != file:
            X, y = load_svmlight_file(file)
            # saga takes no others.
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
            held = (file, X, np.where(y > 0, 1.0, -1.0))
        X, y = held[1:]
        best = ours.run(file, loss, l2, intercept, 1e-12, a.threads)[0]["objective"]
        gap = lambda w, b: (objective(X, y, w, b, loss, l2) - best) / abs(best)
        peers = {}
        if not free and "liblinear" in a.peers:
            for kind in [0, 7] if loss == "logistic" else [2]:
                peers[f"liblinear -s {kind}"] = liblinear(kind, X, y, l2)
        for solver in ["lbfgs", "newton-cholesky", "saga"]:
            if loss == "logistic" and solver in a.peers and not (solver == "newton-cholesky" and X.shape[1] > 3000):
                peers[solver] = sklearn(solver, X, y, l2, free)
        tolerance = {peer: calibrate(fit, ladder, gap) for peer, (fit, ladder) in peers.items()}
        peers = {peer: fit for peer, (fit, _) in peers.items() if tolerance[peer] is not None}
        walls, processor = {}, {}
        for _ in range(a.rounds):
            answer, cpu = ours.run(file, loss, l2, intercept, 1e-6, a.threads)
            walls.setdefault("ours", []).append(answer["seconds"]); processor.setdefault("ours", []).append(cpu)
            for peer, fit in peers.items():
                found = fit(tolerance[peer])
                walls.setdefault(peer, []).append(found[0]); processor.setdefault(peer, []).append(found[1])
        show = lambda peer: (f"{1e3 * min(walls[peer]):.1f}/{1e3 * statistics.median(walls[peer]):.1f}"
                             f" ({1e3 * statistics.mean(processor[peer]):.0f})")
        given_up = [peer for peer in tolerance if tolerance[peer] is None]
        said = "; ".join(f"{peer} {show(peer)}" for peer in walls)
        if len(walls) == 1:
            print(f"{name} {loss} {l2:.2g} {intercept}: {said}; given up: {given_up}", flush=True)
            continue
        others = [peer for peer in walls if peer != "ours"]
        low = min(walls["ours"]) / min(min(walls[peer]) for peer in others)
        mid = statistics.median(walls["ours"]) / min(statistics.median(walls[peer]) for peer in others)
        cpu = statistics.mean(processor["ours"]) / max(1e-4, min(statistics.mean(processor[peer]) for peer in others))
        counted = min(min(w) for w in walls.values()) >= 0.05 or min(walls["ours"]) >= 0.05
        counted = min(min(walls["ours"]), min(min(walls[peer]) for peer in others)) >= 0.05
        if counted:
            ratios.append((low, mid)); cpus.append(cpu)
        print(f"{'*' if counted else ' '} {name} {loss} {l2:.2g} {intercept}: ratio {low:.2f}/{mid:.2f} ({cpu:.2f}); {said}"
              + (f"; given up: {', '.join(given_up)}" if given_up else ""), flush=True)
    for k, what in enumerate(["minima", "medians"]):
        of = [r[k] for r in ratios]
        if of:
            print(f"{len(of)} counted (*), ratio of {what}: geometric mean {math.exp(statistics.mean(map(math.log, of))):.2f}, largest {max(of):.2f}")


if __name__ == "__main__":
    main()
