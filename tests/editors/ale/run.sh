#!/usr/bin/env bash
# run.sh TORCHLEAK MODULES: ALE, the Vim plugin, set up as docs/editors.md says. It runs in Neovim here.
. "$(dirname "$0")/../lib.sh" "$@"
plugin=/usr/share/vim-ale
[[ -e $plugin ]] || die "this test needs ALE (Debian package vim-ale)"
snippet Vim vim >"$work/setup.vim"
export PATH=$work/bin:$PATH
cd "$project"
SETUP=$work/setup.vim timeout 120 nvim --clean --headless -n -i NONE --cmd "set runtimepath+=$plugin" train.py \
  -S "$tests/ale/test.vim" || die "exit status $?"
