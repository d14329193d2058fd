# SPDX-License-Identifier: Apache-2.0
"""Tables that bayou wrote, read by implementations that share no code with it."""
import datetime
import json
import urllib.parse
from decimal import Decimal

import pyarrow as pa
import pytest

UTC = datetime.timezone.utc

# Column: type, two values as SQL, the same as Python. A third row is all nulls.
COLUMNS = {
    "bool": ("BOOLEAN", ["true", "false"], [True, False]),
    "i8": ("TINYINT", ["-128", "127"], [-128, 127]),
    "i16": ("SMALLINT", ["-32768", "32767"], [-32768, 32767]),
    "i32": ("INTEGER", ["-2147483648", "2147483647"], [-2**31, 2**31 - 1]),
    "i64": ("BIGINT", ["-9223372036854775808", "9223372036854775807"], [-2**63, 2**63 - 1]),
    "f32": ("FLOAT", ["0.5", "-1e30"], [0.5, pa.scalar(-1e30, pa.float32()).as_py()]),
    "f64": ("DOUBLE", ["0.1", "1e300"], [0.1, 1e300]),
    "d4": ("DECIMAL(4,2)", ["'12.34'", "'-99.99'"], [Decimal("12.34"), Decimal("-99.99")]),
    "d18": ("DECIMAL(18,4)", ["'90071992547409.9301'", "0"], [Decimal("90071992547409.9301"), Decimal("0.0000")]),
    "d3": ("DECIMAL(3,3)", ["'0.125'", "'0.001'"], [Decimal("0.125"), Decimal("0.001")]),
    "d38": ("DECIMAL(38,6)", ["'12345678901234567890123456789012.999999'", "1"],
            [Decimal("12345678901234567890123456789012.999999"), Decimal("1.000000")]),
    "s": ("STRING", ["'é\U0001D11E'", "''"], ["é\U0001D11E", ""]),
    "b": ("BINARY", ["'\\x00\\xFF'::BLOB", "''::BLOB"], [b"\x00\xff", b""]),
    "day": ("DATE", ["'1969-12-31'", "'9999-12-31'"], [datetime.date(1969, 12, 31), datetime.date(9999, 12, 31)]),
    "ts": ("TIMESTAMPTZ", ["'1969-12-31 23:59:59.999999+00'", "'2024-02-29 12:00:00+02'"],
           [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), datetime.datetime(2024, 2, 29, 10, tzinfo=UTC)]),
    "list": ("BIGINT[]", ["[1, NULL]", "[]"], [[1, None], []]),
    "map": ("MAP(VARCHAR, INTEGER)", ["MAP {'a': 1, 'b': NULL}", "MAP {}"], [[("a", 1), ("b", None)], []]),
    "struct": ("STRUCT(x INTEGER, y STRUCT(z VARCHAR))", ["{'x': 1, 'y': {'z': 'q'}}", "{'x': NULL, 'y': NULL}"],
               [{"x": 1, "y": {"z": "q"}}, {"x": None, "y": None}]),
    "deep": ("STRUCT(k VARCHAR, v DECIMAL(9,1)[])[]", ["[{'k': 'a', 'v': [1.5]}, NULL]", "NULL"],
             [[{"k": "a", "v": [Decimal("1.5")]}, None], None]),
}
ROWS = {name: [*values, None] for name, (_, _, values) in COLUMNS.items()}


def create(sql, table, properties=""):
    columns = ", ".join(f"{name} {type}" for name, (type, _, _) in COLUMNS.items())
    rows = [f"({i}, " + ", ".join(values[i] for _, values, _ in COLUMNS.values()) + ")" for i in range(2)]
    rows.append("(2, " + ", ".join("NULL" for _ in COLUMNS) + ")")
    with_properties = f" TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE {table} (id INTEGER, {columns}){with_properties}", f"INSERT INTO {table} VALUES {', '.join(rows)}")


def by_deltalake(path):
    from deltalake import DeltaTable
    return DeltaTable(path).to_pyarrow_table()


def plain(table, sort="id"):
    """Rows as Python values, in order."""
    return table.sort_by(sort).to_pylist()


def expected():
    return [{"id": i, **{name: values[i] for name, values in ROWS.items()}} for i in range(3)]


