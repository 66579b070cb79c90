# Sourced by every *_test.sh. Gives:
#   run STATUS ARGS…   runs it; fails unless it ends with STATUS. Output in $out and $err.
#   has TEXT WHERE     "$out" or "$err" must hold TEXT; hasnt: must not
#   need COMMAND PACKAGE   a program that the test uses; installed when it may be
#   leak FILE          writes training code that keeps its losses (TLK101, an error)
set -u
torchleak=$(realpath "$1") || exit 2
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR FORCE_HYPERLINK COLUMNS XDG_CONFIG_HOME
export HOME=$work/no-home
export TORCHLEAK_CACHE_DIR=$work/.results  # not among the files that tests compare
failed=0
out= err= last=
limit=120  # seconds for one run; a sanitized build on a busy machine takes its time

fail() {
  # The line of the script itself, however deep the helpers.
  echo "FAIL: ${BASH_SOURCE[-1]##*/}:${BASH_LINENO[${#FUNCNAME[@]} - 2]}: $1"
  failed=1
}

run() {
  local want=$1 got
  shift
  last="torchleak $*"
  timeout "$limit" "$torchleak" "$@" >"$work/.out" 2>"$work/.err"  # 124: it hangs
  got=$?
  out=$(tr -d '\0' <"$work/.out") err=$(tr -d '\0' <"$work/.err")
  if [ "$got" != "$want" ]; then
    fail "$last: exit status $got, not $want"
    printf '%s\n' "$out" "$err" | head -20
  fi
}

has() { [[ $2 == *"$1"* ]] || { fail "$last: no '$1' in: ${2:0:2000}"; }; }
hasnt() { [[ $2 != *"$1"* ]] || { fail "$last: there is '$1' in: ${2:0:2000}"; }; }
same() { [ "$1" = "$2" ] || { fail "$last: '${1:0:1000}' is not '${2:0:1000}'"; }; }

leak() {
  mkdir -p "$(dirname "$1")"
  cat >"$1" <<'PY'
# Keeps every loss with its graph.
import torch


def evaluate(model, loader):
    losses = []
    for inputs, labels in loader:
        losses.append(torch.nn.functional.cross_entropy(model(inputs), labels))  # accumulated-tensor
    return losses
PY
}

clean() {
  mkdir -p "$(dirname "$1")"
  printf 'import torch\n\n\ndef double(x):\n    return x * 2\n' >"$1"
}

# need COMMAND PACKAGE: installs a Debian package when the command is missing and this is root.
need() {
  command -v "$1" >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # One test at a time: apt does not wait for another apt.
    DEBIAN_FRONTEND=noninteractive flock "$torchleak" sh -c \
      "apt-get update -qq && apt-get install -y -qq --no-install-recommends $2" >/dev/null 2>&1
  fi
  command -v "$1" >/dev/null || { echo "FAIL: this test needs $1 (Debian package $2)"; exit 1; }
}

finish() { [ $failed = 0 ] && echo "ok"; exit $failed; }
