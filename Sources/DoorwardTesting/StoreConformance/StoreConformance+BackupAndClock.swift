internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials

extension StoreConformance {
    static let backupChecks: [StoreConformanceCheck] = [
        .init("A backup is a new file readable only by its owner, and reports each log's size", seed: 61) { store, script in
            try await withFolder { folder in
                for device in [script.door, script.door, script.otherDoor] {
                    try await store.write([script.event(on: device)])
                }
                let backup = try await store.backup(to: folder + "/copy.db")
                let sizes = [(script.portfolio, UInt64(2)), (script.otherPortfolio, 1)].map {
                    LogSize(log: .portfolio($0.0), size: $0.1)
                }
                try require(backup.logs, is: sizes.sorted { $0.log.description < $1.log.description }, "the logs of the copy")
                try require(backup.path, is: folder + "/copy.db", "the name of the copy")
                let attributes = try FileManager.default.attributesOfItem(atPath: backup.path)
                try require((attributes[.size] as? Int).map { Int64($0) }, is: backup.bytes, "the size of the copy")
                try require(attributes[.posixPermissions] as? Int, is: 0o600, "the mode of the copy")
                try require(try FileManager.default.contentsOfDirectory(atPath: folder), is: ["copy.db"], "the folder's content")
            }
        },
        .init("A backup to an unusable path is refused, creates no file and does not affect the store") { store in
            try await withFolder { folder in
                let taken = folder + "/taken"
                _ = FileManager.default.createFile(atPath: taken, contents: Data([1]))
                try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/nothing")
                let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
                let cases: [(String, StoreBackupProblem)] = [
                    ("copy.db", .notAbsolute), ("", .notAbsolute), ("./copy.db", .notAbsolute), (folder + "/", .noFileName),
                    (folder + "/..", .noFileName), (folder + "/" + String(repeating: "x", count: 250), .noFileName),
                    (folder + "/missing/copy.db", .folderMissing), (taken + "/copy.db", .folderMissing),
                    (taken, .alreadyExists), (folder, .alreadyExists), (folder + "/link", .alreadyExists),
                ]
                for (path, problem) in cases { try await requireFailure(.refused(problem), of: path, by: store) }
                try require(Set(try FileManager.default.contentsOfDirectory(atPath: folder)), is: before, "the folder's content")
                try require(await store.isWritable(), "the store still accepts transactions")
            }
        },
        .init("A closed store rejects a backup") { store in
            try await withFolder { folder in
                try await store.close()
                try await requireFailure(.unavailable, of: folder + "/copy.db", by: store)
                try require(try FileManager.default.contentsOfDirectory(atPath: folder), is: [], "the folder's content")
            }
        },
    ]

    private static func requireFailure(_ expected: StoreBackupError, of path: String, by store: any GatewayStore) async throws {
        do {
            _ = try await store.backup(to: path)
        } catch {
            return try require(error, is: expected, "the failure of a backup to '\(path)'")
        }
        throw ConformanceFailure("a backup was made at '\(path)', which should fail: \(expected)")
    }

    /// Calls `body` with the canonical path of a new folder, and removes the folder afterwards.
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.resolvingSymlinksInPath().path)
    }
}

extension StoreConformance {
    static let clockChecks: [StoreConformanceCheck] = [
        .init("The clock's high-water mark only rises unless it is set; the unconfirmed step is kept") { store in
            let start = Timestamp(milliseconds: 1_795_248_000_000)
            let step = ClockStep(before: start, after: start.advanced(by: .seconds(86_400)))
            try require(try await store.storedClock(), is: nil, "the clock of a new store")
            let cases: [(StoredClockChange, StoredClock)] = [
                (.raiseMark(start), StoredClock(highWaterMark: start)),
                (.raiseMark(start.advanced(by: .seconds(-1))), StoredClock(highWaterMark: start)),
                (.setUnconfirmed(step), StoredClock(highWaterMark: start, unconfirmed: step)),
                (
                    .raiseMark(start.advanced(by: .seconds(1))),
                    StoredClock(highWaterMark: start.advanced(by: .seconds(1)), unconfirmed: step)
                ),
                (
                    .setMark(start.advanced(by: .seconds(-9))),
                    StoredClock(highWaterMark: start.advanced(by: .seconds(-9)), unconfirmed: step)
                ),
                (.setUnconfirmed(nil), StoredClock(highWaterMark: start.advanced(by: .seconds(-9)))),
            ]
            for (change, expected) in cases {
                _ = try await store.commit(StoreTransaction(clock: [change]))
                try require(try await store.storedClock(), is: expected, "the clock after \(change)")
            }
        }
    ]
}
