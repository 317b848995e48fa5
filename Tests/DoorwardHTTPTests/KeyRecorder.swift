import DoorwardDomain

/// Decodes a type from JSON, and records the keys of the JSON that the type did not read and the keys of the type that the JSON
/// lacks.
final class KeyRecorder {
    /// Keys in responses that no type reads, with their paths.
    private(set) var unread: Set<String> = []
    /// Keys that the types look for, and whether any response contained them.
    private(set) var asked: [String: Bool] = [:]

    func decode<Value: Decodable>(_: Value.Type = Value.self, from json: JSONValue, at path: String) throws -> Value {
        try Value(from: ValueDecoder(json: json, path: path, recorder: self))
    }

    /// Keys that the types look for and that no response contained.
    var absent: [String] { asked.filter { !$0.value }.keys.sorted() }

    fileprivate func note(_ key: some CodingKey, isPresent: Bool) {
        let name = "\(String(reflecting: type(of: key)).split(separator: ".(").first ?? "?").\(key.stringValue)"
        asked[name] = asked[name] == true || isPresent
    }

    fileprivate func note(unread keys: Set<String>, at path: String) { unread.formUnion(keys.map { "\(path).\($0)" }) }
}

private struct ValueDecoder: Decoder {
    let json: JSONValue
    let path: String
    let recorder: KeyRecorder
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = json else { throw wrongType("an object") }
        return KeyedDecodingContainer(Keyed(members, path, recorder))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw wrongType("an array") }
        return Unkeyed(elements: elements, path: path, recorder: recorder)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

    func wrongType(_ wanted: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "\(path) is not \(wanted): \(json)"))
    }

    func scalar<Value>(_: Value.Type) throws -> Value {
        let value: Any? =
            switch json {
            case .bool(let value): Value.self == Bool.self ? value : nil
            case .string(let value): Value.self == String.self ? value : nil
            case .integer(let value):
                switch Value.self {
                case is Int.Type: Int(value)
                case is Int64.Type: value
                case is UInt64.Type: UInt64(exactly: value)
                case is Double.Type: Double(value)
                default: nil
                }
            case .number(let value): Value.self == Double.self ? value : nil
            case .null, .array, .object: nil
            }
        guard let value = value as? Value else { throw wrongType("\(Value.self)") }
        return value
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case is Bool.Type, is String.Type, is Int.Type, is Int64.Type, is UInt64.Type, is Double.Type: try scalar(type)
        default: try Value(from: self)
        }
    }
}

/// Reports its unread keys when it is deallocated: a container lives as long as the `init(from:)` that reads it.
private final class Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let members: [String: JSONValue]
    private let path: String
    private let recorder: KeyRecorder
    private var read: Set<String> = []
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    init(_ members: [String: JSONValue], _ path: String, _ recorder: KeyRecorder) {
        (self.members, self.path, self.recorder) = (members, path, recorder)
    }

    deinit { recorder.note(unread: Set(members.keys).subtracting(read), at: path) }

    private func member(_ key: Key) -> JSONValue? {
        read.insert(key.stringValue)
        recorder.note(key, isPresent: members[key.stringValue] != nil)
        return members[key.stringValue]
    }

    func contains(_ key: Key) -> Bool { member(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { member(key) ?? .null == .null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let path = "\(path).\(key.stringValue)"
        guard let value = member(key) else { throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: path)) }
        return try ValueDecoder(json: value, path: path, recorder: recorder).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try nested(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try nested(key).unkeyedContainer() }

    func superDecoder() throws -> any Decoder { ValueDecoder(json: .object(members), path: path, recorder: recorder) }

    func superDecoder(forKey key: Key) throws -> any Decoder { nested(key) }

    private func nested(_ key: Key) -> ValueDecoder {
        ValueDecoder(json: member(key) ?? .null, path: "\(path).\(key.stringValue)", recorder: recorder)
    }
}

private struct Unkeyed: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let path: String
    let recorder: KeyRecorder
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private mutating func next() -> ValueDecoder {
        defer { currentIndex += 1 }
        return ValueDecoder(json: elements[currentIndex], path: path + "[]", recorder: recorder)
    }

    mutating func decodeNil() throws -> Bool {
        guard elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { next() }
}

private struct Single: SingleValueDecodingContainer {
    let decoder: ValueDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { decoder.json == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}
