package import DoorwardDomain

/// A copy of the store as of one instant, in a file of its own from which a gateway can start.
package struct StoreBackup: Equatable, Sendable {
    /// The canonical path of the copy: absolute, with links resolved.
    package let path: String
    /// The size of the file.
    package let bytes: Int64
    /// The gateway's time at which the copy was taken. The copy contains every change whose request
    /// was answered before that time.
    package let at: Timestamp
    /// Every log that has a record, by id, with the number of its records in the copy.
    package let logs: [LogSize]

    package init(path: String, bytes: Int64, at: Timestamp, logs: [LogSize]) {
        (self.path, self.bytes, self.at, self.logs) = (path, bytes, at, logs)
    }
}

/// The number of records of a log.
package struct LogSize: Hashable, Sendable {
    /// The log: a portfolio's, or the gateway's.
    package let log: LogID
    /// The number of records; also the `seq` of the next one.
    package let size: UInt64

    package init(log: LogID, size: UInt64) { (self.log, self.size) = (log, size) }
}

/// Why a backup failed. A failed backup leaves no file under the requested name, unless one existed before.
package enum StoreBackupError: Error, Equatable, Sendable {
    /// The file cannot be created as requested, or cannot be created now. Nothing was written, or the incomplete copy was deleted.
    case refused(StoreBackupProblem)
    /// The disk or the database failed; the text is for the log. The incomplete copy was deleted.
    case failed(String)
    /// The store is closed, or closing.
    case unavailable
}

/// Why a backup was refused. Raw values are the codes in `details.fields[].problem`.
package enum StoreBackupProblem: String, CaseIterable, CustomStringConvertible, Sendable {
    /// The path is relative, but callers do not know the gateway's working directory.
    case notAbsolute = "not_absolute"
    /// The path does not end in a valid file name.
    case noFileName = "no_file_name"
    /// The directory does not exist, or is not a directory.
    case folderMissing = "folder_missing"
    /// The gateway has no permission to write to the directory.
    case folderNotWritable = "folder_not_writable"
    /// The name already exists, even if only as a dangling link. A backup never replaces anything.
    case alreadyExists = "already_exists"
    /// Another backup is being written.
    case alreadyRunning = "already_running"
    /// The copy does not fit on its disk.
    case diskFull = "disk_full"

    /// A sentence for the caller who requested the backup.
    package var description: String {
        switch self {
        case .notAbsolute: "The path of the backup must be absolute, on the gateway's machine."
        case .noFileName: "The path must end in the file name of the backup."
        case .folderMissing: "The folder of the backup does not exist on the gateway's machine; create it first."
        case .folderNotWritable: "The gateway may not write to the folder of the backup; choose another, or change its owner."
        case .alreadyExists: "A file of this name exists already, and a backup never replaces a file; choose another name."
        case .diskFull:
            "The backup does not fit on its disk, and the copy was deleted; free space there, or choose a folder on another disk."
        case .alreadyRunning: "Another backup is being written; try again when it has ended."
        }
    }
}

/// The folder in which the gateway keeps its own backups.
package protocol BackupStorage: Sendable {
    /// The absolute path of the folder.
    var path: String { get }

    /// The names of all regular files in the folder.
    ///
    /// - Throws: `.refused` if the folder does not exist or cannot be written; `.failed`.
    func names() async throws(StoreBackupError) -> [String]

    /// Checks a backup completely, as `doorward store check` does.
    ///
    /// - Returns: a sentence about its first fault; `nil` if it has none.
    /// - Throws: `.failed` if it cannot be checked.
    func fault(in name: String) async throws(StoreBackupError) -> String?

    /// Gives a file another name, which no other file has; durable on return.
    func rename(_ name: String, to newName: String) async throws(StoreBackupError)

    /// Deletes files of these names. A file that does not exist is ignored.
    func remove(_ names: [String]) async throws(StoreBackupError)
}
