import Glibc

/// A file that a command line names, or standard input, read once from its beginning. It may be of any size.
struct InputFile: ~Copyable {
    /// The number of bytes of the file when it was opened; 0 for a pipe.
    let size: UInt64
    /// The number of bytes read so far.
    private(set) var position: UInt64 = 0
    private let descriptor: CInt
    private let unreadable: CommandFailure

    private static let blockBytes = 4 * 1024 * 1024
    /// Maximum length of a line: 1 MiB, far more than any lock publishes.
    private static let maxLineBytes = 1 << 20

    /// - Parameters:
    ///   - isInput: whether the path `-` stands for standard input.
    ///   - code: the exit code if the file cannot be read.
    /// - Throws: if the file does not exist or cannot be opened.
    init(_ path: String, orInput isInput: Bool = true, code: Int32 = 1) throws(CommandFailure) {
        unreadable = CommandFailure("\(path.printable): the file cannot be read", code: code)
        descriptor = isInput && path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw unreadable }
        size = UInt64(max(0, facts.st_size))
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Reads the whole file, or standard input for the path `-`.
    static func bytes(_ path: String) throws(CommandFailure) -> [UInt8] {
        var file = try InputFile(path)
        return try file.rest()
    }

    /// - Returns: the next bytes, as soon as there are any; `nil` at the end.
    mutating func next() throws(CommandFailure) -> [UInt8]? {
        var count = 0
        let descriptor = descriptor
        let block = [UInt8](unsafeUninitializedCapacity: Self.blockBytes) { buffer, filled in
            repeat { count = read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
        guard count >= 0 else { throw unreadable }
        position += UInt64(count)
        return count == 0 ? nil : block
    }

    /// Reads to the end.
    mutating func rest() throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while let block = try next() { bytes += block }
        return bytes
    }

    /// Reads to the end, line by line.
    ///
    /// - Parameter body: called for each line that is not empty, as soon as it is complete, with its bytes without the line break, and its
    ///   number from 1.
    mutating func forEachLine(_ body: (_ line: [UInt8], _ number: Int) throws -> Void) throws {
        var (line, number) = ([UInt8](), 1)
        func end() throws {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if !line.isEmpty { try body(line, number) }
            line = []
            number += 1
        }
        while let block = try next() {
            for byte in block {
                if byte == UInt8(ascii: "\n") {
                    try end()
                } else if line.count < Self.maxLineBytes {
                    line.append(byte)
                } else {
                    throw CommandFailure("line \(number) is longer than \(Self.maxLineBytes) bytes")
                }
            }
        }
        try end()
    }
}
