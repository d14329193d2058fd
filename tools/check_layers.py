#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold every #include to the module list in src/modules.cmake.

A module may include its own files, the files of the modules it names in USES
(directly or through them), and the public headers that those modules own. A
path with /internal/ is for its own module only. Frontends see public headers
alone. DuckDB may be included by kernel/engine and by what uses it. Public
headers include the standard library, each other, and tl/expected.hpp.

Also: no file is called after what it is not (util, common, helper ...).
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
PUBLIC = ROOT / "include"
DECLARATION = re.compile(r'^bayou_(?:module|frontend)\(\s*(\S+)\s+"[^"]*"([^)]*)\)', re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+([<"])([^>"]+)[>"]', re.M)
DUCKDB = "kernel/engine"
VAGUE = {"util", "utils", "common", "helper", "helpers", "manager", "impl", "misc"}
OTHERS_HPP = ("tl/", "CLI/")
# The one third-party header in the promise: the type that every call returns.
PUBLIC_MAY_INCLUDE = {"tl/expected.hpp"}


def keyword_list(arguments, keyword):
    match = re.search(rf"\b{keyword}\s+([^A-Z]*)", arguments)
    return match.group(1).split() if match else []


def read_modules():
    """Which modules each module reaches, and who owns each public header."""
    reach, owner = {}, {}
    for name, arguments in DECLARATION.findall((SRC / "modules.cmake").read_text()):
        uses = keyword_list(arguments, "USES")
        unknown = [used for used in uses if used not in reach]
        if unknown:
            sys.exit(f"src/modules.cmake: {name} uses {', '.join(unknown)}, not declared above it")
        reach[name] = set(uses).union(*(reach[used] for used in uses))
        owner |= {f"bayou/{header}": name for header in keyword_list(arguments, "PUBLIC")}
    return reach, owner


def fault_in_module(mine, quote, target, reach, owner):
    if target.endswith(".hpp") and not target.startswith(OTHERS_HPP):  # Ours end in .h.
        if mine == DUCKDB or DUCKDB in reach[mine]:
            return None
        return f"{mine} does not use {DUCKDB}, so it may not include DuckDB ({target})"
    theirs = owner.get(target) or module_of(target, reach)
    if theirs is None:
        return None if quote == "<" else f"nothing in src/modules.cmake owns {target}"
    if theirs == mine:
        return None
    if mine.startswith("frontends/"):
        return None if target in owner else f"frontends may include public headers only, not {target}"
    if theirs not in reach[mine]:
        return f"{mine} does not declare that it uses {theirs} ({target})"
    return f"{target} is private to {theirs}" if "/internal/" in target else None


def fault_in_public_header(quote, target, owner):
    if quote == "<":
        standard = "/" not in target and "." not in target
        return None if standard or target in PUBLIC_MAY_INCLUDE else f"a public header may not include <{target}>"
    return None if target in owner else f"a public header may include public headers only, not {target}"


def module_of(path, reach):
    return max((m for m in reach if path.startswith(m + "/")), key=len, default=None)


def sources(folder):
    return sorted([*folder.rglob("*.h"), *folder.rglob("*.cc")])


def main():
    reach, owner = read_modules()
    faults = []
    for file in sources(SRC):
        here = file.relative_to(SRC).as_posix()
        mine = module_of(here, reach)
        if mine is None:
            faults.append(f"src/{here}: no module in src/modules.cmake owns this file")
            continue
        found = (fault_in_module(mine, *include, reach, owner) for include in INCLUDE.findall(file.read_text()))
        faults += [f"src/{here}: {text}" for text in found if text]
    for file in sources(PUBLIC):
        here = file.relative_to(PUBLIC).as_posix()
        if here not in owner:
            faults.append(f"include/{here}: no module names it under PUBLIC in src/modules.cmake")
        found = (fault_in_public_header(*include, owner) for include in INCLUDE.findall(file.read_text()))
        faults += [f"include/{here}: {text}" for text in found if text]
    for file in [*sources(SRC), *sources(PUBLIC)]:
        vague = VAGUE.intersection(re.split(r"[_.]", file.name))
        if vague:
            faults.append(f"{file.relative_to(ROOT)}: name it after what it holds, not '{vague.pop()}'")
    print("\n".join(faults) or f"{len(reach)} modules, every include as declared")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
