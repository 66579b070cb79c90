"""helix_test.py PAGE: the configuration of Helix in docs/editors.md is TOML, of the shape that Helix reads."""
import re
import sys
import tomllib

page = open(sys.argv[1], encoding="utf-8").read()
blocks = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
assert blocks, "no TOML"
for block in blocks:
    helix = tomllib.loads(block)
    servers = helix["language-server"]
    assert servers["torchleak"]["command"] == "torchleak", servers
    assert servers["torchleak"]["args"] == ["server"], servers
    assert "settings" in servers["torchleak"]["config"], servers
    for language in helix["language"]:
        assert language["name"] == "python" and "torchleak" in language["language-servers"], language
