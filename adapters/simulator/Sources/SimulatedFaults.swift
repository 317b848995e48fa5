/// What is wrong with a simulated lock until somebody clears it.
struct SimulatedFaults: Hashable {
    var jams = false
    var refuses = false
    var isOffline = false
    /// The address makes no sense, so nothing brings the lock back.
    var isUnreadable = false
    var confirmation = Confirmation.prompt

    enum Confirmation: Hashable {
        case prompt
        case late
        case lost
    }
}
