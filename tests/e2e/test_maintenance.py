# SPDX-License-Identifier: Apache-2.0
"""The sub-commands that look after a table, and what they bear of other processes at work on it."""
import concurrent.futures
import json
import os
import shutil
import subprocess
import time

DAY = 24 * 60 * 60


def small_files(sql, name="t", count=6, conf=""):
    sql(f"CREATE TABLE {name} (id INT){conf}", *(f"INSERT INTO {name} VALUES ({i})" for i in range(count)))


def data_files(folder):
    return sorted(file for file in folder.rglob("*.parquet") if "_delta_log" not in file.parts)


def test_optimize(run, sql, tmp_path):
    small_files(sql)
    dry = json.loads(run("optimize", tmp_path / "t", "--dry-run", "--format", "json").stdout)
    assert len(dry) == 6 and {row["bin"] for row in dry} == {0}
    done = json.loads(run("optimize", tmp_path / "t", "--format", "json").stdout)[0]
    assert done["path"] == str(tmp_path / "t")
    assert (done["metrics"]["numFilesAdded"], done["metrics"]["numFilesRemoved"]) == (1, 6)
    commit = [json.loads(line) for line in (tmp_path / "t" / "_delta_log" / f"{7:020}.json").read_text().splitlines()]
    assert [set(action) for action in commit[1:]] == [{"remove"}] * 6 + [{"add"}]
    for action in commit[1:]:
        (kind, body), = action.items()
        assert body["dataChange"] is False
        assert kind == "add" or (body["extendedFileMetadata"] and body["partitionValues"] == {} and body["size"] > 0)
    assert json.loads(commit[-1]["add"]["stats"])["numRecords"] == 6
    refused = run("optimize", tmp_path / "t", "--where", "id = 1")
    assert refused.returncode == 1 and "error [DELTA_NON_PARTITION_COLUMN_REFERENCE]" in refused.stderr


def test_more_bins_than_threads(sql, tmp_path):
    """Rows of files that came first stay before others."""
    sql("CREATE TABLE t (id INT, p INT) PARTITIONED BY (p)",
        *(f"INSERT INTO t SELECT range, range % 7 FROM range({i * 1000}, {i * 1000 + 1000})" for i in range(4)))
    sql("SET threads = 4", "OPTIMIZE t")
    assert len(data_files(tmp_path / "t")) == 35
    assert sql("SELECT count(*) AS n, count(DISTINCT id) AS ids, sum(id) AS s FROM t") == [
        {"n": 4000, "ids": 4000, "s": 4000 * 3999 // 2}]
    rows = [row["n"] for row in sql("SELECT id // 1000 AS n FROM t WHERE p = 3 ORDER BY _metadata.row_index")]
    assert len(rows) > 500 and rows == sorted(rows)


def test_appends_go_on_while_a_table_is_optimized(run, sql):
    small_files(sql, count=3)

    def append(writer):
        for number in range(4):
            sql(f"INSERT INTO t VALUES ({100 * writer + number})")

    def optimize(_):
        for _ in range(4):
            assert run("optimize", "t").returncode == 0
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda job: job[0](job[1]), [(append, 1), (append, 2), (optimize, 0)]))
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == [0, 1, 2, 100, 101, 102, 103, 200, 201, 202, 203]


def test_deletes_are_not_undone_by_optimize(run, sql):
    small_files(sql, count=8, conf=" TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(lambda: [sql(f"DELETE FROM t WHERE id = {i}") for i in range(4)]),
                pool.submit(lambda: [run("optimize", "t") for _ in range(3)])]
        for job in jobs:
            job.result()
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == [4, 5, 6, 7]


