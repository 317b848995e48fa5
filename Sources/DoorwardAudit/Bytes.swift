import DoorwardDomain

extension [UInt8] {
    mutating func append(bigEndian value: UInt64) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// The text of the log's id.
    mutating func append(log: LogID) {
        switch log {
        case .gateway: append(contentsOf: "gateway".utf8)
        case .portfolio(let id): append(id: id)
        }
    }

    /// The id's canonical text, written without making a `String` of it: this is done some ten times a record.
    mutating func append<Entity>(id: EntityID<Entity>) {
        append(nibbles: 0..<8, of: id.high)
        append(UInt8(ascii: "-"))
        append(nibbles: 8..<12, of: id.high)
        append(UInt8(ascii: "-"))
        append(nibbles: 12..<16, of: id.high)
        append(UInt8(ascii: "-"))
        append(nibbles: 0..<4, of: id.low)
        append(UInt8(ascii: "-"))
        append(nibbles: 4..<16, of: id.low)
    }

    private mutating func append(nibbles: Range<Int>, of word: UInt64) {
        for index in nibbles { append(lowerHexDigit(UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * index)) & 0xF)) }
    }
}

/// The ASCII digit of a value below 16.
func lowerHexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
}

extension RandomAccessCollection<UInt8> {
    /// The number in exactly eight bytes, big-endian; `nil` for any other count.
    var bigEndianUInt64: UInt64? { count == 8 ? reduce(0) { $0 << 8 | UInt64($1) } : nil }
}
