# guide_test.sh BINARY RULES: what rules/README.md says of its example, and of ./dev new-rule. BINARY has the
# example, RULES is the folder to which it was added.
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
rules=$(realpath "$2")
. "$source/tests/cli/lib.sh"

# 5. See it work
awk '/^## Good/ { exit } code && /^```/ { exit } code { print } /^```python/ { code = 1 }' \
  "$rules/global-collection/rule.md" >seen.py
run 1 check seen.py
has "seen.py:9:5" "$out"
has "warning[TLK190] global-collection" "$out"
run 0 why seen.py:9
has "SEEN" "$out"

# Nothing else is to be edited.
run 0 rule global-collection
has "gets one more tensor each time" "$out"
run 0 rule --all
has "TLK190  global-collection" "$out"
run 0 config schema
has '"global-collection"' "$out"
run 0 generate-shell-completion bash
has "TLK190" "$out"
run 1 check seen.py --select TLK19 --output-format sarif
has '"GlobalCollection"' "$out"

# ./dev new-rule: under other names, at its place in the list, with nothing left of the example.
mkdir copy
cp "$source/rules/all_rules.def" copy/
new_rule() {
  last="new-rule $*"
  out=$("$source/dev" new-rule "$@" "$work/copy" 2>err)
  status=$? err=$(<err)
}
made() {
  new_rule "$@"
  same "$status" 0
  grep -rqi 'global.\?collection\|TLK190' "copy/$2" && fail "$last: left the example's name in it"
}
made TLK003 first-of-all
made TLK999 last-of-all
made TLK198 many-2-words
has "rules/many-2-words/fixtures/many_2_words.py" "$out"
codes=$(grep -o '^TORCHLEAK_RULE(TLK...' copy/all_rules.def)
same "$(sort <<<"$codes")" "$codes"
has "TORCHLEAK_RULE(TLK198, Many2Words)" "$(<copy/all_rules.def)"
grep -q 'class Many2WordsRule' copy/many-2-words/rule.cpp || fail "no class Many2WordsRule"

refused() {
  local says=$1
  shift
  new_rule "$@"
  same "$status" 2
  has "$says" "$err"
}
before=$(find copy -type f -exec cksum {} + | sort)
refused "TLK101 is taken by TORCHLEAK_RULE(TLK101, AccumulatedTensor)" TLK101 other-rule
refused "write TLK and three digits" TLK19 other-rule
refused "write TLK and three digits" other-rule TLK190
refused "at least two words" TLK197 Other-Rule
refused "at least two words" TLK197 other
refused "at least two words" TLK197 ../other-rule
refused "is the example's" TLK190 other-rule
refused "is the example's" TLK197 global-collection
refused "is there already" TLK197 last-of-all
same "$(find copy -type f -exec cksum {} + | sort)" "$before"
last="new-rule TLK197"
err=$("$source/dev" new-rule TLK197 2>&1) && fail "$last: exit status 0"
has "usage: ./dev new-rule CODE NAME" "$err"

exit "$failed"
