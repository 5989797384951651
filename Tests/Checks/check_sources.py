#!/usr/bin/python3
"""The gates that neither the compiler nor the formatter holds: layering, sizes, words. Prints each fault, exit code 1 if any.

check_sources.py [REPOSITORY]
"""

import re
import statistics
import sys
from fnmatch import fnmatch
from pathlib import Path

from rooms import ALLOWED, ONLY_IN, RAW_MEMORY_FILES, RAW_MEMORY_ROOMS
from swift_source import bare, functions

FILE_MEDIAN, FILE_LIMIT = 170, 350
FUNCTION_MEDIAN, FUNCTION_LIMIT = 8, 60
VAGUE_NAMES = re.compile(r"(Utils?|Helpers?|Common|Managers?)\b|(Utils?|Helpers?|Manager)\.swift$")

_IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?:package|public|internal|private|fileprivate)[ \t]+)?import[ \t]+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)[ \t]+)?(\w+)",
    re.MULTILINE,
)
_NEVER = {
    r"\btry!": "try!",
    r"\bas!": "as!",
    r"\bfatalError\s*\(": "fatalError",
}
_RAW = {
    r"@unchecked\s+Sendable": "@unchecked Sendable",
    r"\bnonisolated\(unsafe\)": "nonisolated(unsafe)",
    r"\bunsafe(BitCast|Downcast)\b": "unsafe cast",
    r"\bwithUnsafe\w*": "withUnsafe...",
    r"\bUnsafe(Mutable)?(Raw)?(Buffer)?Pointer\b|\bOpaquePointer\b|\bUnmanaged\b": "unsafe pointer",
}
_HANDED_BYTES = re.compile(r"\bUnsafeRawBufferPointer\b")
_UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


class Faults:
    def __init__(self, root):
        self._root, self.count = root, 0

    def add(self, path, line, words):
        self.count += 1
        print(f"{path.relative_to(self._root)}:{line}: {words}")


def matches(name, patterns):
    return any(fnmatch(name, pattern) for pattern in patterns.split())


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_imports(path, room, text, faults):
    for match in _IMPORT.finditer(text):
        module, line = match.group(1), line_of(text, match.start(1))
        if module not in ALLOWED.get(room, set()):
            faults.add(path, line, f"{room} must not import {module}")
        only = ONLY_IN.get(room, {}).get(module)
        if only and not matches(path.name, only):
            faults.add(path, line, f"{module} may be imported in {only} only")


def check_words(path, room, text, source, faults):
    for pattern, word in _NEVER.items():
        for match in re.finditer(pattern, text):
            faults.add(path, line_of(text, match.start()), f"{word} is not allowed")
    for match in _UNFINISHED.finditer(source):
        faults.add(path, line_of(source, match.start()), f"unfinished: {match.group(0)}")
    if room in RAW_MEMORY_ROOMS or matches(path.name, RAW_MEMORY_FILES.get(room, "")):
        return
    for pattern, word in _RAW.items():
        for match in re.finditer(pattern, text):
            if not (room in ("HTTP1", "Policy", "ProxyServer") and _HANDED_BYTES.fullmatch(match.group(0))):
                faults.add(path, line_of(text, match.start()), f"{word} outside the rooms that may")


def check_size(path, source, found, faults):
    lines = source.count("\n")
    if lines > FILE_LIMIT:
        faults.add(path, 1, f"{lines} lines, {FILE_LIMIT} at most")
    for function in found:
        if function.length > FUNCTION_LIMIT:
            faults.add(path, function.line, f"{function.name} has {function.length} lines, {FUNCTION_LIMIT} at most")
    if VAGUE_NAMES.search(path.name):
        faults.add(path, 1, "a name that says nothing about what is in the file")
    return lines


def check_medians(root, file_sizes, function_sizes, faults):
    for sizes, limit, what in ((file_sizes, FILE_MEDIAN, "files"), (function_sizes, FUNCTION_MEDIAN, "functions")):
        if sizes and statistics.median(sizes) > limit:
            faults.add(root / "Sources", 0, f"the median of {what} is {statistics.median(sizes)} lines, {limit} at most")


def check_everywhere(root, faults):
    for path in sorted((root / "Tests").rglob("*.swift")):
        text = bare(path.read_text())
        for match in _IMPORT.finditer(text):
            if match.group(1) == "Foundation":
                faults.add(path, line_of(text, match.start(1)), "import Foundation")
        for match in re.finditer(r"\btry!", text):
            faults.add(path, line_of(text, match.start()), "try! is not allowed")
        check_size(path, path.read_text(), functions(text), faults)


def main(root):
    faults = Faults(root)
    file_sizes, function_sizes = [], []
    for path in sorted((root / "Sources").rglob("*.swift")):
        room = path.relative_to(root / "Sources").parts[0]
        source = path.read_text()
        text = bare(source)
        found = functions(text)
        check_imports(path, room, text, faults)
        check_words(path, room, text, source, faults)
        file_sizes.append(check_size(path, source, found, faults))
        function_sizes += [function.length for function in found]
    check_medians(root, file_sizes, function_sizes, faults)
    check_everywhere(root, faults)
    if file_sizes and function_sizes:
        print(
            f"{len(file_sizes)} files, median {statistics.median(file_sizes):g} lines, longest {max(file_sizes)}; "
            f"{len(function_sizes)} functions, median {statistics.median(function_sizes):g} lines, longest {max(function_sizes)}"
        )
    return 1 if faults.count else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]).resolve()))
