/// A value that must not be shown: it always prints as a mask, and is not `Codable`.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: Value

    /// Wraps `value`, which is then accessible through `reveal` alone.
    package init(_ value: Value) { self.value = value }

    /// The value itself. The caller is responsible for not disclosing it.
    package func reveal() -> Value { value }

    /// A fixed mask, so that not even the length shows.
    package var description: String { "••••" }
    /// The mask, for `String(reflecting:)` and debuggers.
    package var debugDescription: String { description }
    /// Reflects the mask, for `dump` and other users of reflection.
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
