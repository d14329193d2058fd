# SPDX-License-Identifier: Apache-2.0
"""Tables that put their small files together after a write: what others who write meanwhile see of it, and what failure does to the write."""
import concurrent.futures

AUTO = " TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true')"
SOON = "SET bayou_auto_compact_min_num_files = 3"


def test_fifty_small_files_are_enough(sql):
    sql(f"CREATE TABLE t (id INT){AUTO}", *(f"INSERT INTO t VALUES ({i})" for i in range(49)))
    assert sql("SELECT count(*) AS n FROM bayou_files('t')") == [{"n": 49}]
    sql("INSERT INTO t VALUES (49)")
    assert sql("SELECT count(*) AS n FROM bayou_files('t')") == [{"n": 1}]
    history = sql("SELECT version, operation, operationParameters, operationMetrics FROM bayou_history('t') LIMIT 1")[0]
    assert (history["version"], history["operation"], history["operationParameters"]["auto"]) == (51, "OPTIMIZE", "true")
    assert history["operationMetrics"]["numRemovedFiles"] == "50"
    assert sql("SELECT count(DISTINCT id) AS ids, sum(id) AS s FROM t") == [{"ids": 50, "s": 49 * 25}]


def test_writers_do_not_fail_beside_each_others_compaction(sql):
    sql(f"CREATE TABLE t (writer INT, n INT, v INT){AUTO}")

    def write(writer):
        sql(SOON, *(statement for n in range(6) for statement in (
            f"INSERT INTO t VALUES ({writer}, {n}, 0), ({writer}, {-n - 1}, 0)", f"DELETE FROM t WHERE writer = {writer} AND n = {-n - 1}",
            f"UPDATE t SET v = v + 1 WHERE writer = {writer} AND n = {n}")))
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(3)))
    assert [tuple(row.values()) for row in sql("SELECT writer, n, v FROM t ORDER BY ALL")] == [
        (writer, n, 1) for writer in range(3) for n in range(6)]
    operations = [(row["operation"], row["auto"]) for row in sql(
        "SELECT operation, operationParameters['auto'] AS auto FROM bayou_history('t')")]
    assert ("OPTIMIZE", "true") in operations
    assert sum(name != "OPTIMIZE" for name, _ in operations) == 1 + 3 * 6 * 3


def test_a_compaction_that_fails_is_a_note(sql, run, tmp_path):
    sql(f"CREATE TABLE t (id INT){AUTO}", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    lost = next((tmp_path / "t").glob("*.parquet"))
    content = lost.read_bytes()
    lost.write_bytes(content[:len(content) // 2])
    done = run("sql", "-c", f"{SOON}; INSERT INTO t VALUES (3)")
    assert done.returncode == 0 and "note: the small files of table" in done.stderr
    lost.write_bytes(content)
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == [1, 2, 3]
    assert len(list((tmp_path / "t").glob("*.parquet"))) == 3
