package import DoorwardDomain
package import DoorwardPolicy

/// The effects of a removal: of an entity, a role or a guest access. It is computed from the changes that the removal would
/// write, so that it cannot differ from them.
package struct RemovalPreview: Sendable {
    /// An entity that the removal deletes.
    package struct Removed: Hashable, Sendable {
        /// The type and id, as in records.
        package let target: RecordTarget
        /// The entity's name; the full name of a user.
        package let name: String

        package init(target: RecordTarget, name: String) { (self.target, self.name) = (target, name) }
    }

    /// The entities that are deleted, in the order of the changes: children before their parents.
    package var removed: [Removed] = []
    /// Everything else that ends: roles, guest accesses, API keys and invitations that are valid now or later,
    /// sessions, and the assignment of a device to a unit or property.
    package var ended: [RecordTarget] = []

    /// Effects that are not changes of the tenancy.
    package init(removed: [Removed] = [], ended: [RecordTarget] = []) { (self.removed, self.ended) = (removed, ended) }

    /// - Parameters:
    ///   - before: the directory before the changes.
    ///   - after: the directory after them.
    package init(_ changes: [TenancyChange], from before: TenancyDirectory, to after: TenancyDirectory, at now: Timestamp) {
        var seen: Set<RecordTarget> = []
        func end(_ target: RecordTarget) { if seen.insert(target).inserted { ended.append(target) } }
        func endIfOver(_ id: GuestAccessID) {
            guard let access = before.guestAccess(id), access.isEffective(after: now, in: before) else { return }
            if after.guestAccess(id)?.isEffective(after: now, in: after) != true { end(RecordTarget(access)) }
        }
        for change in changes {
            if let removed = Removed(change, in: before) { self.removed.append(removed) }
            switch change {
            case .removeAssociation(let id):
                guard let association = before.association(id) else { continue }
                end(RecordTarget(association))
                for access in before.guestAccesses(carriedBy: association) { endIfOver(access.id) }
            case .putGuestAccess(let access): endIfOver(access.id)
            case .removeGuestAccess(let id): endIfOver(id)
            case .removeAPIKey(let id):
                if let key = before.apiKey(id), key.expiresAt > now { end(RecordTarget(key)) }
            case .removeInvitation(let id):
                if let invitation = before.invitation(id), invitation.expiresAt > now { end(RecordTarget(invitation)) }
            case .removeGuestLink(let id):
                if before.guestLink(of: id) != nil { end(RecordTarget(type: "GuestLink", id: id.description)) }
            case .putDevice(let device):
                guard let old = before.device(device.id) else { continue }
                let isDetached = old.propertyID != nil && device.propertyID == nil || old.unitID != nil && device.unitID == nil
                if isDetached { end(RecordTarget(old)) }
            default: break
            }
        }
    }
}

extension RemovalPreview.Removed {
    /// `nil` for a change that removes no entity with a name.
    fileprivate init?(_ change: TenancyChange, in before: TenancyDirectory) {
        let entity: (target: RecordTarget, name: String)? =
            switch change {
            case .removePortfolio(let id): before.portfolio(id).map { (RecordTarget($0), $0.name) }
            case .removeProperty(let id): before.property(id).map { (RecordTarget($0), $0.name) }
            case .removeUnit(let id): before.unit(id).map { (RecordTarget($0), $0.name) }
            case .removeDevice(let id): before.device(id).map { (RecordTarget($0), $0.name) }
            case .removeUser(let id): before.user(id).map { (RecordTarget($0), $0.fullName) }
            default: nil
            }
        guard let entity else { return nil }
        (target, name) = entity
    }
}

extension GuestAccess {
    /// Whether the access gives a right after `instant`: it has not ended, and its grantor still holds a right that it depends
    /// on.
    fileprivate func isEffective(after instant: Timestamp, in directory: TenancyDirectory) -> Bool {
        guard endsAt > instant else { return false }
        return deviceIDs.contains { isHeld(on: $0) { directory.association($0) != nil } }
    }
}
