internal import DoorwardDomain
internal import DoorwardKernel
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

    /// Creates `<path>.new`, and gives it the name of the file.
    static func replace(_ path: String, by bytes: [UInt8]) throws(Failure) {
        try create("\(path).new", bytes)
        try rename("\(path).new", to: path)
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
