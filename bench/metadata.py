#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast a table's metadata answers: Bayou's whole process beside deltalake's first step, its import left out.

Makes two tables that are all log: one of a million files in a foreign checkpoint with JSON statistics and one row
group, and one of ten thousand commits without a checkpoint. Each figure is the best of three; peak memory is that of
the process. Needs pyarrow and deltalake (`./dev setup bench`).
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1000  # Of each file: file i holds the ids from i * ROWS on.
RUNS = 3
SCHEMA = {"type": "struct", "fields": [{"name": name, "type": kind, "nullable": True, "metadata": {}}
                                       for name, kind in (("id", "long"), ("v", "double"), ("s", "string"))]}
PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 2}


def metadata():
    return {"id": "3a4cbb1b-70d5-4f6a-a2b0-d8f2e6f0b0f1", "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps(SCHEMA), "partitionColumns": [], "configuration": {}, "createdTime": 0}


def add(i, size=1000):
    low, high = {"id": i * ROWS, "v": 0.0, "s": f"key-{i:08x}"}, {"id": (i + 1) * ROWS - 1, "v": 999.0, "s": f"key-{i:08x}z"}
    stats = {"numRecords": ROWS, "minValues": low, "maxValues": high, "nullCount": {"id": 0, "v": 0, "s": 0}}
    return {"path": f"part-{i:08d}.snappy.parquet", "partitionValues": {}, "size": size,
            "modificationTime": 1_700_000_000_000, "dataChange": True, "stats": json.dumps(stats)}


def commit(folder, version, *actions):
    lines = "".join(json.dumps(action) + "\n" for action in actions)
    (folder / "_delta_log" / f"{version:020d}.json").write_text(lines)


def data_file(folder, i):
    file = folder / f"part-{i:08d}.snappy.parquet"
    ids = range(i * ROWS, (i + 1) * ROWS)
    pq.write_table(pa.table({"id": pa.array(ids, pa.int64()), "v": [float(n % ROWS) for n in ids],
                             "s": [f"key-{i:08x}"] * ROWS}), file)
    return file


def checkpointed(folder, files):
    """`files` files in the checkpoint of version 10; of them only the one in the middle exists."""
    (folder / "_delta_log").mkdir(parents=True)
    hit = files // 2
    size = data_file(folder, hit).stat().st_size
    text, pairs = pa.string(), pa.map_(pa.string(), pa.string())
    add_type = pa.struct([("path", text), ("partitionValues", pairs), ("size", pa.int64()),
                          ("modificationTime", pa.int64()), ("dataChange", pa.bool_()), ("stats", text)])
    meta_type = pa.struct([("id", text), ("format", pa.struct([("provider", text), ("options", pairs)])),
                           ("schemaString", text), ("partitionColumns", pa.list_(text)), ("configuration", pairs),
                           ("createdTime", pa.int64())])
    adds = [add(i, size if i == hit else 1000) for i in range(files)]
    for body in adds:
        body["partitionValues"] = []
    meta = {**metadata(), "configuration": [], "format": {"provider": "parquet", "options": []}}
    rows = pa.table({
        "protocol": pa.array([PROTOCOL, None] + [None] * files,
                             pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())])),
        "metaData": pa.array([None, meta] + [None] * files, meta_type),
        "add": pa.array([None, None] + adds, add_type)})
    pq.write_table(rows, folder / "_delta_log" / f"{10:020d}.checkpoint.parquet")
    (folder / "_delta_log" / "_last_checkpoint").write_text(json.dumps({"version": 10, "size": files + 2}))
    for version in range(10, 16):
        commit(folder, version, {"commitInfo": {"timestamp": version, "operation": "WRITE"}})
    return hit * ROWS + ROWS // 2


def long_log(folder, commits):
    """One file a commit, one minute apart, no checkpoint."""
    (folder / "_delta_log").mkdir(parents=True)
    commit(folder, 0, {"protocol": PROTOCOL}, {"metaData": metadata()})
    for version in range(1, commits):
        commit(folder, version, {"commitInfo": {"timestamp": version * 60_000, "operation": "WRITE"}},
               {"add": add(version)})
    for version in range(commits):
        os.utime(folder / "_delta_log" / f"{version:020d}.json", (1_700_000_000 + 60 * version,) * 2)
    return datetime.datetime.fromtimestamp(1_700_000_000 + 30 * commits, datetime.timezone.utc).isoformat()


PEER = """
import sys, time
import deltalake
table, what, argument = sys.argv[1:]
started = time.perf_counter()
if what == "count":
    print(len(deltalake.DeltaTable(table).file_uris()), file=sys.stderr)
elif what == "find":
    query = deltalake.QueryBuilder().register("t", deltalake.DeltaTable(table))
    print(query.execute(f"SELECT * FROM t WHERE id = {argument}").read_all().num_rows, file=sys.stderr)
else:
    opened = deltalake.DeltaTable(table)
    opened.load_as_version(argument)
    print(len(opened.file_uris()), file=sys.stderr)
seconds = time.perf_counter() - started
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(seconds, peak // 1024)
"""


def peak(process):
    """The high-water mark in MiB so far; rusage would count what Python held before the exec."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(lines[0].split()[1]) // 1024 if lines else 0


def bayou(command):
    """Seconds and peak MiB (sampled) of one process."""
    before, memory = time.perf_counter(), 0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        memory = max(memory, peak(process.pid))
        time.sleep(0.002)
    if process.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return time.perf_counter() - before, memory


def peer(*arguments):
    done = subprocess.run([sys.executable, "-c", PEER, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True, text=True)
    seconds, memory = done.stdout.split()
    return float(seconds), int(memory)


def best(measure, *arguments):
    return min(measure(*arguments) for _ in range(RUNS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bayou", required=True)
    parser.add_argument("--data", default="build/bench-data", type=pathlib.Path)
    parser.add_argument("--files", default=1_000_000, type=int)
    parser.add_argument("--commits", default=10_000, type=int)
    options = parser.parse_args()
    many, log = options.data / f"files-{options.files}", options.data / f"commits-{options.commits}"
    hit = options.files // 2 * ROWS + ROWS // 2
    moment = datetime.datetime.fromtimestamp(1_700_000_000 + 30 * options.commits, datetime.timezone.utc).isoformat()
    if not many.exists():
        checkpointed(many, options.files)
    if not log.exists():
        long_log(log, options.commits)
    many, log = many.absolute(), log.absolute()
    sql = [options.bayou, "sql", "-c"]
    rows = [
        (f"count the live files of {options.files:,}", [options.bayou, "files", "--count", many], (many, "count", "")),
        ("find one row's file among them", [*sql, f"SELECT * FROM delta.`{many}` WHERE id = {hit}"], (many, "find", hit)),
        (f"open {options.commits:,} commits without a checkpoint", [options.bayou, "files", "--count", log], (log, "count", "")),
        ("… as of a time in the middle", [options.bayou, "files", "--count", "--timestamp", moment, log], (log, "travel", moment)),
        ("an empty process", [*sql, "SELECT 1"], None)]
    print("| | Bayou s | MiB | deltalake s | MiB | ratio |\n|---|---|---|---|---|---|")
    for name, ours, theirs in rows:
        seconds, memory = best(bayou, ours)
        line = f"| {name} | {seconds:.2f} | {memory} |"
        if theirs:
            peer_seconds, peer_memory = best(peer, *theirs)
            line += f" {peer_seconds:.2f} | {peer_memory} | {seconds / peer_seconds:.2f} |"
        else:
            line += " | | |"
        print(line, flush=True)


main()
