import DoorwardControl
import DoorwardDomain
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
}
