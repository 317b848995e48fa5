internal import DoorwardControl
internal import DoorwardDomain

/// A posting list: positions in each log, stored in blocks in `postings`. It contains the entries with one value in one column, or
/// those of them that are the intent of a new command.
enum PostingList: Hashable {
    /// The entries of an indexed match.
    case entries(EntrySelection.Match)
    /// The commands of a device, unit, property or actor.
    case commands(EntrySelection.Match)

    /// The number of the list's column in the database; it is never reused for another list.
    var facet: Int64 {
        switch self {
        case .commands(let match): Self.entries(match).facet + 16
        case .entries(let match):
            switch match {
            case .device: 1
            case .unit: 2
            case .property: 3
            case .actor: 4
            case .denied: 5
            case .kind: 6
            case .reason: 7
            case .outcome: 8
            // Operations have no posting list.
            case .operation: 0
            }
        }
    }

    /// The column `value`: an id's 16 bytes, or an enum value in UTF-8.
    var value: [UInt8] {
        switch self {
        case .commands(let match): Self.entries(match).value
        case .entries(let match):
            switch match {
            case .device(let id): [UInt8](id.blob)
            case .unit(let id): [UInt8](id.blob)
            case .property(let id): [UInt8](id.blob)
            case .actor(let id): [UInt8](id.blob)
            case .denied: []
            case .kind(let kind): Array(kind.rawValue.utf8)
            case .reason(let reason): Array(reason.rawValue.utf8)
            case .outcome(let outcome): Array(outcome.rawValue.utf8)
            case .operation(let operation): Array(operation.rawValue.utf8)
            }
        }
    }
}

/// The indexed part of an entry: its position, its time, and the values that lists find it by.
struct IndexedEntry {
    let position: EntryKey
    let at: Timestamp
    /// The matches that have a posting list.
    let matches: [EntrySelection.Match]
    /// Whether it is the intent that began a command.
    var isCommand: Bool

    /// The columns of `entries` that `init(_:)` reads, in its order.
    static let columns = "position, at, device_id, unit_id, property_id, actor_user_id, is_denied, kind, reason, outcome"

    init(_ body: RecordBody, at position: EntryKey) {
        // The gateway's log belongs to no unit or property, whatever places its records name.
        let isTenants = body.log != .gateway
        self.init(
            position, body.at,
            [
                body.device.map { .device($0.deviceID) }, isTenants ? body.unitID.map { .unit($0) } : nil,
                isTenants ? body.propertyID.map { .property($0) } : nil, body.actor.userID.map { .actor($0) },
                body.decision == .denied ? .denied(true) : nil, .kind(body.kind), body.reason.map { .reason($0) },
                body.outcome.map { .outcome($0) },
            ])
    }

    /// - Parameter row: a row with `columns`.
    init(_ row: RowValues) {
        self.init(
            EntryKey(rawValue: row.integer(0)), Timestamp(milliseconds: row.integer(1)),
            [
                row.id(2).map { .device($0) }, row.id(3).map { .unit($0) }, row.id(4).map { .property($0) },
                row.id(5).map { .actor($0) }, row.integer(6) == 1 ? .denied(true) : nil, row.word(7).map { .kind($0) },
                row.word(8).map { .reason($0) }, row.word(9).map { .outcome($0) },
            ])
    }

    private init(_ position: EntryKey, _ at: Timestamp, _ matches: [EntrySelection.Match?]) {
        (self.position, self.at, isCommand) = (position, at, false)
        self.matches = matches.compactMap { $0.flatMap { $0.isIndexed ? $0 : nil } }
    }

    /// The lists that the entry belongs to.
    var lists: [PostingList] {
        var lists = matches.map { PostingList.entries($0) }
        guard isCommand else { return lists }
        for match in matches {
            switch match {
            case .device, .unit, .property, .actor: lists.append(.commands(match))
            case .denied, .kind, .operation, .reason, .outcome: break
            }
        }
        return lists
    }
}
