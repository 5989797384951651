"""Reading the proxy's log lines: `key=value key="quoted value"`."""

import re

_PAIR = re.compile(r'([a-z_]+)=("(?:[^"\\]|\\.)*"|[^ "]*)(?: |$)')


def parse(line):
    """The fields of one line as a dictionary; fails on a line that is anything else."""
    fields, position = {}, 0
    while position < len(line):
        match = _PAIR.match(line, position)
        assert match, f"not a log line from column {position}: {line!r}"
        key, value = match.groups()
        assert key not in fields, f"{key} twice in {line!r}"
        fields[key] = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
        position = match.end()
    return fields
