/// A value that must not be shown: it prints as a mask, whatever prints it, and is not `Codable`.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: Value

    package init(_ value: Value) { self.value = value }

    /// The value itself. Whoever calls this answers for where it goes.
    package func reveal() -> Value { value }

    package var description: String { "••••" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
