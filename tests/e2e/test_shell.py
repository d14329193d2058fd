# SPDX-License-Identifier: Apache-2.0
"""The interactive shell, through a terminal."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

import pytest

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


class Terminal:
    """A program at the other end of a terminal."""

    def __init__(self, program, folder, *arguments):
        self.text = ""
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm", XDG_STATE_HOME=str(folder / "state"), LC_ALL="C.UTF-8")
            os.execv(program, [str(program), *arguments])

    def type(self, text):
        time.sleep(0.2)  # Between prompt and reading, libedit drops what was typed ahead.
        os.write(self.screen, text.encode())

    def wait_for(self, pattern, seconds=30):
        """Reads until the pattern is on the screen; forgets what is before its end."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text)):
            assert time.monotonic() < deadline, f"no {pattern!r} on the screen: {self.text!r}"
            if select.select([self.screen], [], [], 0.1)[0]:
                try:
                    self.text += ESCAPES.sub("", os.read(self.screen, 65536).decode(errors="replace"))
                except OSError:
                    break
        assert found, f"the program ended without {pattern!r}: {self.text!r}"
        self.text = self.text[found.end():]
        return found

    def ask(self, line, pattern):
        self.type(line + "\r")
        found = self.wait_for(pattern)
        self.wait_for("bayou> ")
        return found

    def ended(self, seconds=30):
        """The exit status."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        raise AssertionError("the shell does not end")


@pytest.fixture
def shell(bayou, tmp_path):
    terminal = Terminal(bayou, tmp_path, "sql")
    terminal.wait_for("bayou> ")
    yield terminal
    os.close(terminal.screen)


def test_statements_of_several_lines(shell):
    shell.type("SELECT 'first' AS a,\r")
    shell.wait_for(r"\.\.\.> ")
    shell.type("'; second' AS b;\r")
    shell.wait_for(r"first │ ; second")
    shell.wait_for(r"1 row, [0-9.]+ s")
    shell.wait_for("bayou> ")
    shell.type("\x04")
    assert shell.ended() == 0


def test_a_failed_statement_does_not_end_the_shell(shell):
    shell.ask("SELECT nope;", r"error \[SQL_BINDER_ERROR\]")
    shell.ask("CREATE TABLE t (i INT);", r"[0-9.]+ s")
    shell.ask("INSERT INTO t VALUES (1), (2);", r"2 rows written")
    shell.ask(".tables", r"\bt\b")
    shell.ask(".schema t", r"i +│ INTEGER")
    shell.type(".quit\r")
    assert shell.ended() == 0


def test_dot_commands(shell):
    shell.ask(".help", r"\.timing on\|off")
    shell.ask(".mode json", "")
    shell.ask("SELECT 1 AS x;", r'\[\{"x":1\}\]')
    shell.ask(".mode nothing", r"error \[UNKNOWN_COMMAND\]")
    shell.ask("help", r"\.timing on\|off")
    shell.type("exit\r")
    assert shell.ended() == 0


def test_a_result_before_an_error_is_not_shown_later(shell):
    shell.ask(".mode json", "")
    shell.ask("SELECT 'stale' AS x; SELECT nope;", r"error \[SQL_BINDER_ERROR\]")
    shell.type("SET threads = 1;\r")
    shell.wait_for(r"[0-9.]+ s")
    assert '[{"x"' not in shell.text
    found = shell.ask("SELECT 2 AS y;", r"(.*)\[\{\"y\":2\}\]")
    assert "stale" not in found.group(1)


def test_many_columns_stand_one_below_another(bayou, tmp_path):
    terminal = Terminal(bayou, tmp_path, "sql")
    terminal.wait_for("bayou> ")
    fcntl.ioctl(terminal.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    terminal.ask(".mode table", "")
    columns = ", ".join(f"'value number {i} of a row' AS column{i}" for i in range(9))
    terminal.ask(f"SELECT {columns};", r"── row 1 ──\s+column0 │ value number 0 of a row\s+column1 │ value number 1")
    terminal.ask("SELECT 1 AS a, 2 AS b;", r" a │ b")
    os.close(terminal.screen)


def test_control_c_cancels_the_query_and_not_the_shell(shell):
    shell.type("SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range < 0;\r")
    time.sleep(1.5)
    shell.type("\x03")
    shell.wait_for(r"error \[INTERRUPTED\]")
    shell.wait_for("bayou> ")
    shell.type("SELECT 'not run\x03")
    shell.wait_for("bayou> ")
    shell.ask("SELECT 40 + 2 AS answer;", r"\b42\b")


def test_completion_of_keywords_tables_and_columns(shell):
    shell.ask("CREATE TABLE measurements (temperature INT);", r"[0-9.]+ s")
    shell.type("SELECT * FROM meas\t")
    shell.wait_for("urements")
    shell.type(" WHERE temp\t")
    shell.wait_for("erature")
    shell.type(" IS NULL;\r")
    shell.wait_for("0 rows")
    shell.wait_for("bayou> ")
    shell.type(".tim\t")
    shell.wait_for("ing")


def test_history_is_kept(bayou, tmp_path):
    first = Terminal(bayou, tmp_path, "sql")
    first.wait_for("bayou> ")
    first.ask("SELECT 123456789;", "123456789")
    first.type("\x04")
    assert first.ended() == 0
    assert "SELECT" in (tmp_path / "state" / "bayou" / "history").read_text()
    second = Terminal(bayou, tmp_path, "sql")
    second.wait_for("bayou> ")
    second.type("\x1b[A")
    second.wait_for("SELECT 123456789;")
    second.type("\r\x04")
    assert second.ended() == 0
