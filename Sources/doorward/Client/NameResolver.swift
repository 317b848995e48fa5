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
        let (known, listed) = try await search(text, noun: "lock") { search in
            try await client.devices.list(search: search).all().content.map {
                NameMatch(id: $0.id, name: $0.name, place: LockView($0).place)
            }
        }
        if let known { return FoundLock(id: known.id, name: known.name) }
        // The list has no locks of guest accesses outside of their windows, whose denials the gateway explains to the guest.
        let candidates = try await listed + guestLocks(besides: Set(listed.map(\.id)))
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
        let (found, listed) = try await search(text, noun: "unit") { search in
            try await units(search, named: text, propertyID: propertyID, place: nil)
        }
        return try (found ?? NameMatch.one(text, of: listed, noun: "unit", listing: Self.listing([.unit]))).id
    }

    /// Finds an entity by its name, which the gateway searches for; only if none has exactly this name, among all that the caller may
    /// list, by id or the beginning of an id.
    ///
    /// - Parameter list: lists the entities whose name contains a text, or all for `nil`; returns `nil` if the caller may list none.
    /// - Returns: the entity, if it was found, and all that were listed, for suggestions.
    func search(
        _ text: String, noun: String, _ list: (_ search: String?) async throws -> [NameMatch]?
    ) async throws -> (found: NameMatch?, listed: [NameMatch]) {
        if let search = NameMatch.searchable(text) {
            guard let named = try await list(search) else { return (nil, []) }
            let exact = NameMatch.matching(text, of: named)
            if let found = try NameMatch.match(text, of: exact, noun: noun) { return (found, named) }
        }
        let all = try await list(nil) ?? []
        return (try NameMatch.match(text, of: all, noun: noun), all)
    }

    /// Ids are UUIDs. A lock whose name looks like a UUID can be addressed only by its id.
    static func isID(_ text: String) -> Bool { UUID(uuidString: text) != nil }
}

extension Optional {
    fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async throws -> Result? {
        if let self { try await body(self) } else { nil }
    }
}
