/// A type of JSON values that `JSONParser` builds.
package protocol JSONTree {
    /// `null`.
    static var null: Self { get }
    /// `true` or `false`.
    static func bool(_ value: Bool) -> Self
    /// A string with its escapes decoded, stream-safe (see `StreamSafeText`).
    static func string(_ text: String) -> Self
    /// The elements in the order of the text.
    static func array(_ elements: [Self]) -> Self
    /// The members, whose keys are distinct and stream-safe.
    static func object(_ members: [String: Self]) -> Self
    /// A number.
    ///
    /// - Parameters:
    ///   - text: the number as written, in the grammar of JSON.
    ///   - isInteger: whether the number has neither a fraction nor an exponent.
    /// - Returns: `nil` to reject a number that cannot be represented.
    static func number(_ text: String, isInteger: Bool) -> Self?
}

extension JSONValue: JSONTree {
    /// Converts `100.0` and `1e2` to the integer 100. Rejects a number beyond the range of a `Double`.
    package static func number(_ text: String, isInteger: Bool) -> JSONValue? {
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return nil }
        // In this range a `Double` represents every integer.
        if number.magnitude <= 0x1p53, let integer = Int64(exactly: number) { return .integer(integer) }
        return .number(number)
    }

    /// The maximum nesting of arrays and objects in a request. Addresses and metadata of locks are nested less deeply.
    package static let maxDepth = 16

    /// Parses the JSON of a request, see `JSONParser`; text that is not stream-safe is an error.
    ///
    /// The function is not generic, unlike `JSONParser`: a generic function is not specialised
    /// across modules and takes 1.5 times as long.
    package static func parse(_ bytes: [UInt8]) throws(JSONFailure) -> JSONValue {
        try JSONParser<JSONValue>.parse(bytes, maxDepth: maxDepth, rejectsMarks: true)
    }
}
