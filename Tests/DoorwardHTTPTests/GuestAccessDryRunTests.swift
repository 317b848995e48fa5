import DoorwardControl
import DoorwardDomain
import DoorwardKernel
import DoorwardStore
import DoorwardTesting
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import DoorwardHTTP

/// `?dryRun=true` of the requests that grant and change guest accesses.
@Suite struct GuestAccessDryRunTests {
    /// A house over a real database, whose files show each write.
    private struct World {
        let house: House
        let folder: URL
        /// An access that the tenant granted, with a link, and one that was revoked.
        var linked = ""
        var revoked = ""

        var ids: House.IDs { house.ids }

        /// The content of the database and of its log of writes.
        var files: [Data] {
            get throws { try ["doorward.db", "doorward.db-wal"].map { try Data(contentsOf: folder.appending(path: $0)) } }
        }
    }

    private func withWorld(_ body: (World) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-dry-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteStore.open(
            path: folder.appending(path: "doorward.db").path, clock: VirtualClock(), random: SeededGenerator(seed: 9),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let house = try await House(database: store)
        var world = World(house: house, folder: folder)
        for access in [\World.linked, \World.revoked] {
            let reply = try await house.call(.post, "/guest-access", as: .tenant, Self.grant(world, ""))
            world[keyPath: access] = try #require(reply.data["guestAccess"]["id"].text, "\(reply.text)")
        }
        #expect(try await house.call(.post, "/guest-access/\(world.linked)/link", as: .tenant).status == 201)
        #expect(try await house.call(.delete, "/guest-access/\(world.revoked)", as: .tenant).status == 204)
        try await body(world)
        await house.control.stop()
    }

    /// A body whose fields replace those of a valid one.
    private static func grant(_ world: World, _ fields: String) -> String {
        var members = [
            ("label", #""Courier""#), ("deviceIds", "[\"\(world.ids.door)\"]"), ("operations", #"["UNLOCK"]"#),
            ("validFrom", #""2026-11-21T08:00:00Z""#), ("validUntil", #""2026-12-21T12:00:00Z""#),
        ]
        members.removeAll { fields.contains("\"\($0.0)\":") }
        return "{\(([fields] + members.map { "\"\($0.0)\":\($0.1)" }).filter { !$0.isEmpty }.joined(separator: ","))}"
    }

    /// A request, and the status of the real call.
    private struct Row {
        let method: HTTPRequest.Method
        let path: String
        let person: House.Person
        let body: String
        let status: Int
        var code: String?
        var headers: [HTTPField.Name: String] = [:]

        init(
            _ method: HTTPRequest.Method, _ path: String, _ person: House.Person, _ body: String, _ status: Int,
            _ code: String? = nil, headers: [HTTPField.Name: String] = [:]
        ) {
            (self.method, self.path, self.person, self.body) = (method, path, person, body)
            (self.status, self.code, self.headers) = (status, code, headers)
        }
    }

    private static let hours =
        #""schedule":{"periods":[{"days":["SAT","MON"],"from":"10:00","until":"11:00"}],"specialDays":[]}"#

    private static func grants(_ world: World) -> [Row] {
        let ids = world.ids
        func row(_ person: House.Person, _ fields: String, _ status: Int, _ code: String? = nil) -> Row {
            Row(.post, "/guest-access", person, grant(world, fields), status, code)
        }
        return [
            row(.tenant, "", 201), row(.tenant, #""guestEmail":"nobody@example.com","maxUses":3"#, 201),
            row(.manager, #""guestUserId":"\#(ids[.guest])","deviceIds":["\#(ids.frontDoor)"],\#(hours)"#, 201),
            row(.tenant, #""timeZone":"Europe/Berlin","validFrom":"2027-03-28T02:30","validUntil":"2027-03-28T04:00""#, 201),
            row(.tenant, #""timeZone":"Europe/Berlin","validFrom":"2026-10-25T02:30","fold":"second""#, 201),
            row(.tenant, #""validUntil":"2026-11-21T08:00:00Z""#, 400, "invalid_request"),
            row(.tenant, #""validUntil":"2036-11-21T08:00:00Z","operations":[]"#, 400, "invalid_request"),
            row(.tenant, #""validFrom":"yesterday","surprise":1"#, 400, "invalid_request"),
            row(.owner, #""deviceIds":["\#(ids.door)"],"unitId":"\#(ids.otherUnit)""#, 400, "invalid_request"),
            row(.tenant, #""deviceIds":["\#(ids.simulated)"]"#, 403, "forbidden"),
            row(.tenant, #""deviceIds":["\#(ids.foreignDoor)"]"#, 403, "forbidden"),
            row(.tenant, #""deviceIds":["\#(UUID())"]"#, 403, "forbidden"),
            row(.maintenance, "", 403, "role_insufficient"), row(.guest, "", 403, "operation_not_granted"),
            row(.owner, #""guestEmail":"unknown@example.com""#, 404, "not_found"),
        ]
    }

    private static func changes(_ world: World, tag: String) -> [Row] {
        let ids = world.ids
        let path = "/guest-access/\(world.linked)"
        let stale: [HTTPField.Name: String] = [.ifMatch: #""0""#]
        return [
            Row(.put, path, .tenant, #"{"label":"Painter"}"#, 412, "precondition_failed", headers: stale),
            Row(.put, path, .tenant, #"{"label":"Painter"}"#, 200, headers: [.ifMatch: tag]),
            Row(.put, path, .tenant, #"{"label":"Painter"}"#, 412, "precondition_failed", headers: [.ifMatch: tag]),
            Row(.put, path, .tenant, "{}", 200), Row(.put, path, .tenant, "{\(hours),\"maxUses\":4}", 200),
            Row(.put, path, .tenant, #"{"timeZone":"Europe/Berlin","validUntil":"2027-03-28T02:30"}"#, 200),
            Row(.put, path, .tenant, #"{"validUntil":"2020-01-01T00:00:00Z"}"#, 400, "invalid_request"),
            Row(.put, path, .tenant, #"{"propertyId":"x"}"#, 400, "invalid_request"),
            Row(.put, path, .tenant, #"{"deviceIds":["\#(ids.simulated)"]}"#, 403, "forbidden"),
            Row(.put, path, .auditor, #"{"label":"x"}"#, 403, "forbidden"),
            Row(.put, path, .neighbour, #"{"label":"x"}"#, 403, "forbidden"),
            Row(.put, "/guest-access/\(UUID())", .tenant, #"{"label":"x"}"#, 403, "forbidden"),
            Row(.put, "/guest-access/\(world.revoked)", .tenant, #"{"label":"x"}"#, 409, "conflict"),
            // The creator of the link could not grant this: the link ends.
            Row(.put, path, .manager, #"{"deviceIds":["\#(ids.door)","\#(ids.simulated)"]}"#, 200),
            // An end that has passed ends the access now.
            Row(.put, path, .manager, #"{"schedule":null,"validUntil":"2026-11-21T08:00:01Z"}"#, 200),
        ]
    }

    @Test("A dry run of a grant or a change is answered as the real call is, and changes nothing")
    func equality() async throws {
        try await withWorld { world in
            let house = world.house
            let tag = try #require(
                try await house.call(.get, "/guest-access/\(world.linked)", as: .tenant).headers[.eTag])
            var warnings = 0
            for row in Self.grants(world) + Self.changes(world, tag: tag) {
                let dry = try await self.dryRun(row, in: world)
                let real = try await house.call(
                    row.method, row.path + "?preview=3", as: row.person, row.body, headers: row.headers)
                #expect(real.status == row.status && real.code == row.code, "\(row.body): \(real.text)")
                #expect(dry.status == (real.status == 201 ? 200 : real.status), "\(row.body): \(dry.text)")
                #expect(dry.code == real.code && dry.json["message"] == real.json["message"])
                #expect(dry.details == real.details && dry.problems == real.problems)
                #expect(dry.headers[.eTag] == real.headers[.eTag] && dry.headers[.location] == nil)
                var expected = real.data
                if row.method == .post { expected = Self.drafted(expected) }
                #expect(dry.data == expected, "\(row.body)")
                if dry.data["warning"].text != nil { warnings += 1 }
            }
            #expect(warnings == 1)
        }
    }

    /// The data of a grant without what its dry run leaves out.
    private static func drafted(_ data: JSONValue) -> JSONValue {
        guard case .object(var data) = data, case .object(var access)? = data["guestAccess"] else { return data }
        for name in ["id", "guestUserId", "guest"] { #expect(access.removeValue(forKey: name) != nil) }
        data["guestAccess"] = .object(access)
        return .object(data)
    }

    /// The response to the dry run, which leaves the store, the tenancy and the feed of the streams as they are.
    private func dryRun(_ row: Row, in world: World, headers: [HTTPField.Name: String] = [:]) async throws -> Reply {
        let house = world.house
        let (files, position) = (try world.files, house.control.feed.position)
        let snapshot = house.control.directory.snapshot
        let reply = try await house.call(
            row.method, row.path + "?dryRun=true&preview=3", as: row.person, row.body,
            headers: row.headers.merging(headers) { $1 })
        #expect(try world.files == files, "\(row.body) has written")
        #expect(house.control.feed.position == position, "\(row.body) would send an event")
        #expect(house.control.directory.snapshot === snapshot, "\(row.body) has changed the tenancy")
        return reply
    }

    @Test("A dry run neither uses nor takes an idempotency key, whose form is checked all the same")
    func idempotency() async throws {
        try await withWorld { world in
            let house = world.house
            let row = Row(.post, "/guest-access", .tenant, Self.grant(world, ""), 201)
            let key: [HTTPField.Name: String] = [.idempotencyKey: "k"]
            #expect(try await dryRun(row, in: world, headers: key).status == 200)
            let real = try await house.call(.post, row.path, as: .tenant, row.body, headers: key)
            #expect(real.status == 201 && real.headers[.idempotentReplayed] == nil, "\(real.text)")
            let again = try await dryRun(row, in: world, headers: key)
            #expect(
                again.status == 200 && again.headers[.idempotentReplayed] == nil && !again.data["guestAccess"].keys.contains("id")
            )
            let replayed = try await house.call(.post, row.path, as: .tenant, row.body, headers: key)
            #expect(replayed.status == 201 && replayed.headers[.idempotentReplayed] == "true")
            let malformed = try await dryRun(row, in: world, headers: [.idempotencyKey: "a b"])
            #expect(malformed.problems == ["Idempotency-Key: malformed"], "\(malformed.text)")
        }
    }

    @Test("The modules and limits of the subscription refuse a dry run as they refuse the call")
    func subscription() async throws {
        try await withWorld { world in
            let house = world.house
            let path = "/portfolios/\(world.ids.portfolio)/subscription"
            for (settings, code) in [
                (#"{"limits":{"maxActiveGuestAccess":1}}"#, "limit_reached"),
                (#"{"modules":{"recurringSchedules":false},"limits":{"maxActiveGuestAccess":null}}"#, "feature_unavailable"),
            ] {
                let set = try await house.call(.put, path, as: .superAdmin, settings)
                #expect(set.status == 200, "\(set.text)")
                let row = Row(.post, "/guest-access", .tenant, Self.grant(world, Self.hours), 403, code)
                let (dry, real) = (
                    try await dryRun(row, in: world), try await house.call(.post, row.path, as: .tenant, row.body)
                )
                #expect(dry.status == 403 && dry.code == code, "\(dry.text)")
                #expect(dry.details == real.details && real.code == code)
            }
        }
    }

    @Test("While a write is in doubt a dry run is answered as the call is: it might show what is not so")
    func unavailable() async throws {
        let house = try await House()
        let body =
            #"{"label":"Courier","deviceIds":["\#(house.ids.door)"],"operations":["UNLOCK"],"#
            + #""validFrom":"2026-11-21T08:00:00Z","validUntil":"2026-11-21T12:00:00Z"}"#
        house.store.failNext(.failed("disk"))
        #expect(try await house.call(.post, "/guest-access", as: .tenant, body).status >= 500)
        #expect(try await house.call(.post, "/guest-access?dryRun=true", as: .tenant, body).status == 503)
    }
}
