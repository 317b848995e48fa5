import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Wrong bodies and queries: each error is reported, and nothing is written.
@Suite struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let person: House.Person
        let method: HTTPRequest.Method
        let path: String
        let body: String
        let problems: [String]

        init(_ person: House.Person, _ path: String, _ body: String, _ problems: [String], method: HTTPRequest.Method = .post) {
            (self.person, self.method, self.path, self.body, self.problems) = (person, method, path, body, problems)
        }

        var testDescription: String { "\(method) \(path) \(body.prefix(80))" }
    }

    private static let long = String(repeating: "x", count: 201)
    private static let guest = #""label":"g","deviceIds":["D"],"operations":["UNLOCK"]"#

    static let cases: [Case] = [
        Case(.superAdmin, "/portfolios", "{", ["body: not_json"]),
        Case(.superAdmin, "/portfolios", "[]", ["body: wrong_type"]),
        Case(.superAdmin, "/portfolios", "\u{FEFF}{}", ["body: not_json"]),
        Case(.superAdmin, "/portfolios", #"{"name":"a","name":"b"}"#, ["name: duplicate_key"]),
        Case(.superAdmin, "/portfolios", #"{"name":"a"} x"#, ["body: not_json"]),
        Case(.superAdmin, "/portfolios", "{}", ["name: required"]),
        Case(.superAdmin, "/portfolios", #"{"name":null}"#, ["name: required"]),
        Case(.superAdmin, "/portfolios", #"{"name":1}"#, ["name: wrong_type"]),
        Case(.superAdmin, "/portfolios", #"{"name":" "}"#, ["name: blank"]),
        Case(.superAdmin, "/portfolios", #"{"name":"\#(long)"}"#, ["name: too_long"]),
        // The length is that of the text as sent, as the document says.
        Case(.superAdmin, "/portfolios", #"{"name":"A\#(String(repeating: " ", count: 500))"}"#, ["name: too_long"]),
        Case(.superAdmin, "/portfolios", #"{"name":"a\u0000b"}"#, ["name: control_character"]),
        Case(.superAdmin, "/portfolios", #"{"name":"a\u202eb"}"#, ["name: control_character"]),
        Case(.superAdmin, "/portfolios", #"{"name":"a","propertyIds":[]}"#, ["propertyIds: read_only"]),
        Case(.superAdmin, "/portfolios", #"{"name":"a","administratorUserIds":"x"}"#, ["administratorUserIds: wrong_type"]),
        Case(.superAdmin, "/portfolios", #"{"name":"a","administratorUserIds":[1]}"#, ["administratorUserIds[0]: wrong_type"]),
        Case(
            .superAdmin, "/portfolios", #"{"Name":"a","color":"red"}"#,
            ["Name: unknown_key", "color: unknown_key", "name: required"]),
        Case(
            .owner, "/portfolios/P/properties", #"{"name":"a","defaultTimeZone":"Mars/Olympus"}"#,
            ["defaultTimeZone: unknown_zone"]),
        Case(
            .owner, "/portfolios/P/properties", #"{"name":"a","defaultTimeZone":"../etc/passwd"}"#,
            ["defaultTimeZone: unknown_zone"]),
        Case(
            .owner, "/portfolios/P/properties", #"{"name":"a","address":{"street":1,"planet":"x"},"unitIds":[]}"#,
            ["address.planet: unknown_key", "address.street: wrong_type", "unitIds: read_only"]),
        Case(
            .superAdmin, "/users", #"{"email":"x","firstName":"","lastName":"b","password":"short"}"#,
            ["email: bad_email", "firstName: blank", "password: too_short"]),
        Case(.superAdmin, "/users", #"{"email":"a@b","firstName":"a","lastName":"b","password":null}"#, ["password: required"]),
        Case(
            .superAdmin, "/users", #"{"email":"a@b","firstName":"a","lastName":"b","password":"passwordpassword"}"#,
            ["password: too_common"]),
        Case(
            .superAdmin, "/users",
            #"{"email":"a@b","firstName":"a","lastName":"b","password":"fifteen letters or more","isSuperAdmin":true}"#,
            ["isSuperAdmin: unknown_key"]),
        Case(.owner, "/portfolios/P/admins", #"{"userId":"U","role":"TENANT"}"#, ["role: unknown_value"]),
        Case(.owner, "/portfolios/P/admins", #"{"email":"a@b","userId":"U","role":"OWNER"}"#, ["email: exclusive"]),
        Case(.owner, "/properties/R/managers", #"{"userId":"U","role":"OWNER"}"#, ["role: unknown_value"]),
        Case(.owner, "/units/T/tenants", #"{"userId":"U","role":"GUEST"}"#, ["role: unknown_value"]),
        Case(.owner, "/devices", "{}", ["adapter: required", "address: required", "name: required", "propertyId: required"]),
        Case(.owner, "/devices", #"{"name":"a","adapter":"nuki","address":{},"propertyId":"R"}"#, ["adapter: unknown_value"]),
        Case(.owner, "/devices", #"{"name":"a","adapter":"scripted","address":[],"propertyId":"R"}"#, ["address: wrong_type"]),
        Case(.tenant, "/devices/D/unlock", #"{"timeoutMs":99}"#, ["timeoutMs: out_of_range"]),
        Case(.tenant, "/devices/D/unlock", #"{"timeoutMs":60001}"#, ["timeoutMs: out_of_range"]),
        Case(.tenant, "/devices/D/unlock", #"{"timeoutMs":1.5}"#, ["timeoutMs: wrong_type"]),
        Case(.tenant, "/devices/D/unlock", #"{"timeoutMs":"1000"}"#, ["timeoutMs: wrong_type"]),
        Case(.tenant, "/devices/D/unlock", #"{"override":{}}"#, ["override.reason: required"]),
        Case(.tenant, "/devices/D/unlock", #"{"override":true,"force":1}"#, ["force: unknown_key", "override: wrong_type"]),
        Case(
            .tenant, "/guest-access", "{}",
            ["deviceIds: required", "operations: required", "validFrom: required", "validUntil: required"]),
        Case(
            .tenant, "/guest-access", #"{\#(guest),"validFrom":"2026-11-21T08:00:00","validUntil":"tomorrow"}"#,
            ["validFrom: missing_zone", "validUntil: bad_time"]),
        Case(
            .tenant, "/guest-access", #"{\#(guest),"validFrom":"2026-11-21T08:00:00Z","validUntil":"2026-11-21T08:00:00Z"}"#,
            ["validUntil: end_not_after_start"]),
        Case(
            .tenant, "/guest-access", #"{\#(guest),"validFrom":"2026-11-21T08:00:00Z","validUntil":"2036-11-21T08:00:00Z"}"#,
            ["validUntil: window_too_long"]),
        Case(
            .tenant, "/guest-access",
            #"{\#(guest),"validFrom":"2026-11-21T08:00:00Z","validUntil":"2026-11-22T08:00:00Z","maxUses":0,"schedule":{}}"#,
            ["maxUses: out_of_range", "schedule.periods: required"]),
        Case(
            .tenant, "/guest-access",
            #"{"deviceIds":[],"operations":[],"validFrom":"2026-11-21T08:00:00Z","validUntil":"2026-11-22T08:00:00Z"}"#,
            ["guestUserId: required", "deviceIds: empty", "operations: empty"]),
        Case(
            .tenant, "/guest-access",
            #"{"label":"g","deviceIds":["D"],"operations":["OPEN"],"validFrom":"2026-11-21T08:00:00Z","#
                + #""validUntil":"2026-11-22T08:00:00Z"}"#, ["operations: unknown_value"]),
        Case(
            .tenant, "/guest-access",
            #"{"label":"g","deviceIds":["D"],"operations":["GRANT_ACCESS"],"validFrom":"2026-11-21T08:00:00Z","#
                + #""validUntil":"2026-11-22T08:00:00Z"}"#, ["operations: not_grantable"]),
        Case(.owner, "/simulator/devices/S/events", #"{"event":"explode"}"#, ["event: unknown_value"]),
        Case(.owner, "/simulator/devices/S/events", "{}", ["event: required"]),
        Case(.owner, "/simulator/devices/S/events", #"{"event":""}"#, ["event: unknown_value"]),
        Case(.tenant, "/users/me", #"{"firstName":null}"#, ["firstName: required"], method: .put),
        Case(.tenant, "/users/me", #"{"email":"a@b"}"#, ["email: unknown_key"], method: .put),
        Case(.tenant, "/users/me", #"{"isEnabled":false}"#, ["isEnabled: unknown_key"], method: .put),
        Case(.superAdmin, "/users/U", #"{"isEnabled":"no"}"#, ["isEnabled: wrong_type"], method: .put),
        Case(.superAdmin, "/users/U", #"{"isEnabled":null}"#, ["isEnabled: required"], method: .put),
        Case(.tenant, "/auth/logout", #"{"all":true}"#, ["all: unknown_key"]),
        Case(.tenant, "/users/me", #"{"x":1}"#, ["x: unknown_key"], method: .get),
    ]

    @Test("Every error in a body is reported, and nothing is written", arguments: cases)
    func bodies(_ bad: Case) async throws {
        let house = try await House()
        let before = house.store.commitCount
        let replacements = [
            "/P/": "/\(house.ids.portfolio)/", "/R/": "/\(house.ids.property)/", "/T/": "/\(house.ids.unit)/",
            "/D/": "/\(house.ids.door)/", "/S/": "/\(house.ids.simulated)/", "/U": "/\(house.ids[.tenant])",
            #""D""#: "\"\(house.ids.door)\"", #""U""#: "\"\(house.ids[.tenant])\"", #""R""#: "\"\(house.ids.property)\"",
        ]
        var (path, body) = (bad.path, bad.body)
        for (from, to) in replacements {
            path = path.replacing(from, with: to)
            body = body.replacing(from, with: to)
        }
        let reply = try await house.call(bad.method, path, as: bad.person, body)
        #expect(reply.status == 400, "\(reply.text)")
        #expect(reply.code == "invalid_request")
        #expect(reply.problems.sorted() == bad.problems.sorted())
        #expect(house.store.commitCount == before)
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test(
        "Every error in a query is reported",
        arguments: [
            ("/devices?page=0", ["page: out_of_range"]), ("/devices?page=x", ["page: wrong_type"]),
            ("/devices?limit=201", ["limit: out_of_range"]),
            ("/devices?limit=0&page=-1", ["limit: out_of_range", "page: out_of_range"]),
            ("/devices?sortBy=color", ["sortBy: unknown_value"]), ("/devices?sortBy=--name", ["sortBy: unknown_value"]),
            ("/devices?colour=red", ["colour: unknown_key"]), ("/devices?limit=1&limit=2", ["limit: duplicate_key"]),
            ("/devices?state=OPEN", ["state: unknown_value"]), ("/devices?isOnline=yes", ["isOnline: wrong_type"]),
            ("/devices?batteryBelow=102", ["batteryBelow: out_of_range"]), ("/devices?name=%ZZ", ["name=%ZZ: malformed"]),
            ("/devices?name=%C3%28", ["name=%C3%28: malformed"]), ("/units?portfolioId=x", ["portfolioId: unknown_key"]),
            ("/access-records?limit=501", ["limit: out_of_range"]), ("/access-records?order=up", ["order: unknown_value"]),
            ("/access-records?page=2", ["page: unknown_key"]), ("/access-records?kind=DENIAL", []),
            ("/access-records?kind=REFUSAL&reason=x", ["kind: unknown_value", "reason: unknown_value"]),
            ("/access-records?event=JAMMED", ["event: unknown_key"]),
            ("/access-records?cursor=abc", ["cursor: bad_cursor"]), ("/commands?state=FAILED", ["state: unknown_key"]),
            ("/guest-access?active=1", ["active: wrong_type"]), ("/users/me?verbose=1", ["verbose: unknown_key"]),
            ("/portfolios?", []), ("/portfolios?page=2147483647&limit=200", []),
        ])
    func queries(_ path: String, _ problems: [String]) async throws {
        let house = try await House()
        let reply = try await house.call(.get, path, as: .owner)
        #expect(reply.status == (problems.isEmpty ? 200 : 400))
        #expect(reply.problems == problems)
    }

    @Test("A body must be JSON in UTF-8 of at most 64 KiB, with a matching Content-Type")
    func media() async throws {
        let house = try await House()
        for type in ["text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded", ""] {
            let reply = try await house.call(
                .post, "/portfolios", as: .superAdmin, #"{"name":"a"}"#, headers: [.contentType: type])
            #expect(reply.status == 415)
        }
        let charset = try await house.call(
            .post, "/portfolios", as: .superAdmin, #"{"name":"a"}"#,
            headers: [.contentType: "application/json; charset=UTF-8"])
        #expect(charset.status == 201)
        let padding = String(repeating: " ", count: 65_536 - #"{"name":"b"}"#.utf8.count)
        #expect(try await house.call(.post, "/portfolios", as: .superAdmin, #"{"name":"b"}"# + padding).status == 201)
        #expect(try await house.call(.post, "/portfolios", as: .superAdmin, #"{"name":"c"}"# + padding + " ").status == 413)
        #expect(try await house.call(.post, "/devices/\(house.ids.door)/unlock", as: .tenant, "").status == 200)
    }
}
