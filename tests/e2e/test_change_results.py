# SPDX-License-Identifier: Apache-2.0
"""What a change answers, and what several statements print together."""
import json


def run(bayou, tmp_path, sql, format="json"):
    import subprocess
    done = subprocess.run([bayou, "sql", "-c", sql, "--format", format], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_changes_answer_with_the_rows_that_they_changed(bayou, tmp_path):
    printed = run(bayou, tmp_path, """
        CREATE TABLE t (id INT, v INT); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3); DELETE FROM t WHERE id = 1;
        UPDATE t SET v = 5 WHERE id > 1; DELETE FROM t WHERE id = 7;
        MERGE INTO t USING (VALUES (2, 0), (3, 9), (4, 4)) AS s(id, v) ON t.id = s.id
            WHEN MATCHED AND s.v = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""", "jsonl")
    assert [json.loads(line) for line in printed.splitlines()] == [
        {"num_affected_rows": 1}, {"num_affected_rows": 2}, {"num_affected_rows": 0},
        {"num_affected_rows": 3, "num_updated_rows": 1, "num_deleted_rows": 1, "num_inserted_rows": 1}]


def test_inserts_overwrites_and_truncation_print_nothing(bayou, tmp_path):
    assert run(bayou, tmp_path, """
        CREATE TABLE t (id INT); INSERT INTO t VALUES (1); INSERT OVERWRITE t VALUES (2);
        INSERT INTO t REPLACE WHERE id = 2 VALUES (2); TRUNCATE TABLE t""") == ""


def test_explained_changes_change_nothing_and_print_a_plan(bayou, tmp_path):
    run(bayou, tmp_path, "CREATE TABLE t (id INT); INSERT INTO t VALUES (1)")
    assert "num_affected_rows" not in run(bayou, tmp_path, "EXPLAIN DELETE FROM t", "csv")
    assert json.loads(run(bayou, tmp_path, "SELECT count(*) AS n FROM t")) == [{"n": 1}]


def test_a_document_holds_the_last_result(bayou, tmp_path):
    assert json.loads(run(bayou, tmp_path, "SELECT 1 AS a; SELECT 2 AS b")) == [{"b": 2}]
    assert json.loads(run(bayou, tmp_path, "SELECT 1 AS a FROM range(2); SET threads = 1")) == [{"a": 1}, {"a": 1}]
    assert json.loads(run(bayou, tmp_path, "SELECT 1 AS a; SELECT 2 AS b WHERE false")) == []
