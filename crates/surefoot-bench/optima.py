#!/usr/bin/env python3
"""Certified optima beside known ones.

  optima.py OPTIMA.json FOLDER [--tol 1e-6] [--threads 2] [--only PATTERN]

OPTIMA.json is a list of problems: dataset, loss, lambda, intercept (none or free), F, the least objective, and its relative error gap_bound. FOLDER has
DATASET.train.svm. Prints, for each, by how much the objective found misses F, relatively; the relative gap that is certified;
their ratio; milliseconds, iterations, passes, why the search ended. Fails if an objective misses F by more than the
tolerance (hinge: 1e-4), a gap is above that, or a gap is below what is missed (beyond F's own precision, gap_bound or 1e-12).
SUREFOOT_OPTIMUM names the program (target/release/optimum).
"""
import argparse, json, os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("SUREFOOT_OPTIMUM", os.path.join(HERE, "../../target/release/optimum"))
NAMES = {"sqhinge": "squared_hinge", "multinomial": "softmax"}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("optima"); ap.add_argument("folder"); ap.add_argument("--tol", type=float, default=1e-6)
    ap.add_argument("--threads", type=int, default=2); ap.add_argument("--only", default="")
    a = ap.parse_args()
    child = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    faults = 0
    print(f"{'problem':44} {'missed':>9} {'gap':>9} {'ratio':>7} {'ms':>9} {'it':>4} {'passes':>7}  ended")
    for e in json.load(open(a.optima)):
        name = f"{e['dataset']} {e['loss']} {e['lambda']:.2g} {e['intercept']}"
        if a.only not in name:
            continue
        file, loss = os.path.join(a.folder, e["dataset"] + ".train.svm"), NAMES.get(e["loss"], e["loss"])
        child.stdin.write(f"{file} {loss} 0 {e['lambda']!r} {e['intercept']} {a.tol} {a.threads}\n")
        r = json.loads(child.stdout.readline())
        missed, gap = (r["objective"] - e["F"]) / abs(e["F"]), r["relative"] if r["relative"] is not None else float("inf")
        enough = 1e-4 if e["loss"] == "hinge" else a.tol
        rough = max(1e-12, e["gap_bound"])
        good = -rough <= missed <= enough and gap <= enough and gap >= missed - rough
        faults += not good
        ratio = gap / missed if missed > 1e-13 else float("nan")
        print(f"{name:44} {missed:9.1e} {gap:9.1e} {ratio:7.1f} {1e3 * r['seconds']:9.1f} {r['iterations']:4} {r['passes']:7.1f}"
              f"  {r['ended']}{'' if good else '  FAULT'}", flush=True)
    print(f"{faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
