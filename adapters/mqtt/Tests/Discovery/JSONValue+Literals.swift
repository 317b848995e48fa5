import DoorwardDomain

/// Allows string literals in the addresses of tests.
extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}
