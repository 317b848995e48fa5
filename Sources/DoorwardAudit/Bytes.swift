import DoorwardDomain

extension [UInt8] {
    mutating func append(bigEndian value: UInt64) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Overwrites the bytes from `offset` on, as many as `new` has.
    mutating func overwrite(at offset: Int, with new: some Collection<UInt8>) {
        replaceSubrange(offset..<offset + new.count, with: new)
    }

    /// Appends the text of the log's id.
    mutating func append(log: LogID) {
        switch log {
        case .gateway: append(contentsOf: "gateway".utf8)
        case .portfolio(let id): append(id: id)
        }
    }

    /// Appends the id's canonical text.
    mutating func append<Entity>(id: EntityID<Entity>) { id.withText { append(contentsOf: $0) } }
}

/// The lower-case hexadecimal digit, in ASCII, of a value below 16.
func lowerHexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
}

extension RandomAccessCollection<UInt8> {
    /// Decodes exactly eight bytes as a big-endian number; `nil` for any other count.
    var bigEndianUInt64: UInt64? { count == 8 ? reduce(0) { $0 << 8 | UInt64($1) } : nil }
}

/// The value of an ASCII hexadecimal digit; `nil` for anything else, including upper-case letters.
func lowerHexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
}
