extension Collection<UInt8> {
    /// The bytes as lower-case hexadecimal digits, two for each.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { digits in
            for (index, byte) in enumerated() {
                digits.initializeElement(at: 2 * index, to: Self.digit(byte >> 4))
                digits.initializeElement(at: 2 * index + 1, to: Self.digit(byte & 0xF))
            }
            return 2 * count
        }
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
