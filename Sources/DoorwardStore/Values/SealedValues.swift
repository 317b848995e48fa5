internal import DoorwardAudit

/// Encodes the sealed personal values of one record as one column: for each the length of its field's name in 2 bytes, the name, the
/// length of the ciphertext in 4 bytes, the ciphertext. Lengths are big-endian.
///
/// The commitment in the record identifies the owner of a value's key.
enum SealedValues {
    static func bytes(of values: [SealedValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values {
            append(value.field.utf8.count, width: 2, to: &bytes)
            bytes.append(contentsOf: value.field.utf8)
            append(value.ciphertext.count, width: 4, to: &bytes)
            bytes.append(contentsOf: value.ciphertext)
        }
        return bytes
    }

    /// The ciphertexts by field; `nil` if the bytes are not an encoding of `bytes(of:)`.
    static func ciphertexts(in bytes: [UInt8]) -> [String: [UInt8]]? {
        var rest = bytes[...]
        var ciphertexts: [String: [UInt8]] = [:]
        while !rest.isEmpty {
            // The field names that are looked up are the gateway's own, and so stream-safe.
            guard let name = take(&rest, width: 2), let field = String(validating: name, as: UTF8.self),
                let ciphertext = take(&rest, width: 4)
            else { return nil }
            guard ciphertexts.updateValue(Array(ciphertext), forKey: field) == nil else { return nil }
        }
        return ciphertexts
    }

    private static func append(_ count: Int, width: Int, to bytes: inout [UInt8]) {
        for index in (0..<width).reversed() { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * index))) }
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, width: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= width else { return nil }
        let count = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(width)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
