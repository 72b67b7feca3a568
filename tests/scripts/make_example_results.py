#!/usr/bin/python3
"""Writes a result directory as `sim run` does, with made-up numbers: 8 algorithms x 3 seeds on HALoS's cluster.

usage: make_example_results.py DIR

The accuracy of a run follows a power law in the steps that entered the deployed model, so the races end as they
would: `halos` first, `data_parallel` never, `decentralized_sgd` at the hardest target only with some seeds.
The same call always writes the same bytes. To be imported as well: `make(DIR)` returns experiment.json's content.
"""
import csv
import hashlib
import json
import math
import sys
from pathlib import Path

import numpy

STEP_S = 0.238391  # Pythia-70M, 64 sequences, at speed 1
MODEL_BYTES = 281_706_496
BATCH = 64
SPEEDS = [
    [0.232, 0.907, 0.828, 0.347],
    [0.574, 0.531, 0.722, 0.194],
    [0.852, 0.132, 0.896, 0.107],
    [0.827, 0.515, 0.527, 0.788],
]
BANDWIDTH_GBIT = [
    [100, 0.537, 0.935, 0.202],
    [0.537, 100, 0.386, 0.117],
    [0.935, 0.386, 100, 0.127],
    [0.202, 0.117, 0.127, 100],
]
REGIONS = ["r0", "r1", "r2", "r3"]
SEEDS = [0, 1, 2]
TARGETS = [0.80, 0.84, 0.85]
STOP_S = 3 * 3600.0
REFERENCE = "diloco"
USD_PER_WORKER_HOUR = 0.9
WATTS = 250.0
T_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}  # two-sided 95 % quantile of Student's t

# label: (kind, merged steps/s, samples efficiency, bytes per step in model sizes, shares comm/wait of the average
# worker, mean staleness, options)
ALGORITHMS = {
    "data_parallel": ("data_parallel", 0.453, 1.00, 1.9, (0.942, 0.029), 0, {}),
    "local_sgd": ("local_sgd", 5.23, 0.93, 0.06, (0.34, 0.40), 0, {"local_steps": 32}),
    "diloco": (
        "diloco",
        5.23,
        1.04,
        0.06,
        (0.34, 0.40),
        0,
        {"local_steps": 32, "outer": {"kind": "nesterov"}},
    ),
    "diloco DyLU": (
        "diloco",
        7.80,
        0.98,
        0.09,
        (0.80, 0.02),
        0,
        {"local_steps": 32, "dynamic_local_steps": True},
    ),
    "async_local_sgd": ("async_local_sgd", 24.0, 0.80, 0.10, (0.42, 0.00), 15, {"local_steps": 32}),
    "halos K=32 & α=¼": (
        "halos",
        40.4,
        0.93,
        0.25,
        (0.028, 0.002),
        3,
        {"local_steps": 8, "updates_per_exchange": 32, "global_weight": 0.25},
    ),
    "decentralized_sgd": ("decentralized_sgd", 2.32, 1.02, 2.0, (0.60, 0.20), 0, {"graph": "ring"}),
    "gradient_tracking": ("gradient_tracking", 1.25, 1.00, 4.0, (0.75, 0.12), 0, {"graph": "ring"}),
}


def speeds():
    return [speed / 0.907 for region in SPEEDS for speed in region]


def ideal_samples_per_second():
    return sum(speed / STEP_S for speed in speeds()) * BATCH


def grid():
    """Evaluation instants: 20 s, then 2 % later each, up to the stop time."""
    times, time = [], 20.0
    while time < STOP_S:
        times.append(round(time, 9))
        time *= 1.02
    return times + [STOP_S]


