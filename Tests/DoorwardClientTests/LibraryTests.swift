import DoorwardClientTesting
import FoundationEssentials
import NIOHTTP1
import Testing

@testable import DoorwardClient

/// The facade over HTTP, against a stub of the gateway.
@Suite @MainActor struct LibraryTests {
    nonisolated private static let user = #"{"id":"u","firstName":"Ann","roleAssociations":[],"guestAccesses":[],"viewLevel":"SELF"}"#
    nonisolated private static let rules = #"[{"action":["UNLOCK"],"subject":["LockDevice"],"conditions":{"propertyId":"q"}}]"#

    nonisolated private static func answer(_ request: StubGateway.Request) -> StubGateway.StubResponse {
        let path = String(request.uri.dropFirst("/api/v1".count))
        switch (request.method.rawValue, path) {
        case ("POST", "/auth/login"):
            return .data(#"{"user":\#(user),"token":"t","expiresIn":900,"refreshToken":"r"}"#)
        case ("POST", "/auth/logout"): return .response(204, "")
        case ("GET", "/users/me"): return .data(#"{"user":\#(user)}"#)
        case ("GET", "/users/me/permissions"): return .data(#"{"rules":[],"packedRules":[],"nextChangeAt":null}"#)
        case ("POST", "/stream"):
            let events = [
                ("stream", #"{"streamId":"s","resumed":false}"#),
                (
                    "snapshot",
                    #"{"name":"permissions-1","type":"permissions","objects":[{"rules":\#(rules),"nextChangeAt":null}],"last":true}"#
                ),
                ("ready", #"{"name":"permissions-1"}"#),
            ]
            let body = events.map { "event: \($0.0)\ndata: \($0.1)\n\n" }.joined()
            return .response(200, body, ["Content-Type": "text/event-stream"])
        case ("GET", "/devices?propertyId=q&page=1&limit=200"):
            return .data(#"{"devices":[{"id":"a","name":"A"}],"pagination":{"totalPages":2}}"#)
        case ("GET", "/devices?propertyId=q&page=2&limit=200"):
            return .data(#"{"devices":[{"id":"b","name":"B","state":"HALF_OPEN"}],"pagination":{"totalPages":2}}"#)
        case ("GET", "/devices/a"): return .data(#"{"device":{"id":"a","name":"A","propertyId":"q"}}"#)
        case ("POST", "/devices/a/unlock"):
            return .response(
                202,
                #"{"status":"success","data":{"command":{"id":"c","deviceId":"a","operation":"UNLOCK","state":"CONFIRMED"}}}"#)
        case ("POST", "/devices/b/unlock"):
            return .error(403, "lockdown_active", #"{"reason":"lockdown_active","opensAt":"2026-11-21T08:00:00.000Z"}"#)
        case ("GET", "/permission-matrix"):
            return .data(
                #"{"operations":[{"operation":"WAVE","holders":[{"role":"CONCIERGE"}]}],"management":[{"permission":"moat.fill","superAdmin":"NOWHERE","roles":["OWNER"]}]}"#
            )
        default: return .error(404, "not_found")
        }
    }

    private func signedIn() async throws -> (Doorward, StubGateway, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let gateway = try await StubGateway { request, _ in Self.answer(request) }
        let doorward = try Doorward(
            server: gateway.address, session: .folder(folder.path), caFile: nil, clock: VirtualLiveClock())
        #expect(!doorward.isSignedIn)
        let me = try await doorward.signIn(email: "ann@example.org", password: "p")
        #expect(me.firstName == "Ann" && doorward.isSignedIn)
        return (doorward, gateway, folder)
    }

    @Test func permissionsFollowTheStream() async throws {
        let (doorward, gateway, folder) = try await signedIn()
        defer { withExtendedLifetime(folder) {} }
        var door = Doorward.LockDevice(id: "a", name: "A")
        door.propertyId = "q"
        #expect(!doorward.permissions.canUnlock(door))
        try await doorward.start()
        while !doorward.permissions.canUnlock(door) { await Task.yield() }
        let opening = try #require(gateway.requests.first { $0.uri == "/api/v1/stream" })
        #expect(opening.token == "Bearer t" && opening.headers.first(name: "Accept") == "text/event-stream")
        #expect(try value(opening.body) == value(#"{"subscriptions":{"permissions-1":{"type":"permissions","query":""}}}"#))
        #expect(doorward.diagnostics["user"] == "u" && doorward.diagnostics["signedIn"] == "true")

        try await doorward.signOut()
        #expect(!doorward.isSignedIn && !doorward.permissions.canUnlock(door) && doorward.permissions.status == .signedOut)
        #expect(doorward.live.status == .ended(.notSignedIn) && doorward.permissions.me == nil)
        await #expect(throws: DoorwardError.notSignedIn) { try await doorward.devices.get("a") }
    }

    @Test func listsAreReadWhole() async throws {
        let (doorward, _, folder) = try await signedIn()
        defer { withExtendedLifetime(folder) {} }
        let devices = try await doorward.devices.list(.property("q"))
        #expect(devices.map(\.id) == ["a", "b"] && devices[1].state == Doorward.LockState(rawValue: "HALF_OPEN"))
        #expect(try await doorward.devices.get("a").propertyId == "q")
        await #expect(throws: DoorwardError.notLoaded) { try await doorward.devices.require("a") }
        #expect(doorward.devices.watched(nil).value == nil)
    }

    @Test func aCommandHasALife() async throws {
        let (doorward, gateway, folder) = try await signedIn()
        defer { withExtendedLifetime(folder) {} }
        let command = try await doorward.devices.unlock("a", reason: "post")
        #expect(try await command.outcome().state == .confirmed)
        let request = try #require(gateway.requests.last)
        #expect(request.headers.first(name: "Prefer") == "respond-async" && request.key != nil)
        #expect(try value(request.body) == value(#"{"reason":"post"}"#))
    }

    @Test func aDenialExplainsItselfAndReadsThePermissionsAgain() async throws {
        let (doorward, gateway, folder) = try await signedIn()
        defer { withExtendedLifetime(folder) {} }
        func reads() -> Int { gateway.requests.filter { $0.uri == "/api/v1/users/me/permissions" }.count }
        let before = reads()
        do {
            _ = try await doorward.devices.unlock("b")
            Issue.record("denied")
        } catch DoorwardError.refused(let refusal) {
            #expect(refusal.code == "lockdown_active" && refusal.reason == .lockdownActive)
            #expect(refusal.opensAt == Doorward.Instant("2026-11-21T08:00:00.000Z") && refusal.message == "A sentence.")
        }
        while reads() == before { await Task.yield() }
    }

    @Test func theCatalogListsWhatThisLibraryDoesNotKnow() async throws {
        let (doorward, _, folder) = try await signedIn()
        defer { withExtendedLifetime(folder) {} }
        let catalog = try await doorward.permissionCatalog()
        #expect(catalog.actions == ["WAVE", "moat.fill"] && catalog.actionsByCategory["moat"] == ["moat.fill"])
        #expect(catalog.roles == [.superAdmin, .owner, Doorward.Role(rawValue: "CONCIERGE")])
    }

    @Test func errorsOfTheTransportAreThoseOfTheLibrary() async throws {
        let folder = try TemporaryFolder()
        #expect(throws: DoorwardError.self) { try Doorward(server: "http://doors.example", session: .apiKey("k")) }
        let gone = try Doorward(server: "http://127.0.0.1:1", session: .apiKey("k"))
        do {
            _ = try await gone.devices.get("a")
            Issue.record("nothing listens on port 1")
        } catch DoorwardError.notConnected(let why) { #expect(why.contains("127.0.0.1:1")) }
        await #expect(throws: DoorwardError.self) { try await gone.signIn(email: "a", password: "b") }
        let stub = try await StubGateway { _, _ in .error(401, "unauthenticated") }
        let expired = try Doorward(server: stub.address, session: .apiKey("k"))
        await #expect(throws: DoorwardError.sessionEnded) { try await expired.devices.get("a") }
        withExtendedLifetime(folder) {}
    }
}
