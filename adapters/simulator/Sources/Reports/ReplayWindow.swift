/// Sliding window of the last 64 sequence numbers, as IPsec uses against replay (RFC 4303, section 3.4.3).
struct ReplayWindow: Hashable {
    private var highest: UInt64 = 0
    /// The lowest bit represents `highest`, the next one the number before it.
    private var bits: UInt64 = 0

    /// - Returns: false for a number that was seen, or that is too old to decide. Numbers begin at 1.
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
