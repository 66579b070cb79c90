# Configuration files: which one holds for which file, what flags do to it, and every mistake with its
# place.
. "$(dirname "$0")/lib.sh"
concise() { run "$1" check --output-format concise "${@:2}"; }
# TLK101 and TLK203 are found in every leak.
leak a.py; leak pkg/b.py; leak pkg/deep/c.py; leak tests/unit/t.py

# The closest file wins, and nothing is merged.
printf 'select = ["TLK1"]\n' >torchleak.toml
printf '[tool.torchleak]\nignore = ["TLK101"]\n' >pkg/pyproject.toml
concise 1 .
has "a.py:8:9: error TLK101" "$out"; hasnt "a.py:8:57" "$out"
has "pkg/b.py:8:57: warning TLK203" "$out"; hasnt "pkg/b.py:8:9" "$out"
has "pkg/deep/c.py:8:57: warning TLK203" "$out"; hasnt "pkg/deep/c.py:8:9" "$out"
concise 1 pkg/deep/c.py; hasnt TLK101 "$out"
(cd pkg/deep && "$torchleak" check --output-format concise c.py) >"$work/.deep"
hasnt TLK101 "$(cat "$work/.deep")"; has TLK203 "$(cat "$work/.deep")"

# Which of three in one folder.
printf 'select = ["TLK2"]\n' >pkg/torchleak.toml
concise 1 pkg; has "TLK203" "$out"; hasnt "TLK101" "$out"
printf 'select = ["TLK101"]\n' >pkg/.torchleak.toml
concise 1 pkg; has "TLK101" "$out"; hasnt "TLK203" "$out"
run 0 config --file pkg/b.py; has "# Not read: pkg/torchleak.toml, because pkg/.torchleak.toml lies beside it" "$out"
has "# Not read: pkg/pyproject.toml" "$out"
rm pkg/.torchleak.toml pkg/torchleak.toml
# A pyproject.toml without the section does not count, whatever else is wrong with it.
printf '[project]\nname = "x"\n' >pkg/deep/pyproject.toml
concise 1 pkg/deep; hasnt TLK101 "$out"
printf '[project\n' >pkg/deep/pyproject.toml; concise 1 pkg/deep
printf '[project\n# torchleak\n' >pkg/deep/pyproject.toml; concise 2 pkg/deep; has "pkg/deep/pyproject.toml:1:9: invalid TOML" "$err"
printf '[project]\nauthors = ["\xe4"]\n' >pkg/deep/pyproject.toml; concise 1 pkg/deep
printf '[tool.torchleak]\n# \xe4\n' >pkg/deep/pyproject.toml; concise 2 pkg/deep; has "pkg/deep/pyproject.toml is not UTF-8" "$err"
rm pkg/deep/pyproject.toml

# Standard input is configured by the folder of its name.
run 1 check - --stdin-filename pkg/new.py --output-format concise <a.py; hasnt TLK101 "$out"; has TLK203 "$out"
run 1 check - --stdin-filename new.py --output-format concise <a.py; has TLK101 "$out"; hasnt TLK203 "$out"

# The command line beats all; --select replaces, --extend-select and --ignore add.
concise 1 --select TLK101 pkg; has TLK101 "$out"; hasnt TLK203 "$out"
concise 1 --select TLK1,TLK2 pkg; hasnt TLK101 "$out"; has TLK203 "$out"  # still ignored: less exact
concise 1 --extend-select TLK203 a.py; has TLK101 "$out"; has TLK203 "$out"
concise 0 --ignore TLK101 a.py; hasnt TLK "$out"
concise 0 --ignore TLK2 pkg
concise 1 --isolated pkg; has TLK101 "$out"; has TLK203 "$out"
printf 'select = ["TLK2"]\n' >other.toml
concise 1 --config other.toml .; hasnt TLK101 "$out"; has "a.py:8:57" "$out"; has "pkg/b.py:8:57" "$out"
concise 1 --config 'select=["TLK203"]' a.py; hasnt TLK101 "$out"; has TLK203 "$out"
concise 1 --config 'select=["TLK203"]' --select TLK101 a.py; has TLK101 "$out"; hasnt TLK203 "$out"
concise 1 --config other.toml --config 'extend-select=["TLK101"]' a.py; has TLK101 "$out"; has TLK203 "$out"
concise 0 --isolated --config 'ignore=["TLK1", "TLK2"]' a.py
concise 1 --isolated --config 'per-file-ignores={"tests/*"=["TLK1"]}' tests; hasnt TLK101 "$out"; has TLK203 "$out"
run 1 check --config <(echo 'select = ["TLK203"]') a.py --output-format concise; hasnt TLK101 "$out"

