import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// A request with an `Idempotency-Key` is carried out once.
@Suite struct IdempotencyTests {
    @Test("A repeated unlock gets the same response and sends no second command")
    func unlock() async throws {
        let house = try await House()
        let key: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        let first = try await house.command(as: .tenant, #"{"timeoutMs":5000,"reason":"parcel"}"#, headers: key)
        let second = try await house.command(as: .tenant, #"{ "reason": "parcel", "timeoutMs": 5000 }"#, headers: key)
        #expect(first.status == 200)
        #expect(first.headers[.idempotentReplayed] == nil)
        #expect(second.headers[.idempotentReplayed] == "true")
        #expect(second.status == first.status)
        #expect(second.text == first.text)
        #expect(house.adapter.sentCommands.count == 1)
    }

    @Test("A user without a password is created once; a repeat gets the same user and invitation, without the token")
    func invitedUser() async throws {
        let house = try await House()
        let body = #"{"email":"eve@example.com","firstName":"Eve","lastName":"Adams"}"#
        let bad = try await house.call(.post, "/users", as: .superAdmin, body, headers: [.idempotencyKey: "a b"])
        #expect(bad.status == 400 && bad.problems == ["Idempotency-Key: malformed"], "\(bad.text)")
        let key: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        let first = try await house.call(.post, "/users", as: .superAdmin, body, headers: key)
        let second = try await house.call(.post, "/users", as: .superAdmin, body, headers: key)
        #expect(first.status == 201 && second.status == 201 && second.headers[.idempotentReplayed] == "true")
        #expect(second.data["user"] == first.data["user"])
        #expect(first.data["invitation"]["token"].text != nil && second.data["invitation"]["token"] == .null)
        #expect(second.data["invitation"]["url"] == .null && second.headers[.location] == first.headers[.location])
        for field in ["id", "email", "expiresAt"] {
            #expect(second.data["invitation"][field] == first.data["invitation"][field], "\(field)")
        }
        let other = body.replacing("Eve", with: "Eva")
        #expect(try await house.call(.post, "/users", as: .superAdmin, other, headers: key).status == 422)
    }

    @Test("The text of a principal in stored keys does not change")
    func principalKeys() {
        let (user, access) = (UserID(high: 1, low: 2), GuestAccessID(high: 1, low: 2))
        #expect(Principal.user(user).key == "user:\(user)")
        #expect(Principal.guestLink(access).key == "guestLink:\(access)")
    }

    @Test("A repeated request for a failed command gets the same failure")
    func failed() async throws {
        let house = try await House(behaviour: .fail(.offline))
        let key: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        let first = try await house.command(as: .tenant, headers: key)
        house.adapter.set(.confirmAtOnce, for: house.ids.door)
        let second = try await house.command(as: .tenant, headers: key)
        #expect(first.status == 503)
        #expect(second.status == 503)
        #expect(second.code == first.code)
        #expect(second.json["message"] == first.json["message"])
        #expect(second.details == first.details)
        #expect(second.headers[.retryAfter] != nil)
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test("A repeated request gets the format that it accepts and its own request id, independent of the first request")
    func form() async throws {
        let house = try await House(behaviour: .fail(.offline))
        let plain: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        let problem = plain.merging([.accept: "application/problem+json"]) { $1 }
        var details: Set<JSONValue> = []
        for (index, headers) in [problem, plain, problem].enumerated() {
            let id = "req-\(index)"
            let reply = try await house.command(as: .tenant, headers: headers.merging([.requestID: id]) { $1 })
            let isProblem = headers[.accept] != nil
            #expect(reply.status == 503)
            #expect(reply.headers[.contentType] == (isProblem ? "application/problem+json" : "application/json"))
            #expect(reply.json[isProblem ? "detail" : "message"].text?.isEmpty == false)
            #expect(reply.json["status"] == (isProblem ? .integer(503) : .string("error")))
            #expect(reply.json["requestId"].text == id)
            #expect(reply.headers[.requestID] == id)
            #expect((reply.headers[.idempotentReplayed] == "true") == (index > 0))
            details.insert(reply.details)
        }
        #expect(details.count == 1)
    }

    @Test("A repeated request with respond-async gets 202 with the command's location", arguments: [true, false])
    func respondAsync(_ isConfirmed: Bool) async throws {
        let house = try await House(behaviour: isConfirmed ? .confirmAtOnce : .fail(.offline))
        let headers: [HTTPField.Name: String] = [.idempotencyKey: "key-1", .prefer: "respond-async"]
        let first = try await house.command(as: .tenant, headers: headers)
        let second = try await house.command(as: .tenant, headers: headers)
        #expect(first.status == 202)
        #expect(second.status == 202)
        #expect(second.headers[.location] == first.headers[.location])
        #expect(second.headers[.preferenceApplied] == "respond-async")
        #expect(second.headers[.idempotentReplayed] == "true")
        #expect(second.data["command"]["id"] == first.data["command"]["id"])
        #expect(second.data["command"]["state"].text == (isConfirmed ? "CONFIRMED" : "FAILED"))
        let waiting = try await house.command(as: .tenant, headers: [.idempotencyKey: "key-1"])
        #expect(waiting.status == (isConfirmed ? 200 : 503))
    }

    @Test("The same key for another request is rejected", arguments: ["path", "body", "operation"])
    func mismatch(_ what: String) async throws {
        let house = try await House()
        let key: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        #expect(try await house.command(as: .tenant, headers: key).status == 200)
        let reply =
            switch what {
            case "path": try await house.command(as: .tenant, on: house.ids.frontDoor, headers: key)
            case "body": try await house.command(as: .tenant, #"{"reason":"other"}"#, headers: key)
            default: try await house.command("lock", as: .tenant, headers: key)
            }
        #expect(reply.status == 422)
        #expect(reply.code == "idempotency_mismatch")
    }

    @Test("The same key of another user is another key")
    func otherPerson() async throws {
        let house = try await House()
        let key: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        #expect(try await house.command(as: .tenant, headers: key).status == 200)
        let other = try await house.command("lock", as: .coTenant, headers: key)
        #expect(other.status == 200)
        #expect(other.headers[.idempotentReplayed] == nil)
    }

    @Test("Concurrent requests with one key execute one command")
    func twins() async throws {
        let house = try await House()
        let key: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<8 { group.addTask { try await house.command(as: .tenant, headers: key) } }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }
        #expect(Set(replies.map(\.text)).count == 1)
        #expect(replies.count { $0.headers[.idempotentReplayed] == nil } == 1)
        #expect(house.adapter.sentCommands.count == 1)
    }

    @Test("A repeated request after a denial is decided again, because no command was stored")
    func denial() async throws {
        let house = try await House()
        let key: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        #expect(try await house.command(as: .auditor, headers: key).status == 403)
        _ = try await house.control.roles.assign(
            Caller(userID: house.ids[.owner]), .maintenance, to: house.ids[.auditor], on: .property(house.ids.property))
        let reply = try await house.command(as: .auditor, headers: key)
        #expect(reply.status == 200)
        #expect(reply.headers[.idempotentReplayed] == nil)
    }

    @Test("A repeated creation creates nothing a second time")
    func creations() async throws {
        let house = try await House()
        let creations: [(House.Person, String, String)] = [
            (.superAdmin, "/portfolios", #"{"name":"Ash Street"}"#),
            (.owner, "/portfolios/\(house.ids.portfolio)/properties", #"{"name":"No. 6"}"#),
            (.owner, "/properties", #"{"name":"No. 7","portfolioId":"\#(house.ids.portfolio)"}"#),
            (.manager, "/units", #"{"name":"4D","propertyId":"\#(house.ids.property)"}"#),
            (.manager, "/devices", #"{"name":"Gate","adapter":"scripted","address":{},"propertyId":"\#(house.ids.property)"}"#),
            (
                .superAdmin, "/users",
                #"{"email":"new@example.com","firstName":"New","lastName":"One","password":"fifteen letters or more"}"#
            ),
            (
                .tenant, "/guest-access",
                #"{"label":"Plumber","deviceIds":["\#(house.ids.door)"],"operations":["UNLOCK"],"#
                    + #""validFrom":"2026-11-21T08:00:00Z","validUntil":"2026-11-21T09:00:00Z"}"#
            ),
        ]
        for (person, path, body) in creations {
            let first = try await house.call(.post, path, as: person, body, headers: [.idempotencyKey: path])
            let second = try await house.call(.post, path, as: person, body, headers: [.idempotencyKey: path])
            #expect(first.status == 201, "\(path): \(first.text)")
            #expect(second.status == 201)
            #expect(second.text == first.text)
            #expect(second.headers[.location] == first.headers[.location])
            #expect(second.headers[.idempotentReplayed] == "true")
            let location = try #require(first.headers[.location])
            let read = try await house.call(.get, String(location.dropFirst("/api/v1".count)), as: person)
            #expect(read.status == 200)
            #expect(read.data == first.data)
        }
    }

    @Test("A key is 1 to 255 visible ASCII characters", arguments: ["", " ", "a b", "é", String(repeating: "x", count: 256)])
    func malformed(_ key: String) async throws {
        let house = try await House()
        var headers = HTTPFields()
        headers[.authorization] = "Bearer \(try await house.token(of: .tenant))"
        headers[.idempotencyKey] = key
        let reply = try await house.send(.post, "/api/v1/devices/\(house.ids.door)/unlock", headers)
        #expect(reply.status == 400)
        #expect(reply.problems == ["Idempotency-Key: malformed"])
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test("Every POST of somebody who is signed in rejects a malformed key, whether or not it stores responses")
    func malformedEverywhere() async throws {
        let house = try await House()
        let routes = RouteTable.routes.filter { route in
            if case .signedIn = route.handler { route.method == .post } else { false }
        }
        #expect(routes.contains { $0.path == "/api/v1/api-keys" } && routes.count > 20)
        for route in routes {
            let parts = route.path.dropFirst("/api/v1".count).split(separator: "/")
            let path = parts.map { $0.hasPrefix(":") ? "/\(house.ids.door)" : "/\($0)" }.joined()
            let reply = try await house.call(.post, path, as: .superAdmin, "{}", headers: [.idempotencyKey: "a b"])
            #expect(reply.status == 400 && reply.problems == ["Idempotency-Key: malformed"], "\(path): \(reply.text)")
        }
    }

    @Test("A key that was used for another request is rejected before rights are checked and before a password is hashed")
    func keyBeforeRight() async throws {
        let house = try await House()
        let guest =
            #"{"label":"L","deviceIds":["\#(house.ids.door)"],"operations":["UNLOCK"],"validFrom":"2026-11-21T08:00:00Z","#
            + #""validUntil":"2026-11-22T08:00:00Z"}"#
        let granted = try await house.call(.post, "/guest-access", as: .tenant, guest, headers: [.idempotencyKey: "k"])
        #expect(granted.status == 201, "\(granted.text)")
        let user = #"{"email":"n@example.com","firstName":"N","lastName":"N","password":"a long enough passphrase"}"#
        let reused = try await house.call(.post, "/users", as: .tenant, user, headers: [.idempotencyKey: "k"])
        #expect(reused.status == 422 && reused.code == "idempotency_mismatch", "\(reused.text)")
        let fresh = try await house.call(.post, "/users", as: .tenant, user, headers: [.idempotencyKey: "other"])
        #expect(fresh.status == 403 && fresh.code == "role_insufficient")
    }
}
