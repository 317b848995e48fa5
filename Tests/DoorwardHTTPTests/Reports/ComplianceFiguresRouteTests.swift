import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Compares the figures of reports with a second computation, from the NDJSON export of the same log.
@Suite struct ComplianceFiguresRouteTests {
    /// Random days in a house: commands that are confirmed, refused, denied or jam, overrides of a lockdown, roles and guest accesses
    /// that come and go, and events of the locks.
    private static func live(_ house: House, _ random: inout SeededGenerator) async throws {
        let ids = house.ids
        let people: [House.Person] = [
            .owner, .admin, .manager, .maintenance, .auditor, .tenant, .coTenant, .neighbour, .guest, .stranger,
        ]
        let doors = [ids.door, ids.frontDoor, ids.foreignDoor]
        for step in 0..<80 {
            let (person, door) = (people.randomElement(using: &random) ?? .owner, doors.randomElement(using: &random) ?? ids.door)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                let behaviours: [ScriptedAdapter.Behaviour] = [.confirmAtOnce, .confirmAtOnce, .confirmAtOnce, .fail(.offline)]
                house.adapter.set(behaviours.randomElement(using: &random) ?? .confirmAtOnce, for: door)
                let word = ["lock", "unlock", "unlatch"].randomElement(using: &random) ?? "lock"
                let body = Bool.random(using: &random) ? #"{"override":{"reason":"Fire drill"}}"# : nil
                _ = try await house.command(word, as: person, on: door, body)
            case 6:
                let path = "/properties/\(ids.property)/lockdown"
                _ = try await house.call(Bool.random(using: &random) ? .post : .delete, path, as: .manager)
            case 7:
                let now = house.clock.now()
                _ = try await house.call(
                    .post, "/guest-access", as: Bool.random(using: &random) ? .tenant : .manager,
                    #"{"label":"G\#(step)","deviceIds":["\#(ids.door)"],"operations":["UNLOCK"],"validFrom":"\#(now)","#
                        + #""validUntil":"\#(now.advanced(by: .seconds(40_000)))"}"#)
            case 8:
                let (path, user) = ("/units/\(ids.unit)/tenants", ids[.nobody])
                _ =
                    try await Bool.random(using: &random)
                    ? house.call(.post, path, as: .manager, #"{"userId":"\#(user)","role":"TENANT"}"#)
                    : house.call(.delete, "\(path)/\(user)", as: .manager)
            default:
                let events: [RecordEvent] = [.offline, .online, .jammed, .unlocked, .locked, .tamper, .batteryLow]
                try await report(events.randomElement(using: &random) ?? .locked, of: door, in: house, &random)
            }
            house.clock.advance(by: .seconds(Int.random(in: 60...9000, using: &random)))
        }
    }

    private static func report(
        _ event: RecordEvent, of door: DeviceID, in house: House, _ random: inout SeededGenerator
    ) async throws {
        let device = try #require(house.control.directory.current.device(door))
        let now = house.clock.now()
        let body = RecordBody(
            log: .portfolio(try #require(device.portfolioID)), id: .new(at: now, using: &random), at: now, kind: .deviceEvent,
            actor: RecordActor(kind: .device, id: door.description), source: .device, device: DeviceSnapshot(device),
            event: event,
            method: [.locked, .unlocked].contains(event) ? [.manual, .auto, .key].randomElement(using: &random) : nil)
        try await house.store.commit(StoreTransaction(records: [PendingRecord(body)]))
    }

    /// The figures by a second, simple computation over the fields of exported records.
    private static func naive(_ records: [JSONValue], _ period: Range<String>) -> [String: Int] {
        var counts: [String: Int] = [:]
        var (overridden, offline, jammed, seen): (Set<String>, Set<String>, Set<String>, Set<String>) = ([], [], [], [])
        for record in records {
            guard let at = record["at"].text, period.contains(at) else { continue }
            let (device, operation) = (record["deviceId"].text ?? "", record["operation"].text ?? "")
            switch record["kind"].text {
            case "COMMAND_OUTCOME":
                let outcome = record["outcome"].text ?? ""
                if outcome == "CONFIRMED" {
                    counts["confirmed", default: 0] += 1
                    if operation != "LOCK" { counts["opened", default: 0] += 1 }
                    jammed.remove(device)
                } else if outcome == "DENIED" {
                    counts["denied", default: 0] += 1
                } else {
                    counts["failed", default: 0] += 1
                }
            case "COMMAND_INTENT":
                if record["override"] != .null, overridden.insert(record["commandId"].text ?? "").inserted {
                    counts["overrides", default: 0] += 1
                }
            case "DENIAL": counts["denied", default: 0] += 1
            case "ADMIN_CHANGE": counts["changes", default: 0] += 1
            case "DEVICE_EVENT":
                switch record["event"].text {
                case "LOCKED", "UNLOCKED":
                    counts["byHand", default: 0] += 1
                    jammed.remove(device)
                case "JAMMED": if jammed.insert(device).inserted { counts["jams", default: 0] += 1 }
                case "OFFLINE": if offline.insert(device).inserted { counts["outages", default: 0] += 1 }
                case "ONLINE":
                    if offline.remove(device) == nil, !seen.contains(device) { counts["outages", default: 0] += 1 }
                default: break
                }
                if ["OFFLINE", "ONLINE"].contains(record["event"].text) { seen.insert(device) }
            default: break
            }
        }
        return counts
    }

    @Test(
        "the figures, reasons and rows are those of a second computation from the exported log", arguments: 0..<3 as Range<UInt64>
    )
    func figures(seed: UInt64) async throws {
        var random = SeededGenerator(seed: 900 + seed)
        let house = try await ComplianceRouteTests.house(seed: seed)
        let begin = house.clock.now()
        try await Self.live(house, &random)
        let length = house.clock.now().duration(since: begin).wholeMilliseconds
        for ofProperty in [false, true] {
            let from = begin.advanced(by: .milliseconds(Int64.random(in: -1000...length / 2, using: &random)))
            let until = from.advanced(by: .milliseconds(Int64.random(in: 1000...length, using: &random)))
            let report = try await ComplianceRouteTests.report(house, ofProperty: ofProperty, "from=\(from)&until=\(until)")
            let filter = ofProperty ? "&propertyId=\(house.ids.property)" : ""
            let export = try await house.call(.get, "/access-records/export?format=ndjson\(filter)", as: .owner)
            let records = try export.text.split(separator: "\n").dropFirst().dropLast().map {
                try JSONParser<JSONValue>.parse(Array($0.utf8), maxDepth: 40, rejectsMarks: false)["record"]
            }
            let expected = Self.naive(records, from.description..<until.description)
            for name in ["opened", "confirmed", "failed", "denied", "overrides", "byHand", "changes", "outages", "jams"] {
                #expect(try report.figure(name) == expected[name, default: 0], "\(name), seed \(seed)")
            }
            let inPeriod = records.filter { (from.description..<until.description).contains($0["at"].text ?? "") }
            let denials = inPeriod.filter { $0["decision"].text == "DENIED" && $0["kind"].text != "COMMAND_INTENT" }
            let reasons = Dictionary(grouping: denials) { $0["reason"].text ?? $0["outcomeDetail"].text ?? "" }.mapValues(\.count)
            let shown = try report.table("reasons").reduce(into: [String: Int]()) { $0[$1[0]] = Int($1[2]) }
            #expect(shown == reasons, "seed \(seed)")
            let seqs = inPeriod.filter { $0["kind"].text == "ADMIN_CHANGE" }.map { "\($0["seq"].number ?? -1)" }
            #expect(try report.table("changes").map { $0[5] } == seqs)
            #expect(try report.table("access").count == report.figure("rights"))
        }
    }

    @Test("a role is listed for the times at which the tenancy had it", arguments: 0..<3 as Range<UInt64>)
    func rights(seed: UInt64) async throws {
        var random = SeededGenerator(seed: 700 + seed)
        let house = try await ComplianceRouteTests.house(seed: seed)
        let path = "/units/\(house.ids.unit)/tenants"
        let begin = house.clock.now()
        // Hold the role at random times, and note when a second look at the tenancy says so.
        var held: [(from: Timestamp, until: Timestamp?)] = []
        for _ in 0..<12 {
            house.clock.advance(by: .seconds(Int.random(in: 60...7200, using: &random)))
            let user = house.ids[.nobody]
            if Bool.random(using: &random) {
                _ = try await house.call(.post, path, as: .manager, #"{"userId":"\#(user)","role":"TENANT"}"#)
            } else {
                _ = try await house.call(.delete, "\(path)/\(user)", as: .manager)
            }
            let holds = house.control.directory.current.associations(of: user).contains { $0.role == .tenant }
            if holds, held.last.map({ $0.until != nil }) ?? true { held.append((house.clock.now(), nil)) }
            if !holds, let last = held.indices.last, held[last].until == nil { held[last].until = house.clock.now() }
        }
        house.clock.advance(by: .seconds(60))
        let length = house.clock.now().duration(since: begin).wholeMilliseconds
        let time = PropertyTime(zone: "Europe/Berlin")
        for _ in 0..<4 {
            let from = begin.advanced(by: .milliseconds(Int64.random(in: 0...length, using: &random)))
            let until = from.advanced(by: .milliseconds(Int64.random(in: 1000...length, using: &random)))
            let report = try await ComplianceRouteTests.report(house, ofProperty: true, "from=\(from)&until=\(until)")
            let rows = try report.table("access").filter {
                $0[1] == "Tenant" && ($0[0] == "Nobody Last" || $0[0].hasPrefix("former user"))
            }
            let expected = held.filter { $0.from < until && from < $0.until ?? .init(milliseconds: .max) }
            #expect(
                rows.map { [$0[3], $0[4]] } == expected.map { [time.stamp($0.from), $0.until.map(time.stamp) ?? "in force"] },
                "seed \(seed), \(from) to \(until)")
            #expect(rows.allSatisfy { $0[5].contains("by Manager Last, record") })
        }
    }
}
