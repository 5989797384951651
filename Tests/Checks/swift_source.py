"""Swift source reduced to what the checks look at: text without comments and string contents, and where functions begin and end."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|(?P<hash>#*)"""(?:.*?)"""(?P=hash)|(?P<one>#+)"[^\n]*?"(?P=one)|"(?:\\.|[^"\\\n])*"',
    re.DOTALL,
)
_FUNCTION = re.compile(r"(?<![\w.`])(?:func\s+(?P<name>[^\s(<]+)|(?P<special>init|deinit|subscript)(?=[\s?<({]))")


@dataclass
class Function:
    name: str
    line: int
    length: int


def bare(text):
    """The text with comments blanked and strings emptied; line numbers stay."""

    def blank(match):
        found = match.group(0)
        kept = "\n" * found.count("\n")
        return kept if found.startswith("/") else f'"{kept}"'

    return _TOKEN.sub(blank, text)


def functions(text):
    """Every function with a body in a text that `bare` returned; length counts from the declaration to the closing brace."""
    found = []
    for match in _FUNCTION.finditer(text):
        opening = _body_start(text, match.end())
        if opening is None:
            continue
        closing = _matching_brace(text, opening)
        first = text.count("\n", 0, match.start())
        last = text.count("\n", 0, closing)
        found.append(Function(match["name"] or match["special"], first + 1, last - first + 1))
    return found


def _body_start(text, position):
    """The brace that opens the body; None for a requirement of a protocol, or a call such as `.init(...)`."""
    depth = 0
    signature_seen = False
    while position < len(text):
        character = text[position]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            signature_seen = True
            if depth < 0:
                return None
        elif character == "{" and depth == 0:
            return position
        elif character == "}" and depth == 0:
            return None
        elif character == "\n" and depth == 0 and signature_seen and not _continues(text, position):
            return None
        position += 1
    return None


def _continues(text, newline):
    """Whether the line after `newline` still belongs to the declaration."""
    following = text[newline:].lstrip()
    return following.startswith(("->", "{", "where ", "throws", "async")) or text[:newline].rstrip().endswith(
        ("->", ",", "where", "throws")
    )


def _matching_brace(text, opening):
    depth = 0
    for position in range(opening, len(text)):
        if text[position] == "{":
            depth += 1
        elif text[position] == "}":
            depth -= 1
            if depth == 0:
                return position
    return len(text) - 1
