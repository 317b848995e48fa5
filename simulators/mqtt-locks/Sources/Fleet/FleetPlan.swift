/// The locks of a fleet, and their behaviour.
struct FleetPlan: Hashable, Sendable {
    /// The number of locks per dialect, in the order of the arguments. Each dialect appears once.
    var parts: [Part]
    var seed: UInt64
    var settings = FaultSettings()
    /// Rate of manual operations (thumb turn or code) over the whole fleet.
    var manualPerMinute = 0.0

    struct Part: Hashable, Sendable {
        let profile: Profile
        let count: Int
    }
}
