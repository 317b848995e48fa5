internal import DoorwardAudit
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The sixteenth schema: the keys of persons, and the names and addresses of users, are encrypted with keys of a file outside the
/// database (decision 0086).
enum Schema016 {
    static let number = 16

    @Sendable static func apply(_ db: Database, _ keys: PersonKeyFile) throws {
        try db.execute(
            sql: """
                CREATE TABLE person_key_file (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID; -- one row
                CREATE TABLE erased_persons (
                    user_id BLOB PRIMARY KEY, generation INTEGER NOT NULL -- the number of erasures
                ) STRICT, WITHOUT ROWID;
                ALTER TABLE users ADD COLUMN sealed BLOB NOT NULL DEFAULT x''; -- names and email address, encrypted
                """)
        try db.run("INSERT INTO person_key_file (id) VALUES (?)", [keys.id])
        try sealAccounts(in: db, keys)
        // `email_key` remains: it now has an HMAC of the address.
        try db.execute(
            sql: """
                ALTER TABLE users DROP COLUMN email;
                ALTER TABLE users DROP COLUMN first_name;
                ALTER TABLE users DROP COLUMN last_name;
                """)
        try wrapKeys(in: db, keys)
    }

    private static func sealAccounts(in db: Database, _ keys: PersonKeyFile) throws {
        let users = try db.rows("SELECT id, email, first_name, last_name FROM users") { columns in
            (
                id: try columns.id() as UserID,
                account: SealedAccount(
                    email: try columns.value(), firstName: try columns.value(), lastName: try columns.value())
            )
        }
        for (id, stored) in users {
            // In a backup from before this schema, beside a key file from after the user's erasure, the user stays erased.
            let isErased = keys.isErased(id)
            let account = isErased ? SealedAccount.erased(id) : stored
            try db.run(
                "UPDATE users SET email_key = ?, sealed = ?, is_enabled = is_enabled AND ? WHERE id = ?",
                [keys.emailIndex(of: account.email), try keys.seal(account, of: id, from: 0), !isErased, id])
        }
    }

    /// Wraps the keys, of each log in turn. A key that is malformed stays as it is: a check of the file reports it.
    private static func wrapKeys(in db: Database, _ keys: PersonKeyFile) throws {
        for log in try Int64.fetchAll(db, sql: "SELECT DISTINCT log FROM person_keys") {
            let plain = try db.rows("SELECT owner, key FROM person_keys WHERE log = ?", [log]) { columns in
                (owner: try columns.bytes(), key: try columns.bytes())
            }
            for (blob, bytes) in plain {
                guard let owner = PersonKeys.owner(blob), let key = PersonKey(bytes: bytes) else { continue }
                if case .user(let user) = owner, keys.isErased(user) {
                    try db.run("DELETE FROM person_keys WHERE log = ? AND owner = ?", [log, Data(blob)])
                    continue
                }
                try db.run(
                    "UPDATE person_keys SET key = ? WHERE log = ? AND owner = ?",
                    [try keys.wrap(key, of: owner, log: log, from: 0), log, Data(blob)])
            }
        }
    }
}
