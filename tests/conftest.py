# SPDX-License-Identifier: Apache-2.0
"""What tests that cross a process share: the program, and other implementations to hold it against."""
import json
import pathlib
import subprocess

import pytest

from statement_file import StatementFile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "bayou"
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def bayou():
    """The path of the program under test."""
    assert PROGRAM.exists(), "build/bayou is missing: run ./dev build"
    return PROGRAM


@pytest.fixture
def run(bayou, tmp_path):
    """run(*arguments) runs bayou in an empty folder and gives the finished process; its exit status is not looked at."""
    def run(*arguments, seconds=60, **options):
        return subprocess.run([bayou, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds, **{"cwd": tmp_path, **options})
    return run


@pytest.fixture
def sql(run):
    """sql(*statements) runs them in one session, with success, and gives the last one's rows as dictionaries."""
    def sql(*statements, **options):
        done = run("sql", "-c", ";\n".join(statements), "--format", "json", **options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout or "[]")
    return sql


@pytest.fixture
def duckdb_delta():
    """A connection of DuckDB's Python package with its own delta extension: a reader that shares no code with ours."""
    import duckdb
    import duckdb_extension_delta
    extension = next(pathlib.Path(duckdb_extension_delta.__file__).parent.rglob("delta.duckdb_extension"))
    connection = duckdb.connect()
    connection.execute(f"LOAD '{extension}'")
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def corpora():
    """The folder of Delta tables that other implementations wrote; tests that need it are skipped where it is absent."""
    tables = SHARED / "corpora" / "tables"
    if not tables.is_dir():
        pytest.skip("../shared/corpora is not here")
    return tables


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".test":
        return StatementFile.from_parent(parent, path=file_path)
    return None
