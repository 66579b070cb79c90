# Which files are looked at.
. "$(dirname "$0")/lib.sh"
files() { # files WANT… -- ARGS…: --show-files must list exactly WANT, relative to the folder
  local want=()
  while [ "$1" != -- ]; do want+=("$PWD/$1"); shift; done
  shift
  run 0 check --show-files "$@"
  same "$out" "$(printf '%s\n' "${want[@]+"${want[@]}"}" | sed '/^$/d')"
}
for f in a.py b.pyi c.txt pkg/d.py pkg/gen/e.py .venv/lib/f.py build/g.py pkg/build/h.py; do clean $f; done

files a.py b.pyi pkg/d.py pkg/gen/e.py --
files pkg/d.py pkg/gen/e.py -- pkg
files c.txt pkg/build/h.py -- c.txt pkg/build/h.py
files -- --force-exclude pkg/build/h.py
files a.py b.pyi build/g.py pkg/build/h.py pkg/d.py -- --exclude gen,.venv
files a.py b.pyi pkg/d.py -- --extend-exclude pkg/gen
files a.py pkg/d.py -- --extend-exclude '*.pyi' --extend-exclude 'pkg/**/e.py'


printf '/a.py\ngen/\n!pkg/gen/\n' >.gitignore
files b.pyi pkg/d.py pkg/gen/e.py --
printf 'gen\n' >pkg/.ignore
files b.pyi pkg/d.py --
files a.py b.pyi pkg/d.py pkg/gen/e.py -- --no-respect-gitignore
files a.py -- a.py
rm .gitignore pkg/.ignore
mkdir -p .git/info && echo 'b.pyi' >.git/info/exclude
files a.py pkg/d.py pkg/gen/e.py --
printf 'd.py\n' >.gitignore
cd pkg || exit 1
run 0 check --show-files; has "gen/e.py" "$out"; hasnt "d.py" "$out"
cd .. || exit 1

# Links: loops end, a link to a file is the file.
rm -rf .git .gitignore; ln -s .. pkg/up; ln -s loop.py loop.py; ln -s a.py link.py
files a.py b.pyi link.py pkg/d.py pkg/gen/e.py --
files a.py -- a.py ./a.py "$PWD/a.py"

# Odd names.
clean 'with space.py'; clean $'line\nbreak.py'; clean $'\xff.py'
run 0 check; same "$err" ""

finish
