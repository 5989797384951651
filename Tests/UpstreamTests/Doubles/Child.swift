import Glibc
import Testing

/// A program that a test runs beside itself, with pipes to its standard input and from its standard output.
final class Child {
    private let pid: pid_t
    private let input: Int32
    private let output: Int32
    private var hasEnded = false

    /// Starts `words`, the first of which is found by PATH.
    init(_ words: [String]) throws {
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        try #require(pipe(&toChild) == 0 && pipe(&fromChild) == 0)
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Sockets of tests that run at the same time must not stay open in the child.
        for number in 3..<Child.firstUnused { posix_spawn_file_actions_addclose(&actions, number) }
        // The test's threads block signals; the child is to end by them.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var nothing = sigset_t()
        sigemptyset(&nothing)
        posix_spawnattr_setsigmask(&attributes, &nothing)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, environ)
        for end in [toChild[0], fromChild[1]] { close(end) }
        self.pid = pid
        input = toChild[1]
        output = fromChild[0]
        try #require(code == 0, "\(words[0]) cannot be run: \(String(cString: strerror(code)))")
        for end in [input, output] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        stop()
        for end in [input, output] { close(end) }
    }

    /// A number above those of all open descriptors.
    private static var firstUnused: Int32 {
        var highest: Int32 = 2
        guard let directory = opendir("/proc/self/fd") else { return 1_024 }
        defer { closedir(directory) }
        while let entry = readdir(directory) { highest = max(highest, Int32(entry.name) ?? 0) }
        // Tests of other threads may open more before the child starts.
        return highest + 64
    }

    /// Waits for the program to end by itself and returns its exit code.
    func wait() -> Int32 {
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        hasEnded = true
        return status & 0x7f == 0 ? status >> 8 & 0xff : -1
    }

    func stop() {
        guard !hasEnded, pid > 0 else { return }
        kill(pid, SIGKILL)
        _ = wait()
    }

    /// Writes to the program's standard input; returns how many bytes it took.
    func write(_ bytes: [UInt8]) -> Int { max(0, Glibc.write(input, bytes, bytes.count)) }

    /// What has come from the program's standard output.
    func read(_ limit: Int = 1 << 20) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(output, &bytes, limit)
        return Array(bytes.prefix(max(0, count)))
    }
}

/// A directory that goes away with the test.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(base)/httpdns-proxy-test-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
        if let entries = opendir(path) {
            while let entry = readdir(entries) { unlink("\(path)/\(entry.name)") }
            closedir(entries)
        }
        rmdir(path)
    }
}

extension UnsafeMutablePointer<dirent> {
    fileprivate var name: String {
        withUnsafePointer(to: &pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
    }
}
