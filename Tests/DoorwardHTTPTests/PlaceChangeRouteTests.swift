import DoorwardDomain
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `PUT` and `DELETE` of portfolios, properties and units, and the devices of a unit.
@Suite struct PlaceChangeRouteTests {
    @Test("PUT replaces the fields that it names, and the derived lists of the response are those after the change")
    func change() async throws {
        let house = try await House()
        let portfolio = try await house.call(
            .put, "/portfolios/\(house.ids.portfolio)", as: .owner,
            #"{"name":" Oak ","administratorUserIds":["\#(house.ids[.owner])","\#(house.ids[.nobody])"]}"#)
        #expect(portfolio.status == 200 && portfolio.data["portfolio"]["name"] == .string("Oak"))
        let admins = Set(portfolio.data["portfolio"]["administratorUserIds"].elements.compactMap(\.text))
        #expect(admins == Set([house.ids[.owner], house.ids[.nobody]].map(\.description)))
        let property = try await house.call(
            .put, "/properties/\(house.ids.property)", as: .manager,
            #"{"address":{"street":"Oak Street 5","city":"Ulm"},"defaultTimeZone":null}"#)
        #expect(property.data["property"]["address"]["city"] == .string("Ulm"))
        #expect(property.data["property"]["defaultTimeZone"] == .null && property.data["property"]["name"] == .string("No. 5"))
        let unit = try await house.call(
            .put, "/units/\(house.ids.unit)", as: .manager,
            """
            {"deviceIds":["\(house.ids.simulated)"],"commonAreaAccessIds":["\(house.ids.door)"],
            "tenantUserIds":["\(house.ids[.neighbour])"]}
            """)
        #expect(unit.status == 200, "\(unit.text)")
        #expect(unit.data["unit"]["deviceIds"].elements.map(\.text) == [house.ids.simulated.description])
        #expect(unit.data["unit"]["commonAreaAccessIds"].elements.map(\.text) == [house.ids.door.description])
        #expect(unit.data["unit"]["tenantUserIds"].elements.map(\.text) == [house.ids[.neighbour].description])
        #expect(try await house.command(as: .tenant).code == "forbidden", "the former tenant sees the door no more")
        let emptied = try await house.call(.put, "/units/\(house.ids.unit)", as: .manager, #"{"tenantUserIds":null}"#)
        #expect(emptied.data["unit"]["tenantUserIds"] == .array([]))
    }

    @Test("A PUT with unknown, read-only or malformed fields is 400 and names each of them")
    func badBodies() async throws {
        let house = try await House()
        let rows: [(String, String, Set<String>)] = [
            (
                "/portfolios/\(house.ids.portfolio)", #"{"name":null,"propertyIds":[],"administratorUserIds":"x","id":"y"}"#,
                ["name: required", "propertyIds: read_only", "administratorUserIds: wrong_type", "id: unknown_key"]
            ),
            (
                "/properties/\(house.ids.property)",
                #"{"unitIds":[],"portfolioId":"p","defaultTimeZone":"CET+1","address":{"planet":"x"},"managerUserIds":[1]}"#,
                [
                    "unitIds: read_only", "portfolioId: read_only", "defaultTimeZone: unknown_zone",
                    "address.planet: unknown_key", "managerUserIds[0]: wrong_type",
                ]
            ),
            (
                "/units/\(house.ids.unit)", #"{"propertyId":"p","portfolioId":"p","deviceIds":{},"commonAreaAccessIds":[null]}"#,
                [
                    "propertyId: read_only", "portfolioId: read_only", "deviceIds: wrong_type",
                    "commonAreaAccessIds[0]: wrong_type",
                ]
            ),
        ]
        for (path, body, problems) in rows {
            let reply = try await house.call(.put, path, as: .owner, body)
            #expect(reply.status == 400 && Set(reply.problems) == problems, "\(path): \(reply.problems)")
        }
        let notCommon = try await house.call(
            .put, "/units/\(house.ids.unit)", as: .owner, #"{"commonAreaAccessIds":["\#(house.ids.door)"]}"#)
        #expect(notCommon.problems == ["commonAreaAccessIds: not_common_area"])
        let unknown = try await house.call(
            .put, "/units/\(house.ids.unit)", as: .owner, #"{"tenantUserIds":["nobody"]}"#)
        #expect(unknown.status == 404)
    }

    @Test("An entity's tag is that of its response, and PUT and DELETE with an older one are 412")
    func tags() async throws {
        let house = try await House()
        for (path, body) in [
            ("/portfolios/\(house.ids.portfolio)", #"{"name":"A"}"#), ("/properties/\(house.ids.property)", #"{"name":"B"}"#),
            ("/units/\(house.ids.unit)", #"{"name":"C"}"#),
        ] {
            let tag = try #require(try await house.call(.get, path, as: .owner).headers[.eTag])
            let changed = try await house.call(.put, path, as: .owner, body, headers: [.ifMatch: tag])
            #expect(changed.status == 200)
            #expect(try await house.call(.get, path, as: .owner).headers[.eTag] == changed.headers[.eTag])
            #expect(try await house.call(.put, path, as: .owner, body, headers: [.ifMatch: tag]).status == 412)
            for query in ["?cascade=true", "?cascade=true&dryRun=true", ""] {
                #expect(try await house.call(.delete, path + query, as: .owner, headers: [.ifMatch: tag]).status == 412)
            }
        }
        // A derived list is a part of the object: a change of the list makes an older tag stale.
        let path = "/units/\(house.ids.unit)"
        let tag = try #require(try await house.call(.get, path, as: .owner).headers[.eTag])
        _ = try await house.call(.delete, "\(path)/tenants/\(house.ids[.coTenant])", as: .owner)
        #expect(try await house.call(.put, path, as: .owner, #"{"name":"D"}"#, headers: [.ifMatch: tag]).status == 412)
    }

    @Test("DELETE of an entity that contains others is 409 with their counts; a preview is 200; a cascade is 204")
    func delete() async throws {
        let house = try await House()
        let path = "/properties/\(house.ids.property)"
        let refused = try await house.call(.delete, path, as: .owner)
        #expect(refused.status == 409 && refused.code == "has_dependents")
        #expect(refused.details["dependents"] == .object(["devices": .integer(3), "units": .integer(2)]))
        let preview = try await house.call(.delete, path + "?cascade=true&dryRun=true", as: .owner).data["preview"]
        #expect(preview["removed"].elements.map { $0["name"].text } == ["2B", "3C", "No. 5"])
        #expect(preview["removed"].elements.last?["id"] == .string(house.ids.property.description))
        #expect(
            preview["ended"].elements.contains {
                $0 == .object(["type": .string("GuestAccess"), "id": .string(house.ids.guestAccess.description)])
            })
        #expect(try await house.call(.get, path, as: .owner).status == 200)
        let deleted = try await house.call(.delete, path + "?cascade=true", as: .owner)
        #expect(deleted.status == 204 && deleted.text.isEmpty)
        #expect(try await house.call(.get, path, as: .owner).code == "forbidden")
        #expect(try await house.call(.get, path, as: .superAdmin).status == 404)
        #expect(try await house.call(.get, "/units/\(house.ids.unit)", as: .tenant).code == "forbidden")
        #expect(try await house.command(as: .tenant).code == "forbidden")
        #expect(try await house.call(.get, "/devices", as: .owner).data["pagination"]["totalItems"] == .integer(0))
        let unassigned = try await house.call(.get, "/devices/\(house.ids.door)", as: .superAdmin).data["device"]
        #expect(unassigned["propertyId"] == .null && unassigned["portfolioId"] == .null)
        #expect(try await house.call(.delete, path + "?force=1", as: .owner).problems == ["force: unknown_key"])
        #expect(try await house.call(.delete, path + "?cascade=yes", as: .owner).problems == ["cascade: wrong_type"])
    }

    @Test("Only the roles of the matrix change and delete; others who see the entity are refused, and a tenant's property too")
    func rights() async throws {
        let house = try await House()
        let rows: [(String, Set<House.Person>, Set<House.Person>)] = [
            ("/portfolios/\(house.ids.portfolio)", [.superAdmin, .owner, .admin], [.superAdmin, .owner]),
            ("/properties/\(house.ids.property)", [.owner, .admin, .manager], [.owner, .admin]),
            ("/units/\(house.ids.unit)", [.owner, .admin, .manager], [.owner, .admin, .manager]),
        ]
        for (path, changers, deleters) in rows {
            for person in House.Person.allCases {
                let sees = try await house.call(.get, path, as: person).status == 200
                let changed = try await house.call(.put, path, as: person, "{}")
                #expect((changed.status == 200) == changers.contains(person), "PUT \(path) as \(person)")
                let deleted = try await house.call(.delete, path + "?cascade=true&dryRun=true", as: person)
                #expect((deleted.status == 200) == deleters.contains(person), "DELETE \(path) as \(person)")
                for (reply, allowed) in [(changed, changers), (deleted, deleters)] where !allowed.contains(person) {
                    #expect(reply.code == (sees ? "role_insufficient" : "forbidden"), "\(path) as \(person)")
                }
            }
        }
    }

    @Test("A device is put on a unit and taken from it by its path")
    func unitDevices() async throws {
        let house = try await House()
        let path = "/units/\(house.ids.unit)/devices"
        let moved = try await house.call(.post, path, as: .manager, #"{"deviceId":"\#(house.ids.simulated)"}"#)
        #expect(moved.status == 200 && moved.data["device"]["unitId"] == .string(house.ids.unit.description))
        #expect(moved.headers[.eTag] != nil)
        #expect(try await house.call(.post, path, as: .manager, "{}").problems == ["deviceId: required"])
        #expect(try await house.call(.delete, "\(path)/\(house.ids.simulated)?dryRun=true", as: .manager).status == 200)
        #expect(try await house.call(.delete, "\(path)/\(house.ids.simulated)", as: .manager).status == 204)
        for absent in [house.ids.simulated.description, house.ids.foreignDoor.description, "none"] {
            #expect(try await house.call(.delete, "\(path)/\(absent)", as: .manager).status == 404)
        }
        #expect(try await house.call(.delete, "\(path)/\(house.ids.door)", as: .tenant).code == "role_insufficient")
    }

    @Test("Role removals, guest accesses and devices have a preview too", arguments: [false, true])
    func previews(isDryRun: Bool) async throws {
        let house = try await House()
        let query = isDryRun ? "?dryRun=true" : "?dryRun=false"
        for path in [
            "/guest-access/\(house.ids.guestAccess)", "/units/\(house.ids.unit)/tenants/\(house.ids[.tenant])",
            "/properties/\(house.ids.property)/managers/\(house.ids[.manager])",
            "/portfolios/\(house.ids.portfolio)/admins/\(house.ids[.admin])", "/devices/\(house.ids.simulated)",
        ] {
            let reply = try await house.call(.delete, path + query, as: .owner)
            #expect(reply.status == (isDryRun ? 200 : 204), "\(path)")
            #expect((reply.data["preview"] != .null) == isDryRun)
        }
        let access = try await house.call(.get, "/guest-access/\(house.ids.guestAccess)", as: .owner)
        #expect((access.data["guestAccess"]["revokedAt"] == .null) == isDryRun)
    }
}
