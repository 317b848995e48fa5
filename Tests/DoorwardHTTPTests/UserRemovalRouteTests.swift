import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `DELETE /users/:id` and `/users/:id/personal-data`, default entities, `viewLevel` and `q`.
@Suite struct UserRemovalRouteTests {
    @Test("A deleted user is 204, the token stops working at once, and the id is unknown afterwards")
    func delete() async throws {
        let house = try await House()
        let path = "/users/\(house.ids[.tenant])"
        #expect(try await house.call(.get, "/users/me", as: .tenant).status == 200)
        let preview = try await house.call(.delete, path + "?dryRun=true", as: .superAdmin).data["preview"]
        #expect(preview["removed"][0]["type"] == .string("User"))
        let types = Set(preview["ended"].elements.compactMap { $0["type"].text })
        #expect(types == ["UserRoleAssociation", "GuestAccess", "Session"])
        #expect(try await house.call(.delete, path, as: .superAdmin).status == 204)
        #expect(try await house.call(.get, "/users/me", as: .tenant).status == 401)
        #expect(try await house.command(as: .tenant).status == 401)
        for again in [HTTPRequest.Method.get, .delete] {
            #expect(try await house.call(again, path, as: .superAdmin).status == 404)
        }
        #expect(try await house.call(.get, path, as: .owner).code == "forbidden")
        #expect(try await house.call(.delete, path + "/personal-data", as: .superAdmin).status == 204)
        #expect(try await house.call(.delete, path + "/personal-data?x=1", as: .superAdmin).status == 400)
        #expect(try await house.call(.delete, "/users/nobody/personal-data", as: .superAdmin).status == 404)
    }

