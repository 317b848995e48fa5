package import DoorwardDomain
package import DoorwardPolicy

/// Selects a page of records.
package struct RecordQuery: Hashable, Sendable {
    /// Selects records that are in at least one of these scopes; empty selects none.
    package var scopes: [RecordScope]
    /// Restricts the selection further.
    package var filter: RecordFilter
    /// The direction of the sort by `at`. Records with the same `at` are sorted by log and `seq`.
    package var order: Order
    /// Selects the records after this position in `order`; `nil` starts at the beginning. In its own log the position is determined
    /// by its number alone.
    package var after: RecordPosition?
    /// The maximum number of records to return.
    package var limit: Int
    /// The reader on whose behalf the store reads the list.
    package var reader: ListReader

    /// The sort order. Raw values are those of the API.
    package enum Order: String, Sendable {
        /// From the last record backwards.
        case newestFirst = "desc"
        /// From the first record forwards.
        case oldestFirst = "asc"
    }

    /// - Parameter deviceID: shorthand for a filter by this device; overrides the device in `filter`.
    package init(
        scopes: [RecordScope], deviceID: DeviceID? = nil, filter: RecordFilter = RecordFilter(), order: Order = .newestFirst,
        after: RecordPosition? = nil, limit: Int, reader: ListReader = ListReader()
    ) {
        (self.scopes, self.filter, self.order, self.after) = (scopes, filter, order, after)
        (self.limit, self.reader) = (limit, reader)
        if let deviceID { self.filter.deviceID = deviceID }
    }
}

/// A page of a list of records.
package struct RecordPage: Hashable, Sendable {
    /// The records, sorted as in the query. There are fewer than the limit, or none, if the store
    /// would have to scan too many other records to find more.
    package let records: [AccessRecord]
    /// The position where the next page begins, for `RecordQuery.after`; `nil` at the end of the list. It may be the position
    /// of a record that is not in the list.
    package let next: RecordPosition?

    package init(records: [AccessRecord], next: RecordPosition?) { (self.records, self.next) = (records, next) }
}

/// The reader of a list. The store distributes its list-reading connections among readers: first by their logs, then by user.
package struct ListReader: Hashable, Sendable {
    /// `nil` for the gateway itself.
    package let userID: UserID?
    /// The logs that the user may read at least partly.
    package let logs: Set<LogID>

    package init(userID: UserID? = nil, logs: Set<LogID> = []) { (self.userID, self.logs) = (userID, logs) }
}

