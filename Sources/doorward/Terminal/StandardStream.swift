import Glibc

/// A standard stream of the process, written without a buffer.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes the text and a line break; a closed stream is not an error.
    ///
    /// - Returns: whether the text could be written.
    @discardableResult
    func line(_ text: String) -> Bool { write(text + "\n") }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
