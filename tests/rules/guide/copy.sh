# copy.sh CHECKOUT COPY: what the tests of rules read, with the example of rules/README.md. Who is just trying
# the guide has it in the checkout already: then it is made anew.
set -euo pipefail
checkout=$1 copy=$2
rm -rf "$copy"
mkdir -p "$copy/tests"
cp -R "$checkout/rules" "$checkout/fixtures" "$copy/"
cp -R "$checkout/tests/fixes" "$copy/tests/"
rm -rf "$copy/rules/global-collection"
grep -v '^TORCHLEAK_RULE(TLK190,' "$checkout/rules/all_rules.def" >"$copy/rules/all_rules.def"
bash "$checkout/rules/new-rule" TLK190 global-collection "$copy/rules"
