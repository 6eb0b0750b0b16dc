#!/usr/bin/env python3
"""Speed of two builds of the command on the same data, run in turn.

  bench/paired.py OLD NEW [--rounds N] [--raw FILE.csv] [--data FILE...]

Each round runs both commands once on each data set, in alternating order, one pass with default flags and the model written to a temporary
file. Prints for each set the median, smallest and largest ratio NEW/OLD of the wall and of the processor time. `--raw` writes every run as a
row: set, round, build, wall seconds, processor seconds. Without `--data`: the bundled sets.
"""
import argparse, csv, os, resource, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
BUNDLED = {
    "a9a": ["a9a.train.svm.gz"],
    "digits": ["digits.train.svm.gz", "--loss", "softmax"],
    "bike": ["bike.train.csv.gz", "--label", "cnt", "--loss", "poisson", "--ignore", "dteday"],
    "a9a, optimum": ["a9a.train.svm.gz", "--passes", "auto", "--l2", "3e-5"],
}


def run(command, arguments, model):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([command, "fit", *arguments, "--quiet", "-o", model], check=True, capture_output=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--raw")
    parser.add_argument("--data", nargs="*", default=[])
    given = parser.parse_args()
    sets = {os.path.basename(path): [path] for path in given.data}
    sets = sets or {name: [os.path.join(HERE, "..", "data", file), *flags] for name, (file, *flags) in BUNDLED.items()}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.surefoot")
        for name, arguments in sets.items():
            ratios = []
            for turn in range(given.rounds):
                builds = [("old", given.old), ("new", given.new)]
                times = {build: run(command, arguments, model) for build, command in builds[:: 1 - 2 * (turn % 2)]}
                ratios.append([times["new"][k] / times["old"][k] for k in (0, 1)])
                rows += [(name, turn, build, f"{wall:.4f}", f"{cpu:.4f}") for build, (wall, cpu) in times.items()]
            for k, kind in enumerate(("wall", "processor")):
                one = [ratio[k] for ratio in ratios]
                print(f"{name:20} {kind:10} {statistics.median(one):.3f} ({min(one):.2f}-{max(one):.2f})", flush=True)
    if given.raw:
        with open(given.raw, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([("set", "round", "build", "wall_s", "processor_s"), *rows])


if __name__ == "__main__":
    sys.exit(main())
