package import DoorwardDomain

/// A permitted principal as a reader of the lock's access log sees it.
package struct NamedPrincipal: Hashable, Sendable {
    /// `USER`, `GUEST_LINK` or `API_KEY`.
    package let kind: ActorKind
    /// The id of the user, guest access or API key; `nil` if the reader does not see who it is.
    package let id: String?
    /// A full name, the label of a guest access, the name of an API key, or what a resident sees in the log instead: a first name,
    /// or "staff". `nil` if there is no name.
    package let name: String?
    /// The rule that allows the operation.
    package let rule: Rule
    /// Whether the reader sees the id of `rule`; a reader who does not see the principal's id does not see the rule's id either.
    package var showsRuleID: Bool { id != nil }
    /// When the right ends by the clock; `nil` if it does not.
    package let until: Timestamp?
}

extension SecurityService {
    /// Returns a principal that may do an operation on a device, with the name that the device's access log would show to a subject.
    ///
    /// Management sees everyone. A resident sees themselves, their co-tenants and the guests of their unit; of everyone else a
    /// resident sees what the log shows: the first name of a guest, and "staff" for roles above the unit.
    ///
    /// - Parameter subject: a subject that may view the device's access history.
    package static func named(
        _ permitted: PermittedPrincipal, on device: DeviceNode, for subject: Subject, at time: DecisionTime,
        in directory: TenancyDirectory
    ) -> NamedPrincipal {
        let actor = directory.actor(permitted.principal)
        let place = FieldObject.event(
            unit: device.unitID, property: device.propertyID, portfolio: device.portfolioID, actor: nil)
        let level = fieldLevel(of: subject, for: place, at: time, in: directory) ?? .publicLevel
        if level >= .management || knows(subject, permitted.principal, at: time, in: directory) {
            return NamedPrincipal(
                kind: actor.kind, id: actor.id, name: actor.name, rule: permitted.rule, until: permitted.until)
        }
        let label = FieldReader(subject, level: level, at: time).label(
            of: actor, under: permitted.rule, unit: device.unitID, at: time.instant, in: directory)
        return NamedPrincipal(kind: actor.kind, id: nil, name: label, rule: permitted.rule, until: permitted.until)
    }

    /// Whether a resident sees who a principal is: the resident, a user with a role or guest access in the resident's unit, or a
    /// guest access of that unit.
    private static func knows(
        _ subject: Subject, _ principal: Principal, at time: DecisionTime, in directory: TenancyDirectory
    ) -> Bool {
        switch principal {
        case .user(let id):
            (fieldLevel(of: subject, for: .user(id), at: time, in: directory) ?? .publicLevel) >= .resident
        case .guestLink(let id):
            (fieldLevel(of: subject, for: .guestAccess(id), at: time, in: directory) ?? .publicLevel) >= .resident
        case .apiKey(let id): directory.apiKey(id).map { subject.isActor(RecordActor($0)) } ?? false
        }
    }
}

extension TenancyDirectory {
    /// A principal of this directory with its name.
    fileprivate func actor(_ principal: Principal) -> RecordActor {
        switch principal {
        case .user(let id):
            user(id).map { RecordActor($0) } ?? RecordActor(kind: .user, id: id.description, userID: id)
        case .guestLink(let id):
            RecordActor(kind: .guestLink, id: id.description, name: guestAccess(id)?.label)
        case .apiKey(let id):
            apiKey(id).map { RecordActor($0) } ?? RecordActor(kind: .apiKey, id: id.description)
        }
    }
}
