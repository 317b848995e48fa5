import DoorwardClient

/// A kind of entity that access records refer to by id. The raw value is the name of its type in the API.
enum RecordEntity: String, Sendable {
    case lock = "LockDevice"
    case property = "Property"
    case unit = "Unit"
    case person = "User"
    case guestAccess = "GuestAccess"

    /// The kind that an id in a field of a change refers to; `nil` if the field has no id.
    init?(field: String) {
        switch field {
        case "deviceIds": self = .lock
        case "propertyId", "defaultPropertyId": self = .property
        case "unitId", "defaultUnitId": self = .unit
        case "userId", "guestUserId": self = .person
        default: return nil
        }
    }
}

/// The names of the entities that access records refer to by id: locks, properties, units, people and guest accesses.
///
/// Each kind is looked up with one list request, and only when a record refers to an id of this kind without a name. An id that
/// is in no list, such as that of a detached lock, is not looked up again.
struct RecordNames: Sendable {
    /// The names of each kind, by id.
    var byKind: [RecordEntity: [String: String]] = [:]
    /// The place of each lock, as `LockView` shows it.
    var places: [String: String] = [:]
    var guestAccesses: [String: Doorward.GuestAccess] = [:]
    /// The ids that were looked up, found or not.
    private var lookedUp = RecordReferences()
    /// The names that records contain of their targets, by id: for entities that were deleted since.
    private var recorded: [String: String] = [:]
    /// The guests that records of grants name, by guest access: for accesses that have ended since.
    private(set) var recordedGuests: [String: String] = [:]

    init() {}

    subscript(kind: RecordEntity, id: String) -> String? {
        get { byKind[kind]?[id] }
        set { byKind[kind, default: [:]][id] = newValue }
    }

    /// Looks up missing names. If a request fails, the ids are shown, and the next records cause another attempt.
    mutating func lookUp(_ records: [Doorward.AccessRecord], _ client: DoorwardClient) async {
        var wanted = RecordReferences()
        for record in records {
            wanted.add(record)
            // The actor's name is in the record; a person who has left the caller's properties is in no list of people.
            if record.actorKind == "USER", let id = record.actorId, let name = record.actorName {
                self[.person, id] = self[.person, id] ?? name
            }
            noteTarget(of: record)
        }
        await lookUp(.guestAccess, wanted, client.guestAccesses) { names, access in
            names.guestAccesses[access.id] = access
            names.lookedUp[.guestAccess, default: []].insert(access.id)
            if let guest = access.guest { names[.person, guest.id] = names[.person, guest.id] ?? guest.name }
        }
        // A guest access without a label is shown with the name of its guest.
        let unlabelled = (wanted[.guestAccess] ?? []).compactMap { guestAccesses[$0] }.filter { $0.label == nil }
        wanted[.person, default: []].formUnion(unlabelled.compactMap(\.guestUserId))
        // The list of locks names their properties and units, too.
        await lookUp(.lock, wanted, client.devices) { names, lock in
            (names[.lock, lock.id], names.places[lock.id]) = (lock.name, LockView(lock).place)
            if let id = lock.propertyId, let name = lock.propertyName { names[.property, id] = name }
            if let id = lock.unitId, let name = lock.unitName { names[.unit, id] = name }
        }
        await lookUp(.property, wanted, client.properties) { $0[.property, $1.id] = $1.name }
        await lookUp(.unit, wanted, client.units) { $0[.unit, $1.id] = $1.name }
        await lookUp(.person, wanted, client.users) { $0[.person, $1.id] = $1.fullName ?? $1.email }
        fillIn(lookedUp: lookedUp)
    }

    /// Notes the entities of a kind, if a wanted one has no name and was not looked up. The list is empty if the caller may not read it.
    private mutating func lookUp<Item>(
        _ kind: RecordEntity, _ wanted: RecordReferences, _ items: Resource<Item>, note: (inout Self, Item) -> Void
    ) async {
        let missing = (wanted[kind] ?? []).filter { self[kind, $0] == nil }
        guard !missing.isSubset(of: lookedUp[kind] ?? []) else { return }
        do {
            let listed = try await unlessRefused(with: [403]) { try await items.list().all().content }
            for item in listed ?? [] { note(&self, item) }
            lookedUp[kind, default: []].formUnion(wanted[kind] ?? [])
        } catch {
            // The ids are shown, and the next records cause another attempt.
        }
    }

    /// Adds the recorded names of entities that were looked up and are in no list.
    mutating func fillIn(lookedUp: RecordReferences) {
        for (kind, ids) in lookedUp {
            for id in ids where self[kind, id] == nil { self[kind, id] = recorded[id] }
        }
    }

    /// Remembers the name that a record of a change contains of its target.
    mutating func noteTarget(of record: Doorward.AccessRecord) {
        guard record.kind == "ADMIN_CHANGE", let id = record.targetId else { return }
        let name = record.targetType == "LockDevice" ? record.deviceName : record.ownName
        // Records arrive newest last or newest first; in both cases the name before a deletion is the last one.
        if let name, recorded[id] == nil || record.action == "DELETE" { recorded[id] = name }
        if record.targetType == "GuestAccess", let guest = record.guestOrLabel { recordedGuests[id] = guest }
    }
}

/// The ids in access records for which the records contain no name, by kind.
typealias RecordReferences = [RecordEntity: Set<String>]

extension RecordReferences {
    mutating func add(_ record: Doorward.AccessRecord) {
        // A record in a reduced view has neither the name nor the place of the lock.
        if record.deviceName == nil { add(.lock, record.deviceId) }
        add(.property, record.propertyId)
        add(.unit, record.unitId)
        if record.actorKind == "USER", record.actorName == nil { add(.person, record.actorId) }
        guard record.kind == "ADMIN_CHANGE" else { return }
        for (field, value) in record.changedFields {
            guard let kind = RecordEntity(field: field) else { continue }
            let values = if case .array(let values) = value { values } else { [value] }
            for case .string(let id) in values { add(kind, id) }
        }
        if !record.isNamed, let kind = record.targetType.flatMap({ RecordEntity(rawValue: $0) }) { add(kind, record.targetId) }
    }

    private mutating func add(_ kind: RecordEntity, _ id: String?) {
        if let id { self[kind, default: []].insert(id) }
    }
}
