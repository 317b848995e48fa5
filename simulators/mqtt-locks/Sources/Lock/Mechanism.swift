/// The mechanical lock, its door, its battery and its keypad.
struct Mechanism: Hashable, Sendable {
    struct Code: Hashable, Sendable {
        var digits: String
        var isEnabled: Bool
    }

    /// Actual position of the bolt.
    var position: Position = .locked
    /// Position according to the lock's own sensor.
    var sensedPosition: Position = .locked
    var isDoorOpen = false
    /// The charge of the battery in percent.
    var battery: Double
    /// The codes by slot. Slot 1 has a code from the beginning.
    var codes: [Int: Code]

    init(_ random: inout SeededRandom) {
        // Begin well above a whole percent, so that the first movements do not change the reported level.
        battery = 60.9 + (random.fraction() * 39).rounded(.down)
        codes = [1: Code(digits: String(Int.random(in: 300_000...899_999, using: &random)), isEnabled: true)]
    }

    /// The level that the lock reports.
    var percent: Int { Int(battery.rounded(.down)) }
    var isLow: Bool { percent <= 20 }

    mutating func setPosition(_ position: Position) { (self.position, sensedPosition) = (position, position) }
}
