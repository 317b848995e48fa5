package import DoorwardDomain

/// A change of a reference to an entity.
package enum EntityChange<Entity>: Sendable {
    /// Leaves the reference unchanged.
    case keep
    /// Clears the reference.
    case clear
    /// Sets the reference; `nil` represents a malformed id.
    case set(EntityID<Entity>?)

    /// The new id, if the change sets one; the inner `nil` represents a malformed id.
    var named: EntityID<Entity>?? {
        if case .set(let id) = self { .some(id) } else { .none }
    }

    func applied(to current: EntityID<Entity>?) -> EntityID<Entity>? {
        switch self {
        case .keep: current
        case .clear: nil
        case .set(let id): id
        }
    }
}
