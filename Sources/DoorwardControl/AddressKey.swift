internal import DoorwardAdapterKit
package import DoorwardDomain

/// One key of the `address` of an adapter's locks, in plain words: what a form or a help text needs of it.
package struct AddressKey: Hashable, Sendable {
    /// The key in `address`.
    package let name: String
    /// The JSON type of its value: `string`, `boolean`, `integer`, `number` or `array` (of strings).
    package let type: String
    /// Whether an address without it is refused.
    package let isRequired: Bool
    /// The least number that it may be; `nil` for what is no number.
    package let minimum: JSONValue?
    /// The greatest number that it may be; `nil` for what is no number.
    package let maximum: JSONValue?
    /// The words that it, or each of its elements, may be; `nil` where it is no choice of words.
    package let values: [String]?
    /// What holds where it is absent; `nil` where that has no value.
    package let defaultValue: JSONValue?
    /// One sentence for a person.
    package let meaning: String

    init(_ field: AddressField) {
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
        (self.minimum, self.maximum, self.values) = (minimum, maximum, values)
    }
}
