import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// Prints access records, one line each.
struct RecordTable: Sendable {
    /// Names for the ids in the records.
    var names: RecordNames
    private let style: OutputStyle
    private let isFollowing: Bool
    private let now: Timestamp
    /// The layout of the previous lines, for the alignment of the following ones.
    private var layout: Table.Layout?

    /// - Parameters:
    ///   - isFollowing: whether more rows will follow; columns then get minimum widths.
    ///   - now: the present time. A timestamp is printed with its year if it is not in the present year.
    init(
        _ style: OutputStyle, names: RecordNames = RecordNames(), isFollowing: Bool = false, now: Timestamp = SystemClock().now()
    ) {
        (self.style, self.names, self.isFollowing, self.now) = (style, names, isFollowing, now)
    }

    mutating func lines(_ records: [Doorward.AccessRecord], withHeadings: Bool = true) -> [String] {
        if records.isEmpty, !isFollowing { return style.isInteractive ? ["There are no such records."] : [] }
        var table = Table(records, columns)
        if isFollowing { table.leastWidths = [19, 16, 16, 16, 24, 0] }
        let layout = self.layout ?? table.layout(style)
        if isFollowing { self.layout = layout }
        return table.lines(style, layout, withHeadings: withHeadings)
    }

    /// Looks up missing names, and prints the lines.
    ///
    /// - Returns: false if the output was closed.
    mutating func print(_ records: [Doorward.AccessRecord], _ client: DoorwardClient, withHeadings: Bool = true) async -> Bool {
        await names.lookUp(records, client)
        let lines = lines(records, withHeadings: withHeadings)
        return lines.isEmpty || StandardStream.output.line(lines.joined(separator: "\n"))
    }

    private var columns: [Column<Doorward.AccessRecord>] {
        [
            Column("TIME") {
                Table.Cell(style.instant($0.at), .dim, short: style.shortInstant($0.at, now: now, withSeconds: true))
            },
            Column("WHO", .cut(to: 8)) { Table.Cell(Self.who($0, names)) },
            Column("WHAT", .cut(to: 8)) { Table.Cell(Self.what($0)) },
            Column("LOCK", .cut(to: 8)) { record in
                Table.Cell(record.deviceName ?? record.deviceId.map { names[.lock, $0] ?? $0 })
            },
            Column("RESULT", .cut(to: 12), result), Column("WHERE", .optional) { Table.Cell(place($0)) },
        ]
    }

    static func who(_ record: Doorward.AccessRecord, _ names: RecordNames = RecordNames()) -> String? {
        if let name = record.actor ?? record.actorName { return name }
        switch record.actorKind {
        case "DEVICE": return "the lock"
        case "GATEWAY": return "the gateway"
        case "OUTSIDE": return "somebody without access"
        case "API_KEY": return "an API key"
        case "GUEST_LINK": return "a guest's link"
        default: return record.actorId.map { names[.person, $0] ?? $0 }
        }
    }

    static func what(_ record: Doorward.AccessRecord) -> String {
        if let operation = record.operation { return DisplayText.word(operation) }
        if let event = record.event { return DisplayText.word(event) }
        if let action = record.action {
            return [DisplayText.word(action), record.targetType.map(DisplayText.kind)].compactMap(\.self).joined(separator: " ")
        }
        return DisplayText.word(record.kind)
    }

    /// Returns the place of the record. For a record in a reduced view, which has no place, returns
    /// the present place of the lock.
    private func place(_ record: Doorward.AccessRecord) -> String? {
        let property = record.propertyId.map { names[.property, $0] ?? $0 }
        let unit = record.unitId.map { names[.unit, $0] ?? $0 }
        let parts = [property, unit].compactMap(\.self)
        guard parts.isEmpty else { return parts.joined(separator: " / ") }
        return record.logId == nil ? record.deviceId.flatMap { names.places[$0] } : nil
    }

