import DoorwardDomain

/// A message that a lock or its bridge publishes or receives.
struct Message: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]
    /// 0 or 1. Messages that an ecosystem sends with QoS 2 have 1.
    var qos = 0
    /// Of a received message, most ecosystems ignore this.
    var isRetained = false

    init(_ topic: String, _ payload: [UInt8], qos: Int = 0, isRetained: Bool = false) {
        (self.topic, self.payload, self.qos, self.isRetained) = (topic, payload, qos, isRetained)
    }

    init(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), qos: qos, isRetained: isRetained)
    }

    /// The payload as text. Invalid UTF-8 is repaired, and matches no value of a lock.
    var text: String { String(decoding: payload, as: UTF8.self) }
}

/// A JSON value. An object keeps the order of its members, as an ecosystem writes them.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])
    /// JSON text that is written unchanged.
    case raw(String)

    struct Member: Hashable, Sendable {
        let key: String
        let value: JSON
    }

    /// - Returns: `nil` if the bytes are not JSON. The members of objects are sorted by key.
    init?(_ bytes: [UInt8]) {
        // No lock nests values so deeply.
        guard let value = try? JSONParser<JSON>.parse(bytes, maxDepth: 100, rejectsMarks: false) else { return nil }
        self = value
    }

    subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    var list: [JSON]? { if case .array(let list) = self { list } else { nil } }
    /// The integer value; `nil` for a number with a fraction.
    var whole: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
}

extension JSON: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        case .string(let text): JSON.quoted(text)
        case .array(let list): "[\(list.map(\.description).joined(separator: ","))]"
        case .object(let members): "{\(members.map { "\(JSON.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
        case .raw(let text): text
        }
    }

    private static func quoted(_ text: String) -> String { "\"\(text.escapedAsJSON)\"" }
}

extension JSON: JSONTree {
    static func object(_ members: [String: JSON]) -> JSON {
        .object(members.sorted { $0.key < $1.key }.map { Member(key: $0.key, value: $0.value) })
    }

    static func number(_ text: String, isInteger: Bool) -> JSON? {
        Double(text).flatMap { $0.isFinite ? .number($0) : nil }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    typealias Key = String
    typealias Value = JSON

    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(nilLiteral: ()) { self = .null }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { Member(key: $0.0, value: $0.1) }) }

    static func whole(_ number: Int) -> JSON { .number(Double(number)) }

    /// Appends further members to this object.
    func with(_ more: JSON) -> JSON {
        guard case .object(let own) = self, case .object(let others) = more else { return self }
        return .object(own + others)
    }
}
