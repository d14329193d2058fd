# SPDX-License-Identifier: Apache-2.0
"""Real processes write one table at once, and are killed: no gap, nothing lost, nothing twice.

BAYOU_E2E_FULL=1 runs the full size, 16 writers x 100 commits and 500 kills; without, as much as a test run bears.
"""
import concurrent.futures
import os
import random
import signal
import subprocess
import sys
import time

import pytest

FULL = os.environ.get("BAYOU_E2E_FULL") == "1"
WRITERS, COMMITS = (14, 100) if FULL else (4, 15)
GUESTS, GUEST_COMMITS = (2, 100) if FULL else (1, 8)  # Processes of deltalake.
KILLS = 500 if FULL else 30
SECONDS = 3000 if FULL else 300
VECTORS = "'delta.enableDeletionVectors' = 'true'"


class Story:
    """What one writer does to rows of its own, (writer, number, v): statements, and the rows after each of them."""

    def __init__(self, writer, commits):
        self.statements, self.states, rows = [], [frozenset()], {}
        where = f"WHERE writer = {writer} AND number"
        for number in range(commits):
            kind = number % 5
            if kind in (0, 1, 4):
                values = [(number, i) for i in range(3)] if kind == 1 else [(number, 0)]
                rows.update({(n, i): 0 for n, i in values})
                self.statements.append("INSERT INTO t VALUES " + ", ".join(f"({writer}, {n}, {i}, 0)" for n, i in values))
            elif kind == 2:
                rows.update({key: v + 1 for key, v in rows.items() if key[0] >= number - 2})
                self.statements.append(f"UPDATE t SET v = v + 1 {where} >= {number - 2}")
            else:
                rows = {key: v for key, v in rows.items() if key != (number - 2, 1)}
                rows[(number, 0)] = 7
                self.statements.append(
                    f"MERGE INTO t USING (VALUES ({writer}, {number - 2}, 1), ({writer}, {number}, 0)) s(writer, number, i) "
                    f"ON t.writer = s.writer AND t.number = s.number AND t.i = s.i AND t.writer = {writer} "
                    f"WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.writer, s.number, s.i, 7)")
            self.states.append(frozenset((n, i, v) for (n, i), v in rows.items()))


def create(sql, *properties):
    listed = ", ".join(["'delta.checkpointInterval' = '7'", *properties])
    sql(f"CREATE TABLE t (writer INT, number INT, i INT, v INT) TBLPROPERTIES ({listed})")


def rows_of(sql):
    """The table's rows by writer; every row once."""
    found = {}
    for row in sql("SELECT * FROM t"):
        mine = found.setdefault(row["writer"], [])
        mine.append((row["number"], row["i"], row["v"]))
    for writer, rows in found.items():
        assert len(rows) == len(set(rows)), f"writer {writer} has a row twice"
    return {writer: frozenset(rows) for writer, rows in found.items()}


def versions(lake):
    log = lake / "t" / "_delta_log"
    return sorted(int(file.name[:20]) for file in log.iterdir() if len(file.name) == 25 and file.suffix == ".json")


GUEST = """
import sys
import pyarrow as pa
from deltalake import write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError
table, writer, commits = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for number in range(commits):
    row = pa.table({name: pa.array([value], pa.int32()) for name, value in
                    (("writer", writer), ("number", number), ("i", 0), ("v", 0))})
    while True:
        try:
            write_deltalake(table, row, mode="append")
            break
        except CommitFailedError as lost:  # Too many races: it has committed nothing.
            print(lost, file=sys.stderr)
"""


@pytest.mark.parametrize("properties", [(), (VECTORS, "'delta.enableRowTracking' = 'true'")], ids=["plain", "vectors"])
def test_every_commit_of_many_writers_lands_once(bayou, sql, tmp_path, properties):
    create(sql, *properties)
    stories = [Story(writer, COMMITS) for writer in range(WRITERS)]
    guests = [] if properties else range(100, 100 + GUESTS)  # deltalake writes no table with vectors.

    def write(command):
        done = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
    commands = [[bayou, "sql", "-c", ";".join(story.statements)] for story in stories]
    commands += [[sys.executable, "-c", GUEST, "t", str(guest), str(GUEST_COMMITS)] for guest in guests]
    with concurrent.futures.ThreadPoolExecutor(len(commands)) as pool:
        list(pool.map(write, commands))

    rows = rows_of(sql)
    for writer, story in enumerate(stories):
        assert rows[writer] == story.states[-1], f"writer {writer}"
    for guest in guests:
        assert rows[guest] == {(number, 0, 0) for number in range(GUEST_COMMITS)}
    commits = WRITERS * COMMITS + len(guests) * GUEST_COMMITS
    assert versions(tmp_path) == list(range(commits + 1))
    assert sql("SELECT max(version) AS version FROM bayou_history('t')") == [{"version": commits}]
    if properties:
        ids = sql("SELECT count(*) AS rows, count(DISTINCT _metadata.row_id) AS ids FROM t")[0]
        assert ids["rows"] == ids["ids"]
    else:
        import deltalake
        assert deltalake.DeltaTable(tmp_path / "t").to_pyarrow_table().num_rows == sum(map(len, rows.values()))


