#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tools/setup.sh build|test|lint|demo|bench...
#
# Brings what deps.lock pins: apt packages onto the machine, all else into .deps/.
# Work that was done for the same lines of deps.lock is not done again.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
lock=$root/deps.lock
deps=$root/.deps
python=/usr/bin/python3

say() { echo "setup: $*" >&2; }
die() { echo "setup: $*" >&2; exit 1; }

# ---- apt ------------------------------------------------------------------

# What is missing of a set: of each a|b, the first that is installed or that apt knows.
missing_packages() {  # missing_packages <set>
  local kind set choices choice name
  local -A installed=()
  while read -r name; do
    installed[$name]=yes
  done < <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  while read -r kind set choices; do
    [[ $kind == apt && $set == "$1" ]] || continue
    for choice in $choices; do
      for name in ${choice//|/ }; do
        [[ -n ${installed[$name]:-} ]] && continue 2
        [[ $choice == "$name" || -n $(apt-cache show "$name" 2>/dev/null) ]] && break
      done
      echo "$name"
    done
  done <"$lock"
}

need_apt() {
  local missing=() as_root=()
  command -v dpkg-query >/dev/null || die "this is not Debian or Ubuntu: install what deps.lock lists under 'apt $1', then run again"
  mapfile -t missing < <(missing_packages "$1")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if ! sudo -n true 2>/dev/null && ! { [[ -t 0 ]] && command -v sudo >/dev/null && sudo -v; }; then
      say "missing packages, and no right to install them: ${missing[*]}"
      die "have an administrator run: apt-get update && apt-get install -y ${missing[*]}"
    fi
    as_root=(sudo)
  fi
  local log=$deps/apt.log
  "${as_root[@]}" apt-get update >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "apt-get update failed"; }
  mapfile -t missing < <(missing_packages "$1")  # Again: now apt knows what there is.
  say "installing ${missing[*]}"
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "apt-get could not install ${missing[*]} (all of it: $log)"
  fi
}

# ---- .deps ----------------------------------------------------------------

# Does a step unless it was done for the same lines of deps.lock:
#   once <stamp> <pattern of its lines> <function> [arguments]
once() {
  local stamp=$deps/stamps/$1 want
  want=$({ grep -E "$2" "$lock"; echo "layout 1"; } | sha256sum | cut -d ' ' -f 1)
  [[ -f $stamp && $(<"$stamp") == "$want" ]] && return 0
  shift 2
  "$@"
  mkdir -p "$deps/stamps"
  echo "$want" >"$stamp"
}

verify() {  # verify <file> <sha256>
  local got
  got=$(sha256sum "$1" | cut -d ' ' -f 1)
  [[ $got == "$2" ]] && return 0
  rm -f "$1"
  die "$(basename "$1") has SHA-256 $got, deps.lock wants $2: not used"
}

# Makes a virtual environment of the pinned wheels of a set.
venv() {  # venv <set> <folder>
  local requirements=$deps/requirements-$1.txt
  awk -v set="$1" '$1 == "pip" && $2 == set {
      if ($3 != last) printf "%s%s==%s", (last ? "\n" : ""), $3, $4
      printf " --hash=sha256:%s", $5
      last = $3
    } END { print "" }' "$lock" >"$requirements"
  rm -rf "$2"
  "$python" -m venv "$2"
  "$2/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir --no-deps \
    --only-binary :all: --require-hashes -r "$requirements"
}

# Fetches one npm package's tarball and prints its path.
npm_tarball() {  # npm_tarball <name>
  local package version sha256 npm=(npm) file
  read -r package version sha256 < <(awk -v name="$1" '$1 == "npm" && $2 == name {print $3, $4, $5}' "$lock")
  if ! command -v npm >/dev/null; then
    once npm '^pip npm ' venv npm "$deps/npm" >&2
    npm=("$deps/npm/bin/npm")
    PATH=$deps/npm/bin:$PATH
  fi
  say "fetching $package $version"
  mkdir -p "$deps/downloads"
  file=$(cd "$deps/downloads" && npm_config_cache=$deps/npm-cache npm_config_update_notifier=false \
    "${npm[@]}" pack --silent "$package@$version" | tail -n 1)
  rm -rf "$deps/npm-cache"
  file=$deps/downloads/$file
  verify "$file" "$sha256"
  echo "$file"
}

