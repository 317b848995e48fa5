internal import DoorwardDomain
internal import DoorwardPolicy

/// The use case of backing up the database of a running gateway.
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
    ///   `.unavailable`.
    package func backUp(_ caller: Caller, to file: String) async throws(GatewayError) -> StoreBackup {
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
        let path = try await Self.mappingErrors { () throws(StoreBackupError) in
            try await storeGuard.maintenance.checkBackup(to: file)
        }
        try await storeGuard.write(StoreTransaction(records: [record(of: path, by: caller)]))
        return try await Self.mappingErrors { () throws(StoreBackupError) in
            try await storeGuard.maintenance.backup(to: path)
        }
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
        case .refused(let problem): .invalid("file", problem.rawValue)
        case .failed(let cause): .internalFailure("the backup failed: \(cause)")
        case .unavailable: .unavailable
        }
    }

    private func record(of path: String, by caller: Caller) -> PendingRecord {
        let now = clock.now()
        return PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: now), at: now, kind: .gateway,
                actor: RecordActor(of: caller, in: directory.current), source: caller.origin.source,
                clientAddress: caller.origin.clientAddress, requestID: caller.origin.requestID, event: .export,
                details: ["what": .string("backup"), "file": .string(path)]))
    }
}