    private func result(_ record: Doorward.AccessRecord) -> Table.Cell {
        var (text, colour) = Self.outcome(record)
        if record.action != nil {
            text = [text, record.change(names)].compactMap(\.self).first
        } else if let settings = record.change(names) {
            text = [text, settings].compactMap(\.self).joined(separator: ": ")
        }
        let stated = [
            record.statedReason.map { "reason: \($0)" }, record.override.map { "override: \($0.reason)" },
        ].compactMap(\.self)
        if !stated.isEmpty { text = [text, "(\(stated.joined(separator: "; ")))"].compactMap(\.self).joined(separator: " ") }
        return Table.Cell(text, colour)
    }

    /// Returns the outcome or the decision; for other records, the method by which the lock was operated.
    private static func outcome(_ record: Doorward.AccessRecord) -> (String?, OutputStyle.Colour?) {
        if let outcome = record.outcome {
            let detail = record.outcomeDetail.map { ": " + DisplayText.reason($0) } ?? ""
            return (DisplayText.word(outcome) + detail, outcome == .confirmed ? .green : .red)
        }
        switch record.decision {
        case "DENIED": return ("denied" + (record.reason.map { ": " + DisplayText.reason($0) } ?? ""), .red)
        case "ALLOWED": return ("allowed" + (record.rule?.role.map { " as \(DisplayText.word($0))" } ?? ""), nil)
        default: return (record.method.map(DisplayText.word), nil)
        }
    }
}

/// The details of a record of an administrative change, or of the intent to change settings: the changed entity and its fields.
extension Doorward.AccessRecord {
    private var before: [String: Doorward.JSONValue] { Self.object(details?["before"]) }
    private var after: [String: Doorward.JSONValue] { Self.object(details?["after"]) }

    /// The fields before and after the change, with their values.
    var changedFields: [(String, Doorward.JSONValue)] {
        var fields = before.map { ($0.key, $0.value) } + after.map { ($0.key, $0.value) }
        // The type field of an association determines the type of the entity to which its id field refers.
        for side in [before, after] {
            guard let id = side["associatedEntityId"], let type = Self.text(side["associatedEntityType"]) else { continue }
            fields += Self.entityFields[type].map { [($0, id)] } ?? []
        }
        return fields
    }

    /// Whether the record itself contains a name of the changed entity.
    var isNamed: Bool { ownName != nil || Self.text(after["guestUserId"]) != nil }

    /// The label of the guest access that the record has granted, or else the id of its guest.
    var guestOrLabel: String? { Self.text(after["label"]) ?? Self.text(after["guestUserId"]) }

    /// The changed entity and the changes: `Quay 2: name Quay 1 → Quay 2`; `nil` if the record does not contain them.
    func change(_ names: RecordNames) -> String? {
        let target = self.target(names)
        let changes = changes(names)
        let text = [target, changes].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
        // A lock with a name is shown in the lock column.
        guard text.isEmpty else { return text }
        return targetType == "LockDevice" && deviceName != nil ? nil : targetId
    }

    /// The name that the record contains of the changed entity; for an invitation its address.
    var ownName: String? {
        let person = ["firstName", "lastName"].compactMap(latest)
        return latest("name") ?? latest("label") ?? (person.isEmpty ? nil : person.joined(separator: " ")) ?? latest("email")
    }

    /// The text of a field after the change, else before it.
    private func latest(_ field: String) -> String? { Self.text(after[field]) ?? Self.text(before[field]) }

    /// The name of the changed entity; `nil` for a lock, which has its own column.
    private func target(_ names: RecordNames) -> String? {
        let kind = targetType.flatMap { RecordEntity(rawValue: $0) }
        let name = kind.flatMap { kind in targetId.flatMap { names[kind, $0] } }
        switch targetType {
        case "LockDevice": return nil
        case "UserRoleAssociation": return person(names)
        case "GuestAccess": return guest(names)
        case "User": return name ?? ownName ?? targetId
        default: return ownName ?? name ?? person(names) ?? targetId
        }
    }

    private func person(_ names: RecordNames) -> String? {
        latest("userId").map { names[.person, $0] ?? $0 }
    }

