package import DoorwardDomain

/// Which records, and from where.
package struct RecordQuery: Hashable, Sendable {
    /// The caller may read a record that lies in at least one of these. Empty: none.
    package var scopes: [RecordScope]
    /// What of that is wanted.
    package var filter: RecordFilter
    /// By `at`; within one instant by log and `seq`.
    package var order: Order
    /// The records after this place in `order`; `nil` from the beginning.
    package var after: RecordPlace?
    /// How many at the most.
    package var limit: Int
    /// For whom the list is read.
    package var reader = ListReader()

    /// Which end of the history comes first. Raw values are the wire's.
    package enum Order: String, Sendable {
        /// From the last record backwards.
        case newestFirst = "desc"
        /// From the first record on.
        case oldestFirst = "asc"
    }

    /// - Parameter deviceID: short for a filter by this device; beats the device in `filter`.
    package init(
        scopes: [RecordScope], deviceID: DeviceID? = nil, filter: RecordFilter = RecordFilter(), order: Order = .newestFirst,
        after: RecordPlace? = nil, limit: Int
    ) {
        (self.scopes, self.filter, self.order, self.after, self.limit) = (scopes, filter, order, after, limit)
        if let deviceID { self.filter.deviceID = deviceID }
    }
}

/// Part of a list of records.
package struct RecordPage: Hashable, Sendable {
    /// In the order of the query. Fewer than its limit, or none, where the store would have had to read too many others to
    /// find more.
    package let records: [AccessRecord]
    /// Where the next page begins, as `RecordQuery.after`; `nil` at the end of the list. It can be the place of a record that is
    /// not in the list.
    package let next: RecordPlace?

    package init(records: [AccessRecord], next: RecordPlace?) { (self.records, self.next) = (records, next) }
}

/// For whom a list is read. The store shares its list readers out by this: first by logs, then by user.
package struct ListReader: Hashable, Sendable {
    /// `nil` for the gateway itself.
    package let userID: UserID?
    /// The logs that the user may read something of.
    package let logs: Set<LogID>

    package init(userID: UserID? = nil, logs: Set<LogID> = []) { (self.userID, self.logs) = (userID, logs) }
}

/// What a record must say to be listed; what is `nil` does not matter. A filter only ever narrows what the scopes give.
package struct RecordFilter: Hashable, Sendable {
    /// The device that it happened to.
    package var deviceID: DeviceID?
    /// The unit that it happened in, as it was then. Records of the gateway's own log lie in none.
    package var unitID: UnitID?
    /// The property that it happened in, as it was then. Records of the gateway's own log lie in none.
    package var propertyID: PropertyID?
    /// The log that it stands in.
    package var log: LogID?
    /// The user who acted: `actorUserId`.
    package var actorUserID: UserID?
    /// What the record is about.
    package var kind: RecordKind?
    /// What was asked of the lock.
    package var operation: LockOperation?
    /// What was decided; a record that tells of no decision has none.
    package var decision: RecordDecision?
    /// Why it was denied.
    package var reason: DenialReason?
    /// How the command ended: only the record of an outcome has one.
    package var outcome: CommandState?
    /// A record at this instant is listed.
    package var from: Timestamp?
    /// A record at this instant is not listed.
    package var until: Timestamp?

    package init(
        deviceID: DeviceID? = nil, unitID: UnitID? = nil, propertyID: PropertyID? = nil, log: LogID? = nil,
        actorUserID: UserID? = nil, kind: RecordKind? = nil, operation: LockOperation? = nil, decision: RecordDecision? = nil,
        reason: DenialReason? = nil, outcome: CommandState? = nil, from: Timestamp? = nil, until: Timestamp? = nil
    ) {
        (self.deviceID, self.unitID, self.propertyID, self.log) = (deviceID, unitID, propertyID, log)
        (self.actorUserID, self.kind, self.operation) = (actorUserID, kind, operation)
        (self.decision, self.reason, self.outcome) = (decision, reason, outcome)
        (self.from, self.until) = (from, until)
    }

    /// Whether a record says what is asked for: the meaning of the filter, which every store keeps to in its own way.
    package func passes(_ body: RecordBody) -> Bool {
        passesPlace(body)
            && (kind.map { $0 == body.kind } ?? true) && (operation.map { $0 == body.operation } ?? true)
            && (decision.map { $0 == body.decision } ?? true) && (reason.map { $0 == body.reason } ?? true)
            && (outcome.map { $0 == body.outcome } ?? true) && (from.map { $0 <= body.at } ?? true)
            && (until.map { body.at < $0 } ?? true)
    }

    private func passesPlace(_ body: RecordBody) -> Bool {
        let isTenants = body.log != .gateway
        return (deviceID.map { $0 == body.device?.deviceID } ?? true)
            && (unitID.map { isTenants && $0 == body.unitID } ?? true)
            && (propertyID.map { isTenants && $0 == body.propertyID } ?? true) && (log.map { $0 == body.log } ?? true)
            && (actorUserID.map { $0 == body.actor.userID } ?? true)
    }
}

/// A part of the logs that somebody may read.
package enum RecordScope: Hashable, Sendable {
    /// The gateway's own log.
    case gatewayLog
    /// A portfolio's whole log.
    case portfolioLog(PortfolioID)
    /// What happened in one property, in the log of the portfolio that it belongs to and in no other.
    case property(PropertyID, in: PortfolioID)
    /// What happened to the devices of one unit, in the log of the portfolio that it belongs to and in no other.
    case unit(UnitID, in: PortfolioID)

    /// The only log that the scope reads. A record of another log is not covered, whatever place it names: neither the
    /// gateway's own log nor another portfolio's belongs to a property or a unit of this one.
    package var log: LogID {
        switch self {
        case .gatewayLog: .gateway
        case .portfolioLog(let id), .property(_, let id), .unit(_, let id): .portfolio(id)
        }
    }

    /// Whether the scope covers what is recorded in `log` and happened in this unit and property.
    package func covers(log: LogID, unitID: UnitID?, propertyID: PropertyID?) -> Bool {
        guard log == self.log else { return false }
        switch self {
        case .gatewayLog, .portfolioLog: return true
        case .property(let id, _): return propertyID == id
        case .unit(let id, _): return unitID == id
        }
    }
}
