package import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy

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

    func overlaps(_ period: Range<Timestamp>) -> Bool {
        let (from, end) = (interval.from, interval.until ?? Timestamp(milliseconds: .max))
        return from < period.upperBound && period.lowerBound < end && from < end
    }

    static func role(_ fields: RecordValue?, _ begin: Evidence) -> AccessSpan {
        AccessSpan(right: .role(fields?["roleWithinEntity"]?.text.flatMap { Role(rawValue: $0) }, holding(fields)), begin: begin)
    }

    static func key(_ fields: RecordValue?, _ begin: Evidence) -> AccessSpan {
        let role = fields?["role"]?.text.flatMap { Role(rawValue: $0) }
        let expiresAt = fields?["expiresAt"]?.text.flatMap { try? Timestamp(rfc3339: $0) }
        return AccessSpan(right: .key(role, holding(fields), name: fields?["name"]?.text, expiresAt: expiresAt), begin: begin)
    }

    private static func holding(_ fields: RecordValue?) -> Holding {
        let id = (fields?["associatedEntityId"] ?? fields?["entityId"])?.text.flatMap { EntityID<AssociatedEntity>($0) }
        let type = (fields?["associatedEntityType"] ?? fields?["entityType"])?.text.flatMap { AssociatedEntityType(rawValue: $0) }
        let entity = type.flatMap { type in id.map { AssociatedEntity(type: type, id: $0) } }
        return Holding(userID: fields?["userId"]?.text.flatMap { UserID($0) }, entity: entity)
    }

    static func guest(_ fields: RecordValue?, at path: EntityPathIDs?, _ begin: Evidence) -> AccessSpan {
        var guest = Guest()
        (guest.propertyID, guest.unitID, guest.isKnown) = (path?.propertyID, path?.unitID, fields != nil)
        guest.userID = fields?["guestUserId"]?.text.flatMap { UserID($0) }
        return AccessSpan(right: .guest(guest.changed(by: fields)), begin: begin)
    }
}

extension AccessSpan.Guest {
    /// The access after a change that has these fields.
    func changed(by fields: RecordValue?) -> Self {
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

    var texts: [String]? { if case .array(let values) = self { values.compactMap(\.text) } else { nil } }
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
