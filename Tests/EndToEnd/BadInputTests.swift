import Foundation
import NIOHTTP1
import Testing

extension EndToEnd {
    /// Every bad request gets the response of the contract, writes nothing, and leaves the process running.
    @Suite("Bad input", .timeLimit(.minutes(30))) struct BadInputTests {
        /// A request and its expected response.
        struct Case: Sendable, CustomTestStringConvertible {
            let name: String
            var method = HTTPMethod.POST
            var path = "/portfolios"
            var body: [UInt8]?
            var headers = ["Content-Type": "application/json"]
            var token = Token.valid
            let status: Int
            let code: String
            /// The expected errors as `field problem`, if the code is `invalid_request`.
            var fields: [String] = []

            enum Token: Sendable {
                case valid
                case none
                case forged
            }

            var testDescription: String { name }
        }

        private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

        static let cases: [Case] = [
            Case(name: "an unknown path", method: .GET, path: "/nothing", status: 404, code: "not_found"),
            Case(
                name: "a method that is not allowed", method: .PATCH, body: text("{}"), status: 405, code: "method_not_allowed"),
            Case(name: "no token", body: text("{}"), token: .none, status: 401, code: "unauthenticated"),
            Case(name: "a forged token", body: text("{}"), token: .forged, status: 401, code: "unauthenticated"),
            Case(
                name: "a body over 64 KiB", body: text(#"{"name":"\#(String(repeating: "x", count: 65_536))"}"#), status: 413,
                code: "payload_too_large"),
            Case(
                name: "another media type", body: text("name=x"), headers: ["Content-Type": "text/plain"], status: 415,
                code: "unsupported_media_type"),
            Case(name: "broken JSON", body: text(#"{"name":"#), status: 400, code: "invalid_request"),
            Case(name: "invalid UTF-8", body: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], status: 400, code: "invalid_request"),
            Case(name: "an array", body: text("[]"), status: 400, code: "invalid_request"),
            Case(
                name: "an unknown key", body: text(#"{"name":"x","nmae":"y"}"#), status: 400, code: "invalid_request",
                fields: ["nmae unknown_key"]),
            Case(name: "a missing key", body: text("{}"), status: 400, code: "invalid_request", fields: ["name required"]),
            Case(
                name: "a wrong type", body: text(#"{"name":5}"#), status: 400, code: "invalid_request",
                fields: ["name wrong_type"]),
            Case(
                name: "an over-long text", body: text(#"{"name":"\#(String(repeating: "x", count: 4_000))"}"#), status: 400,
                code: "invalid_request", fields: ["name too_long"]),
            Case(name: "an id with a wildcard", method: .GET, path: "/portfolios/%25", status: 404, code: "not_found"),
            Case(name: "an id with a control character", method: .GET, path: "/devices/a%00b", status: 404, code: "not_found"),
            Case(name: "an id with a star", method: .GET, path: "/devices/*", status: 404, code: "not_found"),
            Case(name: "a page out of range", method: .GET, path: "/portfolios?page=0", status: 400, code: "invalid_request"),
            Case(name: "a limit out of range", method: .GET, path: "/portfolios?limit=201", status: 400, code: "invalid_request"),
            Case(name: "an unknown order", method: .GET, path: "/portfolios?sortBy=colour", status: 400, code: "invalid_request"),
            Case(name: "an unknown filter", method: .GET, path: "/portfolios?colour=red", status: 400, code: "invalid_request"),
            Case(name: "a forged cursor", method: .GET, path: "/access-records?cursor=abc", status: 400, code: "invalid_request"),
        ]

        @Test("each bad request gets its own error, and nothing is written")
        func answers() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            for mistake in Self.cases {
                var caller = admin
                switch mistake.token {
                case .valid: break
                case .none: caller.token = nil
                case .forged: caller.token = (admin.token.map { String($0.dropLast(4)) } ?? "") + "AAAA"
                }
                let answer = try await caller.send(
                    mistake.method, mistake.path, mistake.body, mistake.body == nil ? [:] : mistake.headers)
                #expect(answer.status == mistake.status, "\(mistake.name): \(answer.body)")
                #expect(answer.code == mistake.code, "\(mistake.name): \(answer.body)")
                #expect(answer.body["status"] == .string("error"), "\(mistake.name)")
                #expect(answer.body["requestId"].text?.isEmpty == false, "\(mistake.name)")
                let fields = answer.body["details"]["fields"].items.map {
                    "\($0["field"].text ?? "") \($0["problem"].text ?? "")"
                }
                if !mistake.fields.isEmpty { #expect(fields == mistake.fields, "\(mistake.name)") }
            }
            let list = try await admin.get("/portfolios")
            #expect(list.data["portfolios"].items.isEmpty)
            #expect(list.data["pagination"]["totalItems"] == .number(0))
            #expect(await gateway.stop() == 0)
        }

        @Test(
            "missing time zones, windows that do not end after their start, and windows that are too long are reported by field")
        func dates() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let house = try await House.build(on: gateway)
            let door = try await house.lock("Door")
            let windows = [
                ("2026-01-01T00:00:00", "2026-01-02T00:00:00Z", ["validFrom missing_zone"]),
                ("2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z", ["validUntil end_not_after_start"]),
                ("2026-01-01T00:00:00Z", "2032-01-01T00:00:00Z", ["validUntil window_too_long"]),
            ]
            for (from, until, fields) in windows {
                let answer = try await house.owner.post(
                    "/guest-access",
                    #"{"label":"Gus","propertyId":"\#(house.propertyID)","deviceIds":["\#(door)"],"operations":["UNLOCK"],"#
                        + #""validFrom":"\#(from)","validUntil":"\#(until)"}"#)
                #expect(answer.status == 400)
                let found = answer.body["details"]["fields"].items.map { "\($0["field"].text ?? "") \($0["problem"].text ?? "")" }
                #expect(found == fields, "\(from) \(until): \(answer.body)")
            }
            #expect(try await house.owner.get("/guest-access").data["guestAccesses"].items.isEmpty)
            #expect(await gateway.stop() == 0)
        }
    }
}