# Per-file ignores: relative to their file, at any depth below what matches, also by flag.
printf 'per-file-ignores = { "tests/*" = ["TLK1"], "!*.py" = ["ALL"], "b.py" = ["eval-with-grad"] }\n' >torchleak.toml
concise 1 .; has "tests/unit/t.py:8:57" "$out"; hasnt "tests/unit/t.py:8:9" "$out"; has "a.py:8:9" "$out"
rm pkg/pyproject.toml; concise 1 pkg; has "pkg/b.py:8:9" "$out"; hasnt "pkg/b.py:8:57" "$out"; has "pkg/deep/c.py:8:57" "$out"
(cd tests && "$torchleak" check --output-format concise) >"$work/.deep"; hasnt TLK101 "$(cat "$work/.deep")"
concise 1 --per-file-ignores 'a.py:TLK101,TLK203,pkg/:ALL' .; hasnt "a.py" "$out"; hasnt "pkg/" "$out"; has "tests/unit/t.py:8:9" "$out"
run 2 check --per-file-ignores a.py; has "PATTERN:RULES" "$err"
run 2 check --per-file-ignores a.py:TLK9; has "--per-file-ignores: unknown rule 'TLK9'" "$err"

# Severity, confidence, and options of the run.
printf 'severity = { TLK2 = "note", eval-with-grad = "error" }\nselect = ["TLK203"]\n' >torchleak.toml
concise 1 a.py --fail-on error; has "error TLK203" "$out"
printf 'fail-on = "error"\nselect = ["TLK203"]\noutput-format = "json"\n' >torchleak.toml
run 0 check a.py; has '"code"' "$out"
run 1 check a.py --fail-on note --output-format concise; has "a.py:8:57" "$out"
printf 'min-confidence = "high"\n' >torchleak.toml; concise 0 a.py; hasnt TLK "$out"
concise 1 a.py --min-confidence low; has TLK101 "$out"
printf 'ignore = ["ALL"]\n' >torchleak.toml; run 0 check a.py; has "no rule is selected" "$err"

# Fixes: options of the run, and per folder which rules may be fixed.
kept() { mkdir -p "$(dirname "$1")"; printf '%s\n' 'import torch' '' '' 'def train(model, loader, optimizer):' '    losses = []' '    for x, y in loader:' '        optimizer.zero_grad()' '        loss = torch.nn.functional.cross_entropy(model(x), y)' '        loss.backward()' '        optimizer.step()' '        losses.append(loss)' '    return losses' >"$1"; }
kept fixes/a.py; kept fixes/p/b.py
printf 'unfixable = ["TLK101"]\n' >fixes/p/torchleak.toml
printf 'fix = true\nfix-only = true\nunsafe-fixes = true\n' >torchleak.toml
run 1 check --no-fix --no-fix-only fixes --output-format concise; has "fixes/a.py:11:9" "$out"
grep -q 'append(loss)' fixes/a.py || fail "--no-fix fixes"
run 0 check fixes; grep -q 'append(loss.item())' fixes/a.py || fail "'fix' of a file fixes nothing"
grep -q 'append(loss)' fixes/p/b.py || fail "'unfixable' of a folder is not heeded"
run 0 check fixes --fixable ALL; grep -q 'append(loss)' fixes/p/b.py || fail "what is unfixable stays so against a vaguer --fixable"
run 0 check fixes --fixable TLK101; grep -q 'append(loss.item())' fixes/p/b.py || fail "--fixable beats 'unfixable' of a file"
rm -r fixes torchleak.toml

