# Commands, options, help, messages about mistakes, exit status.
. "$(dirname "$0")/lib.sh"
leak leak.py
clean clean.py

run 0 --help; has "check" "$out"; has "Usage: torchleak COMMAND" "$out"; same "$err" ""
run 0 check --help; has "--select RULES" "$out"; has "Exit status: 0 clean" "$out"
run 2; has "Usage" "$err"; same "$out" ""
run 0 version; has "torchleak " "$out"
run 0 --version; has "torchleak " "$out"

# Exit status.
run 0 check clean.py
run 1 check leak.py
run 1 check clean.py leak.py
run 0 check --exit-zero leak.py; has "TLK101" "$out"
run 0 check -e leak.py
run 1 check --fail-on error leak.py
run 1 check --fail-on note leak.py
run 2 check missing.py clean.py

# Mistakes name what was meant.
run 2 chek; has "did you mean 'check'" "$err"
run 2 leak.py; has "torchleak check leak.py" "$err"
run 2 check --selct TLK101; has "did you mean '--select'" "$err"
run 2 check --fixit leak.py; has "unknown option '--fixit'" "$err"
run 2 check --select TLK111111 leak.py; has "unknown rule 'TLK111111'" "$err"
run 2 check --select acumulated-tensor leak.py; has "did you mean 'accumulated-tensor'" "$err"
run 2 check --ignore TLK10l leak.py; has "did you mean 'TLK101'" "$err"
run 2 check --output-format jsn leak.py; has "did you mean 'json'" "$err"
run 2 check --output-format json: leak.py; has "no file name" "$err"
run 2 check --output-format json,sarif leak.py; has "two reports for standard output" "$err"
run 2 check --output-format json:x -o y leak.py; has "--output-file is used by no" "$err"
run 2 check --fail-on eror leak.py; has "did you mean 'error'" "$err"
run 2 check --min-confidence hihg leak.py; has "did you mean 'high'" "$err"
run 2 check --color sometimes leak.py; has "auto, always, never" "$err"
run 2 check -j many leak.py; has "--jobs takes a number" "$err"
run 2 check -j; has "--jobs needs a value" "$err"
run 2 check -q -s leak.py; has "--quiet excludes --silent" "$err"
run 2 check --ignore ALL leak.py; has "no rule is left" "$err"
run 2 check --ignore ALL --select ALL leak.py; has "'ALL' is in 'ignore' and also in 'select'" "$err"
run 2 version extra; has "unexpected argument 'extra'" "$err"

# Rules: select, ignore, exactness.
run 0 check --select TLK105 leak.py; hasnt "TLK101" "$out"
run 0 check --ignore accumulated-tensor,TLK2 leak.py; hasnt "TLK101" "$out"
run 1 check --select TLK101 --ignore TLK1 leak.py; has "TLK101" "$out"
run 1 check --select TLK105,TLK101 leak.py
run 1 check --select TLK105 --extend-select TLK101 leak.py
run 1 check --select TLK105 --select TLK101 leak.py
run 0 check --isolated --no-cache clean.py

# rule
run 0 rule --all; has "TLK101  accumulated-tensor" "$out"
run 0 rule TLK101; has "accumulated-tensor" "$out"
text=$out
run 0 rule tlk101; same "$out" "$text"
run 0 rule accumulated-tensor; same "$out" "$text"; hasnt $'\e' "$out"
run 0 rule TLK101 --color always; has $'\e[' "$out"
run 0 rule TLK101 --output-format markdown; has "#" "$out"
run 0 rule TLK101 --output-format json; has '"code": "TLK101"' "$out"
run 0 rule --all --output-format json; same "${out:0:1}" "["
run 2 rule accumulated-tensr; has "did you mean 'accumulated-tensor'" "$err"
run 2 rule; has "which rule" "$err"
run 2 rule TLK101 --all; has "not both" "$err"

# why
run 0 why leak.py:8; [ -n "$out" ] || fail "why says nothing about a finding"
run 0 why leak.py:8:9
run 0 why clean.py:5; [ -n "$out" ] || fail "why says nothing about a silence"
run 2 why leak.py; has "not FILE:LINE" "$err"
run 2 why leak.py:0; has "not FILE:LINE" "$err"
run 2 why leak.py:9999; has "there is no line 9999" "$err"
run 2 why nope.py:1; has "No such file" "$err"
run 2 why; has "which line" "$err"

# @argfile
printf -- '--select\nTLK101\r\n\nleak.py\n' >args
run 1 check @args; has "TLK101" "$out"
echo check >outer; echo @args >>outer
run 1 @outer
echo @self >self
run 2 @self; has "does one name itself" "$err"
run 2 @nowhere; has "nowhere" "$err"
leak @odd.py
run 1 check -- @odd.py; has "@odd.py" "$out"

# Names of files that look like options, from a program that puts them behind its own arguments.
mkdir odd && cd odd || exit 1
leak ./--exit-zero.py && mv ./--exit-zero.py ./--exit-zero
leak ./--fix.py; leak ./@args.py
echo --exit-zero >args.py
run 1 check --paths-first --exit-zero --fix.py @args.py
has '> --exit-zero:' "$out"; has '> --fix.py:' "$out"; has '> @args.py:' "$out"
run 2 check --fix.py; has "--fix.py" "$err"
run 0 check --paths-first --exit-zero --fix.py --exit-zero=true
cd ..

# A name cannot begin a line of its own: build services take some for commands. Nor does it reach a terminal.
mkdir named
printf '\xff\xfe\x00x' >"named/$(printf 'x\n::stop-commands::token\033[31m\n.py')"
run 0 check named
has 'x ::stop-commands::token' "$err"
grep -q '^::' "$work/.err" && fail "a file name begins a line: $err"
hasnt "$(printf '\033')" "$err"
run 2 check "$(printf 'no\n::such\033file.py')"
grep -q '^::' "$work/.err" && fail "an argument begins a line: $err"
hasnt "$(printf '\033')" "$err"

finish
