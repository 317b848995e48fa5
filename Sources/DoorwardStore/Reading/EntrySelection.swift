internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Which entries of a log: those that an index finds, and of these the ones that say what else is asked for.
struct EntrySelection {
    /// One thing that an entry says.
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

        var column: String {
            switch self {
            case .kind: "kind"
            case .operation: "operation"
            case .reason: "reason"
            case .outcome: "outcome"
            case .device: "device_id"
            case .unit: "unit_id"
            case .property: "property_id"
            case .actor: "actor_user_id"
            case .denied: "is_denied"
            }
        }

        var value: any DatabaseValueConvertible {
            switch self {
            case .kind(let kind): kind.rawValue
            case .operation(let operation): operation.rawValue
            case .reason(let reason): reason.rawValue
            case .outcome(let outcome): outcome.rawValue
            case .device(let id): id.blob
            case .unit(let id): id.blob
            case .property(let id): id.blob
            case .actor(let id): id.blob
            case .denied(let isDenied): isDenied
            }
        }

        /// Whether few entries of a log say so as a rule, wherever they happened. These alone stand in an index of the column; of
        /// what is common, and of operations, there is none.
        var isRare: Bool {
            switch self {
            case .denied(let isDenied): isDenied
            case .reason: true
            case .kind(let kind): ![.commandIntent, .commandOutcome, .deviceEvent].contains(kind)
            case .outcome(let outcome): outcome != .confirmed
            case .device, .unit, .property, .actor, .operation: false
            }
        }

        /// Whether an index finds the matching entries.
        var isIndexed: Bool {
            switch self {
            case .device, .unit, .property, .actor: true
            case .denied, .kind, .operation, .reason, .outcome: isRare
            }
        }

        /// The condition of the index that holds what is rare of the column, for which a query must name it (SQLite, "Partial
        /// Indexes", section 3).
        fileprivate var rarity: String {
            switch self {
            case .denied: " AND is_denied = 1"
            case .kind: " AND kind <> 'COMMAND_INTENT' AND kind <> 'COMMAND_OUTCOME' AND kind <> 'DEVICE_EVENT'"
            case .outcome: " AND outcome <> 'CONFIRMED'"
            case .device, .unit, .property, .actor, .operation, .reason: ""
            }
        }
    }

    /// What an index is asked for: a place, an actor, or what is rare; `nil`: the whole log is read.
    let driver: Match?
    let conditions: [Match]

    /// Conditions that are the driver are met already.
    init(driver: Match? = nil, conditions: [Match] = []) {
        (self.driver, self.conditions) = (driver, conditions.filter { $0 != driver })
    }

    /// What goes behind the range of positions. A column behind `+` is compared row by row and chooses no index.
    var sql: String { driverSQL + conditions.map { " AND +\($0.column) = ?" }.joined() }

    var arguments: StatementArguments { driverArguments + StatementArguments(conditions.map(\.value)) }

    /// The part of `sql` that an index answers.
    var driverSQL: String { driver.map { " AND \($0.column) = ?\($0.rarity)" } ?? "" }

    var driverArguments: StatementArguments { StatementArguments([driver].compactMap(\.self).map(\.value)) }
}

extension RecordFilter {
    /// What the filter asks of an entry, the thing first that the fewest entries have in common as a rule: a person's and a
    /// device's are few, denials and failures fewer than a property's, and what was allowed is a good part of all.
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
