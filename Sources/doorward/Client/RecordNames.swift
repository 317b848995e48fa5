import DoorwardClient

/// The names of the entities that access records refer to by id: locks, properties, units, people and guest accesses.
///
/// Each kind is looked up with one list request, and only when a record refers to an id of this kind without a name. An id that
/// is in no list, such as that of a detached lock, is not looked up again.
struct RecordNames: Sendable {
    var locks: [String: String] = [:]
    /// The place of each lock, as `LockView` shows it.
    var places: [String: String] = [:]
    var properties: [String: String] = [:]
    var units: [String: String] = [:]
    var people: [String: String] = [:]
    var guestAccesses: [String: Doorward.GuestAccess] = [:]
    /// The ids that were looked up, found or not.
    private var lookedUp = RecordReferences()
    /// The names that records contain of their targets, by id: for entities that were deleted since.
    private var recorded: [String: String] = [:]
    /// The guests that records of grants name, by guest access: for accesses that have ended since.
    private(set) var recordedGuests: [String: String] = [:]

    init() {}

    /// Looks up missing names. If a request fails, the ids are shown, and the next records cause another attempt.
    mutating func lookUp(_ records: [Doorward.AccessRecord], _ client: DoorwardClient) async {
        var wanted = RecordReferences()
        for record in records {
            wanted.add(record)
            // The actor's name is in the record; a person who has left the caller's properties is in no list of people.
            if record.actorKind == "USER", let id = record.actorId, let name = record.actorName {
                people[id] = people[id] ?? name
            }
            noteTarget(of: record)
        }
        await lookUpGuestAccesses(&wanted, client)
        await lookUpLocks(wanted, client)
        if isMissing(wanted.properties, properties, lookedUp.properties),
            let list = await Self.list({ try await client.properties.list().all().content })
        {
            for property in list { properties[property.id] = property.name }
            lookedUp.properties.formUnion(wanted.properties)
        }
        if isMissing(wanted.units, units, lookedUp.units),
            let list = await Self.list({ try await client.units.list().all().content })
        {
            for unit in list { units[unit.id] = unit.name }
            lookedUp.units.formUnion(wanted.units)
        }
        if isMissing(wanted.people, people, lookedUp.people),
            let list = await Self.list({ try await client.users.list().all().content })
        {
            for user in list { people[user.id] = user.fullName ?? user.email }
            lookedUp.people.formUnion(wanted.people)
        }
        fillIn(lookedUp: lookedUp)
    }

    /// Adds the recorded names of entities that were looked up and are in no list.
    mutating func fillIn(lookedUp: RecordReferences) {
        Self.fillIn(&locks, lookedUp.locks, from: recorded)
        Self.fillIn(&properties, lookedUp.properties, from: recorded)
        Self.fillIn(&units, lookedUp.units, from: recorded)
        Self.fillIn(&people, lookedUp.people, from: recorded)
    }

    /// Remembers the name that a record of a change contains of its target.
    mutating func noteTarget(of record: Doorward.AccessRecord) {
        guard record.kind == "ADMIN_CHANGE", let id = record.targetId else { return }
        let name = record.targetType == "LockDevice" ? record.deviceName : RecordChange(record).ownName
        // Records arrive newest last or newest first; in both cases the name before a deletion is the last one.
        if let name, recorded[id] == nil || record.action == "DELETE" { recorded[id] = name }
        if record.targetType == "GuestAccess", let guest = RecordChange(record).guestOrLabel { recordedGuests[id] = guest }
    }

    private static func fillIn(
        _ names: inout [String: String], _ lookedUp: Set<String>, from recorded: [String: String]
    ) {
        for id in lookedUp where names[id] == nil { names[id] = recorded[id] }
    }

    /// Looks up the guest accesses. If an access has no label, adds its guest to the people to look up.
    private mutating func lookUpGuestAccesses(_ wanted: inout RecordReferences, _ client: DoorwardClient) async {
        if isMissing(wanted.guestAccesses, guestAccesses, lookedUp.guestAccesses),
            let list = await Self.list({ try await client.guestAccesses.list().all().content })
        {
            for access in list {
                guestAccesses[access.id] = access
                if let guest = access.guest { people[guest.id] = people[guest.id] ?? guest.name }
            }
            lookedUp.guestAccesses.formUnion(wanted.guestAccesses)
        }
        for access in wanted.guestAccesses.compactMap({ guestAccesses[$0] }) where access.label == nil {
            if let guest = access.guestUserId { wanted.people.insert(guest) }
        }
    }

    /// Looks up the locks, and the properties and units that the list of locks names.
    private mutating func lookUpLocks(_ wanted: RecordReferences, _ client: DoorwardClient) async {
        guard isMissing(wanted.locks, locks, lookedUp.locks),
            let list = await Self.list({ try await client.devices.list().all().content })
        else { return }
        for lock in list {
            (locks[lock.id], places[lock.id]) = (lock.name, LockView(lock).place)
            if let id = lock.propertyId, let name = lock.propertyName { properties[id] = name }
            if let id = lock.unitId, let name = lock.unitName { units[id] = name }
        }
        lookedUp.locks.formUnion(wanted.locks)
    }

    private func isMissing(_ ids: Set<String>, _ known: [String: some Any], _ lookedUp: Set<String>) -> Bool {
        ids.contains { known[$0] == nil && !lookedUp.contains($0) }
    }

    /// Returns the fetched list; empty if the caller may not read it, `nil` if it could not be fetched.
    private static func list<Item>(_ fetch: () async throws -> [Item]) async -> [Item]? {
        do {
            return try await fetch()
        } catch ClientError.refused(let refusal) where refusal.status == 403 {
            return []
        } catch {
            return nil
        }
    }
}

/// The ids in access records for which the records contain no name.
struct RecordReferences: Sendable, Equatable {
    var locks: Set<String> = []
    var properties: Set<String> = []
    var units: Set<String> = []
    var people: Set<String> = []
    var guestAccesses: Set<String> = []

    init(_ ids: [(id: String, type: String)] = []) { for (id, type) in ids { add(id, of: type) } }

    mutating func add(_ record: Doorward.AccessRecord) {
        // A record in a reduced view has neither the name nor the place of the lock.
        if let lock = record.deviceId, record.deviceName == nil { locks.insert(lock) }
        if let property = record.propertyId { properties.insert(property) }
        if let unit = record.unitId { units.insert(unit) }
        if record.actorKind == "USER", record.actorName == nil, let person = record.actorId { people.insert(person) }
        guard record.kind == "ADMIN_CHANGE" else { return }
        let change = RecordChange(record)
        for (field, value) in change.fields { add(field, value) }
        if let target = record.targetId, !change.isNamed { add(target, of: record.targetType) }
    }

    private mutating func add(_ id: String, of type: String?) {
        switch type {
        case "LockDevice": locks.insert(id)
        case "Property": properties.insert(id)
        case "Unit": units.insert(id)
        case "User": people.insert(id)
        case "GuestAccess": guestAccesses.insert(id)
        default: break
        }
    }

    private mutating func add(_ field: String, _ value: Doorward.JSONValue) {
        switch (RecordChange.Reference(field), value) {
        case (.lock?, .array(let ids)): locks.formUnion(ids.compactMap { if case .string(let id) = $0 { id } else { nil } })
        case (.property?, .string(let id)): properties.insert(id)
        case (.unit?, .string(let id)): units.insert(id)
        case (.person?, .string(let id)): people.insert(id)
        default: break
        }
    }
}