    private func guest(_ names: RecordNames) -> String? {
        let access = targetId.flatMap { names.guestAccesses[$0] }
        if let label = Self.text(after["label"]) ?? access?.label { return label }
        let recorded = targetId.flatMap { names.recordedGuests[$0] }
        guard let id = Self.text(after["guestUserId"]) ?? access?.guestUserId ?? recorded else { return targetId }
        return names[.person, id] ?? id
    }

    private func changes(_ names: RecordNames) -> String? {
        switch action {
        // The intent of a command that changes settings has no action.
        case nil, "UPDATE", "DISABLE", "ENABLE":
            let fields = Set(before.keys).union(after.keys).sorted()
            return fields.map { change(of: $0, names) }.joined(separator: ", ")
        case "MOVE": return "from \(place(before, names)) to \(place(after, names))"
        case "ASSIGN", "REMOVE": return role(after.isEmpty ? before : after, names)
        case "GRANT", "REVOKE": return locks(names)
        default: return nil
        }
    }

    private func change(of field: String, _ names: RecordNames) -> String {
        let word = Self.word(field)
        let (old, new) = (shown(before[field], field, names), shown(after[field], field, names))
        return old == new ? word : "\(word) \(old ?? "-") → \(new ?? "-")"
    }

    /// Returns a value as text; `nil` if it is absent or not shown.
    private func shown(_ value: Doorward.JSONValue?, _ field: String, _ names: RecordNames) -> String? {
        switch value {
        case .string(let text): RecordEntity(field: field).flatMap { names[$0, text] } ?? text
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .object(let fields): Self.lockdown(fields)
        case .null, .array, nil: nil
        }
    }

    /// Returns the state of a lockdown, with its reason; `nil` for any other object.
    private static func lockdown(_ fields: [String: Doorward.JSONValue]) -> String? {
        guard case .bool(let isActive)? = fields["active"] else { return nil }
        return isActive ? "on" + (text(fields["reason"]).map { " (\($0))" } ?? "") : "off"
    }

    private func place(_ side: [String: Doorward.JSONValue], _ names: RecordNames) -> String {
        let parts = ["propertyId", "unitId"].compactMap { shown(side[$0], $0, names) }
        return parts.isEmpty ? "no property" : parts.joined(separator: " / ")
    }

    private func role(_ side: [String: Doorward.JSONValue], _ names: RecordNames) -> String? {
        guard let role = Self.text(side["roleWithinEntity"]) else { return nil }
        let type = Self.text(side["associatedEntityType"]) ?? ""
        let place = Self.entityFields[type].flatMap { shown(side["associatedEntityId"], $0, names) }
        return DisplayText.word(role) + " of " + (place ?? DisplayText.word(type))
    }

    private func locks(_ names: RecordNames) -> String? {
        let access = targetId.flatMap { names.guestAccesses[$0] }
        var ids = access?.deviceIds ?? []
        if case .array(let values) = after["deviceIds"] { ids = values.compactMap { Self.text($0) } }
        return ids.isEmpty ? nil : ids.map { names[.lock, $0] ?? $0 }.joined(separator: ", ")
    }

    /// The id fields by the type of the entity that they refer to.
    private static let entityFields = ["UNIT": "unitId", "PROPERTY": "propertyId"]

    /// Converts a field's name to words: `isRemoteOperationEnabled` to `remote operation enabled`, `unitId` to `unit`.
    private static func word(_ field: String) -> String {
        var words = DisplayText.kind(field).split(separator: " ")
        if words.count > 1, words.first == "is" { words.removeFirst() }
        if words.count > 1, words.last == "id" { words.removeLast() }
        return words.joined(separator: " ")
    }

    private static func object(_ value: Doorward.JSONValue?) -> [String: Doorward.JSONValue] {
        if case .object(let fields) = value { fields } else { [:] }
    }

    private static func text(_ value: Doorward.JSONValue?) -> String? {
        if case .string(let text) = value, !text.isEmpty { text } else { nil }
    }
}

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
