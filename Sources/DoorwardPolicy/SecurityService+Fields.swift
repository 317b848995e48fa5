package import DoorwardDomain

extension SecurityService {
    /// Returns the highest field level that a subject's rules give for an object at a time; `nil` if no rule gives a level,
    /// so that no field is visible. `FieldTable` lists the fields of each level.
    ///
    /// The caller must first decide by `decide` or `allows` whether the subject may read the object at all.
    package static func fieldLevel(
        of subject: Subject, for object: FieldObject, at time: DecisionTime, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard subject.isEnabled else { return nil }
        if let key = subject.key { return level(of: key, for: object, at: time, in: directory) }
        switch object {
        case .portfolio(let id):
            return level(of: subject, on: .portfolio(id), superAdmin: .management, at: time, in: directory)
        case .property(let id): return level(of: subject, on: .property(id), superAdmin: .operations, at: time, in: directory)
        case .unit(let id): return level(of: subject, on: .unit(id), superAdmin: .operations, at: time, in: directory)
        case .device(let id): return level(of: subject, on: .device(id), superAdmin: .operations, at: time, in: directory)
        case .user(let id): return level(of: subject, onPerson: id, in: directory)
        case .guestAccess(let id): return level(of: subject, onGuestAccess: id, in: directory)
        case .event(let unit, let property, let portfolio, let actor):
            let path = EntityPath(unit: unit, property: property, portfolio: portfolio)
            let level = roleLevel(of: subject, on: path, in: directory)
            return actor.map(subject.isActor) == true ? max(level ?? .management, .management) : level
        }
    }

    /// The lower of the levels of the key's role and of its creator; at least MANAGEMENT for the key's own commands.
    private static func level(
        of key: KeyScope, for object: FieldObject, at time: DecisionTime, in directory: TenancyDirectory
    ) -> FieldLevel? {
        let levels = [key.role, key.maker].map { fieldLevel(of: $0, for: object, at: time, in: directory) }
        let common = levels.contains(nil) ? nil : levels.compactMap(\.self).min()
        guard case .event(_, _, _, let actor?) = object, key.isActor(actor) else { return common }
        return max(common ?? .management, .management)
    }

    private static func level(
        of subject: Subject, on object: ManagedObject, superAdmin: FieldLevel, at time: DecisionTime,
        in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let path = EntityPath(object, in: directory) else { return nil }
        var highest: FieldLevel?
        forEachRule(reaching: path, for: subject, at: time, in: directory) { rule in
            if let level = rule.fieldLevel(superAdmin: superAdmin) { highest = max(highest ?? level, level) }
            return .next
        }
        return highest
    }

    /// The highest level that roles on a path give; guest accesses and the super-admin flag are ignored.
    private static func roleLevel(
        of subject: Subject, on path: EntityPath?, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let user = subject.user, let path else { return nil }
        var highest: FieldLevel?
        _ = forEachRole(of: user, reaching: path, in: directory) { rule in
            if let level = rule.fieldLevel(superAdmin: nil) { highest = max(highest ?? level, level) }
            return .next
        }
        return highest
    }

    /// The user and super admins see all fields of a user. Another subject sees fields by its own level on the entities on which
    /// the user holds a role or guest access; the highest of these levels counts.
    private static func level(
        of subject: Subject, onPerson id: UserID, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let person = directory.users[id]?.node, person.isKnown else { return nil }
        if subject.isUser(id) || subject.isSuperAdmin { return .owner }
        let objects =
            person.roles.all.map { ManagedObject($0.entity) }
            + person.guestAccesses.ids.compactMap { access in
                directory.guestAccess(access).map(place)
            }
        let levels = Set(objects).compactMap { roleLevel(of: subject, on: EntityPath($0, in: directory), in: directory) }
        // Return at most MANAGEMENT: OWNER would add the fields that are private to the user.
        return levels.max().map { min($0, .management) }
    }

    /// The grantor and the management of the unit or property see all fields of a guest access. Its
    /// guest and the residents do not see the association under which it was granted.
    private static func level(
        of subject: Subject, onGuestAccess id: GuestAccessID, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let access = directory.guestAccess(id) else { return nil }
        let asGrantor: FieldLevel? = subject.isUser(access.grantedByUserID) ? .management : nil
        let asGuest: FieldLevel? = subject.isUser(access.guestUserID) ? .publicLevel : nil
        let byPlace = roleLevel(of: subject, on: EntityPath(place(of: access), in: directory), in: directory)
        return [asGrantor, asGuest, byPlace].compactMap(\.self).max()
    }

    private static func place(of access: GuestAccess) -> ManagedObject {
        access.unitID.map { .unit($0) } ?? .property(access.propertyID)
    }
}

extension ReachingRule {
    /// The level that the rule gives on the object that it reaches; `nil` for a role that gives no right on its entity.
    fileprivate func fieldLevel(superAdmin: FieldLevel?) -> FieldLevel? {
        switch self {
        case .role(let held, let column): column == nil ? nil : FieldLevel(of: held.role)
        case .tenancyBelow(let held): FieldLevel(of: held.role)
        case .guestAccess: .publicLevel
        case .superAdmin: superAdmin
        }
    }
}
