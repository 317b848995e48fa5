internal import DoorwardDomain

/// The keypad of a simulated lock: counts wrong codes, and shuts itself for a while.
struct Keypad: Hashable {
    /// So many wrong codes in a row shut it.
    static let mostWrongCodes = 5
    /// For so long.
    static let lockout = Duration.seconds(60)

    private var wrongCodes = 0
    private var shutUntil: MonotonicInstant?

    /// Whether it takes no code at this moment.
    func isShut(at now: MonotonicInstant) -> Bool { shutUntil.map { now < $0 } ?? false }

    mutating func rightCode() { wrongCodes = 0 }

    /// - Returns: whether this one shut it.
    mutating func wrongCode(at now: MonotonicInstant) -> Bool {
        wrongCodes += 1
        guard wrongCodes >= Self.mostWrongCodes else { return false }
        wrongCodes = 0
        shutUntil = now.advanced(by: Self.lockout)
        return true
    }
}
