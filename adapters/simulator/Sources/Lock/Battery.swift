internal import DoorwardDomain

/// The battery of a simulated lock: drained by time and by movements, refilled only by an event.
///
/// The drain by time is computed when the level is read, so that a battery without this drain needs no timer.
struct Battery: Hashable {
    /// The warning ends this many percent above the level at which it begins, so that it does not toggle.
    static let hysteresis = 5

    /// False for a lock on mains power: its charge is constant.
    private let isInstalled: Bool
    private let perDay: Double
    private let perMovement: Double
    private let lowLevel: Int
    /// Percent, 0 to 100.
    private var charge: Double
    /// The instant up to which the drain by time has been applied.
    private var asOf: MonotonicInstant
    /// Whether the lock reports a low battery.
    private(set) var isLow: Bool

    init(_ settings: SimulatorSettings, at now: MonotonicInstant) {
        isInstalled = settings.capabilities.contains(.battery)
        (perDay, perMovement) = (settings.batteryPerDay, settings.batteryPerMovement)
        (lowLevel, charge, asOf) = (settings.lowBatteryLevel, Double(settings.batteryLevel), now)
        isLow = settings.batteryLevel <= settings.lowBatteryLevel
    }

    /// The charge in whole percent, rounded up, so that it is 0 only when the battery is empty.
    var level: Int { Int(charge.rounded(.up)) }

    var isEmpty: Bool { isInstalled && charge <= 0 }

    /// When time alone reduces the level by the next percent; `nil` if it never does.
    var nextLevelDrop: MonotonicInstant? {
        guard isInstalled, perDay > 0, charge > 0 else { return nil }
        let seconds = ((charge - (charge.rounded(.up) - 1)) / perDay * 86_400).rounded(.up)
        // A tiny drain would give an instant beyond the clock's range: check at least once a year.
        return asOf.advanced(by: .seconds(Int64(min(max(seconds, 1), 366 * 86_400))))
    }

    mutating func advance(to now: MonotonicInstant) {
        let days = now.duration(since: asOf) / .seconds(86_400)
        asOf = max(asOf, now)
        if isInstalled, days > 0 { set(charge - days * perDay) }
    }

    mutating func drainByMovement() { if isInstalled { set(charge - perMovement) } }

    /// Replaces the battery, or empties it.
    ///
    /// - Parameter level: percent.
    mutating func replace(level: Int) { set(Double(level)) }

    private mutating func set(_ new: Double) {
        charge = min(max(new, 0), 100)
        isLow = level <= lowLevel || (isLow && level < min(lowLevel + Self.hysteresis, 100))
    }
}
