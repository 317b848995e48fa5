import DoorwardAPI
import DoorwardClient
import DoorwardDomain
import FoundationEssentials

/// Finds entities by id, by a name that is unique among the visible ones, or by the beginning of an id.
struct NameResolver: Sendable {
    let client: DoorwardClient

    init(_ client: DoorwardClient) { self.client = client }

    /// A lock as given on the command line. A name is looked up. An id is not: the gateway decides whether the lock is visible.
    struct FoundLock: Sendable, Equatable {
        let id: String
        /// The lock's name, else the id that was typed.
        let name: String
    }

    func lock(_ text: String) async throws -> FoundLock {
        if Self.isID(text) { return FoundLock(id: text, name: text) }
        let locks = try await client.devices.list().all().content
        let found = try NameMatch.one(
            text, of: locks.map { NameMatch(id: $0.id, name: $0.name, place: LockView($0).place) }, noun: "lock",
            listing: "`doorward locks` lists the locks that you may see.")
        return FoundLock(id: found.id, name: found.name)
    }

    /// Finds the property and the unit by their names. The unit is searched in the property, if one is given.
    func place(property: String?, unit: String?) async throws -> (propertyID: String?, unitID: String?) {
        let properties = try await property.asyncMap { try await self.property($0) }
        guard let unit else { return (properties, nil) }
        return (properties, try await self.unit(unit, propertyID: properties))
    }

    func property(_ text: String) async throws -> String { try await entity(text, of: [.property]).id }

    private func unit(_ text: String, propertyID: String?) async throws -> String {
        if Self.isID(text) { return text }
        let units = try await client.units.list(propertyID: propertyID).all().content
        let names = try await propertyNames(for: units)
        return try NameMatch.one(
            text, of: units.flatMap { Self.matches($0, property: $0.propertyId.flatMap { names[$0] }, place: nil) }, noun: "unit",
            listing: Self.listing([.unit])
        ).id
    }

    private func propertyNames(for units: [Wire.Unit]) async throws -> [String: String] {
        guard !units.isEmpty else { return [:] }
        let properties = try await client.properties.list().all().content
        return Dictionary(properties.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// Ids are UUIDs. A lock whose name looks like a UUID can be addressed only by its id.
    static func isID(_ text: String) -> Bool { UUID(uuidString: text) != nil }
}

extension Optional {
    fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async throws -> Result? {
        if let self { try await body(self) } else { nil }
    }
}
