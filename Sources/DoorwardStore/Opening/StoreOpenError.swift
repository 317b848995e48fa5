/// Why a database file was not opened. Each description is one sentence that tells a person what to do next.
package enum StoreOpenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process, or another store of this one, holds the file.
    case inUse(path: String)
    /// The same, by another name of the file, such as a hard link.
    case inUseByAnotherName(path: String)
    /// The file was written by a later program: its schema number and the highest that this program knows.
    case newerSchema(path: String, found: Int, known: Int)
    /// The file is no database of Doorward's.
    case notOurs(path: String)
    /// A setting that durability rests on did not take.
    case notDurable(path: String, setting: String)
    /// The operating system or SQLite refused.
    case failed(path: String, reason: String)

    /// Names the file; of an SQLite or system error it has the words, so it is for the operator and not for a client.
    package var description: String {
        switch self {
        case .inUse(let path):
            "\(path): a gateway holds this database (\(path).lock is locked); stop it first, or use its API."
        case .inUseByAnotherName(let path):
            "\(path): a gateway holds this database under another name of the file; stop it first, or use its API."
        case .newerSchema(let path, let found, let known):
            "\(path): this database was written by a newer Doorward: schema \(found), this program knows \(known); "
                + "run the newer program, or name another file."
        case .notOurs(let path):
            "\(path): this file is not a Doorward database; nothing was changed in it, so name another file."
        case .notDurable(let path, let setting):
            "\(path): SQLite did not accept \(setting), without which a power cut could take back what was answered; "
                + "put the file on a local disk."
        case .failed(let path, let reason):
            "\(path): the database could not be opened: \(reason)."
        }
    }
}