def same(got, want):
    """Equality in which a map may come as a dict or as pairs."""
    if isinstance(got, dict) and isinstance(want, list):
        got = list(got.items())
    if isinstance(want, dict):
        return isinstance(got, dict) and got.keys() == want.keys() and all(same(got[k], want[k]) for k in want)
    if isinstance(want, (list, tuple)):
        return isinstance(got, (list, tuple)) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, datetime.datetime) and got is not None:
        return got.astimezone(UTC) == want
    return got == want and type(got) is type(want)


def assert_same(got, want):
    for row, wanted in zip(got, want, strict=True):
        for name in wanted:
            assert same(row[name], wanted[name]), (name, row[name], wanted[name])


@pytest.mark.parametrize("properties", ["", "'delta.columnMapping.mode'='name'", "'delta.enableDeletionVectors'='true'",
                                        "'delta.parquet.compression.codec'='zstd'"])
def test_every_type_is_read_by_duckdb(sql, tmp_path, duckdb_delta, properties):
    create(sql, f"delta.`{tmp_path}/t`", properties)
    read = duckdb_delta.execute(f"SELECT * FROM delta_scan('{tmp_path}/t')").to_arrow_table()
    assert_same(plain(read), expected())


def test_every_type_is_read_by_deltalake(sql, tmp_path):
    create(sql, f"delta.`{tmp_path}/t`")
    assert_same(plain(by_deltalake(tmp_path / "t")), expected())


def test_wall_clock_times_are_read_by_both(sql, tmp_path, duckdb_delta):
    table = f"delta.`{tmp_path}/t`"
    sql(f"CREATE TABLE {table} (id INTEGER, t TIMESTAMP_NTZ)",
        f"INSERT INTO {table} VALUES (1, '2024-01-01 10:00:00.123456'), (2, NULL)")
    want = [{"id": 1, "t": datetime.datetime(2024, 1, 1, 10, 0, 0, 123456)}, {"id": 2, "t": None}]
    assert plain(by_deltalake(tmp_path / "t")) == want
    assert plain(duckdb_delta.execute(f"SELECT * FROM delta_scan('{tmp_path}/t')").to_arrow_table()) == want


ODD_VALUES = ["a b", "a/b", "/x/", "a%b", "%2F", "a=b", "a:b", "#", "?", "~", "..", "é", "\U0001D11E", "a\tb", "a\nb", "'",
              '"', "\\", None, "__HIVE_DEFAULT_PARTITION__"]


def test_odd_partition_values_are_read_by_both(sql, tmp_path, duckdb_delta):
    table = f"delta.`{tmp_path}/t`"
    values = ", ".join("({}, {})".format("NULL" if v is None else "'" + v.replace("'", "''") + "'", i)
                       for i, v in enumerate(ODD_VALUES))
    sql(f"CREATE TABLE {table} (p VARCHAR, id INTEGER) PARTITIONED BY (p)", f"INSERT INTO {table} VALUES {values}")
    want = [{"p": value, "id": i} for i, value in enumerate(ODD_VALUES)]
    assert plain(by_deltalake(tmp_path / "t")) == want
    assert plain(duckdb_delta.execute(f"SELECT p, id FROM delta_scan('{tmp_path}/t')").to_arrow_table()) == want


@pytest.mark.parametrize("name", ["bool", "i8", "i64", "d18", "d3", "d38", "s", "day", "ts"])
def test_partition_columns_of_every_type(sql, tmp_path, duckdb_delta, name):
    type, values, python = COLUMNS[name]
    table = f"delta.`{tmp_path}/t`"
    sql(f"CREATE TABLE {table} (p {type}, id INTEGER) PARTITIONED BY (p)",
        f"INSERT INTO {table} VALUES ({values[0]}, 0), ({values[1]}, 1), (NULL, 2)")
    want = [{"p": value if value != "" else None, "id": i} for i, value in enumerate([*python, None])]
    assert_same(plain(by_deltalake(tmp_path / "t")), want)
    read = duckdb_delta.execute(f"SELECT p, id FROM delta_scan('{tmp_path}/t')").to_arrow_table()
    assert_same(plain(read), want)


