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

        fileprivate init(_ path: String, _ verb: String, _ reason: String = SystemFailure.last.description) {
            description = "\(path): the file with the signed checkpoints cannot be \(verb): \(reason)"
        }
    }

    /// The path of the file.
    package let path: String
    private let thread = BlockingThread("checkpoints")

    package init(path: String) { self.path = path }

    /// Reads the whole file.
    package func read() async throws -> [UInt8]? {
        try await thread.run { [path] in
            guard fileStatus(path) != nil else {
                if errno == ENOENT { return nil }
                throw Failure(path, "read")
            }
            guard let content = try? Data(contentsOf: URL(filePath: path)) else { throw Failure(path, "read") }
            return Array(content)
        }
    }

    /// Writes at the end of the existing file.
    package func append(_ lines: [UInt8]) async throws {
        try await write { path throws(DurableFile.Failure) in try DurableFile.append(lines, to: path) }
    }

    /// Writes a new file beside the old one, and renames it.
    package func replace(by lines: [UInt8]) async throws {
        try await write { path throws(DurableFile.Failure) in try DurableFile.replace(path, by: lines) }
    }

    private func write(_ body: @escaping @Sendable (String) throws(DurableFile.Failure) -> Void) async throws {
        try await thread.run { [path] in
            do throws(DurableFile.Failure) {
                try body(path)
            } catch {
                throw Failure(path, error.verb, error.reason)
            }
        }
    }
}
