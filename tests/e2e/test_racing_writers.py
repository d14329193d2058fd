# SPDX-License-Identifier: Apache-2.0
"""Several processes append to one table at once: no row is lost, none comes twice."""
import concurrent.futures

WRITERS, APPENDS = 6, 5


def test_every_append_lands_once(sql):
    sql("CREATE TABLE t (writer INT, number INT) TBLPROPERTIES ('delta.checkpointInterval' = '7')")

    def write(writer):
        sql(*(f"INSERT INTO t VALUES ({writer}, {number})" for number in range(APPENDS)))
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    rows = sql("SELECT writer, number FROM t ORDER BY ALL")
    assert [(row["writer"], row["number"]) for row in rows] == [(w, n) for w in range(WRITERS) for n in range(APPENDS)]
    assert sql("SELECT max(version) AS version FROM bayou_history('t')") == [{"version": WRITERS * APPENDS}]


def test_create_table_if_not_exists_is_no_race_to_lose(sql):
    def write(writer):
        sql("CREATE TABLE IF NOT EXISTS r (writer INT)", f"INSERT INTO r VALUES ({writer})")
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    assert sql("SELECT count(DISTINCT writer) AS writers FROM r") == [{"writers": WRITERS}]


def test_create_table_if_not_exists_as_is_made_once(sql):
    def write(writer):
        sql(f"CREATE TABLE IF NOT EXISTS a AS SELECT {writer} AS writer, range AS i FROM range(100000)")
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    assert sql("SELECT count(DISTINCT writer) AS writers, count(*) AS n FROM a") == [{"writers": 1, "n": 100000}]
    assert sql("SELECT count(*) AS versions FROM bayou_history('a')") == [{"versions": 1}]


def test_a_file_is_loaded_once_whoever_loads_it(sql):
    sql("CREATE TABLE l (id BIGINT)", "CREATE SCHEMA load", *(f"COPY (SELECT {i} AS id) TO 'load/{i}.parquet'" for i in range(5)))

    def load(_):
        return sql("COPY INTO l FROM 'load' FILEFORMAT = PARQUET")[0]["num_inserted_rows"]
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        assert sum(pool.map(load, range(WRITERS))) == 5
    assert [row["id"] for row in sql("SELECT id FROM l ORDER BY id")] == list(range(5))


def test_what_an_interrupted_create_left_is_in_nobodys_way(sql, tmp_path):
    (tmp_path / "i" / "_delta_log").mkdir(parents=True)
    (tmp_path / "i" / "part-00000-left.snappy.parquet").write_bytes(b"PAR1")
    sql("CREATE TABLE i AS SELECT 7 AS v")
    assert sql("SELECT v FROM i") == [{"v": 7}]
