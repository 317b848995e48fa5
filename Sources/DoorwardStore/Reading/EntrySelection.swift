internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// Selects entries of a log: those entries of a source that meet all conditions.
struct EntrySelection {
    /// A condition on one column of an entry.
    enum Match: Hashable {
        case device(DeviceID)
        case unit(UnitID)
        case property(PropertyID)
        case actor(UserID)
        case denied(Bool)
        case kind(RecordKind)
        case operation(LockOperation)
        case reason(DenialReason)
        case outcome(CommandState)

        var column: String { parts.column }

        var value: any Bindable { parts.value }

        /// The number that the database stores for the kind of posting list. It is never reused for another kind.
        var facet: Int64 { parts.facet }

        private var parts: (column: String, facet: Int64, value: any Bindable) {
            switch self {
            case .device(let id): ("device_id", 1, id)
            case .unit(let id): ("unit_id", 2, id)
            case .property(let id): ("property_id", 3, id)
            case .actor(let id): ("actor_user_id", 4, id)
            case .denied(let isDenied): ("is_denied", 5, isDenied)
            case .kind(let kind): ("kind", 6, kind.rawValue)
            case .reason(let reason): ("reason", 7, reason.rawValue)
            case .outcome(let outcome): ("outcome", 8, outcome.rawValue)
            // Operations have no posting list.
            case .operation(let operation): ("operation", 0, operation.rawValue)
            }
        }

        /// Whether usually few entries of a log match. Only the rare values of denials, kinds, reasons and outcomes have a
        /// posting list. Conditions on device, unit, property and actor always return false.
        var isRare: Bool {
            switch self {
            case .denied(let isDenied): isDenied
            case .reason: true
            case .kind(let kind): ![.commandIntent, .commandOutcome, .deviceEvent].contains(kind)
            case .outcome(let outcome): outcome != .confirmed
            case .device, .unit, .property, .actor, .operation: false
            }
        }

        /// Whether there is a posting list of the matching entries.
        var isIndexed: Bool {
            hasCommands || isRare
        }

        /// Whether there is a posting list of the commands whose intents match, too.
        var hasCommands: Bool {
            switch self {
            case .device, .unit, .property, .actor: true
            case .denied, .kind, .operation, .reason, .outcome: false
            }
        }
    }

    /// The source of a stream's positions.
    enum Source: Hashable {
        /// Every entry of the log.
        case log
        /// Those intents in the log that began a new command.
        case commands
        case postings(PostingList)
    }

    let source: Source
    let conditions: [Match]
    /// A further SQL condition on the columns of an entry, beginning with `" AND "`.
    let condition: (sql: String, arguments: [(any Bindable)?])

    /// Creates a selection. Drops the condition by which the source was selected, because all entries of the source meet it.
    init(source: Source = .log, conditions: [Match] = [], condition: (sql: String, arguments: [(any Bindable)?]) = ("", [])) {
        let met: Match? = if case .postings(.entries(let match)) = source { match } else { nil }
        (self.source, self.conditions, self.condition) = (source, conditions.filter { $0 != met }, condition)
    }

    var hasConditions: Bool { !conditions.isEmpty || !condition.sql.isEmpty }

    /// The SQL conditions that follow the condition on the position in a statement about entries. The `+` before a column
    /// prevents SQLite from using an index for it.
    var sql: String { conditions.map { " AND +\($0.column) = ?" }.joined() + condition.sql }

    var arguments: [(any Bindable)?] { conditions.map(\.value) + condition.arguments }
}

extension RecordFilter {
    /// The filter's conditions, usually the most selective first. An actor or a device has few entries. Denials and failures
    /// are fewer than a property's entries. Allowed access is a large part of all entries.
    var matches: [EntrySelection.Match] {
        let said: [EntrySelection.Match] = [
            reason.map { .reason($0) }, outcome.map { .outcome($0) }, decision.map { .denied($0 == .denied) },
            kind.map { .kind($0) }, operation.map { .operation($0) },
        ].compactMap(\.self)
        let places: [EntrySelection.Match] = [
            actorUserID.map { .actor($0) }, deviceID.map { .device($0) }, unitID.map { .unit($0) },
        ]
        .compactMap(\.self)
        return places + said.filter(\.isRare) + [propertyID.map { .property($0) }].compactMap(\.self)
            + said.filter { !$0.isRare }
    }
}
