import AdapterSimulator
import DoorwardControl
import DoorwardDomain

/// The life in the demo's house. People ask the gateway, each with their own rights and no others; hands, bolts and batteries
/// move at the simulated locks.
struct DemoScript: Sendable {
    let day: DemoDay
    /// By first name.
    let users: [String: UserID]
    /// By the name of the lock.
    let locks: [String: DeviceID]
    let control: GatewayControl
    let simulator: SimulatorAdapter
    /// How much faster time passes in the house.
    let speed: Double

    /// Goes on to the last planned day's end, or until it is cancelled; nobody's command is under way afterwards.
    func run() async throws {
        try await letGuestsIn()
        let player = try ScenarioPlayer(
            day.scenario, adapter: simulator, clock: control.clock, locks: locks, from: HouseTime.start, pace: speed, command: ask
        )
        await player.run()
    }

    /// What becomes of a wish stands in the log.
    private func ask(_ wish: ScenarioCommand) async {
        guard let user = users[wish.person] else { return }
        let request = CommandRequest(
            caller: Caller(userID: user), deviceID: wish.lock, attemptedID: wish.lock.description, operation: wish.operation,
            timeout: .seconds(10))
        guard case .fresh(let running)? = try? await control.locks.begin(request) else { return }
        _ = await running.finished
    }

    private func letGuestsIn() async throws {
        try await grant("Gus", ["Door 1A"], by: "Tom", for: DemoDay.guestWindow / speed)
        try await grant("Clara", ["Quay entrance", "Door 2A"], by: "Max", for: .seconds(365 * 86_400))
    }

    private func grant(_ guest: String, _ doors: [String], by grantor: String, for window: Duration) async throws {
        guard let guest = users[guest], let grantor = users[grantor] else { return }
        let now = control.clock.now()
        let access = NewGuestAccess(
            guestUserID: guest, label: nil, propertyID: nil, unitID: nil, deviceIDs: doors.map { locks[$0] ?? .nonexistent },
            operations: [.lock, .unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: window)))
        _ = try await control.guestAccesses.grant(Caller(userID: grantor), access, repeatable: nil)
    }
}
