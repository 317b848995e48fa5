package import DoorwardDomain
package import DoorwardPolicy

extension TenancyDirectory {
    /// The scopes of a filtered list. A resident who reads the records of their unit sees neither which staff member acted nor
    /// why a request was denied. A filter by another user or by a denial reason therefore matches no record in the scope of a
    /// unit: a filter must not reveal more than the records do.
    ///
    /// - Parameter showsReasons: whether the result shows the reasons of records, even without a filter by them.
    package func recordScopes(
        of subject: Subject, filteredBy filter: RecordFilter, showsReasons: Bool = false
    ) -> [RecordScope] {
        let scopes = recordScopes(of: subject)
        let namesOther = filter.actorUserID.map { !subject.isUser($0) } ?? false
        guard namesOther || filter.reason != nil || showsReasons else { return scopes }
        return scopes.filter { if case .unit = $0 { false } else { true } }
    }

    /// The scopes that a subject may read: the gateway's log for a super admin, and the scopes that the subject's roles cover; those
    /// of a unit from the beginning of the subject's tenancy.
    package func recordScopes(of subject: Subject) -> [RecordScope] {
        var scopes: [RecordScope] =
            SecurityService.allows(subject, .gatewayLogRead, on: .gateway, in: self).isAllowed ? [.gatewayLog] : []
        for entity in SecurityService.entities(where: subject, holds: .viewAccessHistory, in: self) {
            switch entity {
            case .portfolio(let id): scopes.append(.portfolioLog(id))
            case .property(let id): if let portfolio = property(id)?.portfolioID { scopes.append(.property(id, in: portfolio)) }
            case .unit(let id):
                guard let portfolio = unit(id)?.portfolioID, let from = subject.historyStart(in: id) else { continue }
                scopes.append(.unit(id, in: portfolio, from: from))
            }
        }
        return scopes
    }

    /// The reader on whose behalf the store reads a list of these scopes.
    package func listReader(_ userID: UserID?, _ scopes: [RecordScope]) -> ListReader {
        ListReader(userID: userID, logs: Set(scopes.map(\.log)))
    }
}
