import Foundation
import Synchronization

/// A point in the start of a gateway that can be detected from outside, by its files.
enum StartMoment: Sendable, CustomStringConvertible {
    /// The database's lock file exists.
    case locked
    /// The database has at least that many bytes.
    case databaseBytes(Int)
    /// The write-ahead log exists.
    case logAppears
    /// The write-ahead log has at least that many bytes.
    case logBytes(Int)
    /// The write-ahead log was seen to change that many times.
    case logWritten(Int)
    /// The token signing key exists, complete or not.
    case keyDrafted

    var description: String {
        switch self {
        case .locked: "the .lock file is there"
        case .databaseBytes(let count): "the database has \(count) bytes"
        case .logAppears: "the -wal file is there"
        case .logBytes(let count): "the -wal file has \(count) bytes"
        case .logWritten(let count): "the -wal file was written \(count) times"
        case .keyDrafted: "the signing key is there"
        }
    }

    /// Starts a gateway and kills it at this moment, or when it listens.
    ///
    /// - Returns: Whether the moment came before the gateway listened.
    func kill(startIn folder: TemporaryFolder) async throws -> Bool {
        let watch = Watch(moment: self, database: folder.file("doorward.db"))
        let program = try RunningGateway.launch(in: folder)
        let hasListened = Latch<Bool>()
        Task { hasListened.open(await program.nextLine() != nil) }
        // A separate thread, which other tests cannot delay.
        let hasCome = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var hasCome = false
                while !hasCome, !hasListened.isOpen { hasCome = watch.hasCome() }
                program.signal(SIGKILL)
                continuation.resume(returning: hasCome)
            }
        }
        _ = await program.exitCode
        return hasCome
    }

    /// Checks the files for the moment.
    private final class Watch: Sendable {
        let moment: StartMoment
        let database: String
        private let log: Mutex<(status: [Int], changes: Int)>

        init(moment: StartMoment, database: String) {
            (self.moment, self.database) = (moment, database)
            log = Mutex((Self.status(database + "-wal"), 0))
        }

        func hasCome() -> Bool {
            switch moment {
            case .locked: return !Self.status(database + ".lock").isEmpty
            case .databaseBytes(let count): return (Self.status(database).first ?? -1) >= count
            case .logAppears: return !Self.status(database + "-wal").isEmpty
            case .keyDrafted:
                return !Self.status(database + ".signing-key.new").isEmpty || !Self.status(database + ".signing-key").isEmpty
            case .logWritten(let count):
                let status = Self.status(database + "-wal")
                return log.withLock { log in
                    if status != log.status { log = (status, log.changes + 1) }
                    return log.changes >= count
                }
            case .logBytes(let count): return (Self.status(database + "-wal").first ?? -1) >= count
            }
        }

        /// Returns the size and modification time of a file, or an empty array if it does not exist.
        private static func status(_ path: String) -> [Int] {
            var status = stat()
            guard stat(path, &status) == 0 else { return [] }
            return [Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
        }
    }
}
