internal import DoorwardDomain
internal import DoorwardKernel
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
