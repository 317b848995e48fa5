import DoorwardAPI
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Logging
import Testing

@testable import DoorwardHTTP

/// `POST /bulk`: each request is carried out as if it had been sent by itself.
@Suite struct BulkRouteTests {
    // MARK: - The same as by itself

    @Test("The response to an example of every route is the same in a bulk as by itself")
    func everyRoute() async throws {
        var compared = 0
        for answer in RouteAnswer.all where answer.route != "POST /api/v1/bulk" {
            let parts = answer.route.split(separator: " ").map(String.init)
            let isItem = RouteTable.routes.contains {
                $0.method.rawValue == parts[0] && $0.path == parts[1] && BulkRoutes.isItem($0)
            }
            guard isItem, answer.route != "GET /api/v1/adapters" else { continue }
            let alone = try await answer.call(try await RouteHouse())
            let inBulk = try await answer.call(try await RouteHouse(sendsInBulks: true))
            #expect(inBulk.headers.isEmpty, "\(answer.route) was not sent in a bulk")
            #expect(inBulk.status == alone.status, "\(answer.route)\n\(alone.text)\n\(inBulk.text)")
            // The hashes of a log cover the ids of requests, and each backup has a file of its own.
            if !answer.route.contains("/audit/logs/"), !answer.route.contains("/store/backup") {
                #expect(inBulk.json.withoutIDs == alone.json.withoutIDs, "\(answer.route)\n\(alone.text)\n\(inBulk.text)")
                if alone.json == .null { #expect(inBulk.text == alone.text, "\(answer.route)") }
            }
            compared += 1
        }
        #expect(compared > 70)
    }

    /// Requests whose response depends on who sends them, and some that fail.
    private static func requests(_ house: House) -> [(HTTPRequest.Method, String, String?)] {
        let ids = house.ids
        return [
            (.post, "/devices/\(ids.door)/unlock", nil), (.post, "/devices/\(ids.foreignDoor)/unlock", nil),
            (.post, "/devices/x/lock", "{}"), (.put, "/devices/\(ids.door)", #"{"name":"Door"}"#),
            (.put, "/devices/\(ids.door)/settings", #"{"autoRelockSeconds":30}"#), (.get, "/devices", nil),
            (.get, "/users/\(ids[.tenant])", nil), (.post, "/portfolios", #"{"name":"New"}"#), (.get, "/clock", nil),
            (.put, "/portfolios/\(ids.portfolio)/subscription", #"{"tier":"pro"}"#),
            (.post, "/properties/\(ids.property)/lockdown", nil),
            (.delete, "/units/\(ids.unit)?cascade=true", nil), (.get, "/audit/public-key", nil), (.get, "/nothing", nil),
            (.patch, "/devices", nil), (.post, "/devices/\(ids.door)/lock?force=1", nil), (.get, "/devices", #"{"x":1}"#),
            (.post, "/devices/\(ids.door)/lock", "[]"), (.post, "/devices/\(ids.door)/lock", #"{"timeoutMs":1e30}"#),
            (.get, "/access-records?cursor=none", nil), (.head, "/users/me", nil), (.trace, "/users/me", nil),
            (.connect, "/users/me", nil), (.options, "/users/me", nil), (.get, "//users/me", nil), (.get, "/users/./me", nil),
            (.get, "/users/../users/me", nil), (.get, "/users/%6De", nil), (.get, "/users%2Fme", nil),
            (.get, "/users/me#top", nil),
            (.get, "/users/me?", nil), (.get, "/users/me?x=%00", nil), (.get, "/Users/Me", nil), (.get, "/users/me/", nil),
            (.post, "/guest-access", "{}"), (.delete, "/users/\(ids[.guest])?dryRun=true", nil),
        ]
    }

    @Test("Nobody may do more in a bulk than by itself, and no form of a path leads elsewhere", arguments: House.Person.allCases)
    func everyPerson(_ person: House.Person) async throws {
        let (one, other) = (try await House(), try await House())
        for (method, path, body) in Self.requests(one) {
            let fields = HTTPFields(
                [HTTPField(name: .authorization, value: "Bearer \(try await one.token(of: person))")]
                    + (body == nil ? [] : [HTTPField(name: .contentType, value: "application/json")]))
            let alone = try await one.unchecked(method, "/api/v1" + path, fields, body)
            let request = BulkRequest(method: method.rawValue, path: "/api/v1" + path, body: body)
            let bulk = try await other.bulk([request], as: person)
            let result = try #require(bulk.results.first, "\(bulk.text)")
            #expect(result.status == alone.status, "\(person) \(method) \(path): \(alone.text) \(result.text)")
            if method != .head, alone.json != .null {
                #expect(result.json.withoutIDs == alone.json.withoutIDs, "\(person) \(method) \(path)")
            }
        }
        #expect(one.store.commitCount == other.store.commitCount)
    }

    @Test("A path leads to the same request with and without the prefix of the API, and nowhere else")
    func paths() async throws {
        let house = try await House()
        for path in ["/users/me", "/api/v1/users/me"] {
            #expect(try await house.bulk([BulkRequest(method: "GET", path: path)], as: .tenant).results.map(\.status) == [200])
        }
        let elsewhere = [
            "", "/", "users/me", "http://localhost/api/v1/users/me", "//localhost/api/v1/users/me", "/api/v1", "/metrics",
            "/healthz", "/g/token", "/docs", "/../metrics", "/api/v1/../../metrics", "/%2e%2e/metrics", "/api/v1/api/v1/users/me",
            " /users/me",
            "/users/me ", "/users/me\n", "/users\t/me", "/users/me\u{0}", "/us\u{e9}rs/me", "?x=1", "#", "*",
        ]
        let reply = try await house.bulk(elsewhere.map { BulkRequest(method: "GET", path: $0) }, as: .superAdmin)
        #expect(reply.results.count == elsewhere.count)
        for (path, result) in zip(elsewhere, reply.results) {
            #expect(result.status == 404 && result.code == "not_found", "\(path): \(result.text)")
        }
    }

    @Test("A method is compared with its case, and a text that is no method is one that no path supports")
    func methods() async throws {
        let house = try await House()
        let methods = ["get", "Get", "PATCH", "TRACE", "CONNECT", "OPTIONS", "BREW", "", "GE T", "GET\r\nX: y", "\u{0}"]
        let reply = try await house.bulk(methods.map { BulkRequest(method: $0, path: "/users/me") }, as: .tenant)
        #expect(reply.results.map(\.status) == methods.map { _ in 405 }, "\(reply.text)")
        #expect(reply.results.allSatisfy { $0.code == "method_not_allowed" })
    }

    @Test("What needs no sign-in, takes a password, streams or exports is refused, and the other requests are carried out")
    func refused() async throws {
        let house = try await House(withPasswords: true)
        let routes = RouteTable.routes.filter { $0.path.hasPrefix("/api/v1/") && !BulkRoutes.isItem($0) }
        var requests = routes.map { route in
            let path = route.path.replacing(":id", with: "\(house.ids[.tenant])").replacing(":", with: "")
            return BulkRequest(method: route.method.rawValue, path: path, body: route.method == .get ? nil : "{}")
        }
        requests.append(house.move("lock"))
        let reply = try await house.bulk(requests, as: .superAdmin)
        for (request, result) in zip(requests, reply.results).dropLast() {
            #expect(result.status == 400 && result.problems == ["path: not_in_bulk"], "\(request.path): \(result.text)")
        }
        let tenant = try await house.bulk(requests, as: .tenant)
        #expect(tenant.results.last?.status == 200)
        let paths = Set(routes.map(\.path))
        for path in [
            "auth/login", "auth/refresh", "auth/logout", "auth/reset-password", "auth/accept-invitation", "bulk", "stream",
            "openapi.json", "access-records/export", "reports/compliance", "users/me/password", "users/me/recovery-codes",
            "users/:id/password-reset",
            "stream/:streamId/subscriptions/:name",
        ] {
            #expect(paths.contains("/api/v1/\(path)"), "\(path)")
        }
        #expect(paths.isSuperset(of: BulkRoutes.separate))
        #expect(RouteTable.routes.allSatisfy { !$0.path.contains("/auth/") || !BulkRoutes.isItem($0) })
    }

    // MARK: - The call

    @Test(
        "A malformed bulk is rejected as a whole, and nothing is carried out",
        arguments: [
            ("{}", ["requests: required"]), (#"{"requests":null}"#, ["requests: required"]),
            (#"{"requests":[]}"#, ["requests: empty"]), (#"{"requests":{}}"#, ["requests: wrong_type"]),
            (#"{"requests":[1]}"#, ["requests[0]: wrong_type"]), (#"{"requests":[LOCK,null]}"#, ["requests[1]: wrong_type"]),
            (#"{"requests":[LOCK,{}]}"#, ["requests[1].method: required", "requests[1].path: required"]),
            (#"{"requests":[LOCK,{"method":1,"path":[]}]}"#, ["requests[1].method: wrong_type", "requests[1].path: wrong_type"]),
            (
                #"{"requests":[LOCK,{"method":"GET","path":"/clock","headers":{"If-Match":"x"}}]}"#,
                ["requests[1].headers: unknown_key"]
            ),
            (
                #"{"requests":[LOCK,{"method":"GET","path":"/clock","idempotencyKey":"a b"}]}"#,
                ["requests[1].idempotencyKey: malformed"]
            ),
            (
                #"{"requests":[LOCK,{"method":"GET","path":"/clock","idempotencyKey":""}]}"#,
                ["requests[1].idempotencyKey: malformed"]
            ),
            (#"{"requests":[LOCK],"atOnce":99}"#, ["atOnce: unknown_key"]), ("[LOCK]", ["body: wrong_type"]),
            (#"{"requests":[LOCK,{"method":"GET","method":"PUT","path":"/clock"}]}"#, ["method: duplicate_key"]),
        ])
    func malformed(_ body: String, _ problems: [String]) async throws {
        let house = try await House()
        let reply = try await house.call(
            .post, "/bulk", as: .tenant, body.replacing("LOCK", with: house.move("lock").json))
        #expect(reply.status == 400 && reply.problems == problems, "\(reply.text)")
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test("A bulk has at most 200 requests, and a path at most 8 KiB; 128 KiB together, and each body 64 KiB; nesting is bounded")
    func limits() async throws {
        let house = try await House()
        let read = BulkRequest(method: "GET", path: "/users/me")
        let full = try await house.bulk(Array(repeating: read, count: 200), as: .tenant)
        #expect(full.status == 200 && full.results.map(\.status) == Array(repeating: 200, count: 200))
        let more = try await house.bulk(Array(repeating: read, count: 201), as: .tenant)
        #expect(more.status == 400 && more.problems == ["requests: too_long"])
        let path = String(repeating: "x", count: 8 * 1024)
        let long = try await house.bulk([BulkRequest(method: "GET", path: "/" + path)], as: .tenant)
        #expect(long.problems == ["requests[0].path: too_long"])
        let reason = #"{"reason":"\#(String(repeating: "x", count: 65_536))"}"#
        let large = try await house.bulk([house.move("lock", nil, reason), house.move("lock")], as: .tenant)
        #expect(large.results.map(\.status) == [413, 200], "\(large.text.prefix(500))")
        let tooLarge = try await house.bulk([house.move("lock", nil, reason), house.move("lock", nil, reason)], as: .tenant)
        #expect(tooLarge.status == 413 && tooLarge.json["message"].text?.contains("131072") == true)
        for nested in [String(repeating: "[", count: 10_000), String(repeating: #"{"a":"#, count: 10_000)] {
            let body = #"{"requests":[{"method":"GET","path":"/","body":"# + nested
            let deep = try await house.call(.post, "/bulk", as: .tenant, body)
            #expect(deep.status == 400 && deep.problems == ["body: not_json"])
        }
        #expect(house.adapter.sentCommands.count == 1)
    }

    @Test("Without a sign-in, and with the secret of a guest link, a bulk is rejected; an API key may send one")
    func callers() async throws {
        let house = try await House()
        #expect(try await house.bulk([house.move("lock")], as: nil).status == 401)
        let link = try await house.call(.post, "/guest-access/\(house.ids.guestAccess)/link", as: .tenant).data["link"]
        let token = String(link["url"].text?.split(separator: "/").last ?? "")
        let guest = try await house.bulk([house.move("lock")], as: nil, headers: [.authorization: "Bearer \(token)"])
        #expect(!token.isEmpty && guest.status == 401)
        let key = try await house.call(
            .post, "/api-keys", as: .owner,
            """
            {"name":"Robot","entityType":"PROPERTY","entityId":"\(house.ids.property)","role":"MAINTENANCE",
            "expiresAt":"\(house.clock.now().advanced(by: .seconds(86_400)))"}
            """)
        let secret = try #require(key.data["secret"].text)
        let reply = try await house.bulk(
            [house.move("lock", house.ids.frontDoor), BulkRequest(path: "/portfolios", body: #"{"name":"x"}"#)], as: nil,
            headers: [.authorization: "Bearer \(secret)"])
        #expect(reply.results.map(\.status) == [200, 403], "\(reply.text)")
        #expect(reply.results.first?.data["command"]["actor"]["kind"].text == "API_KEY")
    }

    @Test("A session that ends in the middle ends the requests that have not begun")
    func endOfSession() async throws {
        let house = try await House()
        let end = BulkRequest(method: "DELETE", path: "/users/me/sessions/\(House.session(of: .tenant))")
        let reply = try await house.bulk([house.move("lock"), end, house.move("unlock")], as: .tenant)
        #expect(reply.results.map(\.status) == [200, 204, 401], "\(reply.text)")
        #expect(house.adapter.sentCommands.map(\.command.operation) == [.lock])
    }

    // MARK: - The module

    @Test("Without the module in any portfolio of the caller a bulk is refused, and with it in one it is not")
    func module() async throws {
        let house = try await House()
        _ = try await house.call(
            .put, "/portfolios/\(house.ids.portfolio)/subscription", as: .superAdmin, #"{"modules":{"bulkOperations":false}}"#)
        for person in [House.Person.owner, .tenant, .auditor, .guest] {
            let reply = try await house.bulk([house.move("lock")], as: person)
            #expect(reply.status == 403 && reply.code == "feature_unavailable", "\(person): \(reply.text)")
            #expect(reply.details == .object(["module": .string("bulkOperations")]))
        }
        #expect(house.adapter.sentCommands.isEmpty)
        // The manager has a role in the other portfolio, too; a super admin acts for the gateway.
        for person in [House.Person.manager, .stranger, .nobody, .superAdmin] {
            #expect(try await house.bulk([house.move("lock")], as: person).status == 200, "\(person)")
        }
        let key = try await house.call(
            .post, "/api-keys", as: .owner,
            """
            {"name":"Robot","entityType":"PROPERTY","entityId":"\(house.ids.property)","role":"MAINTENANCE",
            "expiresAt":"\(house.clock.now().advanced(by: .seconds(86_400)))"}
            """)
        let headers = [HTTPField.Name.authorization: "Bearer \(key.data["secret"].text ?? "")"]
        #expect(try await house.bulk([house.move("lock")], as: nil, headers: headers).code == "feature_unavailable")
        // The other checks of the call come first.
        #expect(try await house.call(.post, "/bulk", as: .owner, "{}").problems == ["requests: required"])
        _ = try await house.call(
            .put, "/portfolios/\(house.ids.portfolio)/subscription", as: .superAdmin, #"{"tier":"free"}"#)
        #expect(try await house.bulk([house.move("lock")], as: .owner).code == "feature_unavailable")
        // A guest access counts until its window has ended.
        #expect(try await house.bulk([house.move("lock")], as: .guest).code == "feature_unavailable")
        house.clock.stepWall(by: .seconds(25 * 3600))
        let after = try await house.bulk([house.move("lock")], as: .guest)
        #expect(after.results.map(\.status) == [403], "\(after.text)")
    }

    @Test("The document describes the header that holds for each request, and the forms of both bodies")
    func document() async throws {
        let house = try await House()
        let bulk = try await house.call(.get, "/openapi.json", as: nil).json["paths"]["/api/v1/bulk"]["post"]
        #expect(bulk["parameters"].elements.contains { $0["name"].text == "Prefer" && $0["in"].text == "header" })
        func body(_ schema: JSONValue, _ list: String) -> JSONValue { schema["properties"][list]["items"]["properties"]["body"] }
        let request = body(bulk["requestBody"]["content"]["application/json"]["schema"], "requests")
        #expect(request["type"].elements.compactMap(\.text) == ["object", "null"])
        let answer = bulk["responses"]["200"]["content"]["application/json"]["schema"]["properties"]["data"]
        let forms = body(answer, "results")["anyOf"].elements
        #expect(forms.flatMap { $0["oneOf"].elements }.compactMap { $0["type"].text } == ["object", "string"])
        #expect(forms.contains { $0["type"].text == "null" })
    }
}

extension JSONValue {
    /// The same value without the ids of requests, which are different for every request.
    fileprivate var withoutIDs: JSONValue {
        switch self {
        case .object(let members): .object(members.filter { $0.key != "requestId" }.mapValues(\.withoutIDs))
        case .array(let elements): .array(elements.map(\.withoutIDs))
        default: self
        }
    }
}
