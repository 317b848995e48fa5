import DoorwardAPI

/// A record as the demo shows it: one short sentence.
struct DemoEvent: Equatable, Sendable {
    /// The kind of event.
    enum Mark: Sendable {
        /// A command that the lock has confirmed.
        case done
        /// A command that was denied or failed.
        case refused
        /// A fault of a lock.
        case trouble
        /// An event at the lock, or a change of rights.
        case noted

        /// A sign of one column, which shows the kind without colour.
        var sign: String {
            switch self {
            case .done: "✓"
            case .refused: "✗"
            case .trouble: "!"
            case .noted: "·"
            }
        }

        var colour: OutputStyle.Colour? {
            switch self {
            case .done: .green
            case .refused: .red
            case .trouble: .yellow
            case .noted: .dim
            }
        }
    }

    let mark: Mark
    let text: String

    /// Returns `nil` for a record that the demo does not show, such as an intent, the creation of
    /// the house, or an opened or closed door, which the list of doors shows.
    init?(_ record: Wire.AccessRecord) {
        let told: (Mark, String)?
        switch record.kind {
        case "COMMAND_OUTCOME": told = Self.outcome(record)
        case "DENIAL": told = (.refused, Self.denial(record))
        case "DEVICE_EVENT": told = Self.event(record)
        case "ADMIN_CHANGE" where record.actorKind == "GATEWAY": told = nil
        case "ADMIN_CHANGE": told = (.noted, Self.change(record))
        default: told = nil
        }
        guard let told else { return nil }
        (mark, text) = (told.0, told.1.printable)
    }

    private static func denial(_ record: Wire.AccessRecord) -> String {
        let sentence = "\(who(record)) may not \(operation(record)) \(lock(record))"
        // For an actor without access, the sentence already contains the reason.
        guard record.actorKind != "OUTSIDE", let reason = record.reason else { return sentence }
        return "\(sentence): \(DisplayText.reason(reason))"
    }

    private static func outcome(_ record: Wire.AccessRecord) -> (Mark, String) {
        guard record.outcome == "CONFIRMED" else {
            let why = record.outcomeDetail.map(DisplayText.reason) ?? record.outcome.map(DisplayText.word) ?? "unknown"
            return (.refused, "\(who(record)) could not \(operation(record)) \(lock(record)): \(why)")
        }
        return (.done, "\(who(record)) \(pastTense(of: record.operation)) \(lock(record))")
    }

    private static func pastTense(of operation: String?) -> String {
        switch operation {
        case "UNLATCH": "unlatched"
        case "CHANGE_SETTINGS": "changed the settings of"
        default: (operation.map(DisplayText.word) ?? "mov") + "ed"
        }
    }

    private static func event(_ record: Wire.AccessRecord) -> (Mark, String)? {
        let lock = lock(record)
        switch record.event {
        case "DOOR_OPENED", "DOOR_CLOSED", nil: return nil
        case "LOCKED": return (.noted, "\(lock) was locked\(means(record))")
        case "UNLOCKED": return (.noted, "\(lock) was unlocked\(means(record))")
        case "UNLATCHED": return (.noted, "\(lock) was unlatched\(means(record))")
        case "JAMMED": return (.trouble, "\(lock) is jammed")
        case "BATTERY_LOW": return (.trouble, "\(lock): the battery is low")
        case "COMMAND_DELIVERED_LATE": return (.trouble, "\(lock): a command came late, and may have moved it")
        case "OFFLINE": return (.trouble, "\(lock) is offline")
        case "ONLINE": return (.noted, "\(lock) is online again")
        case let event?: return (.trouble, "\(lock): \(DisplayText.word(event))")
        }
    }

    private static func means(_ record: Wire.AccessRecord) -> String {
        switch record.method {
        case "MANUAL": " from inside"
        case "AUTO": " by itself"
        case let method? where method != "UNKNOWN": ", \(DisplayText.word(method))"
        default: ""
        }
    }

    private static func change(_ record: Wire.AccessRecord) -> String {
        switch record.action {
        case "GRANT": "\(who(record)) grants a guest access"
        case "REVOKE": "\(who(record)) revokes a guest access"
        default: "\(who(record)): \(RecordTable.what(record))"
        }
    }

    private static func lock(_ record: Wire.AccessRecord) -> String { record.deviceName ?? "a lock" }
    private static func who(_ record: Wire.AccessRecord) -> String { RecordTable.who(record) ?? "somebody" }
    private static func operation(_ record: Wire.AccessRecord) -> String { record.operation.map(DecisionView.verb) ?? "move" }
}
