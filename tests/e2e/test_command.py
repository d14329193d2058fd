# SPDX-License-Identifier: Apache-2.0
"""Arguments, exit statuses and formats of the command."""
import json
import subprocess



def test_a_result_that_cannot_be_written_is_an_error(bayou, tmp_path):
    with open("/dev/full", "w") as full:
        for command in (["sql", "-c", "SELECT 1"], ["sql", "-c", "SELECT * FROM range(100000)"]):
            done = subprocess.run([bayou, *command], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                  text=True, cwd=tmp_path, timeout=60)
            assert (done.returncode, done.stderr[:22]) == (1, "error [OUTPUT_FAILED]:"), done.stderr


def test_a_closed_output_never_writes_into_another_file(bayou, tmp_path):
    sql = "ATTACH 'x.db' AS m; CREATE TABLE m.t AS SELECT 1 AS a; SELECT * FROM range(100000)"
    done = subprocess.run(["sh", "-c", '"$0" sql -c "$1" >&-', bayou, sql], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 1 and "OUTPUT_FAILED" in done.stderr
    done = subprocess.run([bayou, "sql", "-c", "ATTACH 'x.db' AS m; SELECT a FROM m.t"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.stdout == "a\n1\n", done.stderr


def test_usage_errors_are_2_and_failures_1(run):
    assert run("nonsense").returncode == 2
    assert run("sql", "--format", "xml").returncode == 2
    assert run("history").returncode == 2
    assert "no command histroy" in run("histroy", "t").stderr
    assert '"abc" is no whole number from 1 on' in run("history", "t", "--limit", "abc").stderr
    assert run("history", "t", "--limit", "0").returncode == 2
    lost = run("restore", "t")
    assert lost.returncode == 2 and "--version or --timestamp" in lost.stderr
    failed = run("sql", "-c", "SELECT nope")
    assert failed.returncode == 1
    assert failed.stderr.count("error [") == 1
    assert run("--version").stdout.startswith("bayou ")
    assert "Examples" in run("--help").stdout


def test_flags_may_follow_the_statement(run):
    done = run("sql", "-c", "SELECT 1 AS a", "-c", "SELECT 2 AS b", "--format", "jsonl")
    assert done.stdout == '{"a":1}\n{"b":2}\n'


def test_statements_without_rows_print_nothing(run):
    done = run("sql", "--format", "json", "-c",
               "CREATE TABLE t (i INT); INSERT INTO t VALUES (1); SET threads = 1; SELECT i FROM t")
    assert json.loads(done.stdout) == [{"i": 1}]


def test_json_values(run):
    done = run("sql", "--format", "json", "-c", """
        SELECT 'a"b\n' AS s, 1.50::DECIMAL(4,2) AS d, 9223372036854775807 AS n, 'nan'::DOUBLE AS f,
               '-inf'::FLOAT AS g, NULL AS z, true AS b, [1, NULL] AS l, {'x': 'y'} AS o, MAP {1: DATE '2024-01-01'} AS m,
               '\\xAA'::BLOB AS x, '{"k": 1}'::JSON AS j""")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [{
        "s": 'a"b\n', "d": 1.5, "n": 9223372036854775807, "f": "NaN", "g": "-Infinity", "z": None, "b": True,
        "l": [1, None], "o": {"x": "y"}, "m": {"1": "2024-01-01"}, "x": "\\xAA", "j": {"k": 1}}]
    assert '"d":1.50' in done.stdout


def test_json_numbers_have_a_digit_before_the_point(run):
    done = run("sql", "--format", "json", "-c", """
        SELECT .5 AS d, -0.25::DECIMAL(2,2) AS e, [.5] AS l, {'a': -.5} AS s, {'b': .5, 'c': 'x\"." .5'}::VARIANT AS v""")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [{"d": 0.5, "e": -0.25, "l": [0.5], "s": {"a": -0.5}, "v": {"b": 0.5, "c": 'x\"." .5'}}]


def test_csv_quotes_what_needs_it(run):
    done = run("sql", "--format", "csv", "-c", "SELECT 'a,b' AS x, 'c\"d' AS y, '' AS e, NULL AS n")
    assert done.stdout == 'x,y,e,n\n"a,b","c""d","",\n'


def test_script_on_standard_input_and_in_a_file(bayou, tmp_path):
    script = tmp_path / "s.sql"
    script.write_text("SELECT 1 AS a; -- nothing else\n")
    piped = subprocess.run([bayou, "sql"], input=script.read_text(), capture_output=True, text=True, cwd=tmp_path)
    assert piped.stdout == "a\n1\n"
    named = subprocess.run([bayou, "sql", "-f", script], capture_output=True, text=True, cwd=tmp_path)
    assert named.stdout == "a\n1\n"
    missing = subprocess.run([bayou, "sql", "-f", tmp_path / "no.sql"], capture_output=True, text=True, cwd=tmp_path)
    assert missing.returncode == 1 and "FILE_NOT_FOUND" in missing.stderr


def test_dot_commands_in_a_script(bayou, tmp_path):
    def feed(script):
        done = subprocess.run([bayou, "sql"], input=script, capture_output=True, text=True, cwd=tmp_path)
        return done.returncode, done.stdout, done.stderr
    assert feed(".mode jsonl\nSELECT 1 AS a;\n-- so\n.mode csv\nSELECT\n.5 AS b;\n.quit\nSELECT 3") == (0, '{"a":1}\nb\n.5\n', "")
    assert feed("CREATE TABLE t (i INT);\n.tables\n")[:2] == (0, "name\nt\n")
    assert feed("SELECT 1;\n.nope\nSELECT 2;")[:2] == (1, "1\n1\n")
    assert "UNKNOWN_COMMAND" in feed(".nope")[2]
    assert feed("SELECT nope;\n.tables")[:2] == (1, "")


def test_a_file_is_no_table(run, tmp_path):
    (tmp_path / "f").write_text("x")
    assert "it is a file" in run("history", "f").stderr
    assert "no such folder" in run("history", "g").stderr


def test_lake_of_another_folder(run, tmp_path):
    (tmp_path / "lake").mkdir()
    run("sql", "--lake", "lake", "-c", "CREATE TABLE t (i INT)")
    assert (tmp_path / "lake" / "t" / "_delta_log").is_dir()
    assert run("sql", "--lake", "lake", "-c", "SHOW TABLES").stdout == "name\nt\n"
    assert run("sql", "--lake", "nowhere", "-c", "SELECT 1").returncode == 1


def test_a_message_cannot_steer_the_terminal(run):
    done = run("sql", "-c", "SELECT * FROM delta.`/no\x1b[2Jsuch`")
    assert done.returncode == 1
    assert "\x1b" not in done.stderr


def test_a_large_difference_in_rows_ends(run):
    done = run("sql", "-c", "CREATE TABLE z AS SELECT range id FROM range(1000000); DELETE FROM z WHERE id % 10 = 1")
    assert done.returncode == 0, done.stderr
    done = run("diff", "z", "--from", "0", "--to", "1", "--rows", "--format", "csv")
    assert len(done.stdout.splitlines()) == 100001, done.stderr
