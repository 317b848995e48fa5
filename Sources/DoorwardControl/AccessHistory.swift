package import DoorwardDomain
package import DoorwardPolicy

/// The use cases of the access log: reading what one may read of it.
package struct AccessHistory: Sendable {
    let writer: TenancyWriter

    package init(writer: TenancyWriter) { self.writer = writer }

    /// A page of what the caller may read. One past `limit` is fetched, to know whether more follows.
    package func records(
        for caller: Caller, deviceID: DeviceID??, order: RecordQuery.Order, after: RecordPlace?, limit: Int
    ) async throws(GatewayError) -> (records: [AccessRecord], hasMore: Bool) {
        let tenancy = writer.directory.current
        var query = RecordQuery(scopes: tenancy.recordScopes(of: caller.userID), order: order, after: after, limit: limit + 1)
        if case .some(let device) = deviceID {
            guard let device else { return ([], false) }
            query.deviceID = device
        }
        guard !query.scopes.isEmpty else { return ([], false) }
        let complete = query
        let found = try await storing { () throws(StoreError) in try await writer.ledger.store.records(complete) }
        return (Array(found.prefix(limit)), found.count > limit)
    }
}

extension TenancyDirectory {
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
