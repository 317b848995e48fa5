internal import DoorwardDomain

/// The units whose tenants share one device. A filter excludes most other units with one memory access.
struct CommonAreaUnits: Sendable {
    private(set) var ids = SortedIDs<Unit>()
    /// A bit for each unit, at the position given by the last bits of its id.
    private var filter = SIMD8<UInt64>()

    init(_ ids: SortedIDs<Unit> = SortedIDs()) {
        for id in ids { insert(id) }
    }

    var isEmpty: Bool { ids.isEmpty }

    @inline(__always)
    func contains(_ id: UnitID) -> Bool {
        mayContain(id.low) && ids.contains(id)
    }

    /// Whether a unit whose id has this low half may be in the set. If `false`, no such unit is in
    /// the set; if `true`, there need not be one.
    @inline(__always)
    func mayContain(_ low: UInt64) -> Bool { filter[Self.word(of: low)] & Self.bit(of: low) != 0 }

    mutating func insert(_ id: UnitID) {
        ids.insert(id)
        filter[Self.word(of: id.low)] |= Self.bit(of: id.low)
    }

    mutating func remove(_ id: UnitID) {
        var left = ids
        left.remove(id)
        self = Self(left)
    }

    @inline(__always)
    private static func word(of low: UInt64) -> Int { Int(truncatingIfNeeded: low >> 6 & 7) }

    @inline(__always)
    private static func bit(of low: UInt64) -> UInt64 { 1 << (low & 63) }
}