def test_what_a_killed_optimize_has_committed_stays(bayou, run, sql, tmp_path):
    sql("CREATE TABLE t (id INT, p INT) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        *(f"INSERT INTO t SELECT range, range % 60 FROM range({i * 600}, {i * 600 + 600})" for i in range(3)))
    ids = "SELECT id, p, _metadata.row_id AS row_id FROM t ORDER BY id"
    rows = sql(ids)
    command = [bayou, "optimize", "t", "--commit-every", "1B"]
    optimize = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = tmp_path / "t" / "_delta_log"
    while len(list(log.glob("*.json"))) < 12 and optimize.poll() is None:
        time.sleep(0.002)
    optimize.kill()
    optimize.wait()
    files = sql("SELECT count(*) AS n FROM bayou_files('t')")[0]["n"]
    assert 60 < files <= 180 - 2 * 6
    assert sql(ids) == rows
    done = json.loads(run("optimize", "t", "--commit-every", "1GB", "--format", "json").stdout)[0]["metrics"]
    assert (done["numBatches"], done["numFilesRemoved"]) == (1, files - (180 - files) // 2)
    assert sql(ids) == rows and sql("SELECT count(*) AS n FROM bayou_files('t')") == [{"n": 60}]
    assert run("validate", "t").returncode == 0


def test_many_commits_beside_deletes(run, sql):
    sql("CREATE TABLE t (id INT, p INT) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        *(f"INSERT INTO t SELECT range, range % 20 FROM range({i * 100}, {i * 100 + 100})" for i in range(3)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        deletes = pool.submit(lambda: [sql(f"DELETE FROM t WHERE id = {7 * i}") for i in range(20)])
        while not deletes.done():
            assert run("optimize", "t", "--commit-every", "1B").returncode == 0
        deletes.result()
    left = [i for i in range(300) if i % 7 or i >= 140]
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == left


def test_the_result_of_many_commits_counts_those_before_a_conflict_too(bayou, run, sql, tmp_path):
    sql("CREATE TABLE t (id INT, p INT) PARTITIONED BY (p)",
        *(f"INSERT INTO t SELECT range, range % 150 FROM range({i * 300}, {i * 300 + 300})" for i in range(3)))
    optimize = subprocess.Popen([bayou, "optimize", "t", "--commit-every", "1B", "--format", "json"], cwd=tmp_path,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    log = tmp_path / "t" / "_delta_log"
    while len(list(log.glob("*.json"))) < 6 and optimize.poll() is None:
        time.sleep(0.002)
    sql("DELETE FROM t WHERE p >= 100")
    output, _ = optimize.communicate()
    assert optimize.returncode == 0
    commits = sql("""SELECT count(*) AS n, sum("operationMetrics"['numRemovedFiles']::INT) AS removed,
                     sum("operationMetrics"['numAddedFiles']::INT) AS added FROM bayou_history('t') WHERE operation = 'OPTIMIZE'""")[0]
    done = json.loads(output)[0]["metrics"]
    assert (done["numBatches"], done["numFilesRemoved"], done["numFilesAdded"]) == (commits["n"], commits["removed"], commits["added"])
    assert done["totalScheduledTasks"] == commits["n"]


def test_optimize_if_needed(run, sql, tmp_path):
    small_files(sql, count=19)
    log = tmp_path / "t" / "_delta_log"
    assert run("optimize", "t", "--if-needed").returncode == 0 and len(list(log.glob("0*.json"))) == 20
    sql("INSERT INTO t VALUES (19)")
    assert run("optimize", "t", "--if-needed=21").returncode == 0 and len(data_files(tmp_path / "t")) == 20
    assert json.loads(run("optimize", "t", "--if-needed", "--format", "json").stdout)[0]["metrics"]["numFilesRemoved"] == 20
    assert run("optimize", "t", "--if-needed=0").returncode == 2 and run("optimize", "t", "--commit-every", "0").returncode == 2


def age(folder, days):
    """Makes files and folders below it as old as that."""
    then = time.time() - days * DAY
    for place in sorted(folder.rglob("*"), reverse=True):
        os.utime(place, (then, then))


def test_vacuum(run, sql, tmp_path):
    small_files(sql)
    table = tmp_path / "t"
    run("optimize", table)
    orphan = table / "left by a killed writer.parquet"
    orphan.write_bytes(b"PAR1")
    left = table / "_delta_log" / ".00000000000000000099.json.61d16c75-6994-46b7-a15b-8b538852e50e.tmp"
    left.write_text("{}")
    age(table, 10)
    # The tombstones are young, whatever the files are.
    record = json.loads(run("vacuum", table, "--dry-run", "--format", "json").stdout)[0]
    assert (record["isDryRun"], record["typeOfVacuum"], record["objectsDeleted"]) == (True, "FULL", 2)
    assert (record["expiredFiles"], record["orphanedFiles"], record["temporaryLogFiles"]) == (0, 1, 1)
    assert sorted(record["files"]) == sorted([orphan.name, f"_delta_log/{left.name}"])
    assert run("vacuum", table, "--dry-run").stdout.splitlines()[1:] == [str(orphan), str(left)]
    assert orphan.exists() and left.exists()
    log = {file.name for file in (table / "_delta_log").iterdir()}
    record = json.loads(run("vacuum", table, "--format", "json").stdout)[0]
    assert (record["isDryRun"], record["objectsDeleted"], record["files"]) == (False, 2, [])
    assert not orphan.exists() and not left.exists() and len(data_files(table)) == 7
    assert {file.name for file in (table / "_delta_log").iterdir()} - log == {
        f"{8:020}.json", f"{8:020}.crc", f"{9:020}.json", f"{9:020}.crc", "_last_vacuum_info"}
    refused = run("vacuum", table, "--retain-hours", "0")
    assert refused.returncode == 1 and "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT" in refused.stderr
    done = run("vacuum", table, "--retain-hours", "0", "--no-retention-check")
    assert done.returncode == 0 and "may still need" in done.stderr
    assert len(data_files(table)) == 1
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == list(range(6))


def test_a_second_vacuum_asks_the_log_alone(run, sql, tmp_path):
    small_files(sql, count=2)
    first = json.loads(run("vacuum", "t", "--format", "json").stdout)[0]
    assert (first["skipped"], first["typeOfVacuum"], first["reason"]) == (False, "FULL", "no full run is known")
    orphan = tmp_path / "t" / "orphan.parquet"
    orphan.write_bytes(b"PAR1")
    os.utime(orphan, (0, 0))
    second = run("vacuum", "t", "--format", "json")
    assert json.loads(second.stdout)[0]["skipped"] and "was skipped" in second.stderr
    assert sql("SELECT count(*) AS n FROM bayou_history('t') WHERE operation LIKE 'VACUUM%'") == [{"n": 2}]
    assert sql("VACUUM t") == [] and sql("VACUUM t DRY RUN") == [] and orphan.exists()
    assert json.loads(run("vacuum", "t", "--no-optimistic", "--format", "json").stdout)[0]["orphanedFiles"] == 1
    assert not orphan.exists()


def test_vacuum_beside_readers_and_writers(run, sql, tmp_path):
    """Nothing that is live goes, whoever commits meanwhile."""
    small_files(sql, count=3)

    def write(_):
        for number in range(5):
            sql(f"INSERT INTO t VALUES ({100 + number})")
            run("optimize", "t")

    def vacuum(_):
        for _ in range(6):
            done = run("vacuum", "t", "--no-optimistic")
            assert done.returncode == 0, done.stderr
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: job(0), [write, vacuum]))
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == [0, 1, 2, 100, 101, 102, 103, 104]


def make_tombstones_old(log, days):
    for commit in log.glob("0*.json"):
        actions = [json.loads(line) for line in commit.read_text().splitlines()]
        for action in actions:
            if "remove" in action:
                action["remove"]["deletionTimestamp"] -= days * DAY * 1000
        commit.write_text("".join(json.dumps(action) + "\n" for action in actions))


def test_a_killed_vacuum_does_no_harm_and_the_next_one_ends_its_work(bayou, run, sql, tmp_path):
    sql("CREATE TABLE t (id INT, p INT) PARTITIONED BY (p)", "INSERT INTO t SELECT range, range % 50 FROM range(500)",
        "INSERT INTO t SELECT range, range % 50 FROM range(500, 1000)", "OPTIMIZE t")
    table = tmp_path / "t"
    make_tombstones_old(table / "_delta_log", 10)
    orphans = [table / f"p={i % 50}" / f"orphan-{i}.parquet" for i in range(8000)]
    for orphan in orphans:
        orphan.write_bytes(b"PAR1")
    age(table, 10)
    garbage = set(data_files(table)) - {
        table / row["path"] for row in sql("SELECT path FROM bayou_files('t')")}
    assert len(garbage) == 8100

    sample = sorted(garbage)[::81]

    def left():
        return sum(file.exists() for file in garbage)

    def percent_left():
        return sum(file.exists() for file in sample)
    ids = list(range(1000))

    def write():
        for number in range(1000, 1008):
            sql(f"INSERT INTO t VALUES ({number}, {number % 50})")
            ids.append(number)

    def kill_when(reached):
        vacuum = subprocess.Popen([bayou, "vacuum", "t", "--no-optimistic"], cwd=tmp_path, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while vacuum.poll() is None and not reached():
            time.sleep(0.001)
        vacuum.kill()
        vacuum.wait()
    log = table / "_delta_log"
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        started = time.monotonic()
        kill_when(lambda: time.monotonic() > started + 0.01)  # Before it does anything.
        kill_when(lambda: any("VACUUM START" in file.read_text() for file in log.glob("0*.json")))
        for percent in (95, 70, 40, 15):
            kill_when(lambda most=percent: percent_left() <= most)
        writing.result()
    assert run("validate", "t", "--deep").returncode == 0
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == ids
    done = run("vacuum", "t")
    assert done.returncode == 0, done.stderr
    assert left() == 0
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == ids
    deep = run("validate", "t", "--deep", "--format", "json")
    assert deep.returncode == 0 and not {"ORPHANS", "OLD_FILES"} & {row["code"] for row in json.loads(deep.stdout or "[]")}


def test_restore(run, sql, tmp_path):
    small_files(sql, count=3)
    done = json.loads(run("restore", tmp_path / "t", "--version", "1", "--format", "json").stdout)[0]
    assert (done["num_removed_files"], done["num_restored_files"], done["num_of_files_after_restore"]) == (2, 0, 1)
    assert sql("SELECT id FROM t") == [{"id": 0}]
    assert run("restore", tmp_path / "t").returncode == 2


def test_manifests_that_cannot_be_written_are_a_note(sql, run, tmp_path):
    sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true')")
    manifests = tmp_path / "t" / "_symlink_format_manifest"
    assert (manifests / "manifest").read_text() == ""
    shutil.rmtree(manifests)
    manifests.write_text("no folder")
    done = run("sql", "-c", "INSERT INTO t VALUES (1)")
    assert done.returncode == 0 and "version 1 is committed, but its manifests" in done.stderr
    manifests.unlink()
    sql("INSERT INTO t VALUES (2)")
    files = [row["path"] for row in sql("SELECT path FROM bayou_files('t') ORDER BY path")]
    assert sorted((manifests / "manifest").read_text().split()) == [f"file:{tmp_path}/t/{path}" for path in files]
    assert sql("SELECT sum(id) AS s FROM t") == [{"s": 3}]
