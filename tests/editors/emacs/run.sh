#!/usr/bin/env bash
# run.sh TORCHLEAK MODULES: Emacs in batch mode, set up as docs/editors.md says: Eglot with the language
# server, Flymake and Flycheck with the command line.
. "$(dirname "$0")/../lib.sh" "$@"
command -v emacs >/dev/null || die "this test needs emacs (Debian packages emacs-nox elpa-eglot elpa-flycheck)"
export PATH=$work/bin:$PATH LC_ALL=C.UTF-8
snippet Emacs elisp 1 >"$work/eglot.el"
snippet Emacs elisp 2 >"$work/flymake.el"
snippet "Anything that runs a linter" elisp >"$work/flycheck.el"
cd "$project"
here=$tests/emacs
FLYMAKE=$work/flymake.el FLYCHECK=$work/flycheck.el timeout 120 \
  emacs -Q --batch -l "$here/helpers.el" -l "$here/linters.el" train.py || die "linters: exit status $?"
SETUP=$work/eglot.el EXPECT=$want timeout 120 \
  emacs -Q --batch -l "$here/helpers.el" -l "$here/eglot.el" train.py || die "eglot: exit status $?"
