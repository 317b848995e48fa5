/// Which locks a fleet has, and how they behave.
struct FleetPlan: Hashable, Sendable {
    /// How many of which dialect, in the order in which they were asked for. A dialect stands here once.
    var parts: [Part]
    var seed: UInt64
    var manner = Manner()
    /// How often people turn a thumb turn or type a code, over the whole fleet.
    var manualPerMinute = 0.0

    struct Part: Hashable, Sendable {
        let profile: Profile
        let count: Int
    }
}
