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
    private(set) var units: [Int64: Set<UnitID>] = [:]
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
            case .unit(let id, _): units[log, default: []].insert(id)
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

    /// Returns whether the query matches commands of every actor in this log, property or unit.
    func hasScope(log: Int64, property: PropertyID?, unit: UnitID?) -> Bool {
        wholeLogs.contains(log) || property.map { properties[log]?.contains($0) ?? false } ?? false
            || unit.map { units[log]?.contains($0) ?? false } ?? false
    }

    func matches(_ key: CommandCounts.Key) -> Bool {
        guard device == nil || device == key.device else { return false }
        return hasScope(log: key.log, property: key.property, unit: key.unit) || (actor != nil && actor == key.actor)
    }

    /// The lists to merge. Without a device, each log has one list for each scope and one for the actor. With a device, each
    /// log that a scope covers has one list for the device. Each other log with commands of the actor on the device has one
    /// list for the actor. No other log is read, so a device whose commands are only in other logs costs the same as an unknown
    /// device. Several lists can return the same command.
    var streams: [(log: StoredLog, selection: EntrySelection)] {
        var found: [(log: StoredLog, selection: EntrySelection)] = []
        func add(_ key: Int64, _ source: EntrySelection.Source, _ condition: (String, [(any Bindable)?]) = ("", [])) {
            if let log = logs[key] { found.append((log, EntrySelection(source: source, condition: condition))) }
        }
        if let device {
            for log in scopeLogs { add(log, .postings(.commands(.device(device))), visibility(in: log)) }
            guard let actor else { return found }
            for log in actorLogs.subtracting(scopeLogs) {
                add(log, .postings(.commands(.actor(actor))), (" AND +device_id = ?", [device]))
            }
            return found
        }
        for log in wholeLogs { add(log, .commands) }
        for (log, ids) in properties { for id in ids { add(log, .postings(.commands(.property(id)))) } }
        for (log, ids) in units { for id in ids { add(log, .postings(.commands(.unit(id)))) } }
        if let actor { for log in actorLogs { add(log, .postings(.commands(.actor(actor)))) } }
        return found
    }

    /// Returns the SQL condition that the matching intents of a log meet, whichever list contains them.
    private func visibility(in log: Int64) -> (String, [(any Bindable)?]) {
        guard !wholeLogs.contains(log) else { return ("", []) }
        let (properties, units) = (self.properties[log] ?? [], self.units[log] ?? [])
        var terms: [String] = []
        var arguments: [(any Bindable)?] = []
        if !properties.isEmpty {
            terms.append("+property_id IN (\(Self.marks(properties.count)))")
            arguments += properties.map { $0 }
        }
        if !units.isEmpty {
            terms.append("+unit_id IN (\(Self.marks(units.count)))")
            arguments += units.map { $0 }
        }
        if let actor {
            terms.append("+actor_user_id = ?")
            arguments.append(actor)
        }
        return (" AND (\(terms.joined(separator: " OR ")))", arguments)
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}
