/// A value that must not be disclosed: it always prints as a mask, and is not `Codable`.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: Value

    /// Wraps `value`, which is then accessible through `reveal` alone.
    public init(_ value: Value) { self.value = value }

    /// The value itself. The caller is responsible for not disclosing it.
    public func reveal() -> Value { value }

    /// A fixed mask, which does not reveal the length of the value.
    public var description: String { "••••" }
    /// The mask, for `String(reflecting:)` and debuggers.
    public var debugDescription: String { description }
    /// Reflects the mask, for `dump` and other users of reflection.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
