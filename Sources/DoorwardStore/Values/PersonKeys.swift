internal import DoorwardAudit
import FoundationEssentials
import GRDB

/// The keys of persons and days, one for each log.
enum PersonKeys {
    /// `nil` where there is none, or none any more.
    static func key(of owner: PersonKeyOwner, log: Int64, in db: Database) throws -> PersonKey? {
        try db.firstRow("SELECT key FROM person_keys WHERE log = ? AND owner = ?", [log, blob(owner)]) { columns in
            guard let key = PersonKey(bytes: try columns.bytes()) else { throw UnreadableColumn(column: "key") }
            return key
        }
    }

    static func insert(_ key: PersonKey, of owner: PersonKeyOwner, log: Int64, in db: Database) throws {
        try db.run(
            "INSERT INTO person_keys (log, owner, key) VALUES (?, ?, ?)", [log, blob(owner), Data(key.revealBytes())])
    }

    /// 16 bytes for a user, ten for a day: neither can be taken for the other.
    private static func blob(_ owner: PersonKeyOwner) -> Data {
        switch owner {
        case .user(let id): id.blob
        case .day(let date): Data(date.utf8)
        }
    }
}
