internal import DoorwardAudit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The use case of erasing the personal data of a user from the access logs.
package struct PersonalDataErasure: Sendable {
    private let kernel: Kernel
    private let retention: LogRetention

    package init(_ kernel: Kernel, retention: LogRetention) { (self.kernel, self.retention) = (kernel, retention) }

    /// Makes a person's values in all logs unreadable, in copies of the database too, by destroying the person's keys and the key
    /// outside the database that encrypts them. The user may have been deleted
    /// before; the account of an existing user is not changed, and later records about them have new keys.
    ///
    /// The erasure is recorded in the gateway's log and in each log that contains personal values of the user.
    ///
    /// - Throws: `.denied` for callers who are not super admins; `.notFound` if there has never been such a user; `.unavailable`
    ///   if the keys cannot be destroyed now: they are at the next start, or if the request is repeated.
    /// - Returns: the logs in which values would become unreadable, of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func erase(_ caller: Caller, of id: UserID, isDryRun: Bool = false) async throws(GatewayError) -> RemovalPreview? {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        try tenancy.requireErasure(of: id, by: subject)
        let logs = try await mappingStoreErrors(await kernel.storeGuard.log.logs(withValuesOf: id))
        guard !isDryRun else { return RemovalPreview(ended: logs.map { RecordTarget(type: "PersonalData", id: $0.description) }) }
        try await kernel.writer.change(
            caller,
            body: { (draft) throws(GatewayError) in
                try draft.directory.requireErasure(of: id, by: draft.subject)
                for log in Set(logs + [.gateway]).sorted(by: { $0.description < $1.description }) {
                    draft.noteErasure(of: id, in: log)
                }
                draft.transaction.forgets.append(.user(id))
            })
        try await retention.finishErasures()
        return nil
    }
}

extension TenancyDirectory {
    fileprivate func requireErasure(of id: UserID, by subject: Subject) throws(GatewayError) {
        // Only super admins know of a user who was deleted.
        if !(subject.isSuperAdmin && isRemoved(id)) { _ = try visibleUser(id, to: subject) }
        try require(.usersErase, of: subject, on: .gateway)
    }
}

extension TenancyUnitOfWork {
    fileprivate mutating func noteErasure(of user: UserID, in log: LogID) {
        transaction.records.append(
            PendingRecord(
                .erasure, in: log, id: newID(), at: now, actor: RecordActor(of: caller, in: directory), origin: caller.origin,
                target: RecordTarget(type: "User", id: user.description)))
    }
}
