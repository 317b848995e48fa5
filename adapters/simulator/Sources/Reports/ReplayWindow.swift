/// Which of the last 64 numbers have been seen: the window that IPsec uses against replay (RFC 4303, section 3.4.3).
struct ReplayWindow: Hashable {
    private var highest: UInt64 = 0
    /// The lowest bit stands for `highest`, the next for the one before it.
    private var bits: UInt64 = 0

    /// - Returns: false for a number that was seen, or that is too old to tell. Numbers begin at 1.
    mutating func admit(_ number: UInt64) -> Bool {
        if number > highest {
            let step = number - highest
            bits = step < 64 ? bits << step | 1 : 1
            highest = number
            return true
        }
        let age = highest - number
        guard age < 64, bits & (1 << age) == 0 else { return false }
        bits |= 1 << age
        return true
    }
}
