package import DoorwardDomain

/// One key of the `address` that an adapter takes, as data: for `GET /adapters`, forms and help texts. `check(address:)`
/// takes these keys and no other.
package struct AddressField: Hashable, Sendable {
    /// The types that a value may have, with their limits.
    package enum Form: Hashable, Sendable {
        /// Any text that is not empty.
        case text
        /// `true` or `false`.
        case boolean
        /// A whole number within the range.
        case integer(ClosedRange<Int64>)
        /// A number within the range, with a fraction or without.
        case number(ClosedRange<Double>)
        /// One of these words.
        case word([String])
        /// A list of these words, each once, perhaps none.
        case words([String])
    }

    /// The key in `address`, such as `latencyMs`.
    package let name: String
    /// What `check` takes as its value.
    package let form: Form
    /// Whether an address without it is refused.
    package let isRequired: Bool
    /// What holds where the key is absent; `nil` where that has no value of its own.
    package let defaultValue: JSONValue?
    /// One sentence for the person who attaches a lock: what it means, and in which unit.
    package let meaning: String

    package init(
        _ name: String, _ form: Form, isRequired: Bool = false, default defaultValue: JSONValue? = nil, meaning: String
    ) {
        (self.name, self.form, self.isRequired) = (name, form, isRequired)
        (self.defaultValue, self.meaning) = (defaultValue, meaning)
    }
}
