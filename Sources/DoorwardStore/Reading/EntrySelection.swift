internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Which entries of a log: those that an index finds, and of these the ones that say what else is asked for.
struct EntrySelection {
    /// One thing that an entry says, in a column that has an index.
    enum Match: Hashable {
        case device(DeviceID)
        case unit(UnitID)
        case property(PropertyID)
        case actor(UserID)
        case denied(Bool)

        var column: String {
            switch self {
            case .device: "device_id"
            case .unit: "unit_id"
            case .property: "property_id"
            case .actor: "actor_user_id"
            case .denied: "is_denied"
            }
        }

        var value: any DatabaseValueConvertible {
            switch self {
            case .device(let id): id.blob
            case .unit(let id): id.blob
            case .property(let id): id.blob
            case .actor(let id): id.blob
            case .denied(let isDenied): isDenied
            }
        }
    }

    /// What the index is asked for; `nil`: the whole log is read.
    let driver: Match?
    let conditions: [Match]

    /// Conditions that are the driver are met already.
    init(driver: Match? = nil, conditions: [Match] = []) {
        (self.driver, self.conditions) = (driver, conditions.filter { $0 != driver })
    }

    /// What goes behind the range of positions. A column behind `+` is compared row by row and chooses no index.
    var sql: String {
        (driver.map { " AND \($0.column) = ?" } ?? "") + conditions.map { " AND +\($0.column) = ?" }.joined()
    }

    var arguments: StatementArguments { StatementArguments(([driver].compactMap(\.self) + conditions).map(\.value)) }
}

extension RecordFilter {
    /// What the filter asks of an entry, the thing first that the fewest entries have in common as a rule: a person's and a
    /// device's are few, denials fewer than a property's, and what was allowed is a good part of all.
    var matches: [EntrySelection.Match] {
        let decided = decision.map { EntrySelection.Match.denied($0 == .denied) }
        let all: [EntrySelection.Match?] = [
            actorUserID.map { .actor($0) }, deviceID.map { .device($0) }, unitID.map { .unit($0) },
            decision == .denied ? decided : nil, propertyID.map { .property($0) }, decision == .allowed ? decided : nil,
        ]
        return all.compactMap(\.self)
    }
}
