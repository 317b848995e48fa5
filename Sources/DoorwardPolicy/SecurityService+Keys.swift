package import DoorwardDomain

extension SecurityService {
    /// Whether a subject holds a role or a higher one on an entity, directly or through an entity above it. True for a super admin:
    /// what they give there is limited by their own rights all the same. For an API key, both its role and its creator must hold it.
    package static func holds(
        _ role: Role, on entity: AssociatedEntity, _ subject: Subject, in directory: TenancyDirectory
    ) -> Bool {
        if let key = subject.key {
            return [key.role, key.maker].allSatisfy { holds(role, on: entity, $0, in: directory) }
        }
        guard subject.isEnabled, let path = EntityPath(ManagedObject(entity), in: directory) else { return false }
        var isHeld = false
        forEachRule(reaching: path, for: subject, at: nil, in: directory) { rule in
            switch rule {
            case .role(let held, let column): isHeld = column != nil && held.role.rank <= role.rank
            case .superAdmin: isHeld = true
            case .tenancyBelow, .guestAccess: break
            }
            return isHeld ? .stop : .next
        }
        return isHeld
    }
}
