import AdapterMQTT

/// A JSON object whose fields keep the order in which they are added.
struct JSONObjectText {
    private var fields: [String] = []

    /// The object, on one line.
    var text: String { "{\(fields.joined(separator: ","))}" }

    /// Adds a field, unless its value is `nil`.
    mutating func add(_ key: String, _ value: String?) { value.map { add(key, json: Self.quoted($0)) } }
    mutating func add(_ key: String, _ value: Int?) { value.map { add(key, json: "\($0)") } }
    mutating func add(_ key: String, _ value: Bool?) { value.map { add(key, json: "\($0)") } }
    mutating func add(_ key: String, _ values: [String]) { add(key, json: "[\(values.map(Self.quoted).joined(separator: ","))]") }
    mutating func add(_ key: String, _ objects: [JSONObjectText]) {
        add(key, json: "[\(objects.map(\.text).joined(separator: ","))]")
    }
    mutating func add(_ key: String, json: String) { fields.append("\(Self.quoted(key)):\(json)") }

    private static func quoted(_ text: String) -> String { "\"\(text.escapedAsJSON)\"" }
}
