import Dispatch
internal import DoorwardControl
import FoundationEssentials
import Glibc

/// The checkpoint file of a gateway on a local disk, mode 0600. System calls run on a queue of its own, because a flush can take
/// long.
package final class CheckpointFile: CheckpointStorage {
    /// A system call failed; the text has the file and the reason.
    package struct Failure: Error, CustomStringConvertible {
        /// A sentence for the operator.
        package let description: String
    }

    /// The path of the file.
    package let path: String
    private let queue = DispatchQueue(label: "doorward.checkpoints")

    package init(path: String) { self.path = path }

    /// Reads the whole file.
    package func read() async throws -> [UInt8]? { try await onQueue { try $0.readNow() } }

    /// Writes at the end of the existing file, and flushes the file and its folder.
    package func append(_ lines: [UInt8]) async throws {
        try await onQueue { file in try file.write(lines, to: file.path, O_WRONLY | O_APPEND | O_CLOEXEC) }
    }

    /// Writes a new file beside the old one, flushes it, and renames it.
    package func replace(by lines: [UInt8]) async throws {
        try await onQueue { file in
            let draft = "\(file.path).new"
            unlink(draft)
            try file.write(lines, to: draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
            guard rename(draft, file.path) == 0 else { throw file.failure("renamed") }
            try file.flushFolder()
        }
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable (CheckpointFile) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(self) }) }
        }
    }

    private func readNow() throws -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("read")
        }
        guard let content = try? Data(contentsOf: URL(filePath: path)) else { throw failure("read") }
        return Array(content)
    }

    private func write(_ bytes: [UInt8], to name: String, _ flags: Int32) throws {
        let descriptor = open(name, flags, mode_t(0o600))
        guard descriptor >= 0 else { throw failure("opened") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure("written") }
            rest = rest.dropFirst(written)
        }
        guard fsync(descriptor) == 0 else { throw failure("flushed") }
        if flags & O_CREAT == 0 { try flushFolder() }
    }

    private func flushFolder() throws {
        let slash = path.lastIndex(of: "/")
        let descriptor = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("flushed") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("flushed") }
    }

    private func failure(_ verb: String) -> Failure {
        Failure(
            description: "\(path): the file with the signed checkpoints cannot be \(verb): \(String(cString: strerror(errno)))")
    }
}
