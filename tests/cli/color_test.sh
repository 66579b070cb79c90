# Colour and links: who decides, row by row.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"
need python3 python3
leak leak.py
unset CLICOLOR VTE_VERSION WT_SESSION KITTY_WINDOW_ID DOMTERM TERM_PROGRAM CI
export TERM=xterm

# WHERE is pipe or terminal; then variables; then -- and arguments. Prints yes or no.
colored() {
  local where=$1 vars=() output
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do vars+=("$1"); shift; done
  shift
  last="$where ${vars[*]} $*"
  if [ "$where" = pipe ]; then
    output=$(env "${vars[@]}" "$torchleak" check leak.py "$@" 2>&1)
  else
    output=$(env "${vars[@]}" python3 "$here/terminal.py" out,err "$torchleak" check leak.py "$@")
  fi
  [[ $output == *accumulated-tensor* ]] || fail "no report"
  [[ $output == *$'\e['* ]] && echo yes || echo no
}

same "$(colored terminal --)" yes
same "$(colored pipe --)" no
same "$(colored terminal TERM=dumb --)" no
# The flag is stronger than all.
same "$(colored terminal -- --color never)" no
same "$(colored pipe -- --color always)" yes
same "$(colored pipe NO_COLOR=1 -- --color always)" yes
same "$(colored pipe TERM=dumb -- --color always)" yes
same "$(colored terminal CLICOLOR_FORCE=1 FORCE_COLOR=1 -- --color never)" no
same "$(colored terminal NO_COLOR=1 -- --color auto)" no
# NO_COLOR, when it is not empty.
same "$(colored terminal NO_COLOR=1 --)" no
same "$(colored terminal NO_COLOR=0 --)" no
same "$(colored terminal NO_COLOR= --)" yes
same "$(colored pipe NO_COLOR=1 CLICOLOR_FORCE=1 FORCE_COLOR=1 --)" no
same "$(colored pipe NO_COLOR= FORCE_COLOR=1 --)" yes
# CLICOLOR_FORCE and FORCE_COLOR, when neither empty nor 0.
same "$(colored pipe CLICOLOR_FORCE=1 --)" yes
same "$(colored pipe FORCE_COLOR=1 --)" yes
same "$(colored pipe FORCE_COLOR=3 --)" yes
same "$(colored pipe CLICOLOR_FORCE=1 TERM=dumb --)" yes
same "$(colored pipe CLICOLOR_FORCE=0 --)" no
same "$(colored pipe CLICOLOR_FORCE= FORCE_COLOR= --)" no
same "$(colored terminal CLICOLOR_FORCE=0 --)" yes
same "$(colored pipe CLICOLOR_FORCE=1 FORCE_COLOR=0 --)" yes
same "$(colored pipe FORCE_COLOR=1 CLICOLOR=0 --)" yes
# FORCE_COLOR=0 and CLICOLOR=0.
same "$(colored terminal FORCE_COLOR=0 --)" no
same "$(colored terminal CLICOLOR=0 --)" no
same "$(colored terminal CLICOLOR=1 --)" yes
same "$(colored pipe CLICOLOR=1 --)" no

# Each stream by itself: a report in a pipe has none, though errors go to a terminal; and the reverse.
out=$(python3 "$here/terminal.py" err "$torchleak" check leak.py nope.py)
last="stderr on a terminal"; has $'\e[1;31merror' "$out"; hasnt $'\e' "$(cat piped)"
out=$(python3 "$here/terminal.py" out "$torchleak" check leak.py nope.py)
last="stdout on a terminal"; has $'\e[' "$out"; hasnt $'\e' "$(cat piped)"; has "error: nope" "$(cat piped)"

# Links (OSC 8): on terminals that say that they have them, with colour.
linked() {
  local where=$1 vars=() output
  shift
  vars=("$@")
  last="$where ${vars[*]}"
  if [ "$where" = pipe ]; then
    output=$(env "${vars[@]}" "$torchleak" check leak.py 2>&1)
  else
    output=$(env "${vars[@]}" python3 "$here/terminal.py" out,err "$torchleak" check leak.py)
  fi
  [[ $output == *$'\e]8;;http'* ]] && echo yes || echo no
}
same "$(linked terminal A=b)" no
same "$(linked terminal VTE_VERSION=6800)" yes
same "$(linked terminal VTE_VERSION=4000)" no
same "$(linked terminal TERM_PROGRAM=WezTerm)" yes
same "$(linked terminal TERM_PROGRAM=Apple_Terminal)" no
same "$(linked terminal KITTY_WINDOW_ID=1)" yes
same "$(linked terminal FORCE_HYPERLINK=1)" yes
same "$(linked terminal VTE_VERSION=6800 FORCE_HYPERLINK=0)" no
same "$(linked terminal VTE_VERSION=6800 NO_COLOR=1)" no
same "$(linked terminal VTE_VERSION=6800 TERM=dumb)" no
same "$(linked pipe VTE_VERSION=6800)" no
same "$(linked pipe FORCE_HYPERLINK=1 FORCE_COLOR=1)" yes
finish