duckdb_library() {
  local tarball
  tarball=$(npm_tarball duckdb)
  mkdir -p "$deps/duckdb/lib"
  tar -xzf "$tarball" -C "$deps/duckdb/lib" --strip-components 1 package/libduckdb.so package/LICENSE
  rm -f "$tarball"
}

duckdb_headers() {
  local package version sha256 tarball top to=$deps/duckdb fresh=$deps/duckdb/fresh
  read -r package version sha256 < <(awk '$1 == "sdist" && $2 == "duckdb" {print $3, $4, $5}' "$lock")
  say "fetching the headers of $package $version"
  # pip reads a source package's metadata by running its build backend, so the
  # backend is installed first, pinned like everything else. It compiles nothing
  # here, so the distribution's cmake will do.
  venv sdist "$deps/sdist"
  mkdir -p "$deps/downloads"
  SKBUILD_CMAKE_VERSION='>=3.25' "$deps/sdist/bin/pip" download --quiet --disable-pip-version-check --no-cache-dir --no-deps \
    --no-build-isolation --no-binary :all: -d "$deps/downloads" "$package==$version"
  tarball=$deps/downloads/$package-$version.tar.gz
  verify "$tarball" "$sha256"
  top=$package-$version/external/duckdb
  rm -rf "$fresh" && mkdir -p "$fresh"
  tar -xzf "$tarball" -C "$fresh" --strip-components 3 --wildcards \
    "$top/src/include/*" "$top/extension/parquet/include/*" \
    "$top/third_party/*.h" "$top/third_party/*.hpp" "$top/third_party/*.tcc" "$top/third_party/*LICENSE*"
  rm -rf "$to/include" "$to/parquet_include" "$to/third_party"
  mv "$fresh/src/include" "$to/include"
  mv "$fresh/extension/parquet/include" "$to/parquet_include"
  mv "$fresh/third_party" "$to/third_party"
  rm -rf "$fresh" "$tarball" "$deps/sdist"
}

flights() {
  local tarball
  tarball=$(npm_tarball flights)
  mkdir -p "$deps/data"
  tar -xzf "$tarball" -C "$deps/data" --strip-components 2 package/data/flights-3m.parquet
  rm -f "$tarball"
}

# ---------------------------------------------------------------------------

# A git worktree takes the .deps of the checkout that it belongs to.
main=$(git rev-parse --path-format=absolute --git-common-dir 2>/dev/null) && main=${main%/.git}
if [[ ! -e $deps && -n $main && -d $main/.deps && ! $main -ef $root ]]; then
  ln -s "$main/.deps" "$deps"
fi
mkdir -p "$deps"
exec 9>"$deps/lock"
flock 9  # One set-up at a time; the others find the work done.

[[ $(uname -m) == x86_64 ]] || die "deps.lock pins DuckDB for x86_64 Linux only, this is $(uname -m)"
need_apt build
once duckdb_library '^npm duckdb ' duckdb_library
once duckdb_headers '^(sdist|pip sdist) ' duckdb_headers
for set in "$@"; do
  case $set in
    build) ;;
    test) need_apt test; once venv '^pip test ' venv test "$deps/venv" ;;
    lint) once lint '^pip lint ' venv lint "$deps/lint" ;;
    demo) once flights '^npm flights ' flights ;;
    bench) once flights '^npm flights ' flights; once venv '^pip test ' venv test "$deps/venv" ;;
    *) die "no set-up is called $set" ;;
  esac
done
