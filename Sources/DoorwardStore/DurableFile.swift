internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import Glibc

/// Writes small files so that they survive a power cut: on return, the bytes and the name are on the disk.
package enum DurableFile {
    /// A system call failed.
    package struct Failure: Error {
        /// What cannot be done with the file: `opened`, `written`, `flushed` or `renamed`.
        package let verb: String
        /// The reason, and what to do next.
        package let reason: String

        fileprivate init(_ verb: String) { (self.verb, reason) = (verb, SystemFailure.last.description) }
    }

    /// Creates a file with mode 0600, in place of one with the same name.
    package static func create(_ path: String, _ bytes: [UInt8]) throws(Failure) {
        unlink(path)
        try write(bytes, to: path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
        try flushFolder(of: path)
    }

    /// Appends to a file that exists.
    package static func append(_ bytes: [UInt8], to path: String) throws(Failure) {
        try write(bytes, to: path, O_WRONLY | O_APPEND | O_CLOEXEC)
    }

    /// Gives a file another name in its folder. A file that has this name is replaced.
    package static func rename(_ path: String, to name: String) throws(Failure) {
        guard Glibc.rename(path, name) == 0 else { throw Failure("renamed") }
        try flushFolder(of: name)
    }

    private static func write(_ bytes: [UInt8], to path: String, _ flags: Int32) throws(Failure) {
        let descriptor = open(path, flags, mode_t(0o600))
        guard descriptor >= 0 else { throw Failure("opened") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Failure("written") }
            rest = rest.dropFirst(written)
        }
        // Blocks: the thread of checkpoints, of backups, of person keys, or of the start.
        guard fsync(descriptor) == 0 else { throw Failure("flushed") }
    }

    private static func flushFolder(of path: String) throws(Failure) {
        let slash = path.lastIndex(of: "/")
        let descriptor = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("flushed") }
        defer { close(descriptor) }
        // Blocks: the thread of checkpoints, of backups, of person keys, or of the start.
        guard fsync(descriptor) == 0 else { throw Failure("flushed") }
    }
}

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
    private let thread = BlockingThread("checkpoints")

    package init(path: String) { self.path = path }

    /// Reads the whole file.
    package func read() async throws -> [UInt8]? { try await onThread { try $0.readNow() } }

    /// Writes at the end of the existing file.
    package func append(_ lines: [UInt8]) async throws {
        try await write { path throws(DurableFile.Failure) in try DurableFile.append(lines, to: path) }
    }

    /// Writes a new file beside the old one, and renames it.
    package func replace(by lines: [UInt8]) async throws {
        try await write { path throws(DurableFile.Failure) in
            try DurableFile.create("\(path).new", lines)
            try DurableFile.rename("\(path).new", to: path)
        }
    }

    private func write(_ body: @escaping @Sendable (String) throws(DurableFile.Failure) -> Void) async throws {
        try await onThread { file in
            do throws(DurableFile.Failure) {
                try body(file.path)
            } catch {
                throw file.failure(error.verb, error.reason)
            }
        }
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable (CheckpointFile) throws -> Value) async throws -> Value {
        try await thread.run { try body(self) }
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

    private func failure(_ verb: String, _ reason: String = SystemFailure.last.description) -> Failure {
        Failure(description: "\(path): the file with the signed checkpoints cannot be \(verb): \(reason)")
    }
}
