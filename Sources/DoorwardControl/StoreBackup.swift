package import DoorwardDomain

/// A copy of the store as it was at one instant, in a file of its own from which a gateway can start.
package struct StoreBackup: Equatable, Sendable {
    /// The copy's one name: absolute, and without links in it.
    package let path: String
    /// The size of the copy's file.
    package let bytes: Int64
    /// The gateway's time at which the copy was taken: everything answered before it is in the copy.
    package let at: Timestamp
    /// Every log that has a record, by id, with as many records as the copy holds of it.
    package let logs: [LogSize]

    package init(path: String, bytes: Int64, at: Timestamp, logs: [LogSize]) {
        (self.path, self.bytes, self.at, self.logs) = (path, bytes, at, logs)
    }
}

/// How many records a log has.
package struct LogSize: Hashable, Sendable {
    /// Whose records they are: a portfolio's, or the gateway's own.
    package let log: LogID
    /// The number of records, which is the `seq` of the next one.
    package let size: UInt64

    package init(log: LogID, size: UInt64) { (self.log, self.size) = (log, size) }
}

/// Why there is no copy. Nothing stands under the name that was asked for, unless it stood there before.
package enum StoreBackupError: Error, Equatable, Sendable {
    /// The file cannot be what was asked for, or not now. Nothing was written.
    case refused(StoreBackupProblem)
    /// The disk or the database failed, in words for the log; what was written of the copy is gone.
    case failed(String)
    /// The store is closed, or closing.
    case unavailable
}

/// What is wrong with the place of a backup. Raw values are words for `details.fields[].problem`.
package enum StoreBackupProblem: String, CaseIterable, Sendable {
    /// A relative path: whoever asks knows nothing of the gateway's folder.
    case notAbsolute = "not_absolute"
    /// The path ends in no name that a file can have.
    case noFileName = "no_file_name"
    /// There is no such folder, or it is no folder.
    case folderMissing = "folder_missing"
    /// The gateway may not write in the folder.
    case folderNotWritable = "folder_not_writable"
    /// Something has this name already, be it a link to nothing. A backup never replaces anything.
    case alreadyExists = "already_exists"
    /// Another backup is being written.
    case alreadyRunning = "already_running"
}

extension StoreBackupProblem: CustomStringConvertible {
    /// A sentence for whoever asked for the backup.
    package var description: String {
        switch self {
        case .notAbsolute: "The file of a backup is named by its whole path, from the root of the gateway's machine."
        case .noFileName: "The path must end in the name of the file that the backup becomes."
        case .folderMissing: "The folder of the backup does not exist on the gateway's machine; make it first."
        case .folderNotWritable: "The gateway may not write in the folder of the backup; name another, or change its owner."
        case .alreadyExists: "There is a file of this name already; a backup never replaces one, so choose another name."
        case .alreadyRunning: "Another backup is being written; try again when it has ended."
        }
    }
}
