# SPDX-License-Identifier: Apache-2.0
"""Runs tests/sql/*.test; tests/sql/README.md says how they are written."""
import dataclasses
import pathlib
import re
import shlex
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "bayou"
CORPORA = ROOT.parent / "shared" / "corpora" / "tables"
SECONDS = 60
KINDS = {"query", "statement", "error", "run", "require"}


@dataclasses.dataclass
class Block:
    line: int
    kind: str
    options: list
    body: str
    expected: list  # Lines under ----, or None where there is no such line.


class Wrong(Exception):
    pass


def parse(text):
    """The blocks of a file: a first line that says the kind, then its body, up to an empty line.

    Rows end at an empty line too: an empty line within them is written as <empty>.
    """
    blocks, lines, at = [], text.splitlines(), 0
    while at < len(lines):
        if not lines[at].strip() or lines[at].startswith("#"):
            at += 1
            continue
        end = at
        while end < len(lines) and lines[end].strip():
            end += 1
        kind, *options = lines[at].split(maxsplit=2)
        if kind not in KINDS:
            raise Wrong(f"line {at + 1}: a block begins with one of {', '.join(sorted(KINDS))}, not {kind!r}")
        inner, expected = lines[at + 1:end], None
        if "----" in inner:
            cut = inner.index("----")
            inner, expected = inner[:cut], ["" if row == "<empty>" else row for row in inner[cut + 1:]]
        blocks.append(Block(at + 1, kind, options, "\n".join(inner), expected))
        at = end
    return blocks


def check(block, lake):
    """Runs one block in `lake`; raises Wrong where what happened is not what it says."""
    def filled(text):
        return text.replace("${LAKE}", str(lake)).replace("${CORPORA}", str(CORPORA))

    if block.kind == "run":
        command = shlex.split(filled(block.body))
    else:
        command = ["sql", "--format", "csv", "-c", filled(block.body)]
    wants_error = block.kind == "error" or (block.kind == "run" and block.options[:1] == ["error"])
    try:
        done = subprocess.run([PROGRAM, *command], cwd=lake, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Wrong(f"no end within {SECONDS} s") from None
    if wants_error:
        condition, *words = block.options[1:] if block.kind == "run" else block.options
        expect_error(done, condition, filled(words[0]) if words else "")
        return
    if done.returncode != 0:
        raise Wrong(f"exit {done.returncode}: {done.stderr.strip()}")
    if block.kind == "statement":
        return
    got = done.stdout.splitlines()
    want = [filled(row) for row in block.expected or []]
    if "rowsort" in block.options:
        got, want = got[:1] + sorted(got[1:]), want[:1] + sorted(want[1:])
    if len(got) != len(want) or not all(map(same, got, want)):
        raise Wrong("expected\n  " + "\n  ".join(want) + "\ngot\n  " + "\n  ".join(got))


def same(got, want):
    """A line, or after `~ ` a regular expression for the whole of it."""
    return re.fullmatch(want[2:], got) is not None if want.startswith("~ ") else got == want


def expect_error(done, condition, pattern):
    message = done.stderr.strip()
    if done.returncode != 1:
        raise Wrong(f"expected exit 1 and [{condition}], got exit {done.returncode}: {message or done.stdout[:500]}")
    if f"error [{condition}]:" not in message:
        raise Wrong(f"expected `error [{condition}]:`, got: {message}")
    if pattern and not re.search(pattern, message):
        raise Wrong(f"expected a message like /{pattern}/, got: {message}")


class StatementFile(pytest.File):
    def collect(self):
        yield StatementTest.from_parent(self, name=self.path.stem)


class StatementTest(pytest.Item):
    """One file: its blocks run in order in one new lake, up to the first that fails."""

    def runtest(self):
        lake = self.config._tmp_path_factory.mktemp(self.path.stem)
        here = self.path.relative_to(ROOT)
        try:
            blocks = parse(self.path.read_text())
        except Wrong as wrong:
            raise Wrong(f"{here}: {wrong}") from None
        for block in blocks:
            if block.kind == "require":
                if block.options == ["corpora"] and not CORPORA.is_dir():
                    pytest.skip("../shared/corpora is not here")
                continue
            try:
                check(block, lake)
            except Wrong as wrong:
                raise Wrong(f"{here}:{block.line}: {block.kind}\n{block.body}\n{wrong}") from None

    def repr_failure(self, excinfo):
        return str(excinfo.value) if isinstance(excinfo.value, Wrong) else super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, self.name