    @Test("Only a super admin deletes and erases users; the last one is 409, and a stale tag is 412")
    func refusals() async throws {
        let house = try await House()
        let path = "/users/\(house.ids[.tenant])"
        for suffix in ["", "/personal-data"] {
            for person in [House.Person.owner, .admin, .manager, .tenant] {
                #expect(try await house.call(.delete, path + suffix, as: person).code == "role_insufficient", "\(person)")
            }
            for person in [House.Person.stranger, .guest, .nobody, .maintenance] {
                #expect(try await house.call(.delete, path + suffix, as: person).code == "forbidden", "\(person)")
            }
        }
        #expect(try await house.call(.delete, "/users/\(house.ids[.superAdmin])", as: .superAdmin).code == "conflict")
        let tag = try #require(try await house.call(.get, path, as: .superAdmin).headers[.eTag])
        _ = try await house.call(.put, path, as: .superAdmin, #"{"firstName":"T"}"#)
        #expect(try await house.call(.delete, path, as: .superAdmin, headers: [.ifMatch: tag]).status == 412)
    }

    @Test("A default entity is null once it is deleted or no longer reached, and counts again with a new role")
    func defaults() async throws {
        let house = try await House()
        let unit = house.ids.unit
        _ = try await house.call(
            .put, "/users/me", as: .tenant, #"{"defaultUnitId":"\#(unit)","defaultPropertyId":"\#(house.ids.property)"}"#)
        func shown() async throws -> [JSONValue] {
            let user = try await house.call(.get, "/users/me", as: .tenant).data["user"]
            return [user["defaultUnitId"], user["defaultPropertyId"]]
        }
        #expect(try await shown() == [.string(unit.description), .string(house.ids.property.description)])
        _ = try await house.call(.delete, "/units/\(unit)/tenants/\(house.ids[.tenant])", as: .owner)
        #expect(try await shown() == [.null, .null])
        _ = try await house.call(
            .post, "/units/\(unit)/tenants", as: .owner, #"{"userId":"\#(house.ids[.tenant])","role":"TENANT"}"#)
        #expect(try await shown() == [.string(unit.description), .string(house.ids.property.description)])
        _ = try await house.call(.delete, "/units/\(unit)?cascade=true", as: .owner)
        #expect(try await shown() == [.null, .null])
    }

    @Test("Each projected object has the level at which its reader sees it")
    func viewLevel() async throws {
        let house = try await House()
        let device = "/devices/\(house.ids.door)"
        let levels: [(House.Person, String)] = [
            (.guest, "PUBLIC"), (.tenant, "RESIDENT"), (.maintenance, "OPERATIONS"), (.superAdmin, "OPERATIONS"),
            (.manager, "MANAGEMENT"), (.auditor, "MANAGEMENT"), (.owner, "OWNER"),
        ]
        for (person, level) in levels {
            let reply = try await house.call(.get, device, as: person)
            #expect(reply.data["device"]["viewLevel"] == .string(level), "\(person)")
        }
        #expect(try await house.call(.get, "/users/me", as: .tenant).data["user"]["viewLevel"] == .string("SELF"))
        let tenant = "/users/\(house.ids[.tenant])"
        #expect(try await house.call(.get, tenant, as: .manager).data["user"]["viewLevel"] == .string("MANAGEMENT"))
        #expect(try await house.call(.get, tenant, as: .superAdmin).data["user"]["viewLevel"] == .string("OWNER"))
        for (path, name) in [("/portfolios", "portfolios"), ("/properties", "properties"), ("/units", "units")] {
            let list = try await house.call(.get, path, as: .owner).data[name]
            #expect(list.elements.allSatisfy { $0["viewLevel"] == .string("OWNER") } && !list.elements.isEmpty)
        }
    }

    @Test(
        "q selects by a part of the name, ignoring case, and counts only what it selects",
        arguments: [
            ("/devices", "devices", "DOOR", 2), ("/devices", "devices", "%20cell", 1), ("/units", "units", "b", 1),
            ("/properties", "properties", "NO.", 1), ("/portfolios", "portfolios", "oak", 1),
            ("/portfolios", "portfolios", "elm", 0),
            ("/users", "users", "tenant%20l", 2), ("/guest-access", "guestAccesses", "x", 0),
        ])
    func search(path: String, name: String, text: String, count: Int) async throws {
        let house = try await House()
        let reply = try await house.call(.get, "\(path)?q=\(text)", as: .owner)
        #expect(reply.data[name].elements.count == count, "\(reply.text)")
        #expect(reply.data["pagination"]["totalItems"] == .integer(Int64(count)))
    }

    @Test("q searches role lists, labels and discovered locks; a blank or too long q is 400, and the list of commands has no q")
    func searchElsewhere() async throws {
        let house = try await House()
        _ = try await house.call(
            .post, "/guest-access", as: .owner,
            """
            {"label":"Élodie","deviceIds":["\(house.ids.door)"],"operations":["UNLOCK"],
            "validFrom":"2030-01-01T00:00:00Z","validUntil":"2030-01-02T00:00:00Z"}
            """)
        for text in ["%C3%A9lo", "E%CC%81LO"] {
            let found = try await house.call(.get, "/guest-access?q=\(text)", as: .owner)
            #expect(found.data["guestAccesses"].elements.map { $0["label"].text } == ["Élodie"], "\(text)")
        }
        let tenants = try await house.call(.get, "/units/\(house.ids.unit)/tenants?q=cot", as: .owner)
        #expect(tenants.data["users"].elements.count == 1)
        #expect(try await house.call(.get, "/devices/discovered?q=attic", as: .owner).status == 200)
        #expect(try await house.call(.get, "/devices?q=%20", as: .owner).problems == ["q: blank"])
        let long = String(repeating: "x", count: 201)
        #expect(try await house.call(.get, "/units?q=\(long)", as: .owner).problems == ["q: too_long"])
        #expect(try await house.call(.get, "/commands?q=a", as: .owner).problems == ["q: unknown_key"])
    }

    @Test("Every deletion previews its effects with dryRun and changes nothing")
    func everyPreview() async throws {
        let house = try await House(withPasswords: true)
        let document = PublishedDocument(json: try await house.call(.get, "/openapi.json").json)
        let deletions = document.operations.filter { $0.method == "DELETE" && !$0.path.hasSuffix("/lockdown") }
        #expect(deletions.count > 10)
        for operation in deletions {
            let names = operation.json["parameters"].elements.compactMap { $0["name"].text }
            #expect(names.contains("dryRun"), "\(operation.path)")
        }
        let ids = house.ids
        let tomorrow = house.clock.now().advanced(by: .seconds(86_400))
        let key = try await house.call(
            .post, "/api-keys", as: .owner,
            #"{"name":"Robot","entityType":"PROPERTY","entityId":"\#(ids.property)","role":"AUDITOR","expiresAt":"\#(tomorrow)"}"#
        ).data["apiKey"]["id"].text
        let invitation = try await house.call(
            .post, "/units/\(ids.unit)/tenants", as: .owner, #"{"email":"eve@example.com","role":"TENANT"}"#
        ).data["invitation"]["id"].text
        let session = House.session(of: .owner).description
        for (path, id, person, list) in [
            ("/api-keys/\(key ?? "")", key, House.Person.owner, "removed"),
            ("/invitations/\(invitation ?? "")", invitation, .owner, "ended"),
            ("/users/me/sessions/\(session)", session, .owner, "ended"),
        ] {
            let reply = try await house.call(.delete, path + "?dryRun=true", as: person)
            #expect(reply.status == 200 && reply.data.keys == ["preview"], "\(path): \(reply.text)")
            #expect(reply.data["preview"][list][0]["id"].text == id, "\(path): \(reply.text)")
            #expect(try await house.call(.delete, path, as: .stranger).status >= 400)
            #expect(try await house.call(.get, "/users/me", as: .owner).status == 200)
            #expect(try await house.call(.delete, path + "?dryRun=false", as: person).status == 204, "\(path)")
        }
        let erasure = try await house.call(
            .delete, "/users/\(ids[.tenant])/personal-data?dryRun=true", as: .superAdmin)
        #expect(erasure.status == 200 && erasure.data["preview"]["removed"].elements.isEmpty, "\(erasure.text)")
    }
}
