/// Random generator of one simulated lock: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), reproducible by its seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A random integer from 0 to `limit`, which must not be negative. Takes exactly one draw; the bias is below 2⁻⁴⁷ for limits
    /// of a minute in milliseconds.
    mutating func integer(upTo limit: Int64) -> Int64 { Int64(next() % (UInt64(limit) + 1)) }

    /// True with this probability, 0 to 1. Takes exactly one draw.
    mutating func chance(_ rate: Double) -> Bool { Double(next() >> 11) * 0x1p-53 < rate }
}
