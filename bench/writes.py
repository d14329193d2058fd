#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What writing costs: CPU seconds (user and system) of Bayou's whole process beside deltalake's step, its import left out.

Appends of one row, 200 in one session; MERGE, DELETE and UPDATE of a table like TPC-H's orders, 1.5 million rows in one
file, with deletion vectors and rewriting; and CREATE TABLE AS of a table like its lineitem beside the engine's own COPY to
Parquet. Each figure is the best of three. Needs pyarrow and deltalake (`./dev setup bench`).
"""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys

RUNS = 3
APPENDS = 200
ORDERS = ("SELECT (range * 4 + 1)::BIGINT AS o_orderkey, hash(range)::UBIGINT % 150000 AS c, 'O' AS o_orderstatus, "
          "(hash(range + 1)::UBIGINT % 50000000)::DECIMAL(15, 2) / 100 AS o_totalprice, DATE '1992-01-01' + (range % 2400)::INT "
          "AS o_orderdate, (hash(range + 2)::UBIGINT % 5)::VARCHAR || '-PRIORITY' AS o_orderpriority, "
          "'Clerk#' || (hash(range + 3)::UBIGINT % 1000) AS o_clerk, 0 AS o_shippriority, "
          "substr(md5(range::VARCHAR) || md5((range + 1)::VARCHAR), 1, 20 + (range % 40)::INT) AS o_comment FROM range({orders})")
ORDERS = ("SELECT * EXCLUDE (c, o_totalprice), c::BIGINT AS o_custkey, o_totalprice::DECIMAL(15, 2) AS o_totalprice "
          f"FROM ({ORDERS})")
LINES = ("SELECT (i // 4)::BIGINT AS l_orderkey, (hash(i) % 200000)::BIGINT AS l_partkey, (hash(i + 1) % 10000)::BIGINT AS "
         "l_suppkey, (i % 7)::INT AS l_linenumber, (hash(i + 2) % 50)::DECIMAL(15, 2) AS l_quantity, (hash(i + 3) % 9000000)::DECIMAL(15, 2) "
         "AS l_extendedprice, (i % 11)::DECIMAL(15, 2) AS l_discount, (i % 9)::DECIMAL(15, 2) AS l_tax, "
         "chr(65 + (i % 3)::INT) AS l_returnflag, chr(70 + (i % 2)::INT) AS l_linestatus, DATE '1992-01-01' + (hash(i + 4) % 2500)::INT AS "
         "l_shipdate, DATE '1992-01-01' + (hash(i + 5) % 2500)::INT AS l_commitdate, DATE '1992-01-01' + (hash(i + 6) % 2500)::INT AS "
         "l_receiptdate, 'INSTRUCT ' || i % 4 AS l_shipinstruct, 'MODE' || i % 7 AS l_shipmode, "
         "substr(md5(i::VARCHAR), 1, 10 + (i % 20)::INT) AS l_comment FROM (SELECT range AS i FROM range({lines}))")

PEER = """
import resource, sys
import deltalake, pyarrow as pa, pyarrow.parquet as pq
what, table, argument = sys.argv[1:]
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
started = cpu()
if what == "append":
    row = lambda i: pa.table({"id": pa.array([i], pa.int64()), "v": [i + 0.5], "s": [f"key-{i}"]})
    for i in range(int(argument)):
        deltalake.write_deltalake(table, row(i), mode="append")
elif what == "merge":
    (deltalake.DeltaTable(table).merge(pq.read_table(argument), "t.o_orderkey = s.o_orderkey", source_alias="s", target_alias="t")
     .when_matched_update_all().when_not_matched_insert_all().execute())
elif what == "delete":
    deltalake.DeltaTable(table).delete("o_orderkey % 100 = 5")
else:
    deltalake.DeltaTable(table).update(predicate="o_orderkey % 100 = 5", new_values={"o_comment": "changed"})
