package import DoorwardDomain

/// What becomes of a reference to an entity.
package enum EntityChange<Entity>: Sendable {
    /// As it was.
    case keep
    /// None any more.
    case clear
    /// `nil` stands for an id that cannot be one.
    case set(EntityID<Entity>?)

    /// What it names, if it names one; the inner `nil` for an id that cannot be one.
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
