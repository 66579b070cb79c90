"""What GitHub tells alerts apart by: a hash of each line and of what follows it.

A rolling hash over the last 100 characters (UTF-16 units) that are neither a blank nor a tab; every kind of
line end is one newline. A line's hash is that of the 100 characters from its first one on.
"""

WINDOW, FACTOR, MASK = 100, 37, (1 << 64) - 1
GONE = pow(FACTOR, WINDOW, MASK + 1)  # the weight of the character that leaves the window


def units(text):
    data = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-16-le", "surrogatepass")
    return [u for u in memoryview(data).cast("H") if u not in (32, 9)]


def line_hashes(text):
    """{line: "hash:number"}, the number counting equal hashes."""
    stream = units(text) + [0xFFFF]
    starts, line = {0: 1}, 1
    for at, unit in enumerate(stream[:-1]):
        if unit == 10:
            line += 1
            starts[at + 1] = line
    padded = stream + [0] * WINDOW
    value, hashes, seen = 0, {}, {}
    for at, unit in enumerate(padded):
        value = (value * FACTOR + unit - GONE * (padded[at - WINDOW] if at >= WINDOW else 0)) & MASK
        line = starts.get(at - WINDOW + 1)
        if line:
            name = f"{value:x}"
            seen[name] = seen.get(name, 0) + 1
            hashes[line] = f"{name}:{seen[name]}"
    return hashes