def accuracy_curve(label, seed):
    """Validation accuracy on the grid: a power law of merged steps, with luck that all algorithms share."""
    kind, rate, efficiency = ALGORITHMS[label][:3]
    times = numpy.array(grid())
    common = numpy.random.default_rng([7, seed]).normal(0, 1, 2)
    own = numpy.random.default_rng([11, seed, list(ALGORITHMS).index(label)])
    steps = rate * times * efficiency * math.exp(0.05 * common[0] + 0.03 * own.normal())
    noise = numpy.zeros(len(times))
    for i in range(1, len(times)):
        noise[i] = 0.7 * noise[i - 1] + own.normal(0, 0.0022)
    return numpy.clip(0.892 + 0.0006 * common[1] - 0.79 * (1 + steps / 120) ** -0.55 + noise, 0.05, 1)


def median_of_three(values):
    middle = [sorted(values[i - 1 : i + 2])[1] for i in range(1, len(values) - 1)]
    return [values[0], *middle, values[-1]]


def crossing(times, values, target):
    """Interpolated crossing of the median of three, and the first raw one; None where there is none."""
    smooth = median_of_three(list(values))
    first = next((time for time, value in zip(times, values) if value >= target), None)
    for i, value in enumerate(smooth):
        if value >= target:
            if i == 0:
                return times[0], first
            share = (target - smooth[i - 1]) / (value - smooth[i - 1])
            return times[i - 1] + share * (times[i] - times[i - 1]), first
    return None, first


def at(label, time):
    """What had been spent by a virtual time."""
    _, rate, _, bytes_per_step, _, _, _ = ALGORITHMS[label]
    steps = rate * time
    workers = len(speeds())
    return {
        "steps": round(steps),
        "samples": round(steps * BATCH),
        "bytes": round(steps * bytes_per_step * MODEL_BYTES),
        "energy_j": round(workers * WATTS * time, 3),
        "cost_usd": round(workers * USD_PER_WORKER_HOUR * time / 3600, 6),
    }


def ledger(label, time, seed):
    comm, wait = ALGORITHMS[label][4]
    luck = numpy.random.default_rng([13, seed])
    rows = []
    for i, speed in enumerate(speeds()):
        down = 0.012 if i == 11 else 0.0  # one worker was down for a while
        idle = min(0.96, comm + wait) * (1 - down)
        if wait > 0.05:  # who is fast waits longer for the slowest
            idle = min(0.97, max(0.0, idle + 0.25 * (speed - 0.6)))
        idle = min(0.97, max(0.0, idle * (1 + 0.03 * luck.normal())))
        comm_part = comm / (comm + wait)
        rows.append(
            {
                "worker": i,
                "compute_s": time * (1 - idle - down),
                "communication_s": time * idle * comm_part,
                "wait_s": time * idle * (1 - comm_part),
                "down_s": time * down,
            }
        )
    keys = ["compute_s", "communication_s", "wait_s", "down_s"]
    return {"workers": rows, "total": {key: sum(row[key] for row in rows) for key in keys}}


def staleness(label, steps, seed):
    mean = ALGORITHMS[label][5]
    if not mean:
        return {"mean": 0.0, "max": 0, "histogram": [[0, int(steps)]]}
    counts = numpy.bincount(numpy.random.default_rng([17, seed]).negative_binomial(4, 4 / (4 + mean), 4000))
    values = [[int(value), int(count)] for value, count in enumerate(counts) if count]
    total = sum(count for _, count in values)
    return {
        "mean": sum(value * count for value, count in values) / total,
        "max": values[-1][0],
        "histogram": values,
    }


