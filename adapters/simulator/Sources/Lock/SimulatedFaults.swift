/// Faults of a simulated lock, which last until they are cleared.
struct SimulatedFaults: Hashable {
    var jams = false
    var refuses = false
    /// Reports the opposite of the bolt's resting position.
    var lies = false
    var isOffline = false
    /// The address is invalid, so the lock never becomes reachable.
    var isUnreadable = false
    var confirmation = Confirmation.prompt
    var duplicates = false
    var disorders = false

    /// When a completed movement is reported.
    enum Confirmation: Hashable {
        case prompt
        case late
        case lost
    }
}
