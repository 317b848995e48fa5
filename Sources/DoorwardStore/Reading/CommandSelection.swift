internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The commands that a query matches, selected by the entries of their intents.
struct CommandSelection {
    /// The logs that may contain matching commands, by key. A command matches if its log is in `wholeLogs`, its property in
    /// `properties` or its unit in `units`, or if `actor` sent it.
    private(set) var logs: [Int64: StoredLog] = [:]
    private(set) var wholeLogs: Set<Int64> = []
    private(set) var properties: [Int64: Set<PropertyID>] = [:]
    /// The units with the instant from which their commands match.
    private(set) var units: [Int64: [UnitID: Timestamp]] = [:]
    let actor: UserID?
    /// If set, only commands of this device match.
    let device: DeviceID?
    /// The logs that the scopes cover.
    private(set) var scopeLogs: Set<Int64> = []
    /// The logs with commands of the actor. If `device` is set, only commands on that device count.
    private(set) var actorLogs: Set<Int64> = []

    init(_ query: CommandQuery, _ unprojected: inout UnprojectedPositions, in db: Database) throws {
        (actor, device) = (query.actorUserID, query.deviceID)
        for id in Set(query.scopes.map(\.log)) {
            if let log = try StoredLog.find(id, in: db) { logs[log.key] = log }
        }
        let keys = Dictionary(uniqueKeysWithValues: logs.values.map { ($0.id, $0.key) })
        scopeLogs = Set(keys.values)
        for scope in query.scopes {
            // A log without a row has no record.
            guard let log = keys[scope.log] else { continue }
            switch scope {
            case .gatewayLog, .portfolioLog: wholeLogs.insert(log)
            case .property(let id, _): properties[log, default: []].insert(id)
            case .unit(let id, _, let from): units[log, default: [:]].merge([id: from], uniquingKeysWith: min)
            }
        }
        guard let actor else { return }
        actorLogs = try CommandCounts.logs(of: actor, device: device, in: db)
        for log in try unprojected.logKeys() {
            let commands = try unprojected.commands(in: log)
            if commands.contains(where: { $0.actor == actor && (device == nil || $0.device == device) }) { actorLogs.insert(log) }
        }
        for key in actorLogs where logs[key] == nil { logs[key] = try StoredLog.find(key: key, in: db) }
    }

    /// Whether some commands match only from an instant on, so that the stored counts do not tell how many match.
    var hasBeginning: Bool { !wholeLogs.isSuperset(of: units.keys) }

    /// Returns whether the query matches commands of every actor in this log or property. Units, which match from an instant on
    /// only, are not considered.
    func hasScope(log: Int64, property: PropertyID?) -> Bool {
        wholeLogs.contains(log) || property.map { properties[log]?.contains($0) ?? false } ?? false
    }

    func matches(_ key: CommandCounts.Key) -> Bool {
        guard device == nil || device == key.device else { return false }
        return hasScope(log: key.log, property: key.property) || (actor != nil && actor == key.actor)
    }

    /// The lists to merge. Without a device, each log has one list for each scope and one for the actor. With a device, each
    /// log that a scope covers has one list for the device. Each other log with commands of the actor on the device has one
    /// list for the actor. No other log is read, so a device whose commands are only in other logs costs the same as an unknown
    /// device. Several lists can return the same command.
    func streams(in db: Database) throws -> [(log: StoredLog, selection: EntrySelection, range: Range<Int64>)] {
        var found: [(log: StoredLog, selection: EntrySelection, range: Range<Int64>)] = []
        func add(
            _ key: Int64, _ source: EntrySelection.Source, _ condition: (String, [(any Bindable)?]) = ("", []),
            from: Timestamp? = nil
        ) throws {
            guard let log = logs[key] else { return }
            let range = try from.map { try LogTime(log, in: db).positions(from: $0) } ?? log.range
            found.append((log, EntrySelection(source: source, condition: condition), range))
        }
        if let device {
            for log in scopeLogs { try add(log, .postings(.commands(.device(device))), visibility(in: log)) }
            guard let actor else { return found }
            for log in actorLogs.subtracting(scopeLogs) {
                try add(log, .postings(.commands(.actor(actor))), (" AND +device_id = ?", [device]))
            }
            return found
        }
        for log in wholeLogs { try add(log, .commands) }
        for (log, ids) in properties { for id in ids { try add(log, .postings(.commands(.property(id)))) } }
        for (log, ids) in units { for (id, from) in ids { try add(log, .postings(.commands(.unit(id))), from: from) } }
        if let actor { for log in actorLogs { try add(log, .postings(.commands(.actor(actor)))) } }
        return found
    }

    /// Returns the SQL condition that the matching intents of a log meet, whichever list contains them.
    private func visibility(in log: Int64) -> (String, [(any Bindable)?]) {
        guard !wholeLogs.contains(log) else { return ("", []) }
        let (properties, units) = (self.properties[log] ?? [], self.units[log] ?? [:])
        var terms: [String] = []
        var arguments: [(any Bindable)?] = []
        if !properties.isEmpty {
            terms.append("+property_id IN (\(Self.marks(properties.count)))")
            arguments += properties.map { $0 }
        }
        if !units.isEmpty {
            // NULL, which is not true, for every other unit.
            terms.append("+at >= CASE unit_id \(String(repeating: "WHEN ? THEN ? ", count: units.count))END")
            for (id, from) in units { arguments += [id, from.milliseconds] }
        }
        if let actor {
            terms.append("+actor_user_id = ?")
            arguments.append(actor)
        }
        return (" AND (\(terms.joined(separator: " OR ")))", arguments)
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}