def make_run(label, seed):
    """(result.json, rows of metrics.csv) of one run."""
    kind, _, _, _, _, mean_staleness, options = ALGORITHMS[label]
    times, accuracy = grid(), accuracy_curve(label, seed)
    crossed, _ = crossing(times, accuracy, TARGETS[-1])
    if crossed is None:
        last, reason = len(times) - 1, "max_time"
    else:  # a run stops one evaluation after its hardest target crosses
        last, reason = (
            min(len(times) - 1, 1 + next(i for i, t in enumerate(times) if t >= crossed)),
            "target_reached",
        )
    end = times[last]
    config = {"algorithm": {"kind": kind, **options}, "seed": seed}
    run_id = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:16]

    targets = []
    for value in TARGETS:
        time, first = crossing(times[: last + 1], accuracy[: last + 1], value)
        target = {
            "metric": "validation_accuracy",
            "value": value,
            "reached": time is not None,
            "time_s": time,
            "first_time_s": first,
            "near_plateau": label == "decentralized_sgd" and value == TARGETS[-1],
        }
        nothing = dict.fromkeys(["steps", "samples", "bytes", "energy_j", "cost_usd"])
        targets.append({**target, **(at(label, time) if time is not None else nothing)})

    rows = []
    for time, value in list(zip(times, accuracy))[: last + 1]:
        spent = at(label, time)
        loss = 0.18 + 1.6 * (0.9 - value)
        rows.append(
            {
                "time_s": time,
                "step": spent["steps"],
                "round": spent["steps"] // options.get("local_steps", 1),
                "samples": spent["samples"],
                "tokens": spent["samples"] * 2048,
                "epoch": round(spent["samples"] / 55000, 6),
                "train_loss": round(loss * 0.95, 6),
                "validation_loss": round(loss, 6),
                "validation_accuracy": round(value, 6),
                "gradient_norm": round(0.4 + 2 * loss, 6),
                "consensus_distance": round(0.02 * loss, 8) if "graph" in options else "",
                "bytes_sent": spent["bytes"],
                "staleness_mean": mean_staleness,
                "energy_j": spent["energy_j"],
                "cost_usd": spent["cost_usd"],
            }
        )
        if kind == "halos":
            rows[-1]["x.outer_momentum_norm"] = round(0.3 * loss, 6)

    spent = at(label, end)
    books = ledger(label, end, seed)
    steps = spent["steps"]
    final = {
        "train_loss": rows[-1]["train_loss"],
        "validation_loss": rows[-1]["validation_loss"],
        "validation_accuracy": rows[-1]["validation_accuracy"],
        "test_loss": round(rows[-1]["validation_loss"] + 0.01, 6),
        "test_accuracy": round(rows[-1]["validation_accuracy"] - 0.004, 6),
    }
    links = []
    for i, source in enumerate(REGIONS):
        for j, target in enumerate(REGIONS):
            if i != j:
                share = spent["bytes"] / 12 * (0.4 + 0.2 * ((i + 2 * j) % 7))
                links.append(
                    {
                        "name": f"{source} -> {target}",
                        "bytes": round(share),
                        "messages": steps // 40,
                        "busy_s": round(min(end, share * 8 / (BANDWIDTH_GBIT[i][j] * 1e9)), 6),
                    }
                )
    merged = round(steps * (0.69 if kind == "halos" else 1))
    result = {
        "schema_version": 1,
        "run_id": run_id,
        "experiment": "example",
        "algorithm": kind,
        "label": label,
        "seed": seed,
        "axes": {},
        "stop_reason": reason,
        "virtual_time_s": end,
        "steps": steps,
        "rounds": rows[-1]["round"],
        "samples": spent["samples"],
        "targets": targets,
        "final": final,
        "network": {"bytes": spent["bytes"], "messages": steps // 3, "links": links},
        "ledger": books,
        "staleness": staleness(label, steps, seed),
        "algorithm_report": {"updates": steps // 8},
        "work": {
            "total": {
                "computed": steps + 40,
                "merged": merged,
                "in_flight_at_end": 40,
                "discarded": {"overwritten_at_merge": steps - merged} if merged < steps else {},
            }
        },
        "servers": [],
        "digest": hashlib.sha256(f"{run_id} digest".encode()).hexdigest()[:32],
        "identity": {
            "config": run_id * 2,
            "data": "",
            "plugin": "",
            "results_version": 1,
            "instruction_set": "x86-64-v3",
        },
        "performance": {"wall_s": 3.1, "math_s": 2.9, "evaluation_s": 0.2, "events": steps * 4, "threads": 2},
    }
    return result, rows, config


def interval(values):
    """Geometric mean and two-sided 95 % interval: Student's t over the logarithms."""
    logs = [math.log(value) for value in values]
    mean = sum(logs) / len(logs)
    low = high = None
    if len(logs) > 1:
        deviation = math.sqrt(sum((number - mean) ** 2 for number in logs) / (len(logs) - 1))
        half = T_95[len(logs) - 1] * deviation / math.sqrt(len(logs))
        low, high = math.exp(mean - half), math.exp(mean + half)
    return {"mean": math.exp(mean), "low": low, "high": high, "count": len(values)}


def verdict(speedup):
    if speedup["low"] is None:
        return "undecided"
    if speedup["low"] <= 1 <= speedup["high"]:
        return "no difference"
    return "faster" if speedup["mean"] > 1 else "slower"


def speedup_of(times, label):
    """Paired by seed; a bound where the algorithm missed the target with some seed and the reference did not."""
    pairs = {seed: (times[REFERENCE, seed], times[label, seed]) for seed in SEEDS}
    ratios = [reference / own for reference, own in pairs.values() if reference and own]
    speedup = interval(ratios) if ratios else {"mean": None, "low": None, "high": None, "count": 0}
    bound = None
    if len(ratios) < len(SEEDS) and all(reference for reference, _ in pairs.values()):
        bound = interval([reference / (own or STOP_S) for reference, own in pairs.values()])["mean"]
    said = "undecided" if bound or not ratios else verdict(speedup)
    return {**speedup, "more_than": None, "less_than": bound, "verdict": said}


def comparison(results):
    rungs = []
    for number, value in enumerate(TARGETS):
        time = {(result["label"], result["seed"]): result["targets"][number]["time_s"] for result in results}
        entries = []
        for label in ALGORITHMS:
            targets = [result["targets"][number] for result in results if result["label"] == label]
            there = [target for target in targets if target["reached"]]
            spent = there or [at(label, STOP_S)]
            means = {
                key: sum(row[key] for row in spent) / len(spent) for key in ("steps", "bytes", "cost_usd")
            }
            ideal = [target["samples"] / ideal_samples_per_second() for target in there]
            entries.append(
                {
                    "label": label,
                    "axes": {},
                    "reached": len(there),
                    "seeds": len(SEEDS),
                    "time_s": interval([target["time_s"] for target in there]) if there else None,
                    "speedup": None if label == REFERENCE else speedup_of(time, label),
                    "ideal_s": interval(ideal)["mean"] if there else None,
                    "given_s": None if len(there) == len(SEEDS) else STOP_S,
                    **means,
                    "near_plateau": any(target["near_plateau"] for target in targets),
                }
            )
        rungs.append({"target": value, "reference": REFERENCE, "algorithms": entries})
    return rungs


def headline(results):
    """Log-mean over the ladder in each seed, then over seeds."""
    entries = []
    for label in ALGORITHMS:
        if label == REFERENCE:
            continue
        by_seed = []
        cells = 0
        for seed in SEEDS:
            own = {result["label"]: result["targets"] for result in results if result["seed"] == seed}
            ratios = [
                reference["time_s"] / target["time_s"]
                for reference, target in zip(own[REFERENCE], own[label])
                if reference["reached"] and target["reached"]
            ]
            cells += len(ratios)
            by_seed += [interval(ratios)["mean"]] if ratios else []
        speedup = interval(by_seed) if by_seed else None
        entries.append(
            {
                "label": label,
                "axes": {},
                "speedup": speedup and {**speedup, "verdict": verdict(speedup)},
                "cells": cells,
                "of": len(SEEDS) * len(TARGETS),
            }
        )
    return {"reference": REFERENCE, "algorithms": entries}


def experiment_of(results):
    workers = [
        {
            "name": f"{region}.w{i}",
            "region": region,
            "host": f"{region}.w{i}",
            "speed": round(speed / 0.907, 4),
        }
        for region, row in zip(REGIONS, SPEEDS)
        for i, speed in enumerate(row)
    ]
    cluster = {
        "regions": REGIONS,
        "workers": workers,
        "bandwidth": [[gbit * 1e9 / 8 for gbit in row] for row in BANDWIDTH_GBIT],
    }
    config = {
        "name": "example",
        "cluster": {"regions": {"names": REGIONS, "bandwidth": BANDWIDTH_GBIT}, "workers": workers},
        "task": {
            "data": "fashion_mnist",
            "model": {"kind": "mlp", "hidden": [128]},
            "batch_size": BATCH,
            "partition": {"kind": "dirichlet", "convention": "hsu", "alpha": 0.5},
        },
        "workload": {"stand_in": "pythia-70m", "reference_batch": 64, "step_time": "238.391 ms"},
        "algorithms": [{"kind": row[0], "label": label, **row[6]} for label, row in ALGORITHMS.items()],
        "training": {"optimizer": {"kind": "adamw", "learning_rate": 1e-3, "weight_decay": 0.1}, "clip": 1.0},
        "target": {"metric": "validation_accuracy", "at_least": TARGETS},
        "stop": {"time": "3 h"},
        "evaluate": {"from": "20 s", "ratio": 1.02},
        "seeds": SEEDS,
    }
    return {
        "schema_version": 1,
        "name": "example",
        "version": "0.1.0",
        "build": {"compiler": "GNU 12.2.0", "instruction_set": "x86-64-v3", "results_version": 1},
        "description": "16 workers in 4 regions, Fashion-MNIST on an MLP of 101,770 parameters at the cost of pythia-70m",
        "config": config,
        "target": {"metric": "validation_accuracy", "values": TARGETS, "direction": "at_least"},
        "points": [
            {"run_id": result["run_id"], "label": result["label"], "seed": result["seed"], "axes": {}}
            for result in results
        ],
        "cluster": cluster,
    }


def summary_row(result):
    keys = [
        "run_id",
        "label",
        "algorithm",
        "seed",
        "axes",
        "stop_reason",
        "virtual_time_s",
        "steps",
        "rounds",
        "samples",
    ]
    row = {key: result[key] for key in keys}
    spent = at(result["label"], result["virtual_time_s"])
    return {
        **row,
        "bytes": result["network"]["bytes"],
        "messages": result["network"]["messages"],
        "energy_j": spent["energy_j"],
        "cost_usd": spent["cost_usd"],
        "targets": result["targets"],
        "final": result["final"],
        "ledger": result["ledger"]["total"],
        "digest": result["digest"],
    }


def flat(row):
    """A row of summary.csv: nested keys are joined with a dot, targets by their value."""
    cells = {}
    for key, value in row.items():
        if key == "targets":
            cells.update({f"time_to_{target['value']}_s": target["time_s"] for target in value})
        elif isinstance(value, dict):
            cells.update({f"{key}.{inner}": number for inner, number in value.items()})
        else:
            cells[key] = value
    return cells


def write_json(path, content):
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def write_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(
            file, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(rows)


def make(folder):
    folder = Path(folder)
    results = []
    for label in ALGORITHMS:
        for seed in SEEDS:
            result, rows, config = make_run(label, seed)
            run = folder / "runs" / result["run_id"]
            run.mkdir(parents=True, exist_ok=True)
            write_json(run / "result.json", result)
            write_json(run / "config.json", config)
            write_csv(run / "metrics.csv", rows)
            results.append(result)
    experiment = experiment_of(results)
    rows = [summary_row(result) for result in results]
    write_json(folder / "experiment.json", experiment)
    write_json(
        folder / "summary.json",
        {"schema_version": 1, "rows": rows, "comparison": comparison(results), "headline": headline(results)},
    )
    write_csv(folder / "summary.csv", [flat(row) for row in rows])
    return experiment


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: make_example_results.py DIR", file=sys.stderr)
        sys.exit(2)
    make(sys.argv[1])
