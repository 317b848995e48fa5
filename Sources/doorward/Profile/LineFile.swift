import Glibc

/// A file or standard input that is read line by line, each line as soon as it is available.
struct LineFile {
    /// `-` for standard input.
    let path: String

    /// Maximum length of a line: 1 MiB, far more than any lock publishes.
    private static let longest = 1 << 20

    /// - Parameter body: called for each line that is not empty, with its bytes without the line break, and its number from 1.
    /// - Throws: a `CommandFailure` if the file cannot be read, and the errors of `body`.
    func forEach(_ body: (_ line: [UInt8], _ number: Int) throws -> Void) throws {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure("\(path.printable): the file cannot be read") }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var line: [UInt8] = []
        var number = 1
        func end() throws {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if !line.isEmpty { try body(line, number) }
            line = []
            number += 1
        }
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = part.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandFailure("\(path.printable): the file cannot be read") }
            guard count > 0 else { return try end() }
            for byte in part[..<count] {
                if byte == UInt8(ascii: "\n") {
                    try end()
                } else {
                    line.append(byte)
                }
            }
            guard line.count <= Self.longest else { throw CommandFailure("line \(number) is longer than \(Self.longest) bytes") }
        }
    }
}
