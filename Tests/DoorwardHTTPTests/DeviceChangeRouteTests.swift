import DoorwardDomain
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `PUT` and `DELETE /devices/:id`.
@Suite struct DeviceChangeRouteTests {
    @Test("A deleted lock is 204 and no longer exists for any caller; its records stay readable with the same rights")
    func delete() async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        let deleted = try await house.call(.delete, path, as: .manager)
        #expect(deleted.status == 204 && deleted.text.isEmpty)
        for person in [House.Person.manager, .tenant] {
            let again = try await house.call(.delete, path, as: person)
            #expect(again.status == 403 && again.code == "forbidden" && again.details.keys.isEmpty)
        }
        #expect(try await house.call(.get, path, as: .superAdmin).status == 404)
        let records = try await house.call(.get, "/access-records?deviceId=\(house.ids.door)", as: .owner)
        #expect(records.data["accessRecords"].elements.map { $0["action"].text } == ["DELETE"])
        let list = try await house.call(.get, "/units/\(house.ids.unit)", as: .owner)
        #expect(list.data["unit"]["deviceIds"] == .array([]))
    }

    @Test("A lock cannot be deleted with read rights only, by a super admin, or with a query")
    func refusals() async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        for person in [House.Person.superAdmin, .maintenance, .auditor, .tenant, .guest] {
            let reply = try await house.call(.delete, path, as: person)
            #expect(reply.status == 403 && reply.code == "role_insufficient", "\(person)")
        }
        #expect(try await house.call(.delete, path + "?force=1", as: .owner).problems == ["force: unknown_key"])
        #expect(try await house.call(.get, path, as: .owner).status == 200)
    }

    @Test("PUT replaces the given fields, clears a field given as null, and rejects read-only fields and null for required ones")
    func change() async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        let changed = try await house.call(
            .put, path, as: .manager, #"{"name":" Blue ","manufacturer":"M","metadata":{"k":[1]},"unitId":null}"#)
        #expect(changed.status == 200)
        let device = changed.data["device"]
        #expect(device["name"] == .string("Blue") && device["manufacturer"] == .string("M") && device["unitId"] == .null)
        #expect(device["metadata"]["k"][0] == .integer(1))
        let cleared = try await house.call(.put, path, as: .manager, #"{"manufacturer":null}"#)
        #expect(cleared.data["device"]["manufacturer"] == .null && cleared.data["device"]["name"] == .string("Blue"))
        let bad = try await house.call(
            .put, path, as: .manager,
            #"{"name":null,"address":null,"adapter":"x","isRemoteOperationEnabled":null,"state":"LOCKED"}"#)
        #expect(bad.status == 400)
        #expect(
            Set(bad.problems) == [
                "name: required", "address: required", "adapter: read_only", "isRemoteOperationEnabled: required",
                "state: unknown_key",
            ])
    }

    @Test("Notes have at most 256 characters, of any number of bytes, and no control characters; managers and auditors see them")
    func notes() async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        let longest = String(repeating: "🔑", count: 256)
        let noted = try await house.call(.put, path, as: .manager, #"{"notes":" \#(longest.dropFirst(2)) "}"#)
        #expect(noted.data["device"]["notes"] == .string(String(longest.dropFirst(2))))
        #expect(try await house.call(.put, path, as: .manager, #"{"notes":"\#(longest)"}"#).status == 200)
        for (text, problem) in [
            ("\(longest)x", "too_long"), (#"a\u0007b"#, "control_character"), (#"a\nb"#, "control_character"), (" ", "blank"),
        ] {
            #expect(try await house.call(.put, path, as: .manager, #"{"notes":"\#(text)"}"#).problems == ["notes: \(problem)"])
        }
        #expect(try await house.call(.get, path, as: .auditor).data["device"]["notes"] == .string(longest))
        for person in [House.Person.tenant, .maintenance, .superAdmin] {
            #expect(try await house.call(.get, path, as: person).data["device"].keys.contains("notes") == false, "\(person)")
        }
        for person in [House.Person.tenant, .maintenance, .auditor, .superAdmin] {
            #expect(try await house.call(.put, path, as: person, #"{"notes":"x"}"#).code == "role_insufficient", "\(person)")
        }
        let cleared = try await house.call(.put, path, as: .manager, #"{"notes":null}"#)
        #expect(cleared.data["device"]["notes"] == .null)
        let records = try await house.call(.get, "/access-records?deviceId=\(house.ids.door)&limit=1", as: .owner)
        let details = records.data["accessRecords"][0]["details"]
        #expect(details["before"] == .object(["hasNotes": .bool(true)]))
        #expect(details["after"] == .object(["hasNotes": .bool(false)]))
    }

    @Test("A property or unit that is not visible gives the same error as one that does not exist")
    func places() async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        let foreign = try await house.call(.put, path, as: .owner, #"{"propertyId":"\#(house.ids.otherProperty)"}"#)
        for body in [
            #"{"propertyId":"nothing"}"#, #"{"propertyId":"\#(PropertyID(high: 1, low: 1))"}"#,
            #"{"unitId":"\#(house.ids.foreignUnit)"}"#,
        ] {
            let reply = try await house.call(.put, path, as: .owner, body)
            #expect(reply.withoutRequestID == foreign.withoutRequestID)
        }
        #expect(foreign.status == 403 && foreign.code == "forbidden")
        let moved = try await house.call(.put, path, as: .owner, #"{"unitId":"\#(house.ids.otherUnit)"}"#)
        #expect(moved.data["device"]["unitId"] == .string(house.ids.otherUnit.description))
        #expect(try await house.call(.get, path, as: .tenant).status == 403)
        #expect(try await house.command(as: .neighbour).status == 200)
    }
}
