import Foundation
import Synchronization

/// A point in the start of a gateway that shows from outside, in the files that it makes and writes.
enum StartMoment: Sendable, CustomStringConvertible {
    /// The database is held.
    case locked
    /// The database has so many bytes.
    case databaseBytes(Int)
    /// The write-ahead log is there.
    case logAppears
    /// The write-ahead log has so many bytes.
    case logBytes(Int)
    /// The write-ahead log was seen to change so many times.
    case logWritten(Int)
    /// The key that signs access tokens is there, whole or not yet.
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

    /// Launches a gateway and kills it as soon as the moment has come, if it does come before the gateway listens.
    ///
    /// - Returns: whether it came.
    func kill(startIn folder: TemporaryFolder) async throws -> Bool {
        let watch = Watch(moment: self, database: folder.file("doorward.db"))
        let program = try RunningGateway.launch(in: folder)
        let hasListened = Latch<Bool>()
        Task { hasListened.open(await program.nextLine() != nil) }
        // On a thread of its own, which other tests cannot keep from looking.
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

    /// Looks at the files again and again.
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

        /// Size and time of the last change of a file; empty if it is not there.
        private static func status(_ path: String) -> [Int] {
            var status = stat()
            guard stat(path, &status) == 0 else { return [] }
            return [Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
        }
    }
}
