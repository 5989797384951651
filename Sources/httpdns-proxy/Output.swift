import Glibc

/// The two streams a person or a script reads. What cannot be written is dropped: nobody is left to tell.
enum Output {
    case standardOutput, standardError

    func write(_ text: String) {
        let descriptor = self == .standardOutput ? STDOUT_FILENO : STDERR_FILENO
        var rest = Array(text.utf8)
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }
}
