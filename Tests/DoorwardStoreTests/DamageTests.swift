import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// Damaged files: flipped bits, missing pages, foreign headers.
@Suite struct DamageTests {
    @Test("If any byte of a record's row in a backup is changed, a check names that record", arguments: [1, 2, 3])
    func everyByte(log: Int64) async throws {
        let sample = try await CheckedSample(seed: 21, isClosed: false)
        let store = try #require(sample.holder)
        let backup = try await store.backup(to: sample.database.folder.appending(path: "copy.db").path)
        sample.database.giveKeys(to: backup.path)
        let whole = try Data(contentsOf: URL(filePath: backup.path))
        var random = SeededGenerator(seed: UInt64(log))
        let name = try #require(try logID(log, of: backup.path))
        for row in try rows(of: log, in: backup.path) {
            let range = try #require(row.place(in: whole))
            // Change every byte of one record of the first log, and some bytes of each other record.
            let step = row.seq == 1 ? (log == 1 ? 1 : 5) : 71
            let start = range.lowerBound + Int.random(in: 0..<min(step, range.count), using: &random)
            for offset in stride(from: start, to: range.upperBound, by: step) {
                var changed = whole
                changed[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                try changed.write(to: URL(filePath: backup.path))
                let fault = try StoreCheck.run(path: backup.path).fault
                #expect(fault?.log == name && fault?.seq == row.seq, "byte \(offset - range.lowerBound) of record \(row.seq)")
            }
        }
        try await store.close()
    }

    @Test(
        "A flipped bit anywhere in the file is detected, or leaves every log unchanged", arguments: 1...4 as ClosedRange<UInt64>)
    func anywhere(seed: UInt64) async throws {
        let sample = try await CheckedSample(seed: 22)
        let path = sample.database.path
        let whole = try Data(contentsOf: URL(filePath: path))
        let logs = try dump(path)
        var (random, found) = (SeededGenerator(seed: seed), 0)
        for _ in 0..<80 {
            var changed = whole
            changed[Int.random(in: 0..<whole.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try changed.write(to: URL(filePath: path))
            if (try? StoreCheck.run(path: path))?.isWhole == true {
                #expect(try dump(path) == logs)
            } else {
                found += 1
            }
        }
        #expect(found > 0)
    }

    @Test("A file truncated at any length is detected by a check, or has lost no record")
    func cut() async throws {
        let sample = try await CheckedSample(seed: 23)
        let path = sample.database.path
        let whole = try Data(contentsOf: URL(filePath: path))
        let logs = try dump(path)
        for count in stride(from: 0, to: whole.count, by: 4096) + [1, 99, 100, 4097, whole.count - 1] {
            try whole.prefix(count).write(to: URL(filePath: path))
            // SQLite reads a missing end as zeros, and the last page may be unused, so the last byte may be missing without a
            // fault.
            guard (try? StoreCheck.run(path: path))?.isWhole == true else { continue }
            #expect(count == whole.count - 1, "\(count) bytes")
            #expect(try dump(path) == logs)
        }
    }

    @Test(
        "A damaged file that opens contains the original records, or a check detects the damage",
        arguments: 1...3 as ClosedRange<UInt64>)
    func opened(seed: UInt64) async throws {
        let sample = try await CheckedSample(seed: 24)
        let path = sample.database.path
        let whole = try Data(contentsOf: URL(filePath: path))
        let query = RecordQuery(
            scopes: [.gatewayLog, .portfolioLog(sample.script.portfolio), .portfolioLog(sample.script.otherPortfolio)],
            order: .oldestFirst, limit: 100)
        let store = try sample.database.open()
        let truth = try await store.records(query)
        try await store.close()
        var (random, opened) = (SeededGenerator(seed: seed), 0)
        for _ in 0..<40 {
            // Overwrite a run of bytes, as a bad sector would.
            var changed = whole
            let start = Int.random(in: 100..<whole.count - 64, using: &random)
            for offset in start..<start + 64 { changed[offset] = UInt8.random(in: 0...255, using: &random) }
            try changed.write(to: URL(filePath: path))
            try? FileManager.default.removeItem(atPath: path + "-wal")
            let isWhole = (try? StoreCheck.run(path: path))?.isWhole == true
            guard let store = try? sample.database.open() else {
                #expect(!isWhole)
                continue
            }
            opened += 1
            if isWhole { #expect(try await store.records(query) == truth) }
            _ = try? await store.records(query)
            try? await store.close()
        }
        #expect(opened > 0)
    }

    @Test(
        "A foreign header is rejected by opening and by a check",
        arguments: [
            ("PRAGMA application_id = 1", "is not a Doorward database"),
            ("PRAGMA application_id = 0", "is not a Doorward database"),
            ("PRAGMA user_version = 2147483647", "was written by a newer Doorward"),
        ])
    func header(sql: String, words: String) async throws {
        let sample = try await CheckedSample(seed: 25)
        try sample.database.edit(sql)
        let before = try Data(contentsOf: URL(filePath: sample.database.path))
        #expect { try sample.database.open() } throws: { "\($0)".contains(words) }
        #expect { try StoreCheck.run(path: sample.database.path) } throws: { "\($0)".contains(words) }
        #expect(try Data(contentsOf: URL(filePath: sample.database.path)) == before)
    }

    @Test("Flipped bits in the write-ahead log undo at most the last transactions, and leave a complete database")
    func writeAheadLog() async throws {
        let sample = try await CheckedSample(seed: 26, isClosed: false)
        let copy = try sample.database.copyFiles(to: "copy.db")
        let log = URL(filePath: copy + "-wal")
        let (file, whole) = (try Data(contentsOf: URL(filePath: copy)), try Data(contentsOf: log))
        var random = SeededGenerator(seed: 26)
        var sizes: Set<UInt64> = []
        for _ in 0..<60 {
            var changed = whole
            changed[Int.random(in: 0..<whole.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try file.write(to: URL(filePath: copy))
            try changed.write(to: log)
            let report = try StoreCheck.run(path: copy)
            #expect(report.fault == nil)
            sizes.insert(report.counts.records)
        }
        #expect(sizes.count > 3, "the changes undid different numbers of transactions")
    }

    // MARK: Rows

    /// The values of a row of entries as stored in the file.
    private struct EntryRow {
        let seq: UInt64
        let recordID: Data
        let bytes: Data
        let leafHash: Data
        let sealed: Data

        /// Returns the range of the row's values in the file, from its instant to its encrypted values.
        func place(in file: Data) -> Range<Int>? {
            guard let bytes = file.firstRange(of: bytes + leafHash + sealed),
                let id = file[max(0, bytes.lowerBound - 200)..<bytes.lowerBound].firstRange(of: recordID)
            else { return nil }
            // An instant of this century takes six bytes.
            return id.lowerBound - 6..<bytes.upperBound
        }
    }

    private func rows(of log: Int64, in path: String) throws -> [EntryRow] {
        try read(path) { db in
            try Row.fetchAll(
                db, sql: "SELECT position, record_id, bytes, leaf_hash, sealed FROM entries WHERE position >> 40 = ?",
                arguments: [log]
            ).map { row in
                EntryRow(
                    seq: EntryKey(rawValue: row["position"]).seq, recordID: row["record_id"], bytes: row["bytes"],
                    leafHash: row["leaf_hash"], sealed: row["sealed"] ?? Data())
            }
        }
    }

    private func logID(_ key: Int64, of path: String) throws -> LogID? {
        try read(path) { try String.fetchOne($0, sql: "SELECT log_id FROM logs WHERE key = ?", arguments: [key]) }.flatMap {
            LogID($0)
        }
    }

    /// Returns every row of the logs and their entries.
    private func dump(_ path: String) throws -> [Row] {
        try read(path) { db in
            try Row.fetchAll(db, sql: "SELECT * FROM logs ORDER BY key")
                + Row.fetchAll(db, sql: "SELECT * FROM entries ORDER BY position")
        }
    }

    private func read<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read(body)
    }
}
