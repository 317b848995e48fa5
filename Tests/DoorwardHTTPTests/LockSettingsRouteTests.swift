import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `PUT /devices/:id/settings {autoRelockSeconds}`.
@Suite struct LockSettingsRouteTests {
    private static func put(
        _ house: House, _ body: String, as person: House.Person = .manager, headers: [HTTPField.Name: String] = [:]
    ) async throws -> Reply {
        try await house.call(.put, "/devices/\(house.ids.door)/settings", as: person, body, headers: headers)
    }

    @Test("The answer has the device as the lock confirmed it, its ETag, and the command, which can be read and is recorded")
    func confirmed() async throws {
        let house = try await House()
        let reply = try await Self.put(house, #"{"autoRelockSeconds":30}"#)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.data["device"]["settings"]["autoRelockSeconds"] == .integer(30))
        let read = try await house.call(.get, "/devices/\(house.ids.door)", as: .manager)
        #expect(read.data["device"]["settings"]["autoRelockSeconds"] == .integer(30))
        #expect(reply.headers[.eTag] == read.headers[.eTag] && reply.headers[.eTag] != nil)
        let command = reply.data["command"]
        #expect(command["state"].text == "CONFIRMED" && command["operation"].text == "CHANGE_SETTINGS")
        let commands = try await house.call(.get, "/commands?deviceId=\(house.ids.door)", as: .manager).data["commands"]
        #expect(commands.elements == [command])
        let records = try await house.call(.get, "/access-records?operation=CHANGE_SETTINGS", as: .manager)
        #expect(records.data["accessRecords"].elements.map { $0["kind"].text } == ["COMMAND_OUTCOME", "COMMAND_INTENT"])
        #expect(records.data["accessRecords"].elements.last?["details"]["after"]["autoRelockSeconds"] == .integer(30))
        let again = try await Self.put(house, #"{"autoRelockSeconds":30}"#)
        #expect(again.status == 200 && again.data["command"] == .null && house.adapter.sentCommands.count == 1)
    }

    @Test(
        "An invalid time is 400 with its problem, and nothing is sent",
        arguments: [("-1", "out_of_range"), ("3601", "out_of_range"), ("1.5", "wrong_type"), ("null", "required")])
    func invalid(_ value: String, _ problem: String) async throws {
        let house = try await House()
        let reply = try await Self.put(house, #"{"autoRelockSeconds":\#(value),"code":"1"}"#)
        #expect(reply.status == 400 && reply.problems == ["autoRelockSeconds: \(problem)"], "\(reply.text)")
        #expect(house.adapter.sentCommands.isEmpty && house.adapter.code(of: house.ids.door) == nil)
    }

    @Test(
        "A lock that does not confirm: the error of a command, with the command, and the setting stays as it was",
        arguments: [
            (ScriptedAdapter.Behaviour.fail(.offline), 503, "device_offline"), (.fail(.unsupported), 502, "adapter_failure"),
            (.fail(.codeRequired), 502, "adapter_failure"),
        ])
    func failing(_ behaviour: ScriptedAdapter.Behaviour, _ status: Int, _ code: String) async throws {
        let house = try await House(behaviour: behaviour)
        let reply = try await Self.put(house, #"{"autoRelockSeconds":30,"code":"1"}"#)
        #expect(reply.status == status && reply.code == code, "\(reply.text)")
        #expect(reply.details["command"]["state"].text == "FAILED")
        let device = try await house.call(.get, "/devices/\(house.ids.door)", as: .manager).data["device"]
        #expect(device["settings"]["autoRelockSeconds"] == .null && device["settings"]["hasCode"] == .bool(false))
    }

    @Test(
        "A caller without the right is denied, and a caller without a role is given no reason",
        arguments: [
            (House.Person.tenant, "role_insufficient"), (.maintenance, "role_insufficient"), (.auditor, "role_insufficient"),
            (.superAdmin, "role_insufficient"), (.guest, "operation_not_granted"), (.stranger, "forbidden"),
        ])
    func rights(_ person: House.Person, _ code: String) async throws {
        let house = try await House()
        let reply = try await Self.put(house, #"{"autoRelockSeconds":30}"#, as: person)
        #expect(reply.status == 403 && reply.code == code, "\(reply.text)")
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test("An id out of reach answers exactly as one that does not exist, and 404 for a super admin", arguments: [true, false])
    func unknown(isSuperAdmin: Bool) async throws {
        let house = try await House()
        let person = isSuperAdmin ? House.Person.superAdmin : .owner
        let replies = try await ["\(house.ids.foreignDoor)", "00000000-0000-7000-8000-000000000000", "no-id"].asyncMap {
            try await house.call(.put, "/devices/\($0)/settings", as: person, #"{"autoRelockSeconds":30}"#)
        }
        if isSuperAdmin {
            #expect(replies.map(\.status) == [403, 404, 404])
        } else {
            #expect(
                replies.map(\.status) == [403, 403, 403] && Set(replies.map(\.withoutRequestID)).count == 1,
                "\(replies.map(\.text))")
        }
    }

    @Test("A lock without the capability is 403 `capability_missing`, and a stale version 412; nothing is sent")
    func incapable() async throws {
        let house = try await House(capabilities: [.lock, .unlock])
        let stale = try await Self.put(house, #"{"autoRelockSeconds":30}"#, headers: [.ifMatch: "\"stale\""])
        #expect(stale.status == 412, "\(stale.text)")
        let body = #"{"name":"Plain","adapter":"scripted","address":{},"propertyId":"\#(house.ids.property)"}"#
        let id = try await house.call(.post, "/devices", as: .owner, body).data["device"]["id"].text ?? ""
        let reply = try await house.call(.put, "/devices/\(id)/settings", as: .owner, #"{"autoRelockSeconds":30}"#)
        #expect(reply.status == 403 && reply.code == "capability_missing")
        #expect(reply.details["missing"]["capability"].text == "SETTINGS")
        #expect(house.adapter.sentCommands.isEmpty)
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
