/// The bytes of a record split into fields. Validates everything except the values.
struct RecordFields {
    private let bytes: [UInt8]
    /// The range of each value by field number; `nil` if the field is absent.
    private var ranges: [Range<Int>?]

    private static let headerByteCount = RecordWriter.magic.count + 1

    init(_ bytes: [UInt8]) throws(RecordDecodingError) {
        self.bytes = bytes
        ranges = Array(repeating: nil, count: RecordField.allCases.count + 1)
        try Self.checkHeader(bytes)
        var position = Self.headerByteCount
        var last: UInt8 = 0
        while position < bytes.count {
            guard position + 3 <= bytes.count else { throw .truncated }
            let number = bytes[position]
            guard RecordField(rawValue: number) != nil else { throw .unknownField(number) }
            guard number > last else { throw .outOfOrder(number) }
            let start = position + 3
            let end = start + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
            guard end <= bytes.count else { throw .truncated }
            ranges[Int(number)] = start..<end
            (last, position) = (number, end)
        }
    }

    private static func checkHeader(_ bytes: [UInt8]) throws(RecordDecodingError) {
        guard bytes.count >= headerByteCount, bytes.starts(with: RecordWriter.magic) else { throw .notARecord }
        let version = bytes[headerByteCount - 1]
        guard version == RecordEncoding.version else { throw .unknownVersion(version) }
        guard bytes.count <= RecordEncoding.maxByteCount else { throw .tooLarge }
    }

    /// The bytes of the value, or `nil` if the field is absent.
    subscript(field: RecordField) -> ArraySlice<UInt8>? { ranges[Int(field.rawValue)].map { bytes[$0] } }

    /// The value of a mandatory field.
    func required(_ field: RecordField) throws(RecordDecodingError) -> ArraySlice<UInt8> {
        guard let value = self[field] else { throw .missing(field) }
        return value
    }

    func text(_ field: RecordField) throws(RecordDecodingError) -> String? {
        guard let value = self[field] else { return nil }
        guard let text = String(validating: value, as: UTF8.self) else { throw .malformed(field) }
        return text
    }

    func uint64(_ field: RecordField) throws(RecordDecodingError) -> UInt64? {
        guard let value = self[field] else { return nil }
        guard let number = value.bigEndianUInt64 else { throw .malformed(field) }
        return number
    }

    func value<Value: RawRepresentable<String>>(_ field: RecordField) throws(RecordDecodingError) -> Value? {
        guard let bytes = self[field], let text = try text(field) else { return nil }
        // Swift compares strings by their normal forms: `LOC` with a Kelvin sign would be accepted as `LOCK`.
        guard let value = Value(rawValue: text), value.rawValue.utf8.elementsEqual(bytes) else { throw .malformed(field) }
        return value
    }
}
