package import DoorwardDomain
internal import DoorwardPolicy

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
package enum StoreBackupProblem: String, CaseIterable, Sendable {
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
}

extension StoreBackupProblem: CustomStringConvertible {
    /// A sentence for the caller who requested the backup.
    package var description: String {
        switch self {
        case .notAbsolute: "The path of the backup must be absolute, on the gateway's machine."
        case .noFileName: "The path must end in the file name of the backup."
        case .folderMissing: "The folder of the backup does not exist on the gateway's machine; create it first."
        case .folderNotWritable: "The gateway may not write to the folder of the backup; choose another, or change its owner."
        case .alreadyExists: "A file of this name exists already, and a backup never replaces a file; choose another name."
        case .diskFull:
            "The backup does not fit on its disk, and was not kept; free space there, or choose a folder on another disk."
        case .alreadyRunning: "Another backup is being written; try again when it has ended."
        }
    }
}

/// The use case of backing up the database of a running gateway, by a person or by the gateway itself.
package struct StoreCare: Sendable {
    let directory: CurrentDirectory
    let storeGuard: StoreGuard
    let clock: any GatewayClock
    let random: RandomSource

    /// Writes a copy of the whole database to a new file on the gateway's host; commands continue meanwhile.
    ///
    /// The backup is recorded in the gateway's log as an event `EXPORT` with the file, before it begins: no copy leaves the store
    /// without a record, whatever happens meanwhile, and each copy contains its own record. A refused backup is not recorded.
    ///
    /// - Parameter file: an absolute path in an existing directory; an existing file is never overwritten.
    /// - Throws: `.denied`; `.invalid` with the problem of `file`; `.alreadyExists`; `.conflict` while another backup runs;
    ///   `.diskFull` if the copy does not fit on its disk; `.unavailable`.
    package func backUp(_ caller: Caller, to file: String) async throws(GatewayError) -> StoreBackup {
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
        return try await Self.mappingErrors { () throws(StoreBackupError) in
            try await write(to: file) { record(["file": .string($0)], by: caller) }
        }
    }

    /// Writes a copy as `backUp` does, recorded as one that the gateway makes by itself, with the name that it gets once it was
    /// checked.
    func backUpByItself(_ name: BackupName, in folder: String) async throws(StoreBackupError) -> StoreBackup {
        try await write(to: "\(folder)/\(name.uncheckedFile)") { _ in
            record(["file": .string("\(folder)/\(name.file)")], by: nil)
        }
    }

    /// Records that the gateway could not back itself up.
    ///
    /// - Parameters:
    ///   - failure: the code of the reason.
    ///   - name: the backup that is missing.
    func recordFailure(_ failure: String, of name: BackupName, in folder: String) async throws(GatewayError) {
        let details: [String: RecordValue] = ["file": .string("\(folder)/\(name.file)"), "failure": .string(failure)]
        try await storeGuard.write(StoreTransaction(records: [record(details, by: nil)]))
    }

    /// Writes the record first, then the copy.
    private func write(
        to file: String, recording record: (String) -> PendingRecord
    ) async throws(StoreBackupError) -> StoreBackup {
        let path = try await storeGuard.maintenance.checkBackup(to: file)
        do {
            try await storeGuard.write(StoreTransaction(records: [record(path)]))
        } catch {
            throw .unavailable
        }
        return try await storeGuard.maintenance.backup(to: path)
    }

    private static func mappingErrors<Value>(
        _ body: () async throws(StoreBackupError) -> Value
    ) async throws(GatewayError) -> Value {
        do {
            return try await body()
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: StoreBackupError) -> GatewayError {
        switch error {
        case .refused(.alreadyExists): .alreadyExists
        case .refused(.alreadyRunning): .conflict(StoreBackupProblem.alreadyRunning.description)
        case .refused(.diskFull): .diskFull(StoreBackupProblem.diskFull.description)
        case .refused(let problem): .invalid("file", problem.rawValue)
        case .failed(let cause): .internalFailure("the backup failed: \(cause)")
        case .unavailable: .unavailable
        }
    }

    /// - Parameter caller: `nil` for the gateway itself.
    private func record(_ details: [String: RecordValue], by caller: Caller?) -> PendingRecord {
        let now = clock.now()
        return PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: now), at: now, kind: .gateway,
                actor: caller.map { RecordActor(of: $0, in: directory.current) } ?? .gateway,
                source: caller?.origin.source ?? .gateway, clientAddress: caller?.origin.clientAddress,
                requestID: caller?.origin.requestID, event: .export,
                details: details.merging(["what": .string("backup")]) { $1 }))
    }
}