class Victim:
    """A process that carries out a story, says after each statement how far it is, and is killed some time."""

    def __init__(self, bayou, lake, writer, log):
        self.writer, self.story, self.log = writer, Story(writer, 10), log
        text = ";".join(f"{statement}; SELECT {n + 1} AS done" for n, statement in enumerate(self.story.statements))
        with open(log, "w") as out:
            self.process = subprocess.Popen([bayou, "sql", "--format", "jsonl", "-c", text], cwd=lake,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)

    def said(self):
        said = [line for line in self.log.read_text().splitlines() if line.endswith("}")]
        assert not any("error" in line for line in said), said
        done = [line for line in said if line.startswith('{"done":')]
        return int(done[-1].split(":")[1][:-1]) if done else 0

    def kill(self, dice):
        """At a random moment behind a random statement: on a busy machine a time alone would come before the first."""
        statement = dice.randrange(-1, 10)
        while self.said() < statement and self.process.poll() is None:
            time.sleep(0.002)
        time.sleep(dice.uniform(0, 0.06))
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        return self.said()


def test_what_a_killed_process_said_was_done_is_done(bayou, sql, tmp_path, duckdb_delta):
    create(sql, VECTORS, "'delta.enableChangeDataFeed' = 'true'")
    dice, said = random.Random(7), {}
    for writer in range(0, KILLS, 2):
        pair = [Victim(bayou, tmp_path, writer + i, tmp_path / f"said-{i}") for i in range(2)]
        for victim in pair:
            said[victim.writer] = (victim.kill(dice), victim.story)

    rows, steps = rows_of(sql), 0
    for writer, (done, story) in said.items():
        # What it said, or one statement more: the one at which it was killed.
        held = [n for n in (done, done + 1) if n < len(story.states) and story.states[n] == rows.get(writer, frozenset())]
        assert held, f"writer {writer} said {done}, and has {sorted(rows.get(writer, ()))}"
        steps += held[-1]
    found = versions(tmp_path)
    assert found == list(range(len(found)))
    assert steps > KILLS, "hardly anything was killed in the middle"
    assert len(found) >= sum(done for done, _ in said.values())
    # The feed tells the same, and another reader sees it.
    feed = sql("SELECT sum(CASE WHEN _change_type IN ('insert', 'update_postimage') THEN 1 ELSE -1 END)::INT AS rows "
               "FROM table_changes('t', 0)")[0]["rows"]
    theirs = duckdb_delta.execute(f"SELECT count(*) FROM delta_scan('{tmp_path / 't'}')").fetchone()[0]
    assert feed == theirs == sum(map(len, rows.values()))
    assert sql("INSERT INTO t VALUES (-1, 0, 0, 0)", "SELECT count(*) AS n FROM t WHERE writer = -1") == [{"n": 1}]


def test_what_a_killed_commit_left_is_no_commit(sql, tmp_path, duckdb_delta):
    create(sql)
    sql("INSERT INTO t VALUES (1, 0, 0, 0)")
    log = tmp_path / "t" / "_delta_log"
    for version in (1, 2, 3):
        (log / f".{version:020d}.json.0a1b2c3d-0000-4000-8000-000000000000.tmp").write_text('{"add":{"path":"nothing"')
    (log / f".{1:020d}.checkpoint.parquet.0a1b2c3d-0000-4000-8000-000000000000.tmp").write_text("PAR1")
    assert sql("SELECT max(version) AS version FROM bayou_history('t')") == [{"version": 1}]
    sql("INSERT INTO t VALUES (2, 0, 0, 0)")
    import deltalake
    table = deltalake.DeltaTable(tmp_path / "t")
    assert (table.version(), table.to_pyarrow_table().num_rows) == (2, 2)
    assert duckdb_delta.execute(f"SELECT count(*) FROM delta_scan('{tmp_path / 't'}')").fetchone()[0] == 2
