/// A value that must not be shown: it prints as a mask, whatever prints it, and is not `Codable`.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: Value

    /// From here on the value is reached through `reveal` alone.
    package init(_ value: Value) { self.value = value }

    /// The value itself. Whoever calls this answers for where it goes.
    package func reveal() -> Value { value }

    /// Always the same mask, so that not even a length shows.
    package var description: String { "••••" }
    /// The mask, for `String(reflecting:)` and debuggers.
    package var debugDescription: String { description }
    /// Of the mask, for `dump` and whatever walks through properties.
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