# Excludes, relative to their file; the default ones; --force-exclude.
files() { local want=$1; shift; run 0 check --show-files "$@"; same "$(sed "s|$PWD/||" <<<"$out" | tr '\n' ' ')" "$want "; }
leak pkg/gen/d.py; leak build/e.py; leak .git/f.py
printf 'exclude = ["tests", "/pkg/deep"]\n' >torchleak.toml
files ".git/f.py a.py build/e.py pkg/b.py pkg/gen/d.py" .
printf 'extend-exclude = ["tests"]\n' >torchleak.toml
printf 'extend-exclude = ["/gen"]\n' >pkg/torchleak.toml
files "a.py pkg/b.py pkg/deep/c.py" .
files "pkg/gen/d.py" pkg/gen/d.py
run 0 check --show-files --force-exclude pkg/gen/d.py tests/unit/t.py; same "$out" ""
files "pkg/b.py pkg/deep/c.py pkg/gen/d.py" pkg --config 'extend-exclude=[]' --isolated
printf 'force-exclude = true\nextend-exclude = ["a.py"]\n' >torchleak.toml
run 0 check --show-files a.py; same "$out" ""
files "a.py" --no-force-exclude a.py
printf 'a.py\n' >.gitignore; printf 'respect-gitignore = false\nextend-exclude=["tests", "pkg"]\n' >torchleak.toml
files "a.py" .
run 0 check --show-files --respect-gitignore .; same "$out" ""
rm -r .gitignore .git build pkg/gen pkg/torchleak.toml torchleak.toml

# extend: from the vaguest to the nearest; circles, missing files, and mistakes in what is extended.
mkdir -p conf
printf 'select = ["TLK1", "TLK203"]\nfail-on = "error"\nper-file-ignores = { "conf/*" = ["ALL"] }\n' >conf/base.toml
printf 'extend = "conf/base.toml"\nignore = ["TLK101"]\n' >torchleak.toml
run 0 check a.py --output-format concise; hasnt TLK101 "$out"; has TLK203 "$out"
run 0 config; has "# Settings of this folder, from torchleak.toml, which extends conf/base.toml" "$out"
has 'fail-on = "error"' "$out"; has "# conf/base.toml:2:1" "$out"; has "# torchleak.toml:2:1" "$out"
printf 'extend = "../torchleak.toml"\n' >conf/base.toml
run 2 check a.py; has "conf/base.toml:1:10: 'extend' goes in a circle: torchleak.toml -> conf/base.toml -> torchleak.toml" "$err"
has "extended by torchleak.toml" "$err"
printf 'extend = "gone.toml"\n' >conf/base.toml
run 2 check a.py; has "conf/base.toml:1:10: 'extend': there is no conf/gone.toml" "$err"
printf 'selct = []\n' >conf/base.toml
run 2 check a.py; has "conf/base.toml:1:1: unknown key 'selct'; did you mean 'select'?" "$err"; has "extended by torchleak.toml" "$err"
printf '[tool.other]\n' >conf/pyproject.toml; printf 'extend = "conf/pyproject.toml"\n' >torchleak.toml
run 2 check a.py; has "conf/pyproject.toml has no section [tool.torchleak]" "$err"
printf '[tool.torchleak]\nselect = ["TLK101"]\n' >conf/pyproject.toml; concise 1 a.py; hasnt TLK203 "$out"
rm -r conf torchleak.toml

# The user's own file is the last resort; its patterns are relative to the working directory.
export XDG_CONFIG_HOME=$work/xdg
mkdir -p xdg/torchleak; printf 'select = ["TLK203"]\nextend-exclude = ["/pkg"]\n' >xdg/torchleak/torchleak.toml
concise 1 .; hasnt TLK101 "$out"; hasnt "pkg/" "$out"; concise 1 --isolated a.py; has TLK101 "$out"
printf 'select = ["TLK101"]\n' >torchleak.toml; concise 1 .; hasnt TLK203 "$out"; has "pkg/" "$out"
rm -r xdg torchleak.toml; unset XDG_CONFIG_HOME