/// Selects records by content; `nil` means any. A filter can only narrow the selection of the scopes.
package struct RecordFilter: Hashable, Sendable {
    /// The device concerned.
    package var deviceID: DeviceID?
    /// The unit that the record names. Never matches records of the gateway's log.
    package var unitID: UnitID?
    /// The property that the record names. Never matches records of the gateway's log.
    package var propertyID: PropertyID?
    /// The log that contains the record.
    package var log: LogID?
    /// The user who acted: `actorUserId`.
    package var actorUserID: UserID?
    /// The kind of the record.
    package var kind: RecordKind?
    /// The requested lock operation.
    package var operation: LockOperation?
    /// The decision. A record without a decision never matches.
    package var decision: RecordDecision?
    /// The reason for a denial.
    package var reason: DenialReason?
    /// The final state of a command. Matches only records of an outcome.
    package var outcome: CommandState?
    /// The earliest timestamp, inclusive.
    package var from: Timestamp?
    /// The latest timestamp, exclusive.
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

    /// Whether a record matches the filter. This is the reference implementation; each store
    /// implements the same rules in its own way.
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

/// A part of the logs that a caller may read.
package enum RecordScope: Hashable, Sendable {
    /// The gateway's log.
    case gatewayLog
    /// The complete log of a portfolio.
    case portfolioLog(PortfolioID)
    /// The records of one property, in the log of its portfolio only.
    case property(PropertyID, in: PortfolioID)
    /// The records of one unit, in the log of its portfolio only, and only those at or after `from`: a tenant reads no record of
    /// the time before their own.
    case unit(UnitID, in: PortfolioID, from: Timestamp)

    /// The only log that the scope covers. Records of other logs are not covered, even if they name a property or unit of this
    /// portfolio.
    package var log: LogID {
        switch self {
        case .gatewayLog: .gateway
        case .portfolioLog(let id), .property(_, let id), .unit(_, let id, _): .portfolio(id)
        }
    }

    /// Whether the scope covers a record.
    package func covers(_ body: RecordBody) -> Bool {
        covers(log: body.log, unitID: body.unitID, propertyID: body.propertyID, at: body.at)
    }

    /// The earliest instant that the scope covers; `nil` if it covers all.
    package var from: Timestamp? { if case .unit(_, _, let from) = self { from } else { nil } }

    /// Whether the scope covers records in `log` with this unit and property at this instant.
    package func covers(log: LogID, unitID: UnitID?, propertyID: PropertyID?, at: Timestamp) -> Bool {
        guard log == self.log else { return false }
        switch self {
        case .gatewayLog, .portfolioLog: return true
        case .property(let id, _): return propertyID == id
        case .unit(let id, _, let from): return unitID == id && from <= at
        }
    }
}

/// Selects records to be counted by time, and by one of their fields.
package struct RecordCountQuery: Hashable, Sendable {
    /// The field whose values are counted separately. A record without a value is not counted.
    package enum Grouping: String, CaseIterable, Sendable {
        /// The final state of a command.
        case outcome
        /// The reason for a denial.
        case reason
        /// The device concerned.
        case device = "deviceId"
    }

    /// Selects records that are in at least one of these scopes; a record in several of them is counted once.
    package var scopes: [RecordScope]
    /// Restricts the selection further.
    package var filter: RecordFilter
    /// The limits of the buckets, ascending: bucket `i` has the records from `limits[i]` on and before `limits[i + 1]`.
    package var limits: [Timestamp]
    /// The field whose values are counted.
    package var grouping: Grouping
    /// Counts the records after this position only; `nil` starts at the beginning.
    package var after: RecordPosition?
    /// The reader on whose behalf the store reads the records.
    package var reader: ListReader

    package init(
        scopes: [RecordScope], filter: RecordFilter = RecordFilter(), limits: [Timestamp], by grouping: Grouping,
        after: RecordPosition? = nil, reader: ListReader = ListReader()
    ) {
        (self.scopes, self.filter, self.limits, self.grouping) = (scopes, filter, limits, grouping)
        (self.after, self.reader) = (after, reader)
    }

    /// The records that are examined, oldest first: those of the scopes and the filter, within the limits.
    package var examined: RecordQuery {
        var query = RecordQuery(scopes: scopes, filter: filter, order: .oldestFirst, after: after, limit: .max, reader: reader)
        // Without two limits there is no bucket.
        let (from, until) = (limits.first ?? Timestamp(milliseconds: 0), limits.last ?? Timestamp(milliseconds: 0))
        query.filter.from = max(filter.from ?? from, from)
        query.filter.until = min(filter.until ?? until, until)
        return query
    }
}

/// The numbers of records in the buckets of a query, or in a part of them.
package struct RecordCounts: Hashable, Sendable {
    /// For each bucket the number of records by the value of the field, as the API writes it; values without a record are absent.
    package private(set) var buckets: [[String: Int]]
    /// The position after which counting is to be continued; `nil` if all records have been counted.
    package var next: RecordPosition?

    private let limits: [Timestamp]
    /// The bucket of the record that was counted last.
    private var current = 0

    /// Counts of zero.
    ///
    /// - Parameter limits: those of the query.
    package init(limits: [Timestamp]) {
        self.limits = limits
        buckets = Array(repeating: [:], count: max(0, limits.count - 1))
    }

    /// Counts a record. Records must be added in ascending order of their time, and be within the limits.
    package mutating func add(_ value: String, at instant: Timestamp) {
        while current + 1 < buckets.count, limits[current + 1] <= instant { current += 1 }
        buckets[current][value, default: 0] += 1
    }

    /// Adds the counts of another part of the same buckets.
    package mutating func add(_ other: RecordCounts) {
        for (index, counts) in other.buckets.enumerated() { buckets[index].merge(counts, uniquingKeysWith: +) }
    }

    /// The number of values that have a count, in all buckets.
    package var valueCount: Int { buckets.reduce(0) { $0 + $1.count } }
}

extension RecordBody {
    /// The value of a field by which records are counted, as the API writes it; `nil` if the record has none.
    package func value(of grouping: RecordCountQuery.Grouping) -> String? {
        switch grouping {
        case .outcome: outcome?.rawValue
        case .reason: reason?.rawValue
        case .device: device?.deviceID.description
        }
    }
}

/// Selects commands: those in the scopes whose history the caller may read, and the caller's own.
package struct CommandQuery: Hashable, Sendable {
    /// Selects commands whose intent is in at least one of these scopes.
    package var scopes: [RecordScope]
    /// Also selects the commands of this user, in any scope.
    package var actorUserID: UserID?
    /// Restricts the selection to this device, which may have been removed since.
    package var deviceID: DeviceID?
    /// The number of newest commands to skip.
    package var offset: Int
    /// The maximum number of commands to return.
    package var limit: Int
    /// The reader on whose behalf the store reads the list.
    package var reader: ListReader

    package init(
        scopes: [RecordScope], actorUserID: UserID? = nil, deviceID: DeviceID? = nil, offset: Int = 0, limit: Int,
        reader: ListReader = ListReader()
    ) {
        (self.scopes, self.actorUserID, self.deviceID) = (scopes, actorUserID, deviceID)
        (self.offset, self.limit, self.reader) = (offset, limit, reader)
    }
}

extension StoredCommand {
    /// Whether the command's intent is in `scope`.
    package func lies(in scope: RecordScope) -> Bool {
        scope.covers(log: log, unitID: device.unitID, propertyID: device.propertyID, at: command.requestedAt)
    }
}

extension TenancyDirectory {
    /// The scopes of a filtered list. A resident who reads the records of their unit sees neither which staff member acted nor
    /// why a request was denied. A filter by another user or by a denial reason therefore matches no record in the scope of a
    /// unit: a filter must not reveal more than the records do.
    ///
    /// - Parameter showsReasons: whether the result shows the reasons of records, even without a filter by them.
    package func recordScopes(of subject: Subject, filteredBy filter: RecordFilter, showsReasons: Bool = false) -> [RecordScope] {
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

    /// The reader on whose behalf the store reads a list: identified by all scopes that the subject may read, because each filter would
    /// otherwise get a queue entry of its own.
    package func listReader(of subject: Subject) -> ListReader {
        ListReader(userID: subject.readerID, logs: Set(recordScopes(of: subject).map(\.log)))
    }
}
