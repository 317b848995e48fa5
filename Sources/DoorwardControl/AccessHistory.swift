package import DoorwardDomain
package import DoorwardPolicy

/// The use cases of the access log: reading what one may read of it.
package struct AccessHistory: Sendable {
    let writer: TenancyWriter

    package init(writer: TenancyWriter) { self.writer = writer }

    /// A page of what the caller may read. One past `limit` is fetched, to know whether more follows.
    ///
    /// - Parameter filter: `nil` where the request names something that cannot exist: nothing is listed.
    package func records(
        for caller: Caller, filter: RecordFilter?, order: RecordQuery.Order, after: RecordPlace?, limit: Int
    ) async throws(GatewayError) -> (records: [AccessRecord], hasMore: Bool) {
        guard let filter else { return ([], false) }
        let scopes = writer.directory.current.recordScopes(of: caller.userID, filteredBy: filter)
        guard !scopes.isEmpty else { return ([], false) }
        let query = RecordQuery(scopes: scopes, filter: filter, order: order, after: after, limit: limit + 1)
        let found = try await storing { () throws(StoreError) in try await writer.ledger.store.records(query) }
        return (Array(found.prefix(limit)), found.count > limit)
    }
}

extension TenancyDirectory {
    /// The scopes of a list under a filter. In the records of their unit a resident reads neither which member of the staff
    /// acted nor why somebody was denied, so naming that finds nothing there: a filter shows no more than the record does.
    fileprivate func recordScopes(of userID: UserID, filteredBy filter: RecordFilter) -> [RecordScope] {
        let scopes = recordScopes(of: userID)
        let namesOther = filter.actorUserID.map { $0 != userID } ?? false
        guard namesOther || filter.reason != nil else { return scopes }
        return scopes.filter { if case .unit = $0 { false } else { true } }
    }

    /// The parts of the logs that a user may read: the gateway's own for a super admin, and what their roles reach.
    package func recordScopes(of userID: UserID) -> [RecordScope] {
        var scopes: [RecordScope] =
            SecurityService.allows(userID, .gatewayLogRead, on: .gateway, in: self).isAllowed ? [.gatewayLog] : []
        for entity in SecurityService.entities(where: userID, holds: .viewAccessHistory, in: self) {
            switch entity {
            case .portfolio(let id): scopes.append(.portfolioLog(id))
            case .property(let id): scopes.append(.property(id))
            case .unit(let id): scopes.append(.unit(id))
            }
        }
        return scopes
    }
}