print(cpu() - started)
"""


def times(log):
    """Milliseconds between one commit and the next."""
    at = [os.stat(log / f"{version:020d}.json").st_mtime_ns / 1e6 for version in range(APPENDS + 1)]
    return [later - earlier for earlier, later in zip(at, at[1:])]


def spread(log):
    taken = times(log)
    return statistics.median(taken), statistics.median(taken[:20]), statistics.median(taken[-20:])


class Bench:
    def __init__(self, bayou, data, scale):
        self.bayou, self.data, self.scale = bayou, data, scale
        self.table = data / "table"

    def run(self, command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            sys.exit(f"failed: {command[0]}: {done.stderr}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    def ours(self, sql):
        return self.run([self.bayou, "sql", "--lake", self.data, "-c", sql])[0]

    def peer(self, what, argument=""):
        return float(self.run([sys.executable, "-c", PEER, what, self.table, argument])[1])

    def fresh(self, source):
        shutil.rmtree(self.table, ignore_errors=True)
        if source:
            shutil.copytree(self.data / source, self.table)

    def best(self, measure, source, *arguments):
        seconds = []
        for _ in range(RUNS):
            self.fresh(source)
            seconds.append(measure(*arguments))
        return min(seconds)

    def make(self):
        """The tables that are changed and copied."""
        if (self.data / "lines").exists():
            return
        orders, lines = ORDERS.format(orders=int(1_500_000 * self.scale)), LINES.format(lines=int(6_000_000 * self.scale))
        self.ours(f"CREATE TABLE plain AS {orders} ORDER BY o_orderkey; CREATE TABLE vectors LIKE plain; "
                  "ALTER TABLE vectors SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true'); "
                  "INSERT INTO vectors SELECT * FROM plain ORDER BY o_orderkey; "
                  + "".join(f"COPY (SELECT * REPLACE (o_orderkey + CASE WHEN o_orderkey % 10 = 1 THEN 1 ELSE 0 END AS o_orderkey, "
                            f"'merged' AS o_comment) FROM plain WHERE hash(o_orderkey) % 100 < {percent}) "
                            f"TO '{self.data}/source-{percent}.parquet'; " for percent in (1, 10))
                  + f"CREATE TABLE lines AS {lines}")

    def appends(self):
        sql = "CREATE TABLE 'table' (id BIGINT, v DOUBLE, s VARCHAR);" + ";".join(
            f"INSERT INTO 'table' VALUES ({i}, {i}.5, 'key-{i}')" for i in range(APPENDS))
        sql = sql.replace("'table'", "\"table\"")
        ours = (self.best(lambda: self.ours(sql), None), *spread(self.table / "_delta_log"))
        self.fresh(None)
        theirs = self.peer("append", APPENDS + 1), *spread(self.table / "_delta_log")
        print(f"\n| {APPENDS} appends of one row | CPU s | median ms | first 20 | last 20 |\n|---|---|---|---|---|")
        for name, (cpu, median, first, last) in (("Bayou", ours), ("deltalake", theirs)):
            print(f"| {name} | {cpu:.2f} | {median:.1f} | {first:.1f} | {last:.1f} |", flush=True)

    def changes(self):
        self.make()
        merge = ("MERGE INTO \"table\" t USING '{}' s ON t.o_orderkey = s.o_orderkey WHEN MATCHED THEN UPDATE SET * "
                 "WHEN NOT MATCHED THEN INSERT *")
        cases = [(f"MERGE of {percent} %", merge.format(self.data / f"source-{percent}.parquet"), "merge",
                  self.data / f"source-{percent}.parquet") for percent in (1, 10)]
        cases += [("DELETE of 1 %", 'DELETE FROM "table" WHERE o_orderkey % 100 = 5', "delete", ""),
                  ("UPDATE of 1 %", "UPDATE \"table\" SET o_comment = 'changed' WHERE o_orderkey % 100 = 5", "update", "")]
        print(f"\n| of {1_500_000 * self.scale:,.0f} rows, CPU s | vectors | rewriting | deltalake | ratio | ratio |\n|---|---|---|---|---|---|")
        for name, sql, what, argument in cases:
            vectors = self.best(self.ours, "vectors", sql)
            rewriting = self.best(self.ours, "plain", sql)
            theirs = self.best(self.peer, "plain", what, argument)
            print(f"| {name} | {vectors:.2f} | {rewriting:.2f} | {theirs:.2f} | {vectors / theirs:.2f} | {rewriting / theirs:.2f} |",
                  flush=True)

    def create(self):
        self.make()
        table = self.best(self.ours, None, 'CREATE TABLE "table" AS SELECT * FROM lines')
        copy = self.best(self.ours, None, f"COPY (SELECT * FROM lines) TO '{self.data}/copy.parquet'")
        print(f"\n| {6_000_000 * self.scale:,.0f} rows of 16 columns, CPU s | | ratio |\n|---|---|---|\n| CREATE TABLE AS | {table:.2f} | {table / copy:.2f} |\n"
              f"| COPY ... TO parquet | {copy:.2f} | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bayou", required=True)
    parser.add_argument("--data", default="build/bench-data/writes", type=pathlib.Path)
    parser.add_argument("--only", choices=["appends", "changes", "create"])
    parser.add_argument("--scale", default=1.0, type=float, help="of the tables that are changed and copied")
    options = parser.parse_args()
    bench = Bench(pathlib.Path(options.bayou).absolute(), options.data.absolute(), options.scale)
    bench.data.mkdir(parents=True, exist_ok=True)
    for part in (bench.appends, bench.changes, bench.create):
        if options.only in (None, part.__name__):
            part()


main()
