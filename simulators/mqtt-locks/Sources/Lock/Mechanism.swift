/// The mechanical lock, its door, its battery and its keypad.
struct Mechanism: Hashable, Sendable {
    struct Code: Hashable, Sendable {
        var digits: String
        var isEnabled: Bool
    }

    /// Where the bolt is.
    var position: Position = .locked
    /// Where the lock's own sensor says that it is.
    var shown: Position = .locked
    var isDoorOpen = false
    /// Percent.
    var battery: Double
    /// By their slot; slot 1 has one from the beginning.
    var codes: [Int: Code]

    init(_ random: inout SeededRandom) {
        // Well above a whole percent, so that the first movements change no figure.
        battery = 60.9 + (random.share() * 39).rounded(.down)
        codes = [1: Code(digits: String(Int.random(in: 300_000...899_999, using: &random)), isEnabled: true)]
    }

    /// As a lock says it.
    var percent: Int { Int(battery.rounded(.down)) }
    var isLow: Bool { percent <= 20 }

    mutating func show(_ position: Position) { (self.position, shown) = (position, position) }
}
