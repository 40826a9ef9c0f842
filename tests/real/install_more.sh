#!/bin/bash
# install_more.sh [NAME ..] : the agents that the harness's install_agents.sh does not know, into the
# same folder ($AGENTS_DIR, else ~/.cache/gitsession-agents). Node agents are started with its node22.
# What cannot be installed here is said, and its tests skip themselves: this never fails a run.
set -u
AGENTS_DIR=${AGENTS_DIR:-$HOME/.cache/gitsession-agents}

package() { case $1 in
  kimi) echo @moonshot-ai/kimi-code@2.1.0 ;;
  kilo) echo @kilocode/cli@7.7.7 ;; # 7.8.1 came without its program for Linux
  continue) echo @continuedev/cli@1.5.47 ;;
esac; }

wheel() { case $1 in
  vibe) echo mistral-vibe==3.0.3 ;; # needs Python 3.12
esac; }

python_312() { # the first Python that is new enough, "" if there is none
  local one
  for one in python3 python3.14 python3.13 python3.12 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; do
    "$one" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null && echo "$one" && return
  done
}

with_npm() { # NAME WHAT
  [ -e "$AGENTS_DIR/$1/node_modules/.bin" ] && return 0
  mkdir -p "$AGENTS_DIR/$1"
  npm --prefix "$AGENTS_DIR/$1" install --no-audit --no-fund "$2" > "$AGENTS_DIR/$1.log" 2>&1
}

with_pip() { # NAME WHAT: what it needs is named with one version each, so nothing is to be resolved;
  # of certificates any will do, theirs may be gone
  local venv=$AGENTS_DIR/venv-$1 python wheels
  [ -e "$venv/.installed" ] && return 0
  python=$(python_312)
  [ -n "$python" ] || { echo "$1: there is no Python 3.12 or later here"; return 1; }
  wheels=$(mktemp -d) && mkdir -p "$AGENTS_DIR" && "$python" -m venv "$venv" \
    && "$venv/bin/pip" download --quiet --no-deps --dest "$wheels" "$2" \
    && "$venv/bin/python" - "$wheels" > "$wheels/needs" <<'P' \
    && "$venv/bin/pip" install --quiet --no-deps -r "$wheels/needs" "$wheels"/*.whl \
    && touch "$venv/.installed"
import pathlib, sys, zipfile
[wheel] = pathlib.Path(sys.argv[1]).glob("*.whl")
archive = zipfile.ZipFile(wheel)
[name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
for line in archive.read(name).decode().splitlines():
    need = line.removeprefix("Requires-Dist: ")
    if need != line and "extra ==" not in need:
        print("certifi" if need.startswith("certifi=") else need)
P
} 2>> "$AGENTS_DIR/$1.log"

for name in "$@"; do
  mkdir -p "$AGENTS_DIR"
  what=$(package "$name")$(wheel "$name")
  if [ -n "$(package "$name")" ]; then with_npm "$name" "$what"; else with_pip "$name" "$what"; fi \
    && echo "$name: $what ok" || echo "$name: not installed, see $AGENTS_DIR/$name.log; its tests are skipped"
done
