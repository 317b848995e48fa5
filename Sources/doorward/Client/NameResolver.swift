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
        let listed = try await client.devices.list().all().content
        var candidates = listed.map { NameMatch(id: $0.id, name: $0.name, place: LockView($0).place) }
        if let found = try NameMatch.match(text, of: candidates, noun: "lock") {
            return FoundLock(id: found.id, name: found.name)
        }
        // The list has no locks of guest accesses outside of their windows, whose denials the gateway explains to the guest.
        candidates += try await guestLocks(besides: Set(listed.map(\.id)))
        let found = try NameMatch.one(
            text, of: candidates, noun: "lock", listing: "`doorward locks` lists the locks that you may see.")
        return FoundLock(id: found.id, name: found.name)
    }

    /// The locks of the guest accesses that the caller holds, other than those of a list.
    private func guestLocks(besides listed: Set<String>) async throws -> [NameMatch] {
        guard let me = try await callerID() else { return [] }
        let accesses = try await client.guestAccesses.list().all().content.filter { $0.guestUserId == me }
        return try await lockNames(of: accesses, besides: listed).map {
            NameMatch(id: $0.key, name: $0.value, place: "a guest access")
        }
    }

    /// Looks up the names of the locks of guest accesses by id, except of those that are known. Only the first 50 accesses with other
    /// locks are asked for.
    func lockNames(of accesses: [Wire.GuestAccess], besides known: Set<String>) async throws -> [String: String] {
        var names: [String: String] = [:]
        var asked = 0
        for access in accesses where asked < 50 {
            let isKnown = (access.deviceIds ?? []).allSatisfy { known.contains($0) || names[$0] != nil }
            guard !isKnown else { continue }
            asked += 1
            for lock in try await client.guestAccesses.locks(of: access.id) where !known.contains(lock.id) {
                names[lock.id] = lock.name
            }
        }
        return names
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
