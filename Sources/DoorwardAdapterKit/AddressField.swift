public import DoorwardDomain

/// Describes one key of the `address` of an adapter, for `GET /adapters`, forms and help texts. `check(address:)` accepts these
/// keys and no others.
public struct AddressField: Hashable, Sendable {
    /// The types that a value may have, with their limits.
    public enum Form: Hashable, Sendable {
        /// Any text that is not empty.
        case text
        /// `true` or `false`.
        case boolean
        /// A whole number within the range.
        case integer(ClosedRange<Int64>)
        /// A number within the range, with or without a fraction.
        case number(ClosedRange<Double>)
        /// One of these values.
        case word([String])
        /// A list of these values, each at most once. The list may be empty.
        case words([String])
    }

    /// The key in `address`, such as `latencyMs`.
    public let name: String
    /// The values that `check` accepts.
    public let form: Form
    /// Whether an address without this key is rejected.
    public let isRequired: Bool
    /// The value that is used if the key is absent; `nil` if there is no default.
    public let defaultValue: JSONValue?
    /// One sentence for the person who attaches a lock: the meaning of the value, and its unit.
    public let meaning: String

    public init(
        _ name: String, _ form: Form, isRequired: Bool = false, default defaultValue: JSONValue? = nil, meaning: String
    ) {
        (self.name, self.form, self.isRequired) = (name, form, isRequired)
        (self.defaultValue, self.meaning) = (defaultValue, meaning)
    }
}
