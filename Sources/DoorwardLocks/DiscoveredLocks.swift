package import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardKernel
package import DoorwardPolicy

/// `sortBy` of discovered locks; `createdAt`, which every list supports, is when a lock was first seen.
package enum DiscoveredDeviceOrder: String, CaseIterable, Sendable {
    /// By name; locks without one come first.
    case name
    /// Same as `firstSeenAt`.
    case createdAt
    /// When the lock was first seen since the gateway was started.
    case firstSeenAt
    /// When the lock was last seen since the gateway was started.
    case lastSeenAt
}

/// A lock that an adapter has discovered and that is not attached.
package struct DiscoveredDevice: Hashable, Sendable {
    /// The id that the adapter assigns to the lock; stable while the lock is being announced.
    package let id: String
    /// The kind of adapter to attach it with.
    package let adapter: String
    /// The lock's name in the system that announces it; `nil` if it has none there.
    package let name: String?
    /// The manufacturer, if the announcing system provides it.
    package let manufacturer: String?
    /// The manufacturer's model name, if the announcing system provides it.
    package let model: String?
    /// The address to attach it with, complete unless there is a `problem`.
    package let address: [String: JSONValue]
    /// Its capabilities; `nil` if they become known only when it is attached.
    package let capabilities: LockCapabilities?
    /// Why it cannot be attached in its current state, as a sentence for people.
    package let problem: String?
    /// When the gateway first received an announcement of it since the gateway was started.
    package let firstSeenAt: Timestamp
    /// When the gateway last received an announcement of it.
    package let lastSeenAt: Timestamp

    init(_ lock: DiscoveredLock, adapter: String) {
        (id, self.adapter, name) = (lock.id, adapter, lock.name)
        (manufacturer, model) = (lock.manufacturer, lock.model)
        (address, capabilities, problem) = (lock.address, lock.capabilities, lock.problem)
        (firstSeenAt, lastSeenAt) = (lock.firstSeenAt, lock.lastSeenAt)
    }
}

extension TenancyDirectory {
    /// The transports that are visible to a subject: those of the portfolios in which the subject
    /// may attach a lock; for a super admin, all of them.
    package func transportScope(of subject: Subject) -> TransportScope {
        if SecurityService.allows(subject, .deviceAttach, on: .gateway, in: self).isAllowed { return .everything }
        let portfolios = subject.roleEntities.compactMap { entity -> PortfolioID? in
            guard SecurityService.allows(subject, .deviceAttach, on: ManagedObject(entity), in: self).isAllowed
            else { return nil }
            return path(of: entity).portfolioID
        }
        return .of(Set(portfolios))
    }
}

/// One key of the `address` of an adapter's locks, described for forms and help texts.
package struct AddressKey: Hashable, Sendable {
    /// The key in `address`.
    package let name: String
    /// The JSON type of the key's value: `string`, `boolean`, `integer`, `number` or `array` (of strings).
    package let type: String
    /// Whether an address without this key is rejected.
    package let isRequired: Bool
    /// The minimum value; `nil` if the value is not a number.
    package private(set) var minimum: JSONValue?
    /// The maximum value; `nil` if the value is not a number.
    package private(set) var maximum: JSONValue?
    /// The allowed values of the key, or of each element if its value is an array; `nil` if there is no such restriction.
    package private(set) var values: [String]?
    /// The default if the key is absent; `nil` if there is none.
    package let defaultValue: JSONValue?
    /// A description in one sentence.
    package let description: String

    /// - Parameter transports: the names of all transports, and of those that the caller does not see: a key whose values are names of
    ///   transports has only those that the caller sees.
    init(_ field: AddressField, _ transports: (all: Set<String>, hidden: Set<String>) = ([], [])) {
        (name, isRequired, defaultValue, description) = (field.name, field.isRequired, field.defaultValue, field.description)
        switch field.form {
        case .text: type = "string"
        case .boolean: type = "boolean"
        case .integer(let range):
            type = "integer"
            (minimum, maximum) = (.integer(range.lowerBound), .integer(range.upperBound))
        case .number(let range):
            type = "number"
            (minimum, maximum) = (.number(range.lowerBound), .number(range.upperBound))
        case .word(let words): (type, values) = ("string", words)
        case .words(let words): (type, values) = ("array", words)
        }
        if let known = values, transports.all.isSuperset(of: known) {
            values = known.filter { !transports.hidden.contains($0) }
        }
    }
}
