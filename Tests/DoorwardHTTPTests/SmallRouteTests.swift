import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct HealthRouteTests {
    @Test("/healthz needs no sign-in, and /readyz is 200 only while the store can write")
    func health() async throws {
        let house = try await House()
        #expect(try await house.send(.get, "/healthz").status == 200)
        #expect(try await house.send(.get, "/readyz").status == 200)
        house.store.stayUnavailable()
        #expect(try await house.send(.get, "/healthz").status == 200)
        let reply = try await house.send(.get, "/readyz")
        #expect(reply.status == 503)
        #expect(reply.code == "unavailable")
        #expect(reply.headers[.retryAfter] != nil)
    }
}

@Suite struct SimulatorRouteTests {
    @Test("A simulated event is sent to the lock")
    func trigger() async throws {
        let house = try await House()
        let reply = try await house.call(
            .post, "/simulator/devices/\(house.ids.simulated)/events", as: .manager, #"{"event":"jam"}"#)
        #expect(reply.status == 200)
        #expect(reply.data["device"]["id"].text == house.ids.simulated.description)
        #expect(house.simulator.triggered.value == ["jam \(house.ids.simulated)"])
    }

    @Test("An event requires the right to change the device, and a simulated device")
    func refused() async throws {
        let house = try await House()
        let path = "/simulator/devices/\(house.ids.simulated)/events"
        #expect(try await house.call(.post, path, as: .maintenance, #"{"event":"jam"}"#).code == "role_insufficient")
        let guest = try await house.call(
            .post, "/simulator/devices/\(house.ids.door)/events", as: .guest, #"{"event":"jam"}"#)
        #expect(guest.code == "role_insufficient")
        #expect(guest.details["rule"]["kind"].text == "GUEST_ACCESS")
        let other = try await house.call(
            .post, "/simulator/devices/\(house.ids.door)/events", as: .manager, #"{"event":"jam"}"#)
        #expect(other.status == 409)
        #expect(other.code == "conflict")
        #expect(house.simulator.triggered.value.isEmpty)
    }

    @Test("A keypad event contains the slot whose code is typed")
    func slot() async throws {
        let house = try await House()
        let reply = try await house.call(
            .post, "/simulator/devices/\(house.ids.simulated)/events", as: .manager, #"{"event":"keypad","slot":"Ada"}"#)
        #expect(reply.status == 200)
        #expect(house.simulator.triggered.value == ["keypad Ada \(house.ids.simulated)"])
    }

    @Test(
        "An event that is impossible for the lock is a conflict with advice, not a silent success",
        arguments: [
            (#"{"event":"door_open"}"#, "lacks the part"), (#"{"event":"keypad","slot":"Eve"}"#, "keypadSlots"),
            (#"{"event":"online"}"#, "replace_battery"), (#"{"event":"clear"}"#, "attach it again"),
        ])
    func impossible(body: String, hint: String) async throws {
        let house = try await House()
        let reply = try await house.call(.post, "/simulator/devices/\(house.ids.simulated)/events", as: .manager, body)
        #expect(reply.status == 409)
        #expect(reply.code == "conflict")
        #expect(reply.text.contains(hint))
    }
}

@Suite struct AnswerFormTests {
    @Test("Every response has a request id, the caller's own if it is well formed")
    func requestID() async throws {
        let house = try await House()
        #expect(try await house.send(.get, "/healthz", [.requestID: "abc-1"]).headers[.requestID] == "abc-1")
        for id in ["", "a b", String(repeating: "x", count: 129)] {
            let own = try await house.send(.get, "/nothing", [.requestID: id])
            #expect(own.headers[.requestID] != id)
            #expect(own.headers[.requestID]?.count == 32)
            #expect(own.json["requestId"].text == own.headers[.requestID])
        }
    }

    @Test("Errors are problem details if the client accepts them")
    func problem() async throws {
        let house = try await House()
        let reply = try await house.call(
            .post, "/devices/\(house.ids.door)/unlock", as: .auditor, headers: [.accept: "application/problem+json"])
        #expect(reply.headers[.contentType] == "application/problem+json")
        #expect(reply.json.keys == ["type", "title", "status", "detail", "code", "details", "requestId"])
        #expect(reply.json["status"].number == 403)
        #expect(reply.json["title"].text == "Forbidden")
        #expect(reply.code == "role_insufficient")
        #expect(reply.details["reason"].text == "role_insufficient")
    }

    @Test("An internal error reveals nothing, and is logged with its request id")
    func inside() async throws {
        let house = try await House()
        house.store.failNext(.refused(.inconsistent("canary_rule")))
        let reply = try await house.call(.post, "/properties/\(house.ids.property)/units", as: .manager, #"{"name":"x"}"#)
        #expect(reply.status == 500)
        #expect(reply.code == "internal")
        #expect(reply.details == .object([:]))
        #expect(!reply.text.contains("canary"))
        #expect(house.logs.text.contains("canary_rule"))
        #expect(house.logs.text.contains(try #require(reply.headers[.requestID])))
    }

    @Test("If the store cannot write, commands are unavailable")
    func unavailable() async throws {
        let house = try await House()
        house.store.stayUnavailable()
        let reply = try await house.command(as: .tenant)
        #expect(reply.status == 503)
        #expect(reply.code == "unavailable")
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test("A gateway that is shutting down accepts no commands")
    func stopping() async throws {
        let house = try await House()
        await house.control.locks.stop(gracePeriod: .zero)
        let reply = try await house.command(as: .tenant)
        #expect(reply.status == 503)
        #expect(reply.code == "shutting_down")
    }
}
