/// A violated requirement of an adapter or a store.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The expected and the actual values, as one line of a test report.
    public let description: String

    package init(_ description: String) { self.description = description }
}

/// - Throws: `ConformanceFailure` with both values if they differ.
package func require<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) throws {
    guard found == expected else { throw ConformanceFailure("\(what): found \(found), expected \(expected)") }
}

/// - Throws: `ConformanceFailure` unless the condition holds.
package func require(_ condition: Bool, _ what: String) throws {
    guard condition else { throw ConformanceFailure(what) }
}
