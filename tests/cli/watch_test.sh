# check --watch: edits, new and deleted files and folders, writers that rename, checkouts, both ways of
# seeing changes, how it ends.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"
need python3 python3
python3 "$here/watch.py" "$torchleak" || fail "watch.py"
finish
