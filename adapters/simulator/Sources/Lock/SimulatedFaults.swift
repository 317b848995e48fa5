/// What is wrong with a simulated lock until somebody clears it.
struct SimulatedFaults: Hashable {
    var jams = false
    var refuses = false
    /// Says the opposite of where the bolt rests.
    var lies = false
    var isOffline = false
    /// The address makes no sense, so nothing brings the lock back.
    var isUnreadable = false
    var confirmation = Confirmation.prompt
    var duplicates = false
    var disorders = false

    /// When the word comes that the bolt has arrived.
    enum Confirmation: Hashable {
        case prompt
        case late
        case lost
    }
}
