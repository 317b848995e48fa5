import GRDB

/// The settings that durability and privacy depend on.
enum StoreSettings {
    /// The pragmas, the value that each must have, and its name in an error message. Every commit is flushed before it is acknowledged
    /// (2 is `FULL`), deleted content is overwritten with zeros, and the writer checkpoints between batches, never inside a commit.
    private static let required: [(pragma: String, value: DatabaseValue, name: String)] = [
        ("journal_mode", "wal".databaseValue, "write-ahead logging"),
        ("synchronous", 2.databaseValue, "synchronous = FULL"), ("secure_delete", 1.databaseValue, "secure_delete"),
        ("wal_autocheckpoint", 0.databaseValue, "wal_autocheckpoint = 0"), ("foreign_keys", 1.databaseValue, "foreign_keys"),
    ]

    /// The first setting for which the connection reports a wrong value; `nil` if all values are right.
    static func violation(in db: Database) throws -> String? {
        try required.first { try DatabaseValue.fetchOne(db, sql: "PRAGMA \($0.pragma)") != $0.value }?.name
    }
}

/// The reason why a database file was not opened. Each description is one sentence that includes the operator's next step.
package enum StoreOpenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process, or another store of this one, holds the file.
    case inUse(path: String)
    /// Another process, or another store of this one, holds the file under another name, such as a hard link.
    case inUseByAnotherName(path: String)
    /// A newer program wrote the file. `found` is the file's schema, and `known` the highest schema that this program supports.
    case newerSchema(path: String, found: Int, known: Int)
    /// The file is not a Doorward database.
    case notOurs(path: String)
    /// SQLite did not accept a setting that durability depends on.
    case notDurable(path: String, setting: String)
    /// There is no person-key file, but the database was used with one.
    case personKeysMissing(path: String, database: String)
    /// Users other than the owner can read the person-key file.
    case personKeysExposed(path: String)
    /// The person-key file belongs to another database.
    case personKeysOfOther(path: String, database: String)
    /// The content is not that of a person-key file.
    case personKeysDamaged(path: String)
    /// The operating system or SQLite reported an error.
    case failed(path: String, reason: String)

    /// The reason for an error of any type, while the file at `path` was opened.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreOpenError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB: self = .notOurs(path: path)
        default: self = .failed(path: path, reason: describe(error))
        }
    }

    /// The description contains the path and the message of an SQLite or system error, so it is for the operator and not for
    /// clients.
    package var description: String {
        switch self {
        case .inUse(let path):
            "\(path): a gateway uses this database (\(path).lock is locked); stop it first, or use its API."
        case .inUseByAnotherName(let path):
            "\(path): a gateway uses this database under another file name (a hard link); stop it first, or use its API."
        case .newerSchema(let path, let found, let known):
            "\(path): this database was written by a newer Doorward: schema \(found), this program knows \(known); "
                + "run the newer program, or name another file."
        case .notOurs(let path):
            "\(path): this file is not a Doorward database, and was not changed; choose another file."
        case .notDurable(let path, let setting):
            "\(path): SQLite did not accept \(setting), without which a power failure could lose acknowledged data; "
                + "put the file on a local disk."
        case .personKeysMissing(let path, let database):
            "\(path): the file with the keys of personal data is missing, but \(database) was used with one; restore the newest "
                + "copy of it, or name the place where it is as audit.personKeyFile."
        case .personKeysExposed(let path):
            "\(path): others than its owner can read the keys of personal data; run `chmod 600 \(path)`, and delete all copies of "
                + "the database to which they had access."
        case .personKeysOfOther(let path, let database):
            "\(path): this file with keys of personal data does not belong to \(database); restore the file that "
                + "belongs to it."
        case .personKeysDamaged(let path):
            "\(path): this file does not contain keys of personal data as Doorward writes them; restore the newest copy of it."
        case .failed(let path, let reason):
            "\(path): the database could not be opened: \(reason)."
        }
    }
}
