/// A change of a field that may have no value.
package enum Patch<Value> {
    /// Leaves the field as it is.
    case unchanged
    /// Removes the value.
    case cleared
    /// Replaces the value.
    case set(Value)

    /// The new value, if the change sets one.
    var newValue: Value? { if case .set(let value) = self { value } else { nil } }

    var isUnchanged: Bool { if case .unchanged = self { true } else { false } }

    func applied(to current: Value?) -> Value? { isUnchanged ? current : newValue }
}

extension Patch: Sendable where Value: Sendable {}
