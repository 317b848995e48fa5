import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct GuestAccessRouteTests {
    private func body(_ house: House, device: DeviceID? = nil, operations: String = #"["UNLOCK"]"#, guest: UserID? = nil)
        -> String
    {
        #"{"guestUserId":"\#(guest ?? house.ids[.nobody])","deviceIds":["\#(device ?? house.ids.door)"],"#
            + #""operations":\#(operations),"validFrom":"2026-11-21T10:00:00+01:00","validUntil":"2026-11-21T12:00:00+01:00"}"#
    }

    @Test("A tenant grants a guest access for a window, and revokes it")
    func lifecycle() async throws {
        let house = try await House()
        let granted = try await house.call(.post, "/guest-access", as: .tenant, body(house))
        #expect(granted.status == 201)
        let access = granted.data["guestAccess"]
        #expect(access["validFrom"].text == "2026-11-21T09:00:00.000Z")
        #expect(access["operations"] == .array([.string("UNLOCK")]))
        #expect(access["schedule"] == .null)
        #expect(try await house.command(as: .nobody).code == "guest_window_not_started")
        house.clock.advance(by: .seconds(3600))
        #expect(try await house.command(as: .nobody).status == 200)
        #expect(try await house.command("lock", as: .nobody).code == "operation_not_granted")
        let id = try #require(access["id"].text)
        #expect(try await house.call(.delete, "/guest-access/\(id)", as: .tenant).status == 204)
        #expect(try await house.call(.delete, "/guest-access/\(id)", as: .tenant).status == 204)
        #expect(try await house.command(as: .nobody).code == "guest_access_revoked")
        let read = try await house.call(.get, "/guest-access/\(id)", as: .nobody)
        #expect(read.data["guestAccess"]["revokedAt"].text == house.clock.now().description)
    }

    @Test(
        "A caller can grant only operations that they have themselves",
        arguments: [
            (House.Person.auditor, "UNLOCK", 403, "role_insufficient"), (.guest, "UNLOCK", 403, "operation_not_granted"),
            (.neighbour, "UNLOCK", 403, "forbidden"), (.maintenance, "UNLOCK", 403, "role_insufficient"),
            (.superAdmin, "UNLOCK", 403, "role_insufficient"), (.manager, "UNLATCH", 201, ""),
        ])
    func rights(_ person: House.Person, _ operation: String, _ status: Int, _ code: String) async throws {
        let house = try await House()
        let reply = try await house.call(.post, "/guest-access", as: person, body(house, operations: "[\"\(operation)\"]"))
        #expect(reply.status == status, "\(reply.text)")
        #expect(reply.code ?? "" == code)
    }

    @Test("An unknown guest is 404 if the caller may grant access, and is not revealed to others")
    func unknownGuest() async throws {
        let house = try await House()
        let unknown = UserID(high: 1, low: 1)
        #expect(try await house.call(.post, "/guest-access", as: .tenant, body(house, guest: unknown)).status == 404)
        #expect(try await house.call(.post, "/guest-access", as: .auditor, body(house, guest: unknown)).status == 403)
        #expect(try await house.call(.post, "/guest-access", as: .neighbour, body(house, guest: unknown)).code == "forbidden")
    }

    @Test("A guest can be given by email address instead of by id")
    func guestByAddress() async throws {
        let house = try await House()
        func named(_ guest: String) -> String {
            #"{\#(guest),"deviceIds":["\#(house.ids.door)"],"operations":["UNLOCK"],"#
                + #""validFrom":"2026-11-21T08:00:00Z","validUntil":"2026-11-21T12:00:00Z"}"#
        }
        let granted = try await house.call(.post, "/guest-access", as: .tenant, named(#""guestEmail":"Nobody@example.com""#))
        #expect(granted.status == 201, "\(granted.text)")
        #expect(granted.data["guestAccess"]["guestUserId"].text == house.ids[.nobody].description)
        #expect(granted.data["guestAccess"]["label"] == .null)
        #expect(try await house.command(as: .nobody).status == 200)
        for unknown in ["somebody@example.com", "nobody", "nobody@example", ""] {
            let reply = try await house.call(.post, "/guest-access", as: .tenant, named(#""guestEmail":"\#(unknown)""#))
            #expect(reply.status == 404, "\(unknown): \(reply.text)")
        }
        let unknown = #""guestEmail":"somebody@example.com""#
        #expect(try await house.call(.post, "/guest-access", as: .auditor, named(unknown)).status == 403, "rights come first")
        #expect(try await house.call(.post, "/guest-access", as: .neighbour, named(unknown)).code == "forbidden")
        let both = #""guestEmail":"nobody@example.com","guestUserId":"\#(house.ids[.nobody])""#
        #expect(try await house.call(.post, "/guest-access", as: .tenant, named(both)).problems == ["guestEmail: exclusive"])
        let long = #""guestEmail":"\#(String(repeating: "x", count: 255))""#
        #expect(try await house.call(.post, "/guest-access", as: .tenant, named(long)).problems == ["guestEmail: too_long"])
    }

    @Test(
        "Whoever may manage a guest access sees the guest by name, and from MANAGEMENT on by address",
        arguments: [
            (House.Person.manager, true), (.owner, true), (.tenant, true), (.coTenant, false), (.guest, true),
        ])
    func guestByName(_ person: House.Person, seesAddress: Bool) async throws {
        let house = try await House()
        let place = #""unitId":"\#(house.ids.unit)","deviceIds""#
        let access = body(house, guest: house.ids[.guest]).replacing(#""deviceIds""#, with: place)
        let granted = try await house.call(.post, "/guest-access", as: .tenant, access)
        let path = "/guest-access/\(try #require(granted.data["guestAccess"]["id"].text))"
        let reply = try await house.call(.get, path, as: person)
        let guest = reply.data["guestAccess"]["guest"]
        #expect(guest["id"].text == house.ids[.guest].description, "\(reply.text)")
        #expect(guest["name"].text == "Guest Last")
        #expect(guest["email"].text == (seesAddress ? "guest@example.com" : nil))
        let listed = try await house.call(.get, "/guest-access", as: person).data["guestAccesses"].elements
        #expect(listed.contains { $0["guest"] == guest })
        // The name is part of the entity tag: a page that shows it must not be told that nothing has changed.
        _ = try await house.call(.put, "/users/me", as: .guest, #"{"firstName":"Gus"}"#)
        #expect(try await house.call(.get, path, as: person).data["guestAccess"]["guest"]["name"].text == "Gus Last")
    }

    @Test("A guest access for a label alone has no guest")
    func labelAlone() async throws {
        let house = try await House()
        let body = body(house).replacing(#""guestUserId":"\#(house.ids[.nobody])""#, with: #""label":"Plumber""#)
        let access = try await house.call(.post, "/guest-access", as: .manager, body).data["guestAccess"]
        #expect(access["label"].text == "Plumber")
        #expect(access["guest"] == .null)
    }

    @Test("A change to what the creator of its link could not grant ends the link, and the answer says so")
    func endedLink() async throws {
        let house = try await House()
        let path = "/guest-access/\(house.ids.guestAccess)"
        #expect(try await house.call(.post, path + "/link", as: .tenant).status == 201)
        let named = try await house.call(.put, path, as: .owner, #"{"label":"Courier"}"#)
        #expect(named.status == 200 && named.data["warning"] == .null, "\(named.text)")
        let gate = #"{"name":"Gate","adapter":"scripted","address":{},"propertyId":"\#(house.ids.property)"}"#
        let id = try await house.call(.post, "/devices", as: .owner, gate).data["device"]["id"].text ?? ""
        let wider = try await house.call(.put, path, as: .owner, #"{"deviceIds":["\#(house.ids.door)","\#(id)"]}"#)
        #expect(wider.status == 200, "\(wider.text)")
        #expect(wider.data["warning"].text?.hasPrefix("The link of this access has ended") == true, "\(wider.text)")
        #expect(try await house.call(.get, "/guest-access?hasLink=true", as: .owner).data["guestAccesses"].elements.isEmpty)
        #expect(try await house.call(.put, path, as: .owner, #"{"label":"Cleaner"}"#).data["warning"] == .null)
    }

    @Test("The list can be filtered by place and by whether the access is active")
    func list() async throws {
        let house = try await House()
        func count(_ query: String, _ person: House.Person = .manager) async throws -> Int64? {
            try await house.call(.get, "/guest-access?\(query)", as: person).data["pagination"]["totalItems"].number
        }
        #expect(try await count("") == 1)
        #expect(try await count("active=true&deviceId=\(house.ids.door)") == 1)
        #expect(try await count("deviceId=\(house.ids.frontDoor)") == 0)
        #expect(try await count("propertyId=\(house.ids.property)&sortBy=-validUntil") == 1)
        #expect(try await count("", .guest) == 1)
        #expect(try await count("", .neighbour) == 0)
        house.clock.advance(by: .seconds(86_400))
        #expect(try await count("active=true") == 0)
        #expect(try await count("active=false") == 1)
    }
}

@Suite struct AccessRecordRouteTests {
    private func seqs(_ reply: Reply) -> [Int64] { reply.data["accessRecords"].elements.compactMap { $0["seq"].number } }

    @Test("Paging by cursor returns every record once, in either order", arguments: ["desc", "asc"])
    func pages(_ order: String) async throws {
        let house = try await House()
        for _ in 0..<4 { _ = try await house.command(as: .tenant) }
        var found: [Int64] = []
        var cursor = ""
        repeat {
            let reply = try await house.call(.get, "/access-records?limit=3&order=\(order)\(cursor)", as: .owner)
            #expect(reply.status == 200)
            found += seqs(reply)
            cursor = reply.data["nextCursor"].text.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty
        let all = Array(Int64(0)..<8)
        #expect(found == (order == "asc" ? all : all.reversed()))
    }

    @Test("A cursor is valid only for its caller, filters and sort order")
    func cursor() async throws {
        let house = try await House()
        for _ in 0..<2 { _ = try await house.command(as: .tenant) }
        let path = "/devices/\(house.ids.door)/access-records?limit=1"
        let cursor = try #require(try await house.call(.get, path, as: .owner).data["nextCursor"].text)
        #expect(try await house.call(.get, path + "&cursor=\(cursor)", as: .owner).status == 200)
        #expect(try await house.call(.get, path + "&cursor=\(cursor)", as: .admin).problems == ["cursor: bad_cursor"])
        #expect(try await house.call(.get, path + "&order=asc&cursor=\(cursor)", as: .owner).status == 400)
        #expect(try await house.call(.get, "/access-records?cursor=\(cursor)", as: .owner).status == 400)
        let changed = cursor.hasPrefix("A") ? "B" + cursor.dropFirst() : "A" + cursor.dropFirst()
        #expect(try await house.call(.get, path + "&cursor=\(changed)", as: .owner).status == 400)
    }

    @Test(
        "The history of a lock is readable only for roles that include it",
        arguments: [
            (House.Person.tenant, nil), (.auditor, nil), (.manager, nil), (.maintenance, "role_insufficient"),
            (.guest, "operation_not_granted"), (.superAdmin, "role_insufficient"), (.neighbour, "forbidden"),
        ] as [(House.Person, String?)])
    func rights(_ person: House.Person, _ code: String?) async throws {
        let house = try await House()
        let reply = try await house.call(.get, "/devices/\(house.ids.door)/access-records", as: person)
        #expect(reply.status == (code == nil ? 200 : 403))
        #expect(reply.code == code)
    }

    @Test("A super admin reads the whole log of the gateway, and no portfolio's log")
    func gatewayLog() async throws {
        let house = try await House()
        _ = try await house.command(as: .stranger)
        _ = try await house.command(as: .tenant)
        let records = try await house.call(.get, "/access-records", as: .superAdmin).data["accessRecords"].elements
        #expect(records.allSatisfy { $0["logId"].text == "gateway" })
        let denial = try #require(records.first { $0["kind"].text == "DENIAL" })
        #expect(denial["actorId"].text == house.ids[.stranger].description)
        let outside = try await house.call(.get, "/devices/\(house.ids.door)/access-records", as: .owner)
            .data["accessRecords"].elements.first { $0["kind"].text == "DENIAL" }
        #expect(outside?["actorKind"].text == "OUTSIDE")
        #expect(outside?["actorId"] == .null)
    }

    @Test("A record contains the reason, request id and client that the request gave")
    func request() async throws {
        let house = try await House()
        _ = try await house.command(
            as: .tenant, #"{"reason":"parcel"}"#, headers: [.requestID: "my-id-1", .doorwardClient: "cli"])
        let record = try await house.call(.get, "/access-records?limit=1&order=asc", as: .owner).data["accessRecords"][0]
        #expect(record["requestId"].text == "my-id-1")
        #expect(record["source"].text == "CLI")
        #expect(record["statedReason"].text == "parcel")
    }
}
