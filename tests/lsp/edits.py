"""Random edits, as people and tools make them; the same ones for the same seed."""

import ast
import warnings

PIECES = ["x", " ", "\n", "    ", "\t", "\r\n", "\r", "#", "# \u00e9", "'", '"', "'''", '"""', "\\\n",
          "(", ")", "[", "]", "{", "}", ":", ",", "=", "f'{x}'", "\U0001F600", "e\u0301", "\u00e9",
          ".item()", ".detach()", "if x:\n", "else:", "lambda x: ", "await ", "global losses\n",
          "  # noqa: TLK101", "  # torchleak: ignore[TLK101]", "return\n", "@torch.no_grad()\n"]
# One way of writing it leaks and the other does not, or something else is called.
SWAPS = [("append(loss)", "append(loss.item())"), ("append(value)", "append(value.item())"),
         ("return loss", "return loss.detach()"), ("+= loss", "+= loss.item()"),
         ("+= value", "+= float(value)"), ("mean()", "mean().detach()"), (".item()", ""),
         (".detach()", ""), ("torch.no_grad()", "torch.enable_grad()"), (".update(", ".forget("),
         ("import record", "import nothing"), ("record(", "measure("), ("loss", "\U0001F525loss"),
         ("'loss'", "'\U0001F525'"), ("self.", "self. "), ("    for ", "    while "),
         (".backward()", ".backward(retain_graph=True)"), ("def ", "async def "), ("\n", "\r\n")]


def is_sound(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def line_begin(text, offset):
    return text.rfind("\n", 0, offset) + 1


def lines_of(text, rng, most):
    begin = line_begin(text, rng.randint(0, len(text)))
    end = begin
    for _ in range(rng.randint(1, most)):
        feed = text.find("\n", end)
        end = len(text) if feed < 0 else feed + 1
    return begin, end


def one_change(text, other, rng):
    at = rng.randint(0, len(text))
    kind = rng.randrange(8)
    if kind <= 1:
        return at, at, rng.choice(PIECES)
    if kind == 2:
        return at, min(len(text), at + rng.randint(1, 6)), ""
    if kind == 3:
        return at, min(len(text), at + rng.randint(1, 4)), rng.choice(PIECES)
    if kind == 4:
        begin, end = lines_of(other, rng, 8)
        to = line_begin(text, at)
        return to, to, other[begin:end]
    if kind == 5:
        return (*lines_of(text, rng, 4), "")
    if kind == 6:
        begin = line_begin(text, at)
        return begin, begin, " " * rng.randint(1, 8)
    begin = line_begin(text, at)
    blank = len(text[begin:]) - len(text[begin:].lstrip(" "))
    return begin, begin + min(blank, rng.randint(1, 4)), ""


def swap(text, rng):
    """A change of meaning, where the text has something to change."""
    found = []
    for pair in SWAPS:
        for old, new in (pair, pair[::-1]):
            if old and old in text:
                found.append((old, new))
    if not found:
        return len(text), len(text), "\nx = 1\n"
    old, new = rng.choice(found)
    at = text.find(old, rng.randint(0, len(text)))
    at = text.find(old) if at < 0 else at
    return at, at + len(old), new


def changes_to(document, other, rng):
    """One change, or several; each is made before the next is asked for."""
    for _ in range(1 if rng.random() < 0.8 else rng.randint(2, 5)):
        text = document.text
        yield swap(text, rng) if rng.random() < 0.5 else one_change(text, other, rng)


def next_edit(document, other, rng):
    """Changes the document, and gives the contentChanges."""
    grown = len(document.text) > 2 * len(document.original) + 500
    if document.broken_for > rng.randint(1, 8) or grown:
        said = document.edit_to(document.original if grown or rng.random() < 0.2 else document.sound)
    elif document.past and rng.random() < 0.1:
        said = document.edit_to(document.past[-1])
    else:
        said = document.edit(changes_to(document, other, rng), whole=rng.random() < 0.05)
    if is_sound(document.text):
        document.sound, document.broken_for = document.text, 0
    else:
        document.broken_for += 1
    return said
