/// SplitMix64 (Steele, Lea, Flood 2014): reproducible by its seed.
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// - Parameter stream: distinguishes generators with the same seed.
    init(seed: UInt64, stream: UInt64 = 0) {
        state = seed
        let first = next()
        state = first ^ (stream &* 0x9E37_79B9_7F4A_7C15)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A random number from 0 to just under 1.
    mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// True with this probability.
    mutating func happens(_ rate: Double) -> Bool { rate > 0 && fraction() < rate }

    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        range.lowerBound + (range.upperBound - range.lowerBound) * fraction()
    }

    /// Random upper-case hexadecimal digits.
    mutating func hexadecimal(_ digits: Int) -> String {
        String((0..<digits).map { _ in "0123456789ABCDEF".randomElement(using: &self) ?? "0" })
    }

    /// Random digits in the format of a UUID.
    mutating func uuid() -> String {
        [8, 4, 4, 4, 12].map { hexadecimal($0).lowercased() }.joined(separator: "-")
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
