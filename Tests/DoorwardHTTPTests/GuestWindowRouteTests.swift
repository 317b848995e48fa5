import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Windows, schedules and uses of guest accesses over HTTP.
@Suite struct GuestWindowRouteTests {
    /// A body whose fields replace those of a valid one.
    private func body(_ house: House, _ fields: String) -> String {
        var members = [
            ("label", #""Courier""#), ("deviceIds", "[\"\(house.ids.door)\"]"), ("operations", #"["UNLOCK"]"#),
            ("validFrom", #""2026-11-21T08:00:00Z""#), ("validUntil", #""2026-11-21T12:00:00Z""#),
        ]
        members.removeAll { fields.contains("\"\($0.0)\":") }
        let text = members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
        return "{\(text)\(fields.isEmpty ? "" : ",\(fields)")}"
    }

    @Test("Local times are converted in their zone, and the response says how")
    func local() async throws {
        let house = try await House()
        for (fields, from, until, how) in [
            (
                #""timeZone":"Europe/Berlin","validFrom":"2027-03-28T02:30","validUntil":"2027-03-28T04:00:00""#,
                "2027-03-28T01:00:00.000Z", "2027-03-28T02:00:00.000Z", ("gap", "none")
            ),
            (
                #""timeZone":"Europe/Berlin","validFrom":"2026-10-25T02:30","validUntil":"2026-10-25T02:45","fold":"second""#,
                "2026-10-25T01:30:00.000Z", "2026-10-25T01:45:00.000Z", ("overlap", "overlap")
            ),
            (
                #""timeZone":"Australia/Lord_Howe","validFrom":"2027-04-04T01:45","validUntil":"2027-04-03T15:00:00Z""#,
                "2027-04-03T14:45:00.000Z", "2027-04-03T15:00:00.000Z", ("overlap", "none")
            ),
        ] {
            let reply = try await house.call(.post, "/guest-access", as: .tenant, body(house, fields))
            #expect(reply.status == 201, "\(reply.text)")
            let access = reply.data["guestAccess"]
            #expect(access["validFrom"].text == from)
            #expect(access["validUntil"].text == until)
            #expect(access["resolution"]["validFrom"].text == how.0)
            #expect(access["resolution"]["validUntil"].text == how.1)
            #expect(access["resolution"]["timeZone"].text?.contains("/") == true)
        }
    }

    @Test(
        "A window lasts at most five calendar years, on the clock of its zone",
        arguments: [
            (#""validFrom":"2026-11-21T08:00:00Z","validUntil":"2031-11-21T08:00:00Z""#, true),
            (#""validFrom":"2026-11-21T08:00:00Z","validUntil":"2031-11-21T08:00:00.001Z""#, false),
            // 1,830 days: four more than five years have.
            (#""validFrom":"2026-11-21T08:00:00Z","validUntil":"2031-11-25T08:00:00Z""#, false),
            (#""validFrom":"2028-02-29T08:00:00Z","validUntil":"2033-02-28T08:00:00Z""#, true),
            (#""validFrom":"2028-02-29T08:00:00Z","validUntil":"2033-03-01T08:00:00Z""#, false),
            // Summer time begins on 25 March in 2029, and on 26 March in 2034.
            (#""timeZone":"Europe/Berlin","validFrom":"2029-03-25T12:00","validUntil":"2034-03-25T12:00""#, true),
            (#""timeZone":"Europe/Berlin","validFrom":"2029-03-25T12:00","validUntil":"2034-03-25T12:01""#, false),
        ])
    func longest(_ fields: String, isAccepted: Bool) async throws {
        let house = try await House()
        let reply = try await house.call(.post, "/guest-access", as: .tenant, body(house, fields))
        #expect(reply.status == (isAccepted ? 201 : 400), "\(reply.text)")
        if !isAccepted { #expect(reply.problems == ["validUntil: window_too_long"]) }
        let granted = try await house.call(.post, "/guest-access", as: .tenant, body(house, ""))
        let path = "/guest-access/\(try #require(granted.data["guestAccess"]["id"].text))"
        let changed = try await house.call(.put, path, as: .tenant, "{\(fields)}")
        #expect(changed.status == (isAccepted ? 200 : 400), "\(changed.text)")
    }

    @Test(
        "Each wrong field has its own problem, and nothing is granted",
        arguments: [
            (#""validUntil":"2026-11-21T08:00:00Z""#, ["validUntil: end_not_after_start"]),
            (#""validFrom":"2026-11-21T08:00""#, ["validFrom: missing_zone"]),
            (#""validFrom":"2026-11-21T08:00:00""#, ["validFrom: missing_zone"]),
            (#""validFrom":"yesterday""#, ["validFrom: bad_time"]), (#""validFrom":"2026-02-30T08:00""#, ["validFrom: bad_time"]),
            (#""timeZone":"Europe/Nowhere","validFrom":"2026-11-21T08:00""#, ["timeZone: unknown_zone"]),
            (#""timeZone":"EST""#, ["timeZone: unknown_zone"]),
            (#""validUntil":"2126-11-21T08:00:00Z""#, ["validUntil: window_too_long"]),
            (#""deviceIds":[]"#, ["deviceIds: empty"]), (#""operations":[]"#, ["operations: empty"]),
            (#""operations":["GRANT_ACCESS"]"#, ["operations: not_grantable"]), (#""maxUses":0"#, ["maxUses: out_of_range"]),
            (#""fold":"third""#, ["fold: unknown_value"]), (#""usesLeft":3"#, ["usesLeft: unknown_key"]),
            (#""schedule":{}"#, ["schedule.periods: required"]),
            (#""schedule":{"periods":[],"rrule":"x"}"#, ["schedule.rrule: unknown_key"]),
            (#""schedule":{"timeZone":"Mars/Base","periods":[]}"#, ["schedule.timeZone: unknown_zone"]),
            (
                #""schedule":{"periods":[{"days":["MON","FOO"],"from":"09:00","until":"17:00"}]}"#,
                ["schedule.periods[0].days: unknown_day"]
            ),
            (#""schedule":{"periods":[{"days":[],"from":"09:00","until":"17:00"}]}"#, ["schedule.periods[0].days: empty"]),
            (
                #""schedule":{"periods":[{"days":["MON"],"from":"24:00","until":"25:00"}]}"#,
                ["schedule.periods[0].from: bad_time", "schedule.periods[0].until: bad_time"]
            ),
            (
                #""schedule":{"periods":[],"specialDays":[{"date":"2026-02-29","periods":[{"from":"9:00","until":"10:00"}]}]}"#,
                ["schedule.specialDays[0].date: bad_time", "schedule.specialDays[0].periods[0].from: bad_time"]
            ),
            (#""schedule":{"periods":["x"]}"#, ["schedule.periods[0]: wrong_type"]),
        ])
    func bad(_ fields: String, _ problems: [String]) async throws {
        let house = try await House()
        let reply = try await house.call(.post, "/guest-access", as: .tenant, body(house, fields))
        #expect(reply.status == 400, "\(reply.text)")
        #expect(reply.problems == problems)
        let listed = try await house.call(.get, "/guest-access", as: .tenant).data["pagination"]["totalItems"].number
        #expect(listed == 1, "only the guest access of the house")
    }

    @Test("A schedule is shown as it was given, decides, and its intervals can be previewed")
    func schedule() async throws {
        let house = try await House()
        let schedule =
            #"{"timeZone":"Europe/Rome","periods":[{"days":["SAT","MON"],"from":"10:00","until":"11:00"},"#
            + #"{"days":["SUN"],"from":"22:00","until":"06:00"}],"specialDays":[{"date":"2026-12-25","periods":[]}],"#
            + #""specialDayCut":"start"}"#
        let fields = #""validUntil":"2026-12-31T12:00:00Z","maxUses":3,"schedule":\#(schedule)"#
        let granted = try await house.call(.post, "/guest-access", as: .tenant, body(house, fields)).data["guestAccess"]
        let id = try #require(granted["id"].text)
        #expect(granted["schedule"]["periods"][0]["days"] == .array([.string("MON"), .string("SAT")]))
        #expect(granted["schedule"]["periods"][1]["until"].text == "06:00")
        #expect(granted["schedule"]["specialDayCut"].text == "start")
        #expect(granted["usesLeft"].number == 3)
        let read = try await house.call(.get, "/guest-access/\(id)?preview=3", as: .tenant)
        #expect(read.data["intervals"].elements.count == 3)
        #expect(read.data["intervals"][0]["from"].text == "2026-11-21T09:00:00.000Z", "10:00 in Rome on a Saturday")
        #expect(read.data["intervals"][0]["until"].text == "2026-11-21T10:00:00.000Z")
        for count in ["0", "101", "x", "-1"] {
            #expect(try await house.call(.get, "/guest-access/\(id)?preview=\(count)", as: .tenant).status == 400)
        }
        let changed = try await house.call(.put, "/guest-access/\(id)", as: .tenant, #"{"schedule":null,"maxUses":null}"#)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.data["guestAccess"]["schedule"] == .null)
        #expect(changed.data["guestAccess"]["usesLeft"] == .null)
        let intervals = try await house.call(.get, "/guest-access/\(id)?preview=3", as: .tenant).data["intervals"]
        #expect(intervals.elements.count == 1)
    }

    @Test("A change needs the version that was read, which a use does not alter, and rejects fields that cannot change")
    func change() async throws {
        let house = try await House()
        let body = body(house, #""guestUserId":"\#(house.ids[.nobody])","maxUses":2"#)
        let id = try #require(try await house.call(.post, "/guest-access", as: .tenant, body).data["guestAccess"]["id"].text)
        let tag = try #require(try await house.call(.get, "/guest-access/\(id)", as: .tenant).headers[.eTag])
        #expect(try await house.command(as: .nobody).status == 200)
        let path = "/guest-access/\(id)"
        let changed = try await house.call(.put, path, as: .tenant, #"{"maxUses":1}"#, headers: [.ifMatch: tag])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.data["guestAccess"]["usesLeft"].number == 0)
        #expect(try await house.call(.put, path, as: .tenant, #"{"maxUses":5}"#, headers: [.ifMatch: tag]).status == 412)
        let exhausted = try await house.command(as: .nobody)
        #expect(exhausted.status == 403)
        #expect(exhausted.code == "guest_uses_exhausted")
        #expect(try await house.call(.put, path, as: .tenant, #"{"propertyId":"x"}"#).problems == ["propertyId: read_only"])
        #expect(try await house.call(.put, path, as: .tenant, #"{"validUntil":null}"#).problems == ["validUntil: required"])
        #expect(try await house.call(.put, path, as: .neighbour, #"{"label":"x"}"#).code == "forbidden")
        #expect(try await house.call(.put, path, as: .auditor, #"{"label":"x"}"#).status == 403)
        #expect(try await house.call(.delete, path, as: .tenant).status == 204)
        #expect(try await house.call(.put, path, as: .tenant, #"{"label":"x"}"#).code == "conflict")
    }

    @Test(
        "A guest reads the names of the locks before the window begins and until 30 days after its end, but no list and no state",
        arguments: [(3600, 7200, true), (-30 * 86_400, -29 * 86_400, true), (-32 * 86_400, -31 * 86_400, false)])
    func deviceNames(_ from: Int, _ until: Int, _ isNamed: Bool) async throws {
        let house = try await House()
        func time(_ seconds: Int) -> String { house.clock.now().advanced(by: .seconds(seconds)).description }
        let fields =
            #""guestUserId":"\#(house.ids[.nobody])","validFrom":"\#(time(from))","validUntil":"\#(time(until))""#
        let granted = try await house.call(.post, "/guest-access", as: .tenant, body(house, fields))
        let path = "/guest-access/\(try #require(granted.data["guestAccess"]["id"].text, "\(granted.text)"))"
        let door = house.control.directory.current.device(house.ids.door)
        let names = JSONValue.array([
            .object(["id": .string(house.ids.door.description), "name": .string(try #require(door?.name))])
        ])
        #expect(try await !house.call(.get, path, as: .nobody).data.keys.contains("devices"), "only if they are asked for")
        #expect(try await !house.call(.get, "\(path)?deviceNames=false", as: .nobody).data.keys.contains("devices"))
        let read = try await house.call(.get, "\(path)?deviceNames=true&preview=1", as: .nobody)
        #expect(read.data["devices"] == (isNamed ? names : .array([])), "\(read.text)")
        #expect(read.data.keys == ["guestAccess", "intervals", "devices"])
        #expect(try await house.call(.get, "/devices", as: .nobody).data["devices"].elements.isEmpty)
        let state = try await house.call(.get, "/devices/\(house.ids.door)", as: .nobody)
        let name = try #require(door?.name)
        #expect(state.status == 403 && !state.text.contains(name), "\(state.text)")
        #expect(try await house.call(.get, "\(path)?deviceNames=true", as: .tenant).data["devices"] == names, "the grantor")
        #expect(try await house.call(.get, "\(path)?deviceNames=true", as: .neighbour).code == "forbidden")
        #expect(try await house.call(.get, "\(path)?deviceNames=yes", as: .tenant).status == 400)
    }

    @Test("The accesses with a link are listed to those who may end it, until it ends or the access does")
    func hasLink() async throws {
        let house = try await House()
        let granted = try await house.call(
            .post, "/guest-access", as: .tenant, body(house, #""guestUserId":"\#(house.ids[.nobody])""#))
        let id = try #require(granted.data["guestAccess"]["id"].text)
        func listed(_ hasLink: Bool, _ person: House.Person) async throws -> Bool {
            let list = try await house.call(.get, "/guest-access?hasLink=\(hasLink)", as: person).data["guestAccesses"]
            return list.elements.contains { $0["id"].text == id }
        }
        #expect(try await !listed(true, .tenant))
        #expect(try await listed(false, .tenant))
        #expect(try await house.call(.post, "/guest-access/\(id)/link", as: .tenant).status == 201)
        for person in [House.Person.tenant, .manager] {
            #expect(try await listed(true, person))
            #expect(try await !listed(false, person))
        }
        #expect(try await !listed(true, .nobody), "the guest may not end the link")
        #expect(try await listed(false, .nobody))
        #expect(try await !listed(true, .neighbour))
        #expect(try await !listed(false, .neighbour))
        #expect(try await house.call(.delete, "/guest-access/\(id)/link", as: .tenant).status == 204)
        #expect(try await !listed(true, .tenant))
        #expect(try await house.call(.post, "/guest-access/\(id)/link", as: .tenant).status == 201)
        house.clock.advance(by: .seconds(86_400))
        #expect(try await !listed(true, .tenant), "the link has ended with the access")
        #expect(try await house.call(.get, "/guest-access?hasLink=maybe", as: .tenant).status == 400)
    }
}
