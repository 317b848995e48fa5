internal import DoorwardAdapterKit
package import DoorwardDomain

/// One key of the `address` of an adapter's locks, described for forms and help texts.
package struct AddressKey: Hashable, Sendable {
    /// The key in `address`.
    package let name: String
    /// The JSON type of the key's value: `string`, `boolean`, `integer`, `number` or `array` (of strings).
    package let type: String
    /// Whether an address without this key is rejected.
    package let isRequired: Bool
    /// The minimum value; `nil` if the value is not a number.
    package let minimum: JSONValue?
    /// The maximum value; `nil` if the value is not a number.
    package let maximum: JSONValue?
    /// The allowed values of the key, or of each element if its value is an array; `nil` if there is no such restriction.
    package let values: [String]?
    /// The default if the key is absent; `nil` if there is none.
    package let defaultValue: JSONValue?
    /// A description in one sentence.
    package let meaning: String

    /// - Parameter transports: the names of all transports, and of those that the caller does not see: a key whose values are names of
    ///   transports has only those that the caller sees.
    init(_ field: AddressField, _ transports: (all: Set<String>, hidden: Set<String>) = ([], [])) {
        (name, isRequired, defaultValue, meaning) = (field.name, field.isRequired, field.defaultValue, field.meaning)
        var (minimum, maximum, values): (JSONValue?, JSONValue?, [String]?) = (nil, nil, nil)
        switch field.form {
        case .text: type = "string"
        case .boolean: type = "boolean"
        case .integer(let range):
            type = "integer"
            (minimum, maximum) = (.integer(range.lowerBound), .integer(range.upperBound))
        case .number(let range):
            type = "number"
            (minimum, maximum) = (.number(range.lowerBound), .number(range.upperBound))
        case .word(let words): (type, values) = ("string", words)
        case .words(let words): (type, values) = ("array", words)
        }
        if let known = values, transports.all.isSuperset(of: known) {
            values = known.filter { !transports.hidden.contains($0) }
        }
        (self.minimum, self.maximum, self.values) = (minimum, maximum, values)
    }
}
