import DoorwardDomain

/// Addresses of tests are mostly texts.
extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}
