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
    /// The operating system or SQLite reported an error.
    case failed(path: String, reason: String)

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
        case .failed(let path, let reason):
            "\(path): the database could not be opened: \(reason)."
        }
    }
}
