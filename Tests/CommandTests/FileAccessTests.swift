import Testing

@testable import httpdns_proxy

@Suite("Reading files")
struct FileAccessTests {
    private func problem(_ path: String, limit: Int = 1 << 20) -> String? {
        do throws(ValueProblem) {
            _ = try FileAccess.system.read(path, limit)
            return nil
        } catch {
            return error.finding
        }
    }

    @Test("a file is read whole")
    func whole() throws {
        let content = try FileAccess.system.read(#filePath, 1 << 20)
        #expect(String(decoding: content, as: UTF8.self).hasSuffix("// the last line of this file\n"))
    }

    @Test("what cannot be read is told with the system's reason")
    func reasons() {
        #expect(problem("/nonexistent/file") == "cannot be read (No such file or directory)")
        #expect(problem("") == "cannot be read (No such file or directory)")
        #expect(problem("/") == "cannot be read (Is a directory)")
    }

    @Test("reading stops at the limit, also where a file has no end")
    func limit() {
        #expect(problem("/dev/zero", limit: 1 << 20) == "is larger than 1MiB")
        #expect(problem(#filePath, limit: 10) == "is larger than 10")
    }
}

// the last line of this file
