internal import DoorwardDomain

/// What a simulated lock does next of itself, and when.
struct Movement: Hashable {
    let due: MonotonicInstant
    let step: Step
    let cause: Cause

    /// What happens at `due`.
    enum Step: Hashable {
        case arrive(at: LockState, Luck)
        /// The order is answered with a refusal.
        case refuse
        /// The word of a late confirmation.
        case confirmLate(LockState, lies: Bool)
        /// The latch springs back.
        case releaseLatch
    }

    /// Who or what moves the bolt: what the lock says of it.
    struct Cause: Hashable {
        let method: EventMethod
        /// The slot of a keypad's code, if the lock can tell.
        var operatorName: String?

        static let order = Cause(method: .remote)
        static let itself = Cause(method: .auto)
        static let hand = Cause(method: .manual)
    }

    /// How a movement will go, drawn when it begins.
    struct Luck: Hashable {
        /// Added to the lock's latency, in milliseconds.
        var jitterMs: Int64 = 0
        var jams = false
        var isRefused = false
        var confirmation = SimulatedFaults.Confirmation.prompt
        var lies = false

        init() {}

        /// Takes the same number of draws whatever comes of it, so that a fault does not change the luck of later
        /// movements.
        init(_ settings: SimulatorSettings, _ faults: SimulatedFaults, _ draws: inout Draws) {
            jitterMs = draws.integer(upTo: settings.jitterMs)
            jams = draws.chance(settings.jamRate) || faults.jams
            isRefused = draws.chance(settings.refusalRate) || faults.refuses
            let (isLost, isLate) = (draws.chance(settings.lostConfirmationRate), draws.chance(settings.lateConfirmationRate))
            confirmation = isLost ? .lost : isLate ? .late : faults.confirmation
            lies = draws.chance(settings.wrongStateRate) || faults.lies
        }
    }
}
