import Foundation
import NIOHTTP1
import Testing

extension EndToEnd {
    @Suite("First steps over HTTP") struct FirstStepsTests {
        @Test("a session survives a restart, and a finished command can still be read")
        func restart() async throws {
            let folder = try TemporaryFolder()
            let gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            let door = try await house.lock("Door", address: #""latencyMs":0"#)
            let tom = try await house.tenant("Tom", on: gateway)
            let unlocked = try await tom.post("/devices/\(door)/unlock", #"{"reason":"home"}"#, ["Idempotency-Key": "one"])
            #expect(unlocked.status == 200)
            #expect(unlocked.data["device"]["state"] == .string("UNLOCKED"))
            #expect(await gateway.stop() == 0)

            let again = try await RunningGateway.start(in: folder)
            let id = try #require(unlocked.data["command"]["id"].text)
            let found = try await tom.at(again).get("/commands/\(id)")
            #expect(found.data["command"]["state"] == .string("CONFIRMED"))
            let replayed = try await tom.at(again).post(
                "/devices/\(door)/unlock", #"{"reason":"home"}"#, ["Idempotency-Key": "one"])
            #expect(replayed.headers.first(name: "Idempotent-Replayed") == "true")
            #expect(replayed.data["command"]["id"].text == id)
            #expect(try await tom.at(again).get("/devices/\(door)/status").data["status"]["state"] == .string("LOCKED"))
            #expect(await again.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("a guest can unlock inside the window, and is denied before and after it")
        func guest() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let house = try await House.build(on: gateway)
            let door = try await house.lock("Door", address: #""latencyMs":0"#)
            let tom = try await house.tenant("Tom", on: gateway)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let guestID = try await House.createUser("gus@doors.example", "Gus", by: admin)
            let gus = try await gateway.signIn("gus@doors.example")
            #expect(try await gus.post("/devices/\(door)/unlock", "{}").code == "forbidden")
            func grant(_ from: String, _ until: String) async throws -> Answer {
                try await tom.post(
                    "/guest-access",
                    #"{"guestUserId":"\#(guestID)","unitId":"\#(house.unitID)","deviceIds":["\#(door)"],"operations":["UNLOCK"],"#
                        + #""validFrom":"\#(from)","validUntil":"\#(until)"}"#)
            }
            // The present time of the gateway's clock, which may differ from that of this process.
            let command = try await tom.post("/devices/\(door)/unlock", "{}").data["command"]
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let now = try style.parse(try #require(command["requestedAt"].text, "\(command)"))
            func hours(_ hours: Double) -> String { now.addingTimeInterval(hours * 3600).ISO8601Format() }
            #expect(try await grant(hours(-2), hours(-1)).status == 201)
            #expect(try await gus.post("/devices/\(door)/unlock", "{}").code == "guest_window_ended")
            #expect(try await grant(hours(1), hours(2)).status == 201)
            #expect(try await gus.post("/devices/\(door)/unlock", "{}").code == "guest_window_not_started")
            let granted = try await grant(hours(-1), hours(1))
            #expect(try await gus.post("/devices/\(door)/unlock", "{}").status == 200)
            let denied = try await gus.post("/devices/\(door)/lock", "{}")
            #expect(denied.code == "operation_not_granted", "\(denied.body)")
            let id = try #require(granted.data["guestAccess"]["id"].text)
            #expect(try await tom.send(.DELETE, "/guest-access/\(id)").status == 204)
            #expect(try await gus.post("/devices/\(door)/unlock", "{}").status == 403)
            #expect(await gateway.stop() == 0)
        }
    }
}
