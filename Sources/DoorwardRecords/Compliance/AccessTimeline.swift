package import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy

/// Who had which right during a period, derived from the records of changes: each right begins with the record that gives it and
/// ends with the record that takes it. Rights from before the first retained record of the log are taken from the tenancy.
///
/// Its memory is bounded: it follows a maximum number of rights that were in force in the period or whose end is not a record of its own,
/// by default 250,000, of about 400 bytes each, and 16 for each door of a guest access. Records of further rights are counted.
package struct AccessTimeline: Sendable {
    private let period: Range<Timestamp>
    /// The maximum number of rights in the result, and that of all that are followed.
    private let (limit, maxFollowed): (Int, Int)
    /// The rights that no record has ended yet, by the id of the role, guest access or API key.
    private var open: [String: AccessSpan] = [:]
    /// The open guest accesses that depend on a role, by the id of the role.
    private var dependents: [String: Set<String>] = [:]
    /// The roles that an open guest access depends on.
    private var bonds: [String: Bonds] = [:]
    /// The ids that occur in records: their rights are not taken from the tenancy.
    private var ended: Set<String> = []
    private var closed: [AccessSpan] = []
    private var closedCount = 0
    private var suspensions: [UserID: [AccessSpan.Suspension]] = [:]
    private var suspensionCount = 0
    /// The number of records that were left out, because they concern rights beyond the maximum.
    package private(set) var unfollowed = 0

    init(period: Range<Timestamp>, caps: ComplianceFigures.Caps = ComplianceFigures.Caps()) {
        (self.period, limit, maxFollowed) = (period, caps.spans, caps.followed)
    }

    // MARK: - Adding records

    /// Adds the record of a change. Records are added in their order, from the first one of the log until now.
    package mutating func add(_ record: AccessRecord) {
        guard record.body.kind == .adminChange, let action = record.body.action, let target = record.body.target else { return }
        let evidence = AccessSpan.Evidence(at: record.body.at, seq: record.seq, by: record.body.actor)
        let (before, after) = (record.body.details["before"], record.body.details["after"])
        switch (target.type, action) {
        case ("UserRoleAssociation", .assign): begin(.role(after, evidence), target.id)
        case ("UserRoleAssociation", .remove): end(target.id, evidence) { .role(before, $0) }
        case ("APIKey", .create): begin(.key(after, evidence), target.id)
        case ("APIKey", .delete): end(target.id, evidence) { .key(before, $0) }
        case ("GuestAccess", .grant):
            begin(.guest(after, at: record.body.path, evidence), target.id)
            depend(target.id, on: after)
        case ("GuestAccess", .update): changeGuest(target.id, after, evidence)
        case ("GuestAccess", .revoke): end(target.id, evidence) { .guest(nil, at: record.body.path, $0) }
        case ("User", .disable): suspend(target.id, evidence)
        case ("User", .enable), ("User", .delete): resume(target.id, evidence)
        default: break
        }
    }

    private mutating func begin(_ span: AccessSpan, _ id: String) {
        guard hasPlace() else { return }
        if span.begin.at < period.upperBound { open[id] = span } else { ended.insert(id) }
    }

    /// Whether one more right can be followed; counts the record if not.
    private mutating func hasPlace() -> Bool {
        guard open.count + ended.count + suspensionCount >= maxFollowed else { return true }
        unfollowed += 1
        return false
    }

    /// - Parameter unseen: makes the right from the record of its end, if the log does not contain its beginning.
    private mutating func end(
        _ id: String, _ evidence: AccessSpan.Evidence, because reason: AccessSpan.EndReason = .record,
        unseen: (AccessSpan.Evidence) -> AccessSpan
    ) {
        let known = open.removeValue(forKey: id)
        guard known != nil || !ended.contains(id) && hasPlace() else { return }
        // An id of version 7 begins with the time at which it was created.
        var span = known ?? unseen(AccessSpan.Evidence(at: Self.creation(of: id), seq: nil, by: nil))
        // No record names a right again after the one that ended it. A guest access may end before its own record.
        if reason != .record || evidence.at > period.lowerBound { ended.insert(id) }
        (span.end, span.endReason) = (evidence, reason)
        close(span)
        unbind(id)
        guard case .role(.tenant, _) = span.right else { return }
        for guest in dependents.removeValue(forKey: id) ?? [] {
            let isHeld = bonds[guest]?.lose(id) ?? true
            if !isHeld { end(guest, evidence, because: .grantorLeft) { .guest(nil, at: nil, $0) } }
        }
    }

    private mutating func close(_ span: AccessSpan) {
        guard span.overlaps(period) else { return }
        closedCount += 1
        if closed.count < limit { closed.append(span) }
    }

    /// Notes the roles that an open guest access depends on from now on, and those of its former carriers no more.
    private mutating func depend(_ guest: String, on fields: RecordValue?) {
        guard open[guest] != nil else { return }
        let widened = bonds[guest]?.widened ?? []
        unbind(guest)
        let first = [fields?["grantedUnderAssociationId"]?.text].compactMap(\.self)
        bind(guest, Bonds(carriers: Set((fields?["carriedByAssociationIds"]?.texts ?? []) + first), widened: widened))
    }

    private mutating func bind(_ guest: String, _ new: Bonds) {
        bonds[guest] = new
        for role in new.carriers.union(new.widened) { dependents[role, default: []].insert(guest) }
    }

    /// Removes the dependencies of a guest access, so that an access that has ended takes no memory.
    private mutating func unbind(_ guest: String) {
        guard let old = bonds.removeValue(forKey: guest) else { return }
        for role in old.carriers.union(old.widened) {
            dependents[role]?.remove(guest)
            if dependents[role]?.isEmpty == true { dependents[role] = nil }
        }
    }

    /// The number of ids that are kept for rights, apart from those of the result.
    var keptCount: Int { open.count + ended.count + dependents.count + bonds.count }

    /// Ends the version of a guest access that held until now, and begins the next one.
    private mutating func changeGuest(_ id: String, _ after: RecordValue?, _ evidence: AccessSpan.Evidence) {
        guard let span = open[id], case .guest(let guest) = span.right else { return }
        let changed = guest.changed(by: after)
        if after?["grantedUnderAssociationId"] != nil { depend(id, on: after) }
        if let roles = after?["widenedUnderAssociationIds"]?.texts {
            var new = bonds[id] ?? Bonds()
            new.widened.formUnion(roles)
            bind(id, new)
        }
        if case .null? = after?["revokedAt"] { return }
        guard changed != guest else { return }
        var old = span
        (old.end, old.endReason) = (evidence, .changed)
        close(old)
        if evidence.at < period.upperBound {
            open[id] = AccessSpan(right: .guest(changed), begin: evidence, isChange: true)
        } else {
            open[id] = nil
            ended.insert(id)
            unbind(id)
        }
    }

    private mutating func suspend(_ user: String, _ evidence: AccessSpan.Evidence) {
        guard let id = UserID(user), suspensions[id]?.last.map({ $0.until != nil }) ?? true, hasPlace() else { return }
        suspensions[id, default: []].append(AccessSpan.Suspension(from: evidence.at, until: nil))
        suspensionCount += 1
    }

    private mutating func resume(_ user: String, _ evidence: AccessSpan.Evidence) {
        guard let id = UserID(user), var all = suspensions[id], let last = all.indices.last, all[last].until == nil
        else { return }
        all[last].until = evidence.at
        suspensions[id] = all
    }

    static func creation(of id: String) -> Timestamp {
        Timestamp(milliseconds: Int64(clamping: (RecordID(id)?.high ?? 0) >> 16))
    }

    // MARK: - Result

    /// The rights that were in force at some time of the period, and the number of those that were left out.
    ///
    /// - Parameters:
    ///   - present: the rights in the tenancy now, by id. Those that no record names are added.
    package func spans(with present: [(id: String, span: AccessSpan)]) -> (spans: [AccessSpan], omitted: Int) {
        var all = closed
        var count = closedCount
        func add(_ span: AccessSpan) {
            guard span.overlaps(period) else { return }
            count += 1
            if all.count < limit { all.append(span) }
        }
        let known = Set(present.map(\.id))
        for id in open.keys.sorted() {
            guard var span = open[id] else { continue }
            span.isMissing = !known.contains(id)
            add(span)
        }
        for (id, span) in present where open[id] == nil && !ended.contains(id) { add(span) }
        for index in all.indices {
            all[index].suspensions = all[index].userID.flatMap { suspensions[$0] }?.filter { $0.overlaps(period) } ?? []
        }
        return (all, count - all.count)
    }
}

