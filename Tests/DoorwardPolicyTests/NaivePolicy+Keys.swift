import DoorwardDomain

extension NaivePolicy {
    /// The decision for an API key, and who may do an operation: written only from the specification, like the rest.
    ///
    /// A key may do what a person with only its role may do and what its creator may do. Its rule is its creator's.
    func decide(key id: APIKeyID, _ operation: LockOperation, _ deviceID: DeviceID, _ at: Timestamp, override: Bool) -> Decision {
        guard let key = world.apiKeys.first(where: { $0.id == id }), exists(key) else { return deny(.userUnknown, false) }
        let twin = UserID(high: 77, low: 77)
        var withTwin = world
        withTwin.users.append(
            User(id: twin, email: "twin", firstName: "", lastName: "", createdAt: at, updatedAt: at))
        withTwin.associations.append(
            UserRoleAssociation(
                id: AssociationID(high: 77, low: 77), userID: twin, entity: key.entity, role: key.role, createdAt: at,
                updatedAt: at))
        let ofRole = NaivePolicy(world: withTwin).decide(.user(twin), operation, deviceID, at, override: override)
        let ofCreator = decide(key.parentID.map { .apiKey($0) } ?? .user(key.userID), operation, deviceID, at, override: override)
        // An expired key is an unknown principal.
        let hasReach = hasReach(ofRole) && hasReach(ofCreator) && !isExpired(key, at)
        let hasDevice = world.devices.contains { $0.id == deviceID }
        if world.users.first(where: { $0.id == key.userID })?.isEnabled == false {
            return deny(.userDisabled, hasReach && hasDevice)
        }
        if !hasDevice { return deny(.deviceUnknown, false) }
        if isExpired(key, at) { return deny(.userUnknown, false) }
        guard case .denied(var denial) = ofRole else { return ofCreator }
        (denial.hasReach, denial.rule) = (hasReach, nil)
        return .denied(denial)
    }

    private func hasReach(_ decision: Decision) -> Bool { decision.denial?.hasReach ?? true }

    /// Whether the key's entity exists, and its creator; a key that another key made needs that one.
    private func exists(_ key: APIKey) -> Bool {
        let hasEntity =
            switch key.entity {
            case .portfolio(let id): world.portfolios.contains { $0.id == id }
            case .property(let id): world.properties.contains { $0.id == id }
            case .unit(let id): world.units.contains { $0.id == id }
            }
        guard let parent = key.parentID else { return hasEntity && world.users.contains { $0.id == key.userID } }
        return hasEntity && world.apiKeys.first { $0.id == parent }.map(exists) ?? false
    }

    private func isExpired(_ key: APIKey, _ at: Timestamp) -> Bool {
        max(at, latest ?? at) >= key.expiresAt || world.apiKeys.contains { $0.id == key.parentID && isExpired($0, at) }
    }

    /// Everyone for whom `decide` allows the operation, each with the rule and its end. A person's own link is the person.
    func whoCan(_ operation: LockOperation, _ device: DeviceID, _ at: Timestamp) -> [Principal: (rule: Rule, until: Timestamp?)] {
        let links = world.guestAccesses.filter { $0.guestUserID == nil }.map { Principal.guestLink($0.id) }
        let everyone = world.users.map { Principal.user($0.id) } + links + world.apiKeys.map { .apiKey($0.id) }
        return everyone.reduce(into: [:]) { found, principal in
            guard let rule = decide(principal, operation, device, at).rule else { return }
            found[principal] = (rule, ends(of: rule, principal).min())
        }
    }

    private func ends(of rule: Rule, _ principal: Principal) -> [Timestamp] {
        var ends: [Timestamp] = []
        if case .guestAccess(let id) = rule, let access = world.guestAccesses.first(where: { $0.id == id }) {
            ends.append(access.window.validUntil)
        }
        if case .apiKey(let id) = principal, let key = world.apiKeys.first(where: { $0.id == id }) {
            ends.append(key.expiresAt)
            if let parent = key.parentID { ends += self.ends(of: rule, .apiKey(parent)) }
        }
        return ends
    }
}
