"""The checks find what they are for, and are quiet about what is right."""

import pytest

import check_sources
from swift_source import bare, functions

GOOD = """
package import Net
import struct Net.IPAddress

/// Says "try!" and fatalError( in a comment only.
package struct Name {
    package let text = "try! fatalError( import Foundation {"
    package func first(_ closure: () -> Void = {}) -> Int {
        if text.isEmpty { return 0 }
        return 1
    }
    package init() {}
}
package protocol Port { func send(_ bytes: [UInt8]); init(text: String) }
"""


@pytest.fixture
def tree(tmp_path):
    def write(room, name, text):
        folder = tmp_path / "Sources" / room
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        (tmp_path / "Tests").mkdir(exist_ok=True)
        return tmp_path

    return write


def test_quiet_about_good_source(tree, capsys):
    assert check_sources.main(tree("HTTP1", "Name.swift", GOOD)) == 0
    assert "1 files" in capsys.readouterr().out


@pytest.mark.parametrize(
    "room, name, text, words",
    [
        ("Net", "A.swift", "import Glibc\n", "Net must not import Glibc"),
        ("HTTP1", "A.swift", "package import HTTPDNS\n", "HTTP1 must not import HTTPDNS"),
        ("HTTPDNS", "A.swift", "import Foundation\n", "must not import Foundation"),
        ("HTTPDNS", "Resolver.swift", "import FoundationEssentials\n", "only"),
        ("Upstream", "A.swift", "@preconcurrency import ProxyServer\n", "Upstream must not import ProxyServer"),
        ("Net", "A.swift", "let x = try! f()\n", "try! is not allowed"),
        ("Net", "A.swift", "func f() { fatalError() }\n", "fatalError is not allowed"),
        ("Net", "A.swift", "// TODO more\n", "unfinished: TODO"),
        ("Net", "A.swift", "final class A: @unchecked Sendable {}\n", "@unchecked Sendable"),
        ("Policy", "A.swift", "let p: UnsafeMutablePointer<Int>\n", "unsafe pointer"),
        ("HTTP1", "RequestHead.swift", "x.withUnsafeBytes { _ in }\n", "withUnsafe"),
        ("Net", "StringUtils.swift", "let x = 1\n", "a name that says nothing"),
        ("Net", "A.swift", "let x = 1\n" * 351, "351 lines, 350 at most"),
        ("Net", "A.swift", "func f() {\n" + "    g()\n" * 59 + "}\n", "f has 61 lines, 60 at most"),
        ("Net", "A.swift", "func f() {\n" + "    g()\n" * 8 + "}\n", "median of functions is 10"),
    ],
)
def test_finds(tree, capsys, room, name, text, words):
    assert check_sources.main(tree(room, name, text)) == 1
    assert words in capsys.readouterr().out


def test_byte_layer_may_work_on_memory(tree):
    text = "func f(_ p: UnsafeMutableRawPointer) {}\n"
    assert check_sources.main(tree("HTTP1", "HeadParserFields.swift", text)) == 0
    assert check_sources.main(tree("EventLoop", "Poller.swift", text)) == 0


def test_functions_are_measured():
    source = 'func one() {\n    let s = "}"\n}\n\ninit?(\n    a: Int\n) throws {\n    // }\n    go { 1 }\n}\n\nlet x = Thing.init(a: 1)\nfunc none()\nfunc two()\n    -> Int\n{\n    1\n}\n'
    assert [(found.name, found.length) for found in functions(bare(source))] == [("one", 3), ("init", 6), ("two", 5)]
