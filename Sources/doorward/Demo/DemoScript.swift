import AdapterSimulator
import DoorwardControl
import DoorwardDomain

/// Plays the demo's plan: people send commands to the gateway, each with their own rights; manual operations, faults and battery
/// changes are applied to the simulated locks.
struct DemoScript: Sendable {
    let plan: DemoPlan
    /// The users by first name.
    let users: [String: UserID]
    /// The locks by name.
    let locks: [String: DeviceID]
    let control: GatewayControl
    let simulator: SimulatorAdapter
    /// How many times faster than real time the house's time passes.
    let speed: Double

    /// Runs to the end of the last planned day, or until it is cancelled; no command is in flight afterwards.
    func run() async throws {
        for guest in plan.guests { try await grant(guest) }
        let player = try ScenarioPlayer(
            plan.scenario, adapter: simulator, clock: control.clock, locks: locks, from: plan.start, pace: speed, command: ask)
        await player.run()
    }

    /// Sends a command. Its outcome appears in the log.
    private func ask(_ wish: ScenarioCommand) async {
        guard let user = users[wish.person] else { return }
        let request = CommandRequest(
            caller: Caller(userID: user), deviceID: wish.lock, attemptedID: wish.lock.description, operation: wish.operation,
            timeout: .seconds(10))
        guard case .fresh(let running)? = try? await control.locks.begin(request) else { return }
        _ = await running.finished
    }

    private func grant(_ guest: DemoPlan.Guest) async throws {
        guard let user = users[guest.name], let host = users[guest.host] else { return }
        let now = control.clock.now()
        let window = guest.window.map { $0 / speed } ?? .seconds(365 * 86_400)
        let access = NewGuestAccess(
            guestUserID: user, label: nil, propertyID: nil, unitID: nil, deviceIDs: guest.doors.map { locks[$0] ?? .nonexistent },
            operations: [.lock, .unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: window)))
        _ = try await control.guestAccesses.grant(Caller(userID: host), access, repeatable: nil)
    }
}
