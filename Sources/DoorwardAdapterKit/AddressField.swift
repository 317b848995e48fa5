public import DoorwardDomain

/// One key of the `address` that an adapter takes, as data: for `GET /adapters`, forms and help texts. `check(address:)`
/// takes these keys and no other.
public struct AddressField: Hashable, Sendable {
    /// The types that a value may have, with their limits.
    public enum Form: Hashable, Sendable {
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
    public let name: String
    /// What `check` takes as its value.
    public let form: Form
    /// Whether an address without it is refused.
    public let isRequired: Bool
    /// What holds where the key is absent; `nil` where that has no value of its own.
    public let defaultValue: JSONValue?
    /// One sentence for the person who attaches a lock: what it means, and in which unit.
    public let meaning: String

    public init(
        _ name: String, _ form: Form, isRequired: Bool = false, default defaultValue: JSONValue? = nil, meaning: String
    ) {
        (self.name, self.form, self.isRequired) = (name, form, isRequired)
        (self.defaultValue, self.meaning) = (defaultValue, meaning)
    }
}
