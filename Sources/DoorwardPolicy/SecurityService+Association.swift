package import DoorwardDomain

extension SecurityService {
    /// Returns the subject's associations that each allow all of `operations` on a device, in ascending order; for a disabled user
    /// it returns none. Only roles count: a guest cannot grant access. The cost depends on the associations on the device and above
    /// it, and not on the subject's other ones.
    package static func carriers(
        of operations: [LockOperation], by subject: Subject, on device: DeviceID, in directory: TenancyDirectory
    ) -> [UserRoleAssociation] {
        guard subject.isEnabled, let user = subject.user, let device = directory.resolve(device), device.isAssigned
        else { return [] }
        var carriers: [UserRoleAssociation] = []
        forEachRule(reaching: EntityPath(device), for: subject, at: nil, in: directory) { rule in
            if case .role(let held, let column) = rule, operations.allSatisfy({ PermissionMatrix.holds($0, column) }) {
                carriers.append(held.association(of: user.id))
            }
            return .next
        }
        return carriers.sorted { $0.id < $1.id }
    }

    /// The entities on which the subject's roles hold an operation, for all devices attached there; common areas are left out.
    package static func entities(where subject: Subject, holds operation: LockOperation) -> [AssociatedEntity] {
        guard let user = subject.user, subject.isEnabled else { return [] }
        return user.roles.all.sorted { $0.id < $1.id }.filter {
            PermissionMatrix.holds(operation, MatrixColumn(of: $0.role, on: $0.type))
        }.map(\.entity)
    }
}
