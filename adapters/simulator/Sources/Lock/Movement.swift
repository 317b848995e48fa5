internal import DoorwardDomain

/// The next scheduled step of a simulated lock, and when it is due.
struct Movement: Hashable {
    let due: MonotonicInstant
    let step: Step
    let cause: Cause

    /// What happens at `due`.
    enum Step: Hashable {
        case arrive(at: LockState, MovementOutcome)
        /// The command is rejected.
        case refuse
        /// The delayed confirmation is reported.
        case confirmLate(LockState, lies: Bool)
        /// The latch is released.
        case releaseLatch
    }

    /// The cause of a movement, as the lock reports it.
    struct Cause: Hashable {
        let method: EventMethod
        /// The keypad slot of the code, if one was typed.
        var operatorName: String?

        static let order = Cause(method: .remote)
        static let itself = Cause(method: .auto)
        static let hand = Cause(method: .manual)
    }

    /// The random outcome of a movement, drawn when it begins.
    struct MovementOutcome: Hashable {
        /// Added to the lock's latency, in milliseconds.
        var jitterMs: Int64 = 0
        var jams = false
        var isRefused = false
        var confirmation = SimulatedFaults.Confirmation.prompt
        var lies = false

        init() {}

        /// Always takes the same number of draws, so that a fault does not change the outcome of later movements.
        init(_ settings: SimulatorSettings, _ faults: SimulatedFaults, _ draws: inout SeededRandom) {
            jitterMs = draws.integer(upTo: settings.jitterMs)
            jams = draws.chance(settings.jamRate) || faults.jams
            isRefused = draws.chance(settings.refusalRate) || faults.refuses
            let (isLost, isLate) = (draws.chance(settings.lostConfirmationRate), draws.chance(settings.lateConfirmationRate))
            confirmation = isLost ? .lost : isLate ? .late : faults.confirmation
            lies = draws.chance(settings.wrongStateRate) || faults.lies
        }
    }
}
