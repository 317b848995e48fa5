import Synchronization

@testable import DoorwardClient

/// Answers of a gateway to the requests of the permission services.
final class StubSource: AccessSource {
    struct State {
        var abilities: Result<CallerAbilities, DoorwardError> = .success(CallerAbilities(rules: []))
        var me = Doorward.User(id: "me")
        var subscriptions: [String: Doorward.Subscription] = [:]
        var requests: [String] = []
    }

    let state = Mutex(State())

    var requests: [String] { state.withLock { $0.requests } }
    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    private func count(_ request: String) -> State {
        state.withLock {
            $0.requests.append(request)
            return $0
        }
    }

    func abilities() async throws -> CallerAbilities { try count("permissions").abilities.get() }
    func me() async throws -> Doorward.User { count("me").me }
    func subscription(of portfolioID: String) async throws -> Doorward.Subscription {
        guard let subscription = count("subscription \(portfolioID)").subscriptions[portfolioID] else {
            throw DoorwardError.refused(.init(status: 403, code: "forbidden"))
        }
        return subscription
    }
}

extension CallerAbilities {
    /// The rules of a person who may unlock the locks of a property, and change the property.
    static func manager(of property: String) -> CallerAbilities {
        CallerAbilities(rules: [
            Doorward.AbilityRule(
                action: ["LOCK", "UNLOCK", "VIEW_STATUS", "device.change"], subject: ["LockDevice"],
                conditions: ["propertyId": .string(property)]),
            Doorward.AbilityRule(
                action: ["property.change", "property.staff.assign"], subject: ["Property"], conditions: ["id": .string(property)]
            ),
        ])
    }
}

extension Doorward.LockDevice {
    static func door(_ id: String, property: String? = "q") -> Self {
        var device = Self(id: id, name: "Door \(id)")
        (device.propertyId, device.isOnline, device.capabilities) = (property, true, ["LOCK", "UNLOCK"])
        return device
    }
}

extension DoorwardError {
    static let forbidden = DoorwardError.refused(.init(status: 403, code: "forbidden"))
    static let offline = DoorwardError.notConnected("connection refused")
}
