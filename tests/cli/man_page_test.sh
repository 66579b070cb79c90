# The manual page: what its checkers say, and that it tells of every option and command.
. "$(dirname "$0")/lib.sh"
need mandoc mandoc
need groff groff

run 0 generate-man
same "$err" ""
printf '%s\n' "$out" >torchleak.1
same "$(mandoc -T lint -W style torchleak.1 2>&1)" ""
same "$(groff -man -ww -z -Tutf8 torchleak.1 2>&1)" ""
page=$(mandoc -T utf8 torchleak.1 | col -b)
last="the manual page"
for section in NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS "EXIT STATUS" FILES ENVIRONMENT EXAMPLES "SEE ALSO"; do
  has $'\n'"$section"$'\n' "$page"
done
for word in NO_COLOR CLICOLOR_FORCE FORCE_COLOR FORCE_HYPERLINK TORCHLEAK_CACHE_DIR XDG_CONFIG_HOME COLUMNS; do
  has "$word" "$page"
done
run 0 check --help
for option in $(grep -oE -- '^ *(-., )?--(\[no-\])?[a-z-]+' <<<"$out" | grep -oE -- '--.*'); do
  last="the manual page"
  has "$option" "$page"
done
hasnt "generate-man" "$page"
run 0 --help
hasnt "generate-man" "$out"
for command in $(sed -n '/^Commands:/,/^$/p' <<<"$out" | grep -oE '^  [a-z-]+'); do
  last="the manual page"
  has "torchleak $command" "$page"
done

# The help fits on a screen of 100 columns.
for command in "" $(sed -n '/^Commands:/,/^$/p' <<<"$out" | grep -oE '^  [a-z-]+'); do
  run 0 $command --help
  same "$(grep -E '.{101}' <<<"$out")" ""
done
finish
