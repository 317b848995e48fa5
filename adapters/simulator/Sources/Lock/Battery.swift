internal import DoorwardDomain

/// The battery of a simulated lock: drained by time and by movement, never filled but by hand.
///
/// Time is counted when somebody looks, so that a battery that time does not drain needs no timer.
struct Battery: Hashable {
    /// The warning ends so much above the level that it begins at, so that it does not come and go.
    static let hysteresis = 5

    /// False for a lock on the mains: its charge stays as it is.
    private let isFitted: Bool
    private let perDay: Double
    private let perMovement: Double
    private let lowLevel: Int
    /// Percent, 0 to 100.
    private var charge: Double
    /// Up to when time was counted.
    private var asOf: MonotonicInstant
    /// The lock's own warning.
    private(set) var isLow: Bool

    init(_ settings: SimulatorSettings, at now: MonotonicInstant) {
        isFitted = settings.capabilities.contains(.battery)
        (perDay, perMovement) = (settings.batteryPerDay, settings.batteryPerMovement)
        (lowLevel, charge, asOf) = (settings.lowBatteryLevel, Double(settings.batteryLevel), now)
        isLow = settings.batteryLevel <= settings.lowBatteryLevel
    }

    /// Whole percent, rounded up: 0 only when nothing is left.
    var level: Int { Int(charge.rounded(.up)) }

    var isDead: Bool { isFitted && charge <= 0 }

    /// When time alone makes the level fall by the next percent; `nil` when it never does.
    var nextFall: MonotonicInstant? {
        guard isFitted, perDay > 0, charge > 0 else { return nil }
        let seconds = ((charge - (charge.rounded(.up) - 1)) / perDay * 86_400).rounded(.up)
        // A drain of next to nothing would lie beyond every clock: a look once a year does no harm.
        return asOf.advanced(by: .seconds(Int64(min(max(seconds, 1), 366 * 86_400))))
    }

    mutating func pass(to now: MonotonicInstant) {
        let days = now.duration(since: asOf) / .seconds(86_400)
        asOf = max(asOf, now)
        if isFitted, days > 0 { set(charge - days * perDay) }
    }

    mutating func move() { if isFitted { set(charge - perMovement) } }

    /// Puts in another one, or empties this one, by hand.
    ///
    /// - Parameter level: percent.
    mutating func replace(level: Int) { set(Double(level)) }

    private mutating func set(_ new: Double) {
        charge = min(max(new, 0), 100)
        isLow = level <= lowLevel || (isLow && level < min(lowLevel + Self.hysteresis, 100))
    }
}
