internal import DoorwardDomain

/// The keypad of a simulated lock: counts wrong codes, and disables itself for a while.
struct Keypad: Hashable {
    /// The number of wrong codes in a row that disable the keypad.
    static let maxWrongCodes = 5
    /// How long the keypad stays disabled.
    static let lockout = Duration.seconds(60)

    private var wrongCodes = 0
    private var disabledUntil: MonotonicInstant?

    /// Whether the keypad is disabled.
    func isDisabled(at now: MonotonicInstant) -> Bool { disabledUntil.map { now < $0 } ?? false }

    mutating func resetWrongCodes() { wrongCodes = 0 }

    /// - Returns: whether this code disabled the keypad.
    mutating func countWrongCode(at now: MonotonicInstant) -> Bool {
        wrongCodes += 1
        guard wrongCodes >= Self.maxWrongCodes else { return false }
        wrongCodes = 0
        disabledUntil = now.advanced(by: Self.lockout)
        return true
    }
}
