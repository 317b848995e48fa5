import Glibc

/// Reads a file from its beginning in blocks, so that it may be of any size.
struct FileBlocks: ~Copyable {
    /// The number of bytes of the file when it was opened.
    let size: UInt64
    /// The number of bytes read so far.
    private(set) var position: UInt64 = 0
    private let descriptor: CInt
    private let path: String

    private static let blockBytes = 4 * 1024 * 1024

    /// - Throws: `CommandFailure` with code 2 for a file that cannot be read.
    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        guard descriptor >= 0 else { throw Self.failure(path) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw Self.failure(path)
        }
        size = UInt64(max(0, facts.st_size))
    }

    deinit { close(descriptor) }

    /// - Returns: the next bytes; `nil` at the end.
    mutating func next() throws -> [UInt8]? {
        var count = 0
        let descriptor = descriptor
        let block = [UInt8](unsafeUninitializedCapacity: Self.blockBytes) { buffer, filled in
            repeat { count = read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
        guard count >= 0 else { throw Self.failure(path) }
        position += UInt64(count)
        return count == 0 ? nil : block
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("\(path.printable): the file cannot be read", code: 2)
    }
}
