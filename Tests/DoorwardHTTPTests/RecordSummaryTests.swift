import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct RecordSummaryTests {
    /// Makes a house with two and a half days of commands of several users on several doors, some of them denied or failed.
    private static func lived() async throws -> House {
        let house = try await House()
        var random = SeededGenerator(seed: 12)
        let people: [House.Person] = [.tenant, .manager, .guest, .stranger, .auditor, .owner, .maintenance, .neighbour]
        for _ in 0..<60 {
            guard let person = people.randomElement(using: &random),
                let device = [house.ids.door, house.ids.frontDoor, house.ids.foreignDoor].randomElement(using: &random)
            else { continue }
            house.adapter.set(Bool.random(using: &random) ? .confirmAtOnce : .fail(.offline), for: device)
            _ = try await house.command(as: person, on: device)
            house.clock.advance(by: .seconds(Int.random(in: 600...7200, using: &random)))
        }
        return house
    }

    private static func buckets(_ house: House, _ query: String, as person: House.Person) async throws -> [JSONValue] {
        let reply = try await house.call(.get, "/access-records/summary?\(query)", as: person)
        #expect(reply.status == 200, "\(query): \(reply.text)")
        return reply.data["buckets"].elements
    }

    /// All records that a person may read, as the person sees them.
    private static func records(_ house: House, _ query: String, as person: House.Person) async throws -> [JSONValue] {
        var (found, cursor): ([JSONValue], String) = ([], "")
        while true {
            let data = try await house.call(.get, "/access-records?limit=500\(query)\(cursor)", as: person).data
            found += data["accessRecords"].elements
            guard let next = data["nextCursor"].text else { return found }
            cursor = "&cursor=\(next)"
        }
    }

    @Test(
        "the counts are those of the records that the reader sees, in each bucket, for each field, zone and filter",
        arguments: [
            House.Person.owner, .admin, .manager, .auditor, .tenant, .coTenant, .neighbour, .maintenance, .guest, .superAdmin,
        ])
    func naive(person: House.Person) async throws {
        let house = try await Self.lived()
        let (from, until) = (house.clock.now().advanced(by: .seconds(-3 * 86_400)), house.clock.now())
        var total = 0
        for filter in ["", "&deviceId=\(house.ids.door)", "&kind=DENIAL", "&outcome=CONFIRMED"] {
            let records = try await Self.records(house, "\(filter)&from=\(from)&until=\(until)", as: person)
            for grouping in ["", "outcome", "reason", "deviceId"] {
                for (period, zone) in [("hour", ""), ("day", "&timeZone=Europe/Berlin"), ("day", "&timeZone=Asia/Kolkata")] {
                    let buckets = try await Self.buckets(
                        house,
                        "by=\(period)&from=\(from)&until=\(until)\(zone)\(filter)"
                            + (grouping.isEmpty ? "" : "&groupBy=\(grouping)"), as: person)
                    #expect(buckets.first?["from"].text == "\(from)" && buckets.last?["until"].text == "\(until)")
                    #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0["until"] == $1["from"] })
                    for bucket in buckets {
                        let expected = Self.counts(records, by: grouping, in: bucket)
                        #expect(bucket["counts"].members.mapValues { Int($0.number ?? 0) } == expected, "\(grouping) \(bucket)")
                        total += expected.values.reduce(0, +)
                    }
                }
            }
        }
        // Nothing has happened at the neighbour's doors.
        let readsNothing = [House.Person.maintenance, .guest, .neighbour].contains(person)
        #expect(readsNothing ? total == 0 : total > 20, "\(total)")
    }

    private static func counts(_ records: [JSONValue], by grouping: String, in bucket: JSONValue) -> [String: Int] {
        guard let from = bucket["from"].text, let until = bucket["until"].text else { return [:] }
        // All instants have the same form, so their order is that of the texts.
        let inside = records.filter { from <= $0["at"].text ?? "" && $0["at"].text ?? "" < until }
        let fields = grouping.isEmpty ? ["outcome", "reason"] : [grouping]
        return inside.flatMap { record in fields.compactMap { record[$0].text } }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test("a resident is shown no reasons; a filter by another person's id counts nothing")
    func projection() async throws {
        let house = try await Self.lived()
        let time = "by=day&from=\(house.clock.now().advanced(by: .seconds(-4 * 86_400)))&until=\(house.clock.now())"
        for query in [
            "groupBy=reason", "reason=no_association", "userId=\(house.ids[.manager])", "userId=nonsense",
            "deviceId=\(house.ids.foreignDoor)", "logId=gateway", "logId=gateway&portfolioId=\(house.ids.portfolio)",
        ] {
            let buckets = try await Self.buckets(house, "\(time)&\(query)", as: .tenant)
            #expect(!buckets.isEmpty && buckets.allSatisfy { $0["counts"].members.isEmpty }, "\(query)")
        }
        let manager = try await Self.buckets(house, "\(time)&groupBy=reason", as: .manager)
        #expect(manager.contains { $0["counts"]["no_association"].number ?? 0 > 0 })
    }

    @Test(
        "errors in the query name the parameter",
        arguments: [
            ("", ["by: required", "from: required", "until: required"]),
            ("by=week&from=2026-11-21T00:00:00Z&until=2026-11-22T00:00:00Z", ["by: unknown_value"]),
            ("by=day&from=2026-11-21T00:00:00Z&until=2026-11-21T00:00:00Z", ["until: end_not_after_start"]),
            ("by=hour&from=2026-01-01T00:00:00Z&until=2026-11-22T00:00:00Z", ["until: window_too_long"]),
            ("by=day&from=2026-11-21T00:00:00Z&until=2026-11-22T00:00:00Z&timeZone=Berlin", ["timeZone: unknown_zone"]),
            ("by=day&from=2026-11-21T00:00:00Z&until=2026-11-22T00:00:00Z&groupBy=kind", ["groupBy: unknown_value"]),
            ("by=day&from=2026-11-21T00:00:00Z&until=2026-11-22T00:00:00Z&limit=5", ["limit: unknown_key"]),
            ("by=day&from=today&until=2026-11-22T00:00:00Z", ["from: bad_time"]),
        ])
    func mistakes(query: String, problems: [String]) async throws {
        let reply = try await House().call(.get, "/access-records/summary?\(query)", as: .owner)
        #expect(reply.status == 400)
        #expect(Set(reply.problems) == Set(problems))
    }

    // MARK: - One record

    @Test("a record is read by its id as it is shown in the list, by those who see it there")
    func single() async throws {
        let house = try await Self.lived()
        let all = house.store.log(.portfolio(house.ids.portfolio)) + house.store.log(.gateway)
        for person in [House.Person.owner, .manager, .tenant, .auditor, .maintenance, .guest, .stranger, .superAdmin] {
            let listed = try await Self.records(house, "", as: person)
            let shown = Dictionary(uniqueKeysWithValues: listed.map { ($0["id"].text ?? "", $0) })
            for record in all {
                let reply = try await house.call(.get, "/access-records/\(record.body.id)", as: person)
                if let expected = shown["\(record.body.id)"] {
                    #expect(reply.status == 200 && reply.data["accessRecord"] == expected)
                } else {
                    #expect(reply.status == 403, "\(person)")
                    #expect(reply.code == (person == .superAdmin ? "role_insufficient" : "forbidden"))
                }
            }
        }
    }

    @Test("a record out of reach answers as one that does not exist; a super admin learns that it does not exist")
    func reach() async throws {
        let house = try await Self.lived()
        let record = try #require(house.store.log(.portfolio(house.ids.portfolio)).first).body.id
        var replies: [Reply] = []
        for id in ["\(record)", "\(RecordID(high: 0xAB, low: 0xCD))", "nonsense"] {
            replies.append(try await house.call(.get, "/access-records/\(id)", as: .stranger))
        }
        #expect(replies[0].status == 403 && replies[0].code == "forbidden")
        #expect(Set(replies.map(\.withoutRequestID)).count == 1)
        let missing = try await house.call(.get, "/access-records/\(RecordID(high: 0xAB, low: 0xCD))", as: .superAdmin)
        #expect(missing.status == 404)
        #expect(try await house.call(.get, "/access-records/\(record)?x=1", as: .owner).problems == ["x: unknown_key"])
    }
}
