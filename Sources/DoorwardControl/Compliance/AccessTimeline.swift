package import DoorwardDomain
internal import DoorwardPolicy

/// Who had which right during a period, derived from the records of changes: each right begins with the record that gives it and
/// ends with the record that takes it. Rights of before the first record that the log keeps are taken from the tenancy.
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
    /// Every id that a record has named: the tenancy adds nothing about them.
    private var ended: Set<String> = []
    private var closed: [AccessSpan] = []
    private var closedCount = 0
    private var suspensions: [UserID: [AccessSpan.Suspension]] = [:]
    private var suspensionCount = 0
    /// The number of records that were left out, because they are of more rights than the maximum.
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
            begin(.guest(after, at: record.body.place, evidence), target.id)
            depend(target.id, on: after)
        case ("GuestAccess", .update): changeGuest(target.id, after, evidence)
        case ("GuestAccess", .revoke): end(target.id, evidence) { .guest(nil, at: record.body.place, $0) }
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

    /// Forgets what a guest access depends on, so that one that has ended takes no memory.
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
            guard all.count < limit else { return }
            var span = span
            span.suspensions = span.userID.flatMap { suspensions[$0] }?.filter { $0.overlaps(period) } ?? []
            all.append(span)
        }
        let known = Set(present.map(\.id))
        for id in open.keys.sorted() {
            guard var span = open[id] else { continue }
            span.isMissing = !known.contains(id)
            add(span)
        }
        for (id, span) in present where open[id] == nil && !ended.contains(id) { add(span) }
        for index in all.indices where all[index].suspensions.isEmpty {
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

/// A right that was in force for a time.
package struct AccessSpan: Hashable, Sendable {
    /// The right.
    package let right: Right
    /// How the right began.
    package let begin: Evidence
    /// Whether it began as a change of an earlier version of the same guest access.
    package var isChange = false
    /// How it ended; `nil` if it is in force. A guest access also ends with its window.
    package var end: Evidence?
    /// Why it ended.
    package var endReason: EndReason = .record
    /// Whether the reader may not see how the right began: it is in force now.
    package var isBeginHidden = false
    /// Whether the right is not in the tenancy now although no record says that it ended.
    package var isMissing = false
    /// The times at which the account of the user was disabled.
    package var suspensions: [Suspension] = []

    /// What the right is.
    package enum Right: Hashable, Sendable {
        /// A user's role on an entity.
        case role(Role?, Holding)
        /// An API key with a role on an entity.
        case key(Role?, Holding, name: String?, expiresAt: Timestamp?)
        /// A guest access.
        case guest(Guest)
    }

    /// The holder of a role, and the entity. Ids are those in the records.
    package struct Holding: Hashable, Sendable {
        /// The user; for an API key its creator.
        package var userID: UserID?
        /// `nil` if no record names it.
        package var entity: AssociatedEntity?
    }

    /// The content of a guest access.
    package struct Guest: Hashable, Sendable {
        /// The guest; `nil` for a guest who has only a link.
        package var userID: UserID?
        /// The label; `nil` if there is none, or if it was erased.
        package var label: String?
        /// The property.
        package var propertyID: PropertyID?
        /// The unit.
        package var unitID: UnitID?
        /// The locks.
        package var deviceIDs: [DeviceID] = []
        /// The operations, as in records.
        package var operations: [String] = []
        /// The beginning of the window.
        package var validFrom: Timestamp?
        /// The end of the window.
        package var validUntil: Timestamp?
        /// Whether recurring hours narrow the window.
        package var hasSchedule = false
        /// The maximum number of uses.
        package var maxUses: Int64?
        /// Whether a record shows the content.
        package var isKnown = true
    }

    /// The record that gave, changed or took a right.
    package struct Evidence: Hashable, Sendable {
        /// The time.
        package let at: Timestamp
        /// The number of the record; `nil` if the log has none that the reader may see.
        package let seq: UInt64?
        /// Who made the change; `nil` if no record says so.
        package let by: RecordActor?

        init(at: Timestamp, seq: UInt64?, by: RecordActor?) { (self.at, self.seq, self.by) = (at, seq, by) }
    }

    /// Why a right ended.
    package enum EndReason: Hashable, Sendable {
        /// It was removed, revoked or deleted.
        case record
        /// It was changed: the next version is a right of its own.
        case changed
        /// The tenancy under which a guest access was granted has ended.
        case grantorLeft
    }

    /// A time in which the account was disabled.
    package struct Suspension: Hashable, Sendable {
        /// The beginning.
        package var from: Timestamp
        /// The end; `nil` if it is still disabled.
        package var until: Timestamp?

        func overlaps(_ period: Range<Timestamp>) -> Bool {
            from < period.upperBound && period.lowerBound < until ?? period.upperBound
        }
    }

    /// When the right was in force: for a guest access, the part of its window.
    package var interval: (from: Timestamp, until: Timestamp?) {
        switch right {
        case .role: (begin.at, end?.at)
        case .key(_, _, _, let expiresAt): (begin.at, [expiresAt, end?.at].compactMap(\.self).min())
        case .guest(let guest):
            (guest.validFrom.map { max($0, begin.at) } ?? begin.at, [guest.validUntil, end?.at].compactMap(\.self).min())
        }
    }

    /// The user who held the right; `nil` for a guest who has only a link.
    package var userID: UserID? {
        switch right {
        case .role(_, let holding), .key(_, let holding, _, _): holding.userID
        case .guest(let guest): guest.userID
        }
    }

    fileprivate func overlaps(_ period: Range<Timestamp>) -> Bool {
        let (from, end) = (interval.from, interval.until ?? Timestamp(milliseconds: .max))
        return from < period.upperBound && period.lowerBound < end && from < end
    }
}

extension AccessSpan {
    fileprivate static func role(_ fields: RecordValue?, _ begin: Evidence) -> AccessSpan {
        AccessSpan(right: .role(fields?["roleWithinEntity"]?.text.flatMap { Role(rawValue: $0) }, holding(fields)), begin: begin)
    }

    fileprivate static func key(_ fields: RecordValue?, _ begin: Evidence) -> AccessSpan {
        let role = fields?["role"]?.text.flatMap { Role(rawValue: $0) }
        let expiresAt = fields?["expiresAt"]?.text.flatMap { try? Timestamp(rfc3339: $0) }
        return AccessSpan(right: .key(role, holding(fields), name: fields?["name"]?.text, expiresAt: expiresAt), begin: begin)
    }

    private static func holding(_ fields: RecordValue?) -> Holding {
        let id = (fields?["associatedEntityId"] ?? fields?["entityId"])?.text
        let type = (fields?["associatedEntityType"] ?? fields?["entityType"])?.text.flatMap { AssociatedEntityType(rawValue: $0) }
        let entity: AssociatedEntity? =
            switch type {
            case .portfolio?: id.flatMap { PortfolioID($0) }.map { .portfolio($0) }
            case .property?: id.flatMap { PropertyID($0) }.map { .property($0) }
            case .unit?: id.flatMap { UnitID($0) }.map { .unit($0) }
            case nil: nil
            }
        return Holding(userID: fields?["userId"]?.text.flatMap { UserID($0) }, entity: entity)
    }

    fileprivate static func guest(_ fields: RecordValue?, at place: EntityPathIDs?, _ begin: Evidence) -> AccessSpan {
        var guest = Guest()
        (guest.propertyID, guest.unitID, guest.isKnown) = (place?.propertyID, place?.unitID, fields != nil)
        guest.userID = fields?["guestUserId"]?.text.flatMap { UserID($0) }
        return AccessSpan(right: .guest(guest.changed(by: fields)), begin: begin)
    }
}

extension AccessSpan.Guest {
    /// The access after a change that has these fields.
    fileprivate func changed(by fields: RecordValue?) -> Self {
        var changed = self
        if let label = fields?["label"] { changed.label = label.text }
        if let ids = fields?["deviceIds"]?.texts { changed.deviceIDs = ids.compactMap { DeviceID($0) } }
        if let operations = fields?["operations"]?.texts { changed.operations = operations }
        if let from = fields?["validFrom"]?.text { changed.validFrom = try? Timestamp(rfc3339: from) }
        if let until = fields?["validUntil"]?.text { changed.validUntil = try? Timestamp(rfc3339: until) }
        if let schedule = fields?["schedule"] { changed.hasSchedule = schedule != .null }
        if let uses = fields?["maxUses"] { changed.maxUses = if case .integer(let count) = uses { count } else { nil } }
        return changed
    }
}

extension RecordValue {
    /// A member of an object.
    package subscript(_ key: String) -> RecordValue? { if case .object(let members) = self { members[key] } else { nil } }

    /// A text, also a personal one.
    package var text: String? {
        switch self {
        case .string(let text), .personal(let text, _): text
        default: nil
        }
    }

    fileprivate var texts: [String]? { if case .array(let values) = self { values.compactMap(\.text) } else { nil } }
}

// MARK: - The tenancy now

extension TenancyDirectory {
    /// The roles and API keys on an entity, by their ids.
    func accessSpans(on entity: AssociatedEntity) -> [(id: String, span: AccessSpan)] {
        let roles = associations(on: entity).map { role in
            let right = AccessSpan.Right.role(role.role, .init(userID: role.userID, entity: entity))
            return (role.id.description, AccessSpan(right: right, begin: .init(at: role.createdAt, seq: nil, by: nil)))
        }
        let keys = apiKeys(on: entity).map { key in
            let holding = AccessSpan.Holding(userID: key.userID, entity: entity)
            let right = AccessSpan.Right.key(key.role, holding, name: key.name, expiresAt: key.expiresAt)
            return (key.id.description, AccessSpan(right: right, begin: .init(at: key.createdAt, seq: nil, by: nil)))
        }
        return roles + keys
    }

    /// The guest accesses of a property, by their ids.
    func guestAccessSpans(in property: PropertyID) -> [(id: String, span: AccessSpan)] {
        guestAccesses(in: property).map { access in
            let guest = AccessSpan.Guest(
                userID: access.guestUserID, label: access.label, propertyID: access.propertyID, unitID: access.unitID,
                deviceIDs: access.deviceIDs, operations: access.operations.map(\.rawValue), validFrom: access.window.validFrom,
                validUntil: access.window.validUntil, hasSchedule: access.schedule != nil,
                maxUses: access.maxUses.map { Int64($0) })
            let begin = AccessSpan.Evidence(
                at: access.createdAt, seq: nil, by: user(access.grantedByUserID).map { RecordActor($0) })
            let end = access.revokedAt.map { AccessSpan.Evidence(at: $0, seq: nil, by: nil) }
            return (access.id.description, AccessSpan(right: .guest(guest), begin: begin, end: end))
        }
    }
}
