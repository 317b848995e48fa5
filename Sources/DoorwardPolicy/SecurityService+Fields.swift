package import DoorwardDomain

extension SecurityService {
    /// The highest level that a user's rules give them for an object at an instant; `nil` when they give none, so that
    /// nothing of it is shown. Which fields a level sees is in `FieldTable`.
    ///
    /// Whether the object may be read at all is another question, which comes first: `decide` and `allows`.
    package static func fieldLevel(
        of user: UserID, for object: FieldObject, at instant: Timestamp, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let node = directory.resolve(user), node.isEnabled else { return nil }
        switch object {
        case .portfolio(let id): return level(of: node, on: .portfolio(id), superAdmin: .management, at: instant, in: directory)
        case .property(let id): return level(of: node, on: .property(id), superAdmin: .operations, at: instant, in: directory)
        case .unit(let id): return level(of: node, on: .unit(id), superAdmin: .operations, at: instant, in: directory)
        case .device(let id): return level(of: node, on: .device(id), superAdmin: .operations, at: instant, in: directory)
        case .user(let id): return level(of: node, onPerson: id, at: instant, in: directory)
        case .guestAccess(let id): return level(of: node, onGuestAccess: id, at: instant, in: directory)
        case .event(let unit, let property, let portfolio, let actor):
            let entities: [AssociatedEntity?] = [
                unit.map { .unit($0) }, property.map { .property($0) }, portfolio.map { .portfolio($0) },
            ]
            let level = highest(entities.compactMap(\.self).flatMap { node.roles.held(on: $0) })
            return actor == user ? max(level ?? .management, .management) : level
        }
    }

    private static func level(
        of user: UserNode, on object: ManagedObject, superAdmin: FieldLevel, at instant: Timestamp, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let chain = Chain(object, in: directory) else { return nil }
        let held = highest(chain.associations(of: user, in: directory) + chain.tenancies(of: user, in: directory))
        let asSuperAdmin = user.isSuperAdmin ? superAdmin : nil
        let asGuest = chain.guestAccess(of: user, at: instant, in: directory).map { _ in FieldLevel.publicLevel }
        return [held, asSuperAdmin, asGuest].compactMap(\.self).max()
    }

    /// A person is seen whole by themselves and by super admins, and by others through what the person holds: at the level
    /// that the others have there.
    private static func level(
        of user: UserNode, onPerson id: UserID, at instant: Timestamp, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let person = directory.resolve(id), person.user != nil else { return nil }
        if user.id == id || user.isSuperAdmin { return .owner }
        let places =
            person.roles.all.map { ManagedObject($0.entity) }
            + person.guestAccesses.ids.compactMap { access in
                directory.guestAccess(access).map(place)
            }
        let levels = Set(places).compactMap { place -> FieldLevel? in
            Chain(place, in: directory).flatMap { highest($0.associations(of: user, in: directory)) }
        }
        // OWNER is "the rest" of a person, which is theirs and the super admin's alone.
        return levels.max().map { min($0, .management) }
    }

    /// A guest access is seen whole by who granted it and by the management of its place, and but for what it rests on
    /// by its guest and the residents there.
    private static func level(
        of user: UserNode, onGuestAccess id: GuestAccessID, at instant: Timestamp, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let access = directory.guestAccess(id) else { return nil }
        let asGrantor: FieldLevel? = access.grantedByUserID == user.id ? .management : nil
        let asGuest: FieldLevel? = access.guestUserID == user.id ? .publicLevel : nil
        let byPlace = Chain(place(of: access), in: directory).flatMap { highest($0.associations(of: user, in: directory)) }
        return [asGrantor, asGuest, byPlace].compactMap(\.self).max()
    }

    private static func place(of access: GuestAccess) -> ManagedObject {
        access.unitID.map { .unit($0) } ?? .property(access.propertyID)
    }

    private static func highest(_ held: [HeldRole]) -> FieldLevel? {
        held.filter(\.isAssignable).compactMap { FieldLevel(of: $0.role) }.max()
    }
}
