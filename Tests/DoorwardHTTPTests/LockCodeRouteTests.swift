import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `PUT /devices/:id/settings {code}`.
@Suite struct LockCodeRouteTests {
    private static let code = "83 61-kyrie"

    private static func path(_ house: House) -> String { "/devices/\(house.ids.door)/settings" }

    private static func put(_ house: House, _ body: String, as person: House.Person) async throws -> Reply {
        try await house.call(.put, path(house), as: person, body)
    }

    @Test("A code is sent with the lock's commands, and is absent from all responses, records, log lines and the store")
    func stored() async throws {
        let house = try await House()
        let reply = try await Self.put(house, #"{"code":"\#(Self.code)"}"#, as: .owner)
        #expect(reply.status == 200)
        #expect(reply.data["device"]["settings"]["hasCode"] == .bool(true))
        #expect(reply.data["command"] == .null, "no command was sent to the lock")
        #expect(house.adapter.code(of: house.ids.door)?.reveal() == Self.code)
        #expect(house.adapter.sentCommands.isEmpty)
        var seen = [reply.text]
        for person in House.Person.allCases {
            seen.append(try await house.call(.get, "/devices/\(house.ids.door)", as: person).text)
            seen.append(try await house.call(.get, "/access-records", as: person).text)
        }
        for log in [LogID.gateway, .portfolio(house.ids.portfolio)] {
            let records = house.store.log(log)
            seen.append("\(records)")
            #expect(records.last?.body.details["after"] == .object(["hasCode": .bool(true)]))
        }
        seen.append(house.logs.text)
        let sealed = try #require(try await Self.device(house).sealedCode)
        seen.append(String(decoding: sealed, as: UTF8.self))
        #expect(sealed.count == 12 + 65 + 16, "every code is padded to the same length")
        for text in seen { #expect(!text.contains("83 61") && !text.contains("kyrie")) }
    }

    private static func device(_ house: House) async throws -> LockDevice {
        var found: LockDevice?
        try await house.store.loadTenancy { change in
            if case .putDevice(let device) = change, device.id == house.ids.door { found = device }
        }
        return try #require(found)
    }

    @Test("Null removes the code, and a body without `code` changes nothing")
    func forgotten() async throws {
        let house = try await House()
        _ = try await Self.put(house, #"{"code":"1"}"#, as: .manager)
        #expect(try await Self.put(house, "{}", as: .manager).data["device"]["settings"]["hasCode"] == .bool(true))
        let reply = try await Self.put(house, #"{"code":null}"#, as: .manager)
        #expect(reply.status == 200 && reply.data["device"]["settings"]["hasCode"] == .bool(false))
        #expect(house.adapter.code(of: house.ids.door) == nil)
    }

    @Test("A new address removes the code, so that it is not sent to another lock")
    func otherAddress() async throws {
        let house = try await House()
        _ = try await Self.put(house, #"{"code":"1"}"#, as: .owner)
        let path = "/devices/\(house.ids.door)"
        let renamed = try await house.call(.put, path, as: .owner, #"{"name":"Other name"}"#)
        #expect(renamed.data["device"]["settings"]["hasCode"] == .bool(true))
        let moved = try await house.call(.put, path, as: .owner, #"{"address":{"topic":"elsewhere"}}"#)
        #expect(moved.status == 200 && moved.data["device"]["settings"]["hasCode"] == .bool(false))
        #expect(house.adapter.code(of: house.ids.door) == nil)
    }

    @Test(
        "A caller without the right to change settings is denied, and a caller without a role is given no reason",
        arguments: [
            (House.Person.tenant, "role_insufficient"), (.maintenance, "role_insufficient"), (.auditor, "role_insufficient"),
            (.superAdmin, "role_insufficient"), (.guest, "operation_not_granted"), (.stranger, "forbidden"),
        ])
    func rights(_ person: House.Person, _ code: String) async throws {
        let house = try await House()
        let reply = try await Self.put(house, #"{"code":"1"}"#, as: person)
        #expect(reply.status == 403 && reply.code == code)
        #expect(house.adapter.code(of: house.ids.door) == nil)
    }

    @Test(
        "An invalid code is rejected with the rule that it breaks",
        arguments: [
            (#"{"code":""}"#, "code: blank"), (#"{"code":"a\u0000"}"#, "code: control_character"),
            (#"{"code":7}"#, "code: wrong_type"),
            (#"{"hasCode":true}"#, "hasCode: read_only"), (#"{"pin":"1"}"#, "pin: unknown_key"),
            (#"{"code":"\#(String(repeating: "9", count: 65))"}"#, "code: too_long"),
        ])
    func badCodes(_ body: String, _ problem: String) async throws {
        let house = try await House()
        let reply = try await Self.put(house, body, as: .owner)
        #expect(reply.status == 400 && reply.problems == [problem])
    }

    @Test("A code is rejected for a lock that accepts none")
    func incapable() async throws {
        let house = try await House(capabilities: [.lock, .unlock])
        let body = #"{"name":"Plain","adapter":"scripted","address":{},"propertyId":"\#(house.ids.property)"}"#
        let id = try await house.call(.post, "/devices", as: .owner, body).data["device"]["id"].text ?? ""
        let reply = try await house.call(.put, "/devices/\(id)/settings", as: .owner, #"{"code":"1"}"#)
        #expect(reply.status == 403 && reply.code == "capability_missing")
        #expect(reply.details["missing"]["capability"].text == "ACCEPTS_CODE")
    }
}
