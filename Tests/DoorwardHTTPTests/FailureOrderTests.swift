import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// If a request has several errors, the response is for the first one in the documented order.
@Suite struct FailureOrderTests {
    /// Sends a request with every error from `first` on, and none before it.
    private func call(_ house: House, from first: Stage) async throws -> Reply {
        func isWrong(_ stage: Stage) -> Bool { stage.rawValue >= first.rawValue }
        var headers = HTTPFields()
        headers[.authorization] = isWrong(.signIn) ? "Bearer none" : "Bearer \(try await house.token(of: .auditor))"
        headers[.contentType] = isWrong(.mediaType) ? "text/plain" : "application/json"
        let device: DeviceID =
            isWrong(.reach) ? house.ids.foreignDoor : house.ids.door
        let path = isWrong(.path) ? "/api/v1/nothing" : "/api/v1/devices/\(device)/unlock"
        let body =
            isWrong(.size)
            ? String(repeating: "x", count: 70_000) : isWrong(.json) ? "{" : isWrong(.schema) ? #"{"unknown":1}"# : "{}"
        return try await house.send(isWrong(.method) ? .patch : .post, path, headers, body)
    }

    private enum Stage: Int, CaseIterable, Sendable {
        case path, method, signIn, size, mediaType, json, schema, reach, right

        var expected: (status: Int, code: String) {
            switch self {
            case .path: (404, "not_found")
            case .method: (405, "method_not_allowed")
            case .signIn: (401, "unauthenticated")
            case .size: (413, "payload_too_large")
            case .mediaType: (415, "unsupported_media_type")
            case .json, .schema: (400, "invalid_request")
            case .reach: (403, "forbidden")
            case .right: (403, "role_insufficient")
            }
        }
    }

    @Test("Each failure comes before all that follow it", arguments: Stage.allCases)
    private func order(_ stage: Stage) async throws {
        let house = try await House()
        let reply = try await call(house, from: stage)
        #expect(reply.status == stage.expected.status)
        #expect(reply.code == stage.expected.code)
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test("A caller with too many denials is rate limited, after authentication and before the body is read")
    func rateLimit() async throws {
        let house = try await House(deniedPerMinute: 3)
        for _ in 0..<3 { #expect(try await house.command(as: .auditor).status == 403) }
        let limited = try await house.call(
            .post, "/devices/\(house.ids.door)/unlock", as: .auditor, String(repeating: "x", count: 70_000))
        #expect(limited.status == 429)
        #expect(limited.code == "rate_limited")
        #expect(limited.headers[.retryAfter] == "60")
        let unsigned = try await house.call(.post, "/devices/\(house.ids.door)/unlock", "{")
        #expect(unsigned.status == 401)
        #expect(try await house.command(as: .tenant).status == 200)
    }

    @Test("A bad query and a bad Idempotency-Key are 400 before any right is checked")
    func forms() async throws {
        let house = try await House()
        let query = try await house.call(.post, "/devices/\(house.ids.foreignDoor)/unlock?force=1", as: .tenant)
        #expect(query.status == 400)
        #expect(query.problems == ["force: unknown_key"])
        let key = try await house.command(as: .tenant, on: house.ids.foreignDoor, headers: [.idempotencyKey: "with space"])
        #expect(key.status == 400)
        #expect(key.problems == ["Idempotency-Key: malformed"])
    }

    @Test(
        "The query of a request on roles is checked before its id, whether that is malformed, absent or not visible",
        arguments: ["/portfolios/#/admins", "/properties/#/managers", "/units/#/tenants"])
    func roles(_ path: String) async throws {
        let house = try await House()
        let ids = ["x", PropertyID(high: 1, low: 1).description, house.ids.otherProperty.description]
        for id in ids {
            let path = path.replacing("#", with: id)
            for (method, end) in [(HTTPRequest.Method.get, ""), (.delete, "/x"), (.delete, "/\(house.ids[.tenant])")] {
                let reply = try await house.call(method, path + end + "?zz=1", as: .tenant)
                #expect(reply.status == 400)
                #expect(reply.problems == ["zz: unknown_key"])
                #expect(try await house.call(method, path + end, as: .tenant).code == "forbidden")
            }
        }
    }

    @Test("Visibility is checked before the stored response, and the stored response comes before the right")
    func repeats() async throws {
        let house = try await House()
        let first = try await house.command(as: .tenant, headers: [.idempotencyKey: "k"])
        #expect(first.status == 200)
        try await house.control.roles.remove(Caller(userID: house.ids[.owner]), house.ids[.tenant], from: .unit(house.ids.unit))
        let outOfReach = try await house.command(as: .tenant, headers: [.idempotencyKey: "k"])
        #expect(outOfReach.code == "forbidden")
        _ = try await house.control.roles.assign(
            Caller(userID: house.ids[.owner]), .auditor, to: house.ids[.tenant], on: .property(house.ids.property))
        let replayed = try await house.command(as: .tenant, headers: [.idempotencyKey: "k"])
        #expect(replayed.status == 200)
        #expect(replayed.headers[.idempotentReplayed] == "true")
        let mismatch = try await house.command("lock", as: .tenant, headers: [.idempotencyKey: "k"])
        #expect(mismatch.status == 422)
        #expect(try await house.command(as: .tenant).code == "role_insufficient")
    }

    @Test(
        "A 405 response lists the allowed methods",
        arguments: [
            ("/devices", "GET, HEAD, POST"), ("/users/me", "GET, HEAD, PUT"), ("/auth/login", "POST"),
            ("/guest-access/x", "DELETE, GET, HEAD, PUT"),
        ])
    func allow(_ path: String, _ allowed: String) async throws {
        let house = try await House()
        for method in [HTTPRequest.Method.patch, .trace, HTTPRequest.Method("BREW") ?? .options] {
            let reply = try await house.call(method, path)
            #expect(reply.status == 405)
            #expect(reply.headers[.allow] == allowed)
        }
    }

    @Test(
        "An unknown path is 404 for every method",
        arguments: [
            "/api/v1", "/api/v1/nothing", "/console", "/api/v2/users/me", "/api/v1/users/me/more", "/api/v1/auth/invitation",
            "/api/v1/devices/discovered/x/y",
        ])
    func unknownPath(_ path: String) async throws {
        let house = try await House()
        for method in [HTTPRequest.Method.get, .post, .trace] {
            let reply = try await house.send(method, path)
            #expect(reply.status == 404)
            #expect(reply.code == "not_found")
            #expect(reply.headers[.requestID] != nil)
        }
    }

    @Test("HEAD is answered as GET, without the body")
    func head() async throws {
        let house = try await House()
        let reply = try await house.send(.head, "/healthz")
        #expect(reply.status == 200)
        #expect(reply.text.isEmpty)
        #expect(reply.headers[.contentLength].flatMap { Int($0) } ?? 0 > 0)
    }
}
