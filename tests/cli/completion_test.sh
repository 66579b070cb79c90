# Completion scripts, in the shells that they are for. What is listed comes from the declarations, so a
# few of each kind stand for all.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"
need python3 python3
need zsh zsh
need fish fish
export XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data
mkdir data_folder config data
touch saved.sarif sample.py

for shell in bash zsh fish powershell; do
  run 0 generate-shell-completion $shell
  same "$err" ""
  printf '%s\n' "$out" >"script.$shell"
  has "generate-shell-completion" "$out"
  hasnt "generate-man" "$out"
done
run 2 generate-shell-completion; has "for which shell" "$err"
run 2 generate-shell-completion zhs; has "did you mean 'zsh'" "$err"
run 2 generate-shell-completion elvish; has "known: bash, zsh, fish, powershell" "$err"

# Every option of the help, in every script.
run 0 check --help
options=$(grep -oE -- '--(\[no-\])?[a-z-]+' <<<"$out" | sed 's/\[no-\]//' | sort -u)
for shell in bash zsh fish powershell; do
  for option in $options; do
    word=$option
    [ $shell = fish ] && word="-l ${option#--}"
    grep -qF -- "$word" "script.$shell" || fail "$option is missing in $shell"
  done
done

# line SHELL TYPED WANT: what stands on the line after TAB; the listing is in $listed.
line() {
  local output
  last="$1: '$2'"
  output=$(python3 "$here/complete.py" "$1" "$work/script.$1" "$2" 2>&1)
  listed=$(sed '$d' <<<"$output")
  same "${output##*$'\n'}" "$3"
}
for shell in bash zsh; do
  line $shell "torchleak che" "torchleak check "
  line $shell "torchleak check --extend-sel" \
    "torchleak check --extend-select$([ $shell = bash ] && echo ' ' || echo =)"
  line $shell "torchleak check --color al" "torchleak check --color always "
  line $shell "torchleak check --color=ne" "torchleak check --color=never "
  line $shell "torchleak check --fail-on e" "torchleak check --fail-on error "
  line $shell "torchleak check -o saved." "torchleak check -o saved.sarif "
  line $shell "torchleak check sam" "torchleak check sample.py "
  line $shell "torchleak check -q --fail-on note -- sam" "torchleak check -q --fail-on note -- sample.py "
  line $shell "torchleak check --output-format sarif:sav" \
    "torchleak check --output-format sarif:saved.sarif "
  line $shell "torchleak rule accumulated" "torchleak rule accumulated-tensor "
  line $shell "torchleak config per-f" "torchleak config per-file-ignores "
  line $shell "torchleak why sam" "torchleak why sample.py "
  line $shell "torchleak generate-shell-completion po" "torchleak generate-shell-completion powershell "
done
line bash "torchleak check --select TLK101,hook-n" "torchleak check --select TLK101,hook-not-removed"
line bash "torchleak check --select=TLK101,hook-n" "torchleak check --select=TLK101,hook-not-removed"
line zsh "torchleak check --select TLK101,hook-n" "torchleak check --select TLK101,hook-not-removed,"
line zsh "torchleak check --select=TLK101,hook-n" "torchleak check --select=TLK101,hook-not-removed,"
line bash "torchleak check --select TLK10" "torchleak check --select TLK10"; has "TLK105" "$listed"
line zsh "torchleak rule TLK20" "torchleak rule TLK20"; has "TLK203" "$listed"
has "evaluation with grad enabled" "$listed"
line bash "torchleak check --s" "torchleak check --s"; has "--statistics" "$listed"
hasnt "--color" "$listed"
line zsh "torchleak check --s" "torchleak check --s"; has "Count findings by rule" "$listed"

# fish tells by itself.
offers() {
  last="fish: '$1'"
  listed=$(fish --no-config -c "source script.fish; complete -C '$1'" 2>&1)
}
offers "torchleak che"; has $'check\tCheck Python files' "$listed"
offers "torchleak check --extend-sel"; has $'--extend-select\tRules' "$listed"
offers "torchleak check --color "; has always "$listed"; hasnt saved "$listed"
offers "torchleak check --color=ne"; has "--color=never" "$listed"
offers "torchleak check -o sav"; has saved.sarif "$listed"
offers "torchleak check sam"; has sample.py "$listed"
offers "torchleak check --select TLK101,hook-n"
has $'TLK101,hook-not-removed\tA hook is registered' "$listed"
offers "torchleak check --select=TLK101,TLK10"; has "--select=TLK101,TLK105" "$listed"
offers "torchleak check --output-format json,sarif:sav"; has "json,sarif:saved.sarif" "$listed"
offers "torchleak check --output-format json,sa"; has "json,sarif" "$listed"; hasnt saved "$listed"
offers "torchleak rule accum"; has accumulated-tensor "$listed"; hasnt sample "$listed"
offers "torchleak config per-f"; has per-file-ignores "$listed"
offers "torchleak generate-shell-completion "; has powershell "$listed"; hasnt sample "$listed"
offers "torchleak "; hasnt sample.py "$listed"

# PowerShell itself where there is one; elsewhere the script must at least be well formed.
if command -v pwsh >/dev/null; then
  offers_there() {
    last="pwsh: '$1'"
    listed=$(pwsh -NoProfile -NonInteractive -Command ". ./script.ps1
      (TabExpansion2 '$1' ${#1}).CompletionMatches | ForEach-Object {
        \$_.CompletionText + ' ' + \$_.ToolTip }" 2>&1)
  }
  cp script.powershell script.ps1
  offers_there "torchleak che"; has "check Check Python files" "$listed"
  offers_there "torchleak check --extend-sel"; has "--extend-select Rules" "$listed"
  offers_there "torchleak check --color "; has "always" "$listed"
  offers_there "torchleak check --color=ne"; has "--color=never" "$listed"
  offers_there "torchleak check --select TLK101,hook-n"; has "hook-not-removed" "$listed"
  offers_there "torchleak check sam"; has "sample.py" "$listed"
fi
python3 - script.powershell <<'PY' || fail "script.powershell: quotes or brackets are not closed"
import sys
text, stack, quote, comment = open(sys.argv[1]).read(), [], None, False
for at, c in enumerate(text):
    if comment:
        comment = c != '\n'
    elif quote:
        quote = None if c == quote else quote  # '' closes and opens again
    elif c in '\'"':
        quote = c
    elif c == '#':
        comment = True
    elif c in '([{':
        stack.append(c)
    elif c in ')]}':
        assert stack and stack.pop() + c in ('()', '[]', '{}'), text[max(0, at - 80):at + 1]
assert not stack and quote is None
PY
finish
