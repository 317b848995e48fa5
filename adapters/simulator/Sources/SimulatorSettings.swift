internal import DoorwardAdapterKit
internal import DoorwardDomain

/// A simulated lock as its address describes it. Units, defaults and ranges are listed in the adapter's README.
struct SimulatorSettings: Hashable {
    /// From the order to the bolt's arrival; zero moves it inside `send`.
    var latency: Duration = .milliseconds(200)
    /// At most so much is added to `latency`, drawn anew for every order.
    var jitterMs: Int64 = 0
    /// Seeds the lock's draws; `nil`: its id does.
    var seed: Int64?
    /// 0 to 100.
    var batteryLevel = 100
    var capabilities = LockCapabilities.all
    /// `.locked` or `.unlocked`.
    var initialState = LockState.locked
    /// The chance that an order jams, 0 to 1.
    var jamRate = 0.0
    /// The chance that the lock moves and does not say so, 0 to 1.
    var lostConfirmationRate = 0.0
    /// How long after the bolt's arrival the lock says so under `confirm_late`.
    var lateConfirmation: Duration = .seconds(5)

    init() {}

    /// - Throws: every mistake of the address, sorted by field.
    init(address: [String: JSONValue]) throws(AddressMistakes) {
        var reader = AddressReader(address)
        if let value = reader.integer("latencyMs", in: 0...60_000) { latency = .milliseconds(value) }
        if let value = reader.integer("jitterMs", in: 0...60_000) { jitterMs = value }
        if let value = reader.integer("seed", in: Int64.min...Int64.max) { seed = value }
        if let value = reader.integer("batteryLevel", in: 0...100) { batteryLevel = Int(value) }
        if let value = reader.capabilities("capabilities") { capabilities = value }
        if let value = reader.state("initialState", of: [.locked, .unlocked]) { initialState = value }
        if let value = reader.rate("jamRate") { jamRate = value }
        if let value = reader.rate("lostConfirmationRate") { lostConfirmationRate = value }
        if let value = reader.integer("lateConfirmationMs", in: 0...600_000) { lateConfirmation = .milliseconds(value) }
        try reader.finish()
    }
}
