internal import HTTPTypes

/// The headers of a request, read as ASCII: each header that the gateway reads is ASCII by its grammar, and operations on ASCII text
/// need no Unicode normalisation.
struct RequestHeaders: Sendable {
    private let fields: HTTPFields

    init(_ fields: HTTPFields) { self.fields = fields }

    /// The value, with several fields of the same name joined by `, `; `nil` for an absent header. A byte that is not ASCII is read
    /// as DEL, which no header may contain.
    subscript(_ name: HTTPField.Name) -> String? {
        var value: String?
        // In one pass: the library's own lookup takes two, and creates a new string even for a single value.
        for field in fields where field.name == name {
            value = value.map { "\($0), \(field.value)" } ?? field.value
        }
        return value.map(Self.ascii)
    }

    /// The values of all fields of that name.
    subscript(values name: HTTPField.Name) -> [String] { fields[values: name].map(Self.ascii) }

    private static func ascii(_ value: String) -> String {
        guard !value.utf8.allSatisfy({ $0 < 0x80 }) else { return value }
        // Only ASCII bytes remain, so this is valid UTF-8.
        return String(decoding: value.utf8.map { $0 < 0x80 ? $0 : 0x7F }, as: UTF8.self)
    }
}
