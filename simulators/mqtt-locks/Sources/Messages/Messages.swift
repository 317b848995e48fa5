import Foundation

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
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([Member])
    /// JSON text that is written unchanged.
    case raw(String)

    struct Member: Hashable, Sendable {
        let key: String
        let value: JSON
    }

    /// - Returns: `nil` if the bytes are not JSON. The members of objects are sorted by key.
    init?(_ bytes: [UInt8]) {
        // The decoder accepts fragments, and rejects nesting deeper than that of any lock.
        guard let value = try? JSONDecoder().decode(JSON.self, from: Data(bytes)) else { return nil }
        self = value
    }

    subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var list: [JSON]? { if case .list(let list) = self { list } else { nil } }
    /// The integer value; `nil` for a number with a fraction.
    var whole: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
}

extension JSON: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        case .text(let text): JSON.quoted(text)
        case .list(let list): "[\(list.map(\.description).joined(separator: ","))]"
        case .object(let members): "{\(members.map { "\(JSON.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
        case .raw(let text): text
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension JSON: Decodable {
    private struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: MemberName.self) {
            self = .object(
                try object.allKeys.sorted { $0.stringValue < $1.stringValue }
                    .map { Member(key: $0.stringValue, value: try object.decode(JSON.self, forKey: $0)) })
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else {
            self = .list(try value.decode([JSON].self))
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    typealias Key = String
    typealias Value = JSON

    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(nilLiteral: ()) { self = .null }
    init(arrayLiteral elements: JSON...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { Member(key: $0.0, value: $0.1) }) }

    static func whole(_ number: Int) -> JSON { .number(Double(number)) }

    /// Appends further members to this object.
    func with(_ more: JSON) -> JSON {
        guard case .object(let own) = self, case .object(let others) = more else { return self }
        return .object(own + others)
    }
}