/// The roles that a guest access depends on.
private struct Bonds {
    /// It ends with the last of them.
    var carriers: Set<String> = []
    /// The tenancies under which it was widened: it ends with the first of them.
    var widened: Set<String> = []

    /// - Returns: whether the access goes on without the role.
    mutating func lose(_ role: String) -> Bool {
        if widened.contains(role) { return false }
        return carriers.remove(role) == nil || !carriers.isEmpty
    }
}

/// The first rows of a list, and the number of all of them: a report keeps a bounded number of rows, and states how many it left
/// out.
package struct CappedList<Row: Sendable>: Sendable {
    /// The first rows, in the order in which they were added.
    package private(set) var rows: [Row] = []
    /// The number of rows that were added.
    package private(set) var count = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The number of rows that were left out.
    package var omitted: Int { count - rows.count }

    mutating func add(_ row: Row) {
        count += 1
        if rows.count < limit { rows.append(row) }
    }

    /// Changes a row that was kept; does nothing for one that was left out.
    ///
    /// - Parameter index: the value of `count` before the row was added.
    mutating func update(_ index: Int, _ change: (inout Row) -> Void) {
        if rows.indices.contains(index) { change(&rows[index]) }
    }
}

/// Counts by key, for a bounded number of keys. Records of further keys are counted together.
package struct CappedTally<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The values of the keys that were seen first.
    package private(set) var values: [Key: Value] = [:]
    /// The number of records of further keys; 0 if there were none.
    package private(set) var uncounted = 0
    private let limit: Int
    private let empty: Value

    init(limit: Int, empty: Value) { (self.limit, self.empty) = (limit, empty) }

    mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        if values[key] == nil, values.count >= limit {
            uncounted += 1
            return
        }
        let empty = empty
        change(&values[key, default: empty])
    }
}
