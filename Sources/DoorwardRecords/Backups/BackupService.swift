internal import DoorwardDomain
package import DoorwardKernel

/// The use case of backing up the database of a running gateway, by a person or by the gateway itself.
package struct BackupService: Sendable {
    private let kernel: Kernel

    package init(_ kernel: Kernel) { self.kernel = kernel }

    /// Writes a copy of the whole database to a new file on the gateway's host; commands continue meanwhile.
    ///
    /// The backup is recorded in the gateway's log as an event `EXPORT` with the file, before it begins: no copy leaves the store
    /// without a record, whatever happens meanwhile, and each copy contains its own record. A refused backup is not recorded.
    ///
    /// - Parameter file: an absolute path in an existing directory; an existing file is never overwritten.
    /// - Throws: `.denied`; `.invalid` with the problem of `file`; `.alreadyExists`; `.conflict` while another backup runs;
    ///   `.diskFull` if the copy does not fit on its disk; `.unavailable`.
    package func create(_ caller: Caller, to file: String) async throws(GatewayError) -> StoreBackup {
        try kernel.directory.requireAdministration(by: caller)
        do throws(StoreBackupError) {
            return try await write(to: file) { record(["file": .string($0)], by: caller) }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Writes a copy as `create` does, recorded as one that the gateway makes by itself, with the name that it gets once it was
    /// checked.
    func createScheduled(_ name: BackupName, in folder: String) async throws(StoreBackupError) -> StoreBackup {
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
        try await kernel.storeGuard.write(StoreTransaction(records: [record(details, by: nil)]))
    }

    /// Writes the record first, then the copy.
    private func write(
        to file: String, recording record: (String) -> PendingRecord
    ) async throws(StoreBackupError) -> StoreBackup {
        let path = try await kernel.storeGuard.maintenance.checkBackup(to: file)
        do {
            try await kernel.storeGuard.write(StoreTransaction(records: [record(path)]))
        } catch {
            throw .unavailable
        }
        return try await kernel.storeGuard.maintenance.backup(to: path)
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
        let now = kernel.clock.now()
        return PendingRecord(
            .export, id: kernel.random.id(at: now), at: now,
            actor: caller.map { RecordActor(of: $0, in: kernel.directory.current) } ?? .gateway, origin: caller?.origin,
            details: details.merging(["what": .string("backup")]) { $1 })
    }
}
