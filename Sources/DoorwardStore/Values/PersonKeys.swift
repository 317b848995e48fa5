internal import DoorwardAudit
import FoundationEssentials
import GRDB

/// The encryption keys of persons and days, one for each log.
enum PersonKeys {
    /// A key, and the `seq` of the first record that it applies to. Earlier records used a key that was destroyed; their values are erased.
    struct Stored {
        let key: PersonKey
        let since: UInt64

        func key(for seq: UInt64) -> PersonKey? { seq >= since ? key : nil }
    }

    /// `nil` if there is none, or if it was destroyed.
    ///
    /// - Parameter schema: the file's schema; before the seventh no key was destroyed.
    static func key(
        of owner: PersonKeyOwner, log: Int64, schema: Int = Schema.current.number, in db: Database
    ) throws -> Stored? {
        let since = schema < 7 ? "0" : "since"
        return try db.firstRow("SELECT key, \(since) FROM person_keys WHERE log = ? AND owner = ?", [log, blob(owner)]) {
            columns in
            guard let key = PersonKey(bytes: try columns.bytes()) else { throw UnreadableColumn(column: "key") }
            return Stored(key: key, since: UInt64(clamping: try columns.value(Int64.self)))
        }
    }

    static func insert(_ key: PersonKey, of owner: PersonKeyOwner, log: Int64, since: UInt64, in db: Database) throws {
        try db.run(
            "INSERT INTO person_keys (log, owner, key, since) VALUES (?, ?, ?, ?)",
            [log, blob(owner), Data(key.revealBytes()), Int64(since)])
    }

    /// The logs in which an owner has a key. Looks in each log, since the table has no index of owners.
    static func logs(of owner: PersonKeyOwner, in db: Database) throws -> [Int64] {
        var logs: [Int64] = []
        try db.step("SELECT log FROM person_keys WHERE log IN (SELECT key FROM logs) AND owner = ?", [blob(owner)]) {
            logs.append($0.integer(0))
        }
        return logs
    }

    /// Deletes the key. The connection overwrites it with zeros (`secure_delete`).
    static func destroy(of owner: PersonKeyOwner, log: Int64, in db: Database) throws {
        try db.run("DELETE FROM person_keys WHERE log = ? AND owner = ?", [log, blob(owner)])
    }

    /// 16 bytes for a user, ten for a day, so that the two cannot be confused.
    private static func blob(_ owner: PersonKeyOwner) -> Data {
        switch owner {
        case .user(let id): id.blob
        case .day(let date): Data(date.utf8)
        }
    }
}
