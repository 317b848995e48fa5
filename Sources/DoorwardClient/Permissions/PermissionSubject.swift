/// An object that permissions are checked on.
public protocol PermissionSubject {
    /// The type that rules name.
    var subjectType: Doorward.SubjectType { get }
    /// The value of a field, by its name in JSON; a dot leads into an object. `nil` if the object does not have the field, or if
    /// the reader may not see it.
    func subjectValue(_ field: String) -> Doorward.JSONValue?
}

/// The value of a field that objects of several types have.
private func placeValue(
    _ field: String, id: String, name: String, property: String? = nil, portfolio: String? = nil
) -> Doorward.JSONValue? {
    switch field {
    case "id": .string(id)
    case "name": .string(name)
    case "propertyId": .text(property)
    case "portfolioId": .text(portfolio)
    default: nil
    }
}

extension Doorward.LockDevice: PermissionSubject {
    public var subjectType: Doorward.SubjectType { .device }
    public func subjectValue(_ field: String) -> Doorward.JSONValue? {
        switch field {
        case "unitId": .text(unitId)
        case "isRemoteOperationEnabled": .flag(isRemoteOperationEnabled)
        case "capabilities": capabilities.map { .array($0.map { .string($0) }) }
        case "isOnline": .flag(isOnline)
        case "state": .text(state?.rawValue)
        case "adapter": .text(adapter)
        default: placeValue(field, id: id, name: name, property: propertyId, portfolio: portfolioId)
        }
    }
}

extension Doorward.Portfolio: PermissionSubject {
    public var subjectType: Doorward.SubjectType { .portfolio }
    public func subjectValue(_ field: String) -> Doorward.JSONValue? { placeValue(field, id: id, name: name) }
}

extension Doorward.Property: PermissionSubject {
    public var subjectType: Doorward.SubjectType { .property }
    public func subjectValue(_ field: String) -> Doorward.JSONValue? {
        field == "lockdown.active" ? .flag(lockdown?.active) : placeValue(field, id: id, name: name, portfolio: portfolioId)
    }
}

extension Doorward.Unit: PermissionSubject {
    public var subjectType: Doorward.SubjectType { .unit }
    public func subjectValue(_ field: String) -> Doorward.JSONValue? {
        placeValue(field, id: id, name: name, property: propertyId, portfolio: portfolioId)
    }
}

extension Doorward {
    /// An object of which only its place in the hierarchy is known, such as one that is about to be created.
    public struct SubjectReference: PermissionSubject, Hashable, Sendable {
        /// The type that rules name.
        public let subjectType: SubjectType
        private let values: [String: JSONValue]

        /// Creates a reference to an object with any fields, by their names in JSON.
        public init(_ type: SubjectType, _ values: [String: JSONValue] = [:]) { (subjectType, self.values) = (type, values) }

        /// The gateway.
        public static let gateway = SubjectReference(.gateway)

        /// A portfolio.
        public static func portfolio(_ id: String) -> Self { Self(.portfolio, ["id": .string(id)]) }
        /// A property; without its portfolio, roles on the portfolio are not found.
        public static func property(_ id: String, portfolio: String? = nil) -> Self {
            Self(.property, fields(["id": id, "portfolioId": portfolio]))
        }
        /// A unit; without its property and portfolio, roles on them are not found.
        public static func unit(_ id: String, property: String? = nil, portfolio: String? = nil) -> Self {
            Self(.unit, fields(["id": id, "propertyId": property, "portfolioId": portfolio]))
        }

        private static func fields(_ values: [String: String?]) -> [String: JSONValue] {
            values.compactMapValues { .text($0) }
        }

        /// The value of a field that rules test; `nil` if it is absent.
        public func subjectValue(_ field: String) -> JSONValue? {
            if let value = values[field] { return value }
            let parts = field.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, case .object(let members)? = values[String(parts[0])] else { return nil }
            return SubjectReference(subjectType, members).subjectValue(String(parts[1]))
        }
    }
}
