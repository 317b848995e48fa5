import DoorwardAudit

/// The fields of a record, for tests that break one rule at a time.
struct FieldList {
    var header: [UInt8] = Array("DWRD".utf8) + [1]
    var fields: [(number: UInt8, value: [UInt8])]

    /// Creates the smallest record.
    init() {
        let id = Array("019ab3c0-000a-7000-8000-00000000000a".utf8)
        fields = [
            (1, Array("gateway".utf8)), (2, [0, 0, 0, 0, 0, 0, 0, 5]), (3, id), (4, [0, 0, 1, 0xA1, 0xFD, 0xF1, 0x86, 0x7B]),
            (5, Array("GATEWAY".utf8)), (10, Array("GATEWAY".utf8)), (14, Array("GATEWAY".utf8)),
        ]
    }

    /// Splits a valid record into its fields.
    init(splitting bytes: [UInt8]) {
        fields = []
        var rest = bytes.dropFirst(header.count)
        while let number = rest.popFirst(), let high = rest.popFirst(), let low = rest.popFirst() {
            let length = Int(high) << 8 | Int(low)
            fields.append((number, Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
    }

    /// Returns a copy in which this field replaces the fields with the same number. The fields stay sorted.
    func with(_ number: UInt8, _ value: [UInt8]) -> Self {
        var list = self
        list.fields.removeAll { $0.number == number }
        list.fields.append((number, value))
        list.fields.sort { $0.number < $1.number }
        return list
    }

    func with(_ number: UInt8, _ text: String) -> Self { with(number, Array(text.utf8)) }

    func without(_ number: UInt8) -> Self {
        var list = self
        list.fields.removeAll { $0.number == number }
        return list
    }

    subscript(_ number: UInt8) -> [UInt8]? { fields.first { $0.number == number }?.value }

    var bytes: [UInt8] {
        fields.reduce(header) { $0 + [$1.number, UInt8($1.value.count >> 8), UInt8($1.value.count & 0xFF)] + $1.value }
    }
}