# A mistake ends the run, wherever it is, with place and frame.
printf '# settings\nselct = ["TLK1"]\n' >pkg/torchleak.toml
run 2 check .; has "error: pkg/torchleak.toml:2:1: unknown key 'selct'; did you mean 'select'?
  |
2 | selct = [\"TLK1\"]
  | ^^^^^" "$err"; same "$out" ""; hasnt "--help" "$err"
run 0 check --isolated --exit-zero .
run 2 check --show-files .; run 2 check --show-settings .; run 2 config --file pkg/b.py
rm pkg/torchleak.toml
bad() { printf '%s\n' "$1" >torchleak.toml; run 2 check a.py; has "$2" "$err"; }
bad 'select = "TLK1"' "torchleak.toml:1:10: 'select' takes a list of rules, such as [\"TLK1\""
bad 'select = ["TLK1", 2]' "torchleak.toml:1:19: 'select' takes a list of rules"
bad 'select = ["acumulated-tensor"]' "1:11: unknown rule 'acumulated-tensor'; did you mean 'accumulated-tensor'?"
bad 'per-file-ignores = { "a" = ["TLK9"] }' "1:29: unknown rule 'TLK9'"
bad 'per-file-ignores = { "a" = "TLK1" }' "takes a table of patterns"
bad 'per-file-ignores = { "" = ["TLK1"] }' "'' matches nothing"
bad 'severity = { TLK101 = "off" }' "put it into \`ignore\`"
bad 'severity = { TLK101 = "note", accumulated-tensor = "error" }' "are one rule"
bad 'severity = { TLK101 = "eror" }' "did you mean 'error'?"
bad 'min-confidence = 3' "takes \"low\", \"medium\" or \"high\", not a number"
bad 'target-version = 2.10' "takes a version in quotes"
bad 'target-version = "two"' "no version of torch"
bad 'fix = 1' "takes true or false, not a number"
bad 'baseline = ""' "'baseline' is empty"
bad 'extend-ignore = ["TLK1"]' "\`ignore\` adds"
bad '[lint]' "without a section"
bad 'per_file_ignores = {}' "did you mean 'per-file-ignores'?"
bad $'select = ["TLK101"]\nignore = ["accumulated-tensor"]' "2:1: 'accumulated-tensor' is in 'ignore' and also in 'select' (as 'TLK101')"
bad $'fixable = ["TLK1"]\nunfixable = ["tlk1"]' "'tlk1' is in 'unfixable' and also in 'fixable'"
bad $'fix = false\nfix-only = true' "'fix-only' is on and 'fix' is off"
bad $'select = ["TLK1"\nignore = []' "torchleak.toml:2:1: invalid TOML"
bad $'fix = true\nfix = true' "cannot redefine existing boolean 'fix'"
for text in '[=]' '[[[' '[.a]' '[#' $'[\n]' '[[a]' '{' '=' 'a.'; do bad "$text" "invalid TOML"; done
bad 'fix = tru' "invalid TOML"
bad $'"a\\u001b[31m" = 1' "unknown key 'a?[31m'"
bad "$(printf 'x = "\xff"')" "is not UTF-8: byte 0xff in line 1"
bad "$(printf '%05000d' 0 | tr 0 '[')" "invalid TOML"
bad "a$(printf '%030000d' 0 | sed 's/0/.a/g') = 1" "a key of more than 16 parts"
bad "x = $(printf '%0300d' 0 | sed 's/0/{a=/g')" "invalid TOML"
head -c 50000000 /dev/zero | tr '\0' '#' >torchleak.toml; run 2 check a.py; has "is larger than 1 MiB" "$err"
printf '\xff\xfes\0' >torchleak.toml; run 2 check a.py; has "is UTF-16; save it as UTF-8" "$err"
printf '\xef\xbb\xbfselect = ["TLK203"]\r\n' >torchleak.toml; concise 1 a.py; hasnt TLK101 "$out"
: >torchleak.toml; concise 1 a.py
rm torchleak.toml; mkdir torchleak.toml; run 2 check a.py; has "torchleak.toml is a directory" "$err"; rmdir torchleak.toml
mkfifo torchleak.toml; run 2 check a.py; has "torchleak.toml is no regular file" "$err"; rm torchleak.toml
ln -s torchleak.toml torchleak.toml; run 2 check a.py; has "torchleak.toml cannot be read" "$err"; rm torchleak.toml
mkdir pyproject.toml; concise 1 a.py; rmdir pyproject.toml
if [ "$(id -u)" != 0 ]; then
  : >torchleak.toml; chmod 0 torchleak.toml; run 2 check a.py; has "cannot be read: Permission denied" "$err"; rm -f torchleak.toml
fi

# --config and its mistakes.
run 2 check --config gone.toml a.py; has "gone.toml: no such configuration file" "$err"
run 2 check --config 'selct=[]' a.py; has "--config:1:1: unknown key 'selct'" "$err"
run 2 check --config 'select=[' a.py; has "--config:1:9: invalid TOML" "$err"
run 2 check --config 'extend="x"' a.py; has "'extend' belongs into a file" "$err"
run 2 check --config 'select=["TLK1"]' --config 'ignore=["TLK1"]' a.py; has "is in 'ignore' and also in 'select'" "$err"
run 2 check --config other.toml --config other.toml a.py; has "--config names two files" "$err"
run 2 check --isolated --config other.toml a.py; has "--isolated reads no file" "$err"

# Flags against each other.
run 2 check --select TLK1 --ignore tlk1 a.py; has "'tlk1' is in 'ignore' and also in 'select'" "$err"; has "--help" "$err"
run 2 check --add-noqa --fix-only a.py; has "--add-noqa and --fix-only" "$err"
run 2 check --watch - <a.py; has "--watch needs files" "$err"
run 2 check --watch --diff a.py; has "a diff is for one run" "$err"
run 2 check --no-cache --cache-dir x a.py; has "--cache-dir has no use" "$err"
run 2 check --sarif-full a.py; has "--sarif-full goes with" "$err"
run 2 check --no-fix --fix-only a.py; has "'fix-only' is on and 'fix' is off" "$err"

# Settings as they are shown: they are valid configuration again.
printf 'per-file-ignores = { "tests/*" = ["TLK1"] }\nextend-select = ["TLK203"]\n' >torchleak.toml
printf 'ignore = ["TLK1"]\n' >pkg/torchleak.toml
printf 'fail-on = "note"\n' >>pkg/torchleak.toml
run 0 check --show-settings .; has "# fail-on of pkg/torchleak.toml:2:1 counts only in runs that start there" "$out"
has "# Settings of a.py and 1 more, from torchleak.toml" "$out"
has "# Settings of pkg/b.py and 1 more, from pkg/torchleak.toml" "$out"
run 0 config; shown=$out; has 'per-file-ignores = { "tests/*" = ["TLK1"] }' "$shown"; has "# torchleak.toml:1:1" "$shown"
printf '%s\n' "$shown" >torchleak.toml; concise 1 .; hasnt "unit/t.py:8:9" "$out"
run 0 config --file pkg/b.py; has 'ignore = ["TLK1"]' "$out"; run 0 config --file pkg; has 'ignore = ["TLK1"]' "$out"
run 0 config per-file-ignores; has "Rules to leave out" "$out"; has "example  per-file-ignores = " "$out"; has "from     torchleak.toml:" "$out"
run 0 config --config 'fail-on="note"' fail-on; has 'value    "note"' "$out"; has "from     --config" "$out"
run 2 config per-file-ignore; has "did you mean 'per-file-ignores'?" "$err"
run 2 config nonsense-key; has "lists those there are" "$err"
run 0 check --show-settings --select TLK101 --fix a.py; has 'select = ["TLK101"]' "$out"; has "# --select" "$out"; has "fix = true" "$out"
run 0 config schema; has '"$schema": "http://json-schema.org/draft-07/schema#"' "$out"
finish
