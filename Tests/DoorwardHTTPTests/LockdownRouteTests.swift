import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import NIOCore
import Testing

@testable import DoorwardHTTP

/// `POST` and `DELETE /properties/:id/lockdown`, and what the other routes respond during a lockdown.
@Suite struct LockdownRouteTests {
    private static func path(_ house: House) -> String { "/properties/\(house.ids.property)/lockdown" }

    @Test("A lockdown responds with the property, and with the command or the decision of each device")
    func start() async throws {
        let house = try await House()
        _ = try await house.call(.put, "/devices/\(house.ids.door)", as: .owner, #"{"isRemoteOperationEnabled":false}"#)
        let reply = try await house.call(.post, Self.path(house), as: .manager, #"{"reason":"  Alarm "}"#)
        #expect(reply.status == 200, "\(reply.text)")
        let lockdown = reply.data["property"]["lockdown"]
        #expect(lockdown["active"].flag == true && lockdown["reason"].text == "Alarm")
        #expect(lockdown["byUserId"].text == house.ids[.manager].description)
        #expect(lockdown["since"].text == house.clock.now().description)
        let results = reply.data["results"].elements
        #expect(results.count == 3)
        for result in results {
            #expect(result.keys == ["deviceId", "command", "decision"])
            let isDenied = result["deviceId"].text == house.ids.door.description
            #expect((result["command"] == .null) == isDenied && (result["decision"] == .null) != isDenied)
            guard isDenied else {
                #expect(result["command"]["operation"].text == "LOCK" && result["command"]["state"].text == "CONFIRMED")
                #expect(result["command"]["reason"].text == "Alarm")
                continue
            }
            let decision = result["decision"]
            #expect(decision["allowed"].flag == false && decision["operation"].text == "LOCK")
            #expect(decision["reason"].text == "remote_operation_disabled")
            #expect(decision["deviceId"].text == house.ids.door.description)
        }
    }

    @Test("The body is optional, and the lockdown then has no reason")
    func withoutBody() async throws {
        let house = try await House()
        let reply = try await house.call(.post, Self.path(house), as: .owner)
        #expect(reply.status == 200 && reply.data["property"]["lockdown"]["reason"] == .null)
    }

    @Test(
        "Bad input is rejected, and nothing is locked",
        arguments: [
            (#"{"reason":7}"#, "reason: wrong_type"), (#"{"reason":" "}"#, "reason: blank"),
            (#"{"why":"x"}"#, "why: unknown_key"),
            (#"{"reason":"\#(String(repeating: "x", count: 501))"}"#, "reason: too_long"),
            (#"{"reason":"a\u0007"}"#, "reason: control_character"),
        ])
    func badInput(_ body: String, _ problem: String) async throws {
        let house = try await House()
        let reply = try await house.call(.post, Self.path(house), as: .owner, body)
        #expect(reply.status == 400 && reply.problems == [problem], "\(reply.text)")
        #expect(house.adapter.sentCommands.isEmpty)
        let deleted = try await house.call(.delete, Self.path(house), as: .owner, #"{"reason":"x"}"#)
        #expect(deleted.status == 400)
        #expect(try await house.call(.get, Self.path(house), as: .owner).status == 405)
    }

    @Test(
        "Owner, admin and manager may start and end it; the others who see the property may not", arguments: House.Person.allCases
    )
    func rights(_ person: House.Person) async throws {
        let house = try await House()
        for method in [HTTPRequest.Method.post, .delete] {
            let reply = try await house.call(method, Self.path(house), as: person)
            switch person {
            case .owner, .admin, .manager: #expect(reply.status == 200)
            case .superAdmin, .maintenance, .auditor, .tenant, .coTenant, .neighbour:
                #expect(reply.status == 403 && reply.code == "role_insufficient", "\(reply.text)")
            case .guest, .stranger, .nobody: #expect(reply.status == 403 && reply.code == "forbidden")
            }
        }
    }

    @Test("During a lockdown unlocking is denied, and everyone who sees the property sees that it is active")
    func during() async throws {
        let house = try await House()
        _ = try await house.call(.post, Self.path(house), as: .admin, #"{"reason":"Alarm"}"#)
        let denied = try await house.command(as: .tenant)
        #expect(denied.status == 403 && denied.code == "lockdown_active", "\(denied.text)")
        #expect(denied.details["reason"].text == "lockdown_active" && denied.details["rule"]["role"].text == "TENANT")
        let property = try await house.call(.get, "/properties/\(house.ids.property)", as: .tenant)
        #expect(property.data["property"]["lockdown"] == .object(["active": .bool(true)]))
        let permissions = try await house.call(.get, "/devices/\(house.ids.door)/permissions", as: .tenant)
        let unlock = permissions.data["permissions"].elements.first { $0["operation"].text == "UNLOCK" }
        #expect(unlock?["reason"].text == "lockdown_active")
        #expect(try await house.command("lock", as: .tenant).status == 200)
        let opened = try await house.command(as: .admin, #"{"override":{"reason":"fire"}}"#)
        #expect(opened.status == 200 && opened.data["command"]["override"]["reason"].text == "fire")
        let ended = try await house.call(.delete, Self.path(house), as: .manager)
        #expect(ended.status == 200 && ended.data["property"]["lockdown"]["active"].flag == false)
        #expect(try await house.command(as: .tenant).status == 200)
        let idle = try await house.command(as: .admin, #"{"override":{"reason":"fire"}}"#)
        #expect(idle.status == 200 && idle.data["command"]["override"] == .null)
    }

    @Test("A lockdown changes the property's entity tag")
    func tag() async throws {
        let house = try await House()
        let path = "/properties/\(house.ids.property)"
        let before = try await house.call(.get, path, as: .tenant).headers[.eTag]
        _ = try await house.call(.post, Self.path(house), as: .owner)
        #expect(try await house.call(.get, path, as: .tenant).headers[.eTag] != before)
    }

    @Test("A repeated request gets the same response and locks nothing again; the key of another request is rejected")
    func repeated() async throws {
        let house = try await House()
        let key: [HTTPField.Name: String] = [.idempotencyKey: "k"]
        let first = try await house.call(.post, Self.path(house), as: .owner, #"{"reason":"Alarm"}"#, headers: key)
        let orders = house.adapter.sentCommands.count
        let second = try await house.call(.post, Self.path(house), as: .owner, #"{"reason":"Alarm"}"#, headers: key)
        #expect(second.status == 200 && second.text == first.text)
        #expect(first.headers[.idempotentReplayed] == nil && second.headers[.idempotentReplayed] == "true")
        #expect(house.adapter.sentCommands.count == orders)
        let other = try await house.call(.post, Self.path(house), as: .owner, #"{"reason":"Other"}"#, headers: key)
        #expect(other.status == 422 && other.code == "idempotency_mismatch")
        let unlock = try await house.command(as: .owner, headers: key)
        #expect(unlock.status == 422, "the key belongs to the lockdown")
    }

    @Test("Many results are sent in parts, which together are the same response", arguments: [1, 2, 3])
    func parts(_ atOnce: Int) async throws {
        let house = try await House()
        let caller = Caller(userID: house.ids[.owner], origin: RequestOrigin())
        let started = try await house.control.lockdowns.start(
            caller, on: house.ids.property, reason: "Alarm", timeout: .seconds(5), repeatable: nil
        ).value
        let view = ProjectedRenderer(caller.principal, control: house.control)
        let whole = LockdownRoutes.answer(started, view, atOnce: 100)
        #expect(started.results.count == 3 && whole.stream == nil && !whole.body.isEmpty)
        let streamed = LockdownRoutes.answer(started, view, atOnce: atOnce)
        guard atOnce < 3 else {
            #expect(streamed.stream == nil && streamed.body == whole.body)
            return
        }
        #expect(streamed.body.isEmpty && streamed.headers[.contentType] == "application/json")
        var bytes: [UInt8] = []
        try await #require(streamed.stream).produce { bytes += $0.readableBytesView }
        #expect(bytes == whole.body)
    }
}
