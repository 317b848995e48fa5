import DoorwardDomain
import DoorwardPolicy

/// The access requests. Of ten requests, users with an association at the device make seven, a
/// guest makes one, and random users make two. Half of all requests are unlocks.
struct Questions: Sendable {
    struct ByID {
        let user: UserID
        let device: DeviceID
        let operation: LockOperation
    }

    struct Resolved {
        let subject: Subject
        let device: DeviceNode
        let operation: LockOperation
    }

    let byID: [ByID]
    let resolved: [Resolved]

    /// - Parameter guestsOnly: whether guests make all requests.
    init(_ count: Int, of world: TenancyFixture, in directory: TenancyDirectory, seed: UInt64, guestsOnly: Bool = false) {
        var mixer = SplitMix(seed: seed)
        byID = (0..<count).map { _ in
            let operation: LockOperation = [.unlock, .unlock, .lock, .viewStatus].randomElement(using: &mixer) ?? .unlock
            let kind = guestsOnly ? 7 : Int.random(in: 0..<10, using: &mixer)
            let (user, device) = Self.pair(kind, world, directory, &mixer)
            return ByID(user: user, device: device, operation: operation)
        }
        resolved = byID.compactMap { question in
            let subject = directory.subject(of: .user(question.user))
            return directory.resolve(question.device).map {
                Resolved(subject: subject, device: $0, operation: question.operation)
            }
        }
    }

    private static func pair(
        _ kind: Int, _ world: TenancyFixture, _ directory: TenancyDirectory, _ mixer: inout SplitMix
    ) -> (UserID, DeviceID) {
        if kind < 7 {
            let association = world.association(Int.random(in: 0..<world.associationCount, using: &mixer))
            if let device = someDevice(under: association.entity, directory, &mixer) { return (association.userID, device) }
        } else if kind < 8 {
            let access = world.guestAccess(Int.random(in: 0..<world.guestAccessCount, using: &mixer))
            if let guest = access.guestUserID { return (guest, access.deviceIDs[0]) }
        }
        return (
            world.user(Int.random(in: 0..<world.userCount, using: &mixer)),
            world.device(Int.random(in: 0..<world.deviceCount, using: &mixer))
        )
    }

    private static func someDevice(
        under entity: AssociatedEntity, _ directory: TenancyDirectory, _ mixer: inout SplitMix
    ) -> DeviceID? {
        switch entity {
        case .unit(let id):
            let shared = directory.unit(id)?.commonAreaAccessIDs ?? []
            return (directory.deviceIDs(of: id) + shared).randomElement(using: &mixer)
        case .property(let id): return directory.deviceIDs(of: id).randomElement(using: &mixer)
        case .portfolio(let id):
            return directory.propertyIDs(of: id).randomElement(using: &mixer).flatMap {
                directory.deviceIDs(of: $0).randomElement(using: &mixer)
            }
        }
    }
}
