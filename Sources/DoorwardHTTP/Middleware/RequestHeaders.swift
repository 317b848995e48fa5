internal import HTTPTypes

/// The headers of a request, read as ASCII: each one that the gateway reads is ASCII by its grammar, and no operation on ASCII
/// text normalises it.
struct RequestHeaders: Sendable {
    private let fields: HTTPFields

    init(_ fields: HTTPFields) { self.fields = fields }

    /// The value, with that of several fields of one name joined by `, `; `nil` for a header that is absent. A byte that is not
    /// ASCII is read as DEL, which no header may hold.
    subscript(_ name: HTTPField.Name) -> String? {
        var value: String?
        // In one pass: the library's own look-up takes two, and makes a new string of one value too.
        for field in fields where field.name == name {
            value = value.map { "\($0), \(field.value)" } ?? field.value
        }
        return value.map(Self.ascii)
    }

    /// The value of each field of that name.
    subscript(values name: HTTPField.Name) -> [String] { fields[values: name].map(Self.ascii) }

    private static func ascii(_ value: String) -> String {
        guard !value.utf8.allSatisfy({ $0 < 0x80 }) else { return value }
        // Valid UTF-8: only ASCII bytes remain.
        return String(decoding: value.utf8.map { $0 < 0x80 ? $0 : 0x7F }, as: UTF8.self)
    }
}
