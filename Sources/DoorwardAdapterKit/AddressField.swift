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
        /// A list in which each of these values occurs at most once. The list may be empty.
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
    /// One sentence for the person who attaches a lock: what the value means, and its unit.
    public let description: String

    public init(
        _ name: String, _ form: Form, isRequired: Bool = false, default defaultValue: JSONValue? = nil, description: String
    ) {
        (self.name, self.form, self.isRequired) = (name, form, isRequired)
        (self.defaultValue, self.description) = (defaultValue, description)
    }
}

extension [AddressField] {
    /// Checks that an address contains only keys of these fields, contains all required keys, and that each value has the form of
    /// its field. The adapter then checks everything else, for example whether a broker of that name exists.
    ///
    /// - Throws: all errors, sorted by field.
    public func check(_ address: [String: JSONValue]) throws(AddressErrors) {
        var problems = address.mapValues { _ in "unknown_key" }
        for field in self {
            problems[field.name] = address[field.name].map(field.form.problem) ?? (field.isRequired ? "required" : nil)
        }
        if !problems.isEmpty { throw AddressErrors(problems) }
    }
}

extension AddressField.Form {
    /// The code of what is wrong with a value of this form; `nil` if nothing is.
    package func problem(of value: JSONValue) -> String? {
        switch (self, value) {
        case (.text, .string(let text)): text.isEmpty ? "too_short" : nil
        case (.boolean, .bool): nil
        case (.integer(let range), .integer(let number)): range.contains(number) ? nil : "out_of_range"
        case (.number(let range), .integer(let number)): range.contains(Double(number)) ? nil : "out_of_range"
        case (.number(let range), .number(let number)): range.contains(number) ? nil : "out_of_range"
        case (.word(let words), .string(let word)): words.contains(word) ? nil : "unknown_value"
        case (.words(let words), .array(let values)): Self.problem(of: values, among: words)
        case (.text, _), (.boolean, _), (.integer, _), (.number, _), (.word, _), (.words, _): "wrong_type"
        }
    }

    private static func problem(of values: [JSONValue], among words: [String]) -> String? {
        let found = values.compactMap { if case .string(let word) = $0 { word } else { nil } }
        if found.count < values.count { return "wrong_type" }
        return Set(found).count == found.count && Set(found).isSubset(of: words) ? nil : "unknown_value"
    }
}

/// The result of checking a valid address.
public struct CheckedAddress: Hashable, Sendable {
    /// The capabilities of a lock at this address.
    public let capabilities: LockCapabilities
    /// The attached lock whose commands are sent to the same endpoint (with MQTT: to the same
    /// command topic of the same broker); of several, the one attached last. `nil` if there is
    /// none, or if the adapter does not detect that two addresses belong to the same lock.
    public let attachedDevice: DeviceID?
    /// Conflicts with attached locks other than `attachedDevice`.
    public let conflicts: [Conflict]

    public init(_ capabilities: LockCapabilities, attachedDevice: DeviceID? = nil, conflicts: [Conflict] = []) {
        (self.capabilities, self.attachedDevice, self.conflicts) = (capabilities, attachedDevice, conflicts)
    }

    /// A conflict with an attached lock: a value of this address does not distinguish the two locks.
    public struct Conflict: Hashable, Sendable {
        /// The lock that is already attached.
        public let device: DeviceID
        /// The field of the address, and a stable problem code such as `state_topic_in_use`.
        public let mistake: AddressErrors.Mistake

        public init(with device: DeviceID, _ mistake: AddressErrors.Mistake) {
            (self.device, self.mistake) = (device, mistake)
        }
    }
}

/// The errors of an address; at least one.
public struct AddressErrors: Error, Hashable, Sendable {
    /// The errors, at least one, sorted by field.
    public let errors: [Mistake]

    public init(_ errors: [Mistake]) { self.errors = errors }

    /// Creates the errors from the problems of the keys of an address.
    ///
    /// - Parameter problems: the problem code of each key; at least one.
    package init(_ problems: [String: String]) {
        errors = problems.sorted { $0.key < $1.key }.map { Mistake(field: "address.\($0)", problem: $1) }
    }

    /// One error in one field.
    public struct Mistake: Hashable, Sendable {
        /// The path of the field in the request's body, such as `address.latencyMs`.
        public let field: String
        /// A stable code, such as `unknown_key`, `wrong_type`, `out_of_range` or `required`.
        public let problem: String

        public init(field: String, problem: String) { (self.field, self.problem) = (field, problem) }
    }
}