def test_statistics_lose_no_row_to_another_reader(sql, tmp_path, duckdb_delta):
    table = f"delta.`{tmp_path}/t`"
    create(sql, table)
    for name, (_, values, _) in COLUMNS.items():
        if name in ("list", "map", "struct", "deep", "b", "bool"):
            continue
        for value in values:
            value = f"({value})::{'VARCHAR' if name == 's' else COLUMNS[name][0]}"
            query = f"SELECT count(*) FROM delta_scan('{tmp_path}/t') WHERE {name} >= {value} AND {name} <= {value}"
            assert duckdb_delta.execute(query).fetchall() == [(1,)], (name, value)


def test_a_checkpoint_alone_is_read_by_both(sql, tmp_path, duckdb_delta):
    table = f"delta.`{tmp_path}/t`"
    sql(f"CREATE TABLE {table} (p VARCHAR, id INTEGER) PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval'='4')",
        *(f"INSERT INTO {table} VALUES ('a b', {i}), (NULL, {i + 100})" for i in range(4)))
    for commit in (tmp_path / "t" / "_delta_log").glob("*.json"):
        commit.unlink()
    want = [{"p": "a b", "id": i} for i in range(4)] + [{"p": None, "id": i + 100} for i in range(4)]
    assert plain(by_deltalake(tmp_path / "t")) == want
    assert plain(duckdb_delta.execute(f"SELECT p, id FROM delta_scan('{tmp_path}/t')").to_arrow_table()) == want


def test_deltalake_and_bayou_append_in_turns(sql, tmp_path):
    from deltalake import write_deltalake
    table = f"delta.`{tmp_path}/t`"
    sql(f"CREATE TABLE {table} (id BIGINT, s VARCHAR)", f"INSERT INTO {table} VALUES (1, 'ours')")
    write_deltalake(tmp_path / "t", pa.table({"id": [2], "s": ["theirs"]}), mode="append")
    sql(f"INSERT INTO {table} VALUES (3, 'ours')")
    assert sql(f"SELECT * FROM {table} ORDER BY id") == [
        {"id": 1, "s": "ours"}, {"id": 2, "s": "theirs"}, {"id": 3, "s": "ours"}]
    assert [row["id"] for row in plain(by_deltalake(tmp_path / "t"))] == [1, 2, 3]


def test_the_commit_says_what_it_did(sql, tmp_path):
    table = f"delta.`{tmp_path}/t`"
    sql(f"CREATE TABLE {table} (p INTEGER, id BIGINT) PARTITIONED BY (p)", f"INSERT INTO {table} VALUES (1, 2), (2, 3)")
    log = tmp_path / "t" / "_delta_log"
    created, written = ([json.loads(line) for line in (log / f"{v:020d}.json").read_text().splitlines()] for v in (0, 1))
    info = created[0]["commitInfo"]
    assert info["operation"] == "CREATE TABLE"
    assert info["operationParameters"]["partitionBy"] == '["p"]'
    info = written[0]["commitInfo"]
    adds = [action["add"] for action in written[1:]]
    assert info["operation"] == "WRITE" and info["operationParameters"]["mode"] == "Append"
    assert info["isBlindAppend"] is True and info["readVersion"] == 0
    assert info["operationMetrics"] == {"numFiles": "2", "numOutputRows": "2",
                                        "numOutputBytes": str(sum(add["size"] for add in adds))}
    for add in adds:
        file = tmp_path / "t" / urllib.parse.unquote(add["path"])
        assert file.stat().st_size == add["size"]


@pytest.mark.parametrize("partition", [False, True])
def test_others_read_what_threads_filled_together(sql, tmp_path, duckdb_delta, partition):
    from deltalake import DeltaTable
    by = " PARTITIONED BY (p)" if partition else ""
    sql("SET threads = 4", f"CREATE TABLE t (id BIGINT, p VARCHAR){by} TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = 'true')",
        "INSERT INTO t SELECT range, CASE range % 3 WHEN 0 THEN NULL WHEN 1 THEN 'a b/%' ELSE 'p' END FROM range(500000)")
    assert len(list((tmp_path / "t").rglob("*.parquet"))) == (3 if partition else 1)
    table = DeltaTable(tmp_path / "t").to_pyarrow_table()
    assert table.num_rows == 500000 and table["p"].null_count == 166667
    assert duckdb_delta.execute(f"SELECT count(DISTINCT id), sum(id), count(*) FILTER (p IS NULL <> (id % 3 = 0)) "
                                f"FROM delta_scan('{tmp_path / 't'}')").fetchall() == [(500000, 499999 * 250000, 0)]
