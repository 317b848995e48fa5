internal import DoorwardDomain

extension JSONValue {
    /// The text, if it is a string.
    var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The members, if it is an object.
    var object: [String: JSONValue]? { if case .object(let fields) = self { fields } else { nil } }
    /// The elements, if it is an array.
    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// The approximate size in bytes: that of the value's texts, and an estimate for everything else.
    var size: Int {
        switch self {
        case .null, .bool, .integer, .number: 8
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(8) { $0 + $1.size }
        case .object(let fields): fields.reduce(8) { $0 + $1.key.utf8.count + $1.value.size }
        }
    }
}
