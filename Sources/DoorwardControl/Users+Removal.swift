internal import DoorwardAudit
package import DoorwardDomain
internal import DoorwardPolicy

extension Users {
    /// Deletes a user. Once this returns, none of their commands is sent any more and their sessions are invalid. Records keep
    /// the id, and a user who gets the same email address later is another one.
    ///
    /// - Throws: `.denied` for callers who are not super admins; `.conflict` for the last super admin; `.preconditionFailed` if
    ///   `condition` is not met.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func delete(
        _ caller: Caller, _ id: UserID, isDryRun: Bool = false, onlyIf condition: Condition<User>? = nil
    ) async throws(GatewayError) -> RemovalPreview? {
        do {
            var preview = try await writer.remove(
                caller, isDryRun: isDryRun,
                reach: { (tenancy, subject) throws(GatewayError) in _ = try tenancy.visibleUser(id, to: subject) },
                body: { (draft) throws(GatewayError) in try draft.remove(id, onlyIf: condition) },
                afterwards: { sessions.endAll(of: id) })
            preview?.ended += sessions.ids(of: id).map { RecordTarget(type: "Session", id: $0.description) }
            return preview
        } catch .unavailable {
            // It is unknown whether the store has deleted the user. End the sessions: a user who still exists has to sign in
            // again.
            if !isDryRun, mayDisable(caller) { sessions.endAll(of: id) }
            throw .unavailable
        }
    }

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
    package func erasePersonalData(
        _ caller: Caller, of id: UserID, isDryRun: Bool = false
    ) async throws(GatewayError) -> RemovalPreview? {
        let mayErase: ReachCheck = { (tenancy, subject) throws(GatewayError) in
            // Only super admins know of a user who was deleted.
            if !(subject.isSuperAdmin && tenancy.isRemoved(id)) { _ = try tenancy.visibleUser(id, to: subject) }
            try tenancy.require(.usersErase, of: subject, on: .gateway)
        }
        let (tenancy, subject) = directory.resolve(caller)
        try mayErase(tenancy, subject)
        let logs = try await mappingStoreErrors { () throws(StoreError) in try await retention.log.logs(withValuesOf: id) }
        guard !isDryRun else {
            return RemovalPreview(ended: logs.map { RecordTarget(type: "PersonalData", id: $0.description) })
        }
        try await writer.change(
            caller, reach: mayErase,
            body: { (draft) throws(GatewayError) in
                try mayErase(draft.directory, draft.subject)
                for log in Set(logs + [.gateway]).sorted(by: { $0.description < $1.description }) {
                    draft.noteErasure(of: id, in: log)
                }
                draft.transaction.forgets.append(.user(id))
            })
        try await retention.finishErasures()
        return nil
    }
}

extension TenancyUnitOfWork {
    fileprivate mutating func noteErasure(of user: UserID, in log: LogID) {
        transaction.records.append(
            PendingRecord(
                RecordBody(
                    log: log, id: newID(), at: now, kind: .gateway, actor: RecordActor(of: caller, in: directory),
                    source: caller.origin.source, clientAddress: caller.origin.clientAddress, requestID: caller.origin.requestID,
                    event: .erasure, target: RecordTarget(type: "User", id: user.description))))
    }
}
