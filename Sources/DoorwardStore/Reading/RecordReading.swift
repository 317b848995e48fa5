internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// A record as stored in its row.
struct StoredRecord {
    let bytes: [UInt8]
    /// The sealed personal values; empty if there are none.
    let sealed: [UInt8]
}

/// Reads complete records: their bytes, and the personal values whose key still exists.
final class RecordReading {
    private let db: Database
    private let keyFile: PersonKeyFile
    private var keys = PersonKeyCache()

    init(_ db: Database, _ keys: PersonKeyFile) { (self.db, keyFile) = (db, keys) }

    /// Returns the entry's record. It is taken from the stream if the stream reads records.
    func record(of entry: EntryStream.Entry) throws -> AccessRecord {
        guard let stored = entry.record else { return try record(at: entry.position) }
        return try record(stored, at: entry.position)
    }

    func record(at position: EntryKey) throws -> AccessRecord {
        guard let record = try recordIfKept(at: position) else { throw UnreadableColumn(column: "position") }
        return record
    }

    /// Returns `nil` for a record that was removed from its log. Throws if the record is missing for another reason, which
    /// means that the file is damaged.
    func recordIfKept(at position: EntryKey) throws -> AccessRecord? {
        let found = try db.firstRow("SELECT bytes, sealed FROM entries WHERE position = ?", [position.rawValue]) { columns in
            StoredRecord(bytes: try columns.value(), sealed: try columns.optional() ?? [])
        }
        if let found { return try record(found, at: position) }
        let log = try StoredLog.find(key: position.logKey, in: db)
        guard let log, position.seq < log.firstSeq else { throw UnreadableColumn(column: "position") }
        return nil
    }

    func record(_ id: RecordID) throws -> AccessRecord? {
        try db.firstRow("SELECT position FROM entries WHERE record_id = ?", [id.blob]) { EntryKey(rawValue: try $0.value()) }
            .map { try record(at: $0) }
    }

    /// Returns the record, if it is in one of the scopes. For an unknown id, reads the row of the next existing id, so that the
    /// lookup takes as long as for a record in another scope.
    func record(_ id: RecordID, within scopes: [RecordScope]) throws -> AccessRecord? {
        let found = try db.firstRow(
            """
            SELECT record_id, position, unit_id, property_id, at FROM entries WHERE record_id = coalesce(
                (SELECT record_id FROM entries WHERE record_id >= ? ORDER BY record_id LIMIT 1),
                (SELECT record_id FROM entries WHERE record_id < ? ORDER BY record_id DESC LIMIT 1))
            """, [id, id]
        ) { row in
            (
                id: row.id(0) as RecordID?, position: EntryKey(rawValue: row.integer(1)), unit: row.id(2) as UnitID?,
                property: row.id(3) as PropertyID?, at: Timestamp(milliseconds: row.integer(4))
            )
        }
        guard let found else { return nil }
        guard let log = try StoredLog.find(key: found.position.logKey, in: db)?.id else {
            throw UnreadableColumn(column: "log_id")
        }
        let isCovered = scopes.contains {
            $0.covers(log: log, unitID: found.unit, propertyID: found.property, at: found.at)
        }
        return found.id == id && isCovered ? try record(at: found.position) : nil
    }

    /// The retained records of the ranges, with the keys of their personal values. The parameters are those of
    /// `AccessLogStore.sealedRecords`.
    func sealed(_ ranges: [Range<UInt64>], of log: StoredLog, upTo byteCount: Int) throws -> [SealedRecord] {
        var (records, bytes) = ([SealedRecord](), 0)
        for range in ranges {
            var rest = range.clamped(to: min(log.firstSeq, log.size)..<log.size)
            while !rest.isEmpty {
                let end = min(rest.upperBound, (rest.lowerBound / LogTiles.width + 1) * LogTiles.width)
                if bytes >= byteCount, rest.lowerBound % LogTiles.width == 0 { return records }
                let part = try sealed(rest.lowerBound..<end, of: log)
                bytes += part.reduce(0) { $0 + $1.bytes.count }
                records += part
                rest = end..<rest.upperBound
            }
        }
        return records
    }

    private func sealed(_ kept: Range<UInt64>, of log: StoredLog) throws -> [SealedRecord] {
        let (first, end) = (EntryKey(logKey: log.key, seq: kept.lowerBound), EntryKey(logKey: log.key, seq: kept.upperBound))
        let found = try db.rows(
            "SELECT position, bytes, leaf_hash, sealed FROM entries WHERE position >= ? AND position < ? ORDER BY position",
            [first.rawValue, end.rawValue]
        ) { row in
            guard let leafHash = row.hash(2) else { throw UnreadableColumn(column: "leaf_hash") }
            return (EntryKey(rawValue: row.integer(0)), leafHash, StoredRecord(bytes: row.bytes(1), sealed: row.bytes(3)))
        }
        return try found.map { position, leafHash, stored in
            SealedRecord(seq: position.seq, bytes: stored.bytes, leafHash: leafHash, values: try values(of: stored, at: position))
        }
    }

    /// The personal values of a record in the order of its commitments.
    private func values(of stored: StoredRecord, at position: EntryKey) throws -> [SealedRecord.Value?] {
        guard let sealed = SealedValues(stored.sealed) else { throw UnreadableColumn(column: "sealed") }
        return try RecordEncoding.commitments(in: stored.bytes).map { try value(of: $0, in: sealed, at: position) }
    }

    /// - Returns: `nil` if the value or its key was erased.
    private func value(
        of commitment: PersonalCommitment, in sealed: SealedValues, at position: EntryKey
    ) throws -> SealedRecord.Value? {
        guard let ciphertext = sealed.ciphertext(of: commitment.place.field),
            let key = try keys.key(of: commitment.owner, at: position, in: db, keyFile)
        else { return nil }
        return SealedRecord.Value(commitment: commitment, ciphertext: ciphertext, key: key)
    }

    private func record(_ stored: StoredRecord, at position: EntryKey) throws -> AccessRecord {
        guard let sealed = SealedValues(stored.sealed) else { throw UnreadableColumn(column: "sealed") }
        // A value that cannot be decrypted or does not match its commitment is omitted. Verification of the log reports it.
        return try RecordEncoding.decode(stored.bytes) { try value(of: $0, in: sealed, at: position)?.disclosed?.value }.record
    }
}

/// Reads the sizes, frontiers and last checkpoints of the logs.
enum LogHeadReading {
    static func heads(in db: Database) throws -> [LogHead] {
        var lastCheckpoints = try db.rows("SELECT log_id, generation, size, signed_at FROM log_checkpoints", []) { columns in
            LastCheckpoint(
                log: try columns.log(), generation: Int(clamping: try columns.value(Int64.self)), size: try columns.seq(),
                signedAt: try columns.optional())
        }.reduce(into: [LogID: LastCheckpoint]()) { $0[$1.log] = $1 }
        var heads = try StoredLog.all(in: db).map { log in
            LogHead(log: log.id, size: log.size, lastCheckpoint: lastCheckpoints.removeValue(forKey: log.id))
        }
        heads += lastCheckpoints.values.map { LogHead(log: $0.log, size: 0, lastCheckpoint: $0) }
        return heads.sorted { $0.log.description < $1.log.description }
    }

    static func frontier(of log: LogID, in db: Database) throws -> MerkleFrontier? {
        try db.firstRow("SELECT frontier FROM logs WHERE log_id = ?", [log.description]) { try $0.frontier() }
    }
}
