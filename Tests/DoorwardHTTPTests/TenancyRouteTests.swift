import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct TenancyRouteTests {
    @Test("From a portfolio to a door that its tenant opens, all over HTTP")
    func build() async throws {
        let house = try await House()
        func create(_ person: House.Person, _ path: String, _ body: String, _ name: String) async throws -> String {
            let reply = try await house.call(.post, path, as: person, body)
            #expect(reply.status == 201, "\(path): \(reply.text)")
            let id = try #require(reply.data[name]["id"].text)
            #expect(reply.headers[.location]?.hasSuffix("/\(id)") == true)
            return id
        }
        let owner = house.ids[.neighbour].description
        let tenant = house.ids[.nobody].description
        let portfolio = try await create(
            .superAdmin, "/portfolios", #"{"name":" Ash Street ","administratorUserIds":["\#(owner)"]}"#, "portfolio")
        let property = try await create(
            .neighbour, "/portfolios/\(portfolio)/properties",
            #"{"name":"No. 1","address":{"street":"Ash Street 1","city":"Berlin"},"defaultTimeZone":"Europe/Berlin"}"#,
            "property")
        let unit = try await create(.neighbour, "/properties/\(property)/units", #"{"name":"1A"}"#, "unit")
        let device = try await create(
            .neighbour, "/devices",
            #"{"name":"Door","adapter":"scripted","address":{},"propertyId":"\#(property)","unitId":"\#(unit)","model":"X"}"#,
            "device")
        let assigned = try await house.call(
            .post, "/units/\(unit)/tenants", as: .neighbour, #"{"userId":"\#(tenant)","role":"TENANT"}"#)
        #expect(assigned.status == 200)
        let again = try await house.call(
            .post, "/units/\(unit)/tenants", as: .neighbour, #"{"userId":"\#(tenant)","role":"TENANT"}"#)
        #expect(again.data == assigned.data)
        #expect(try await house.call(.post, "/devices/\(device)/unlock", as: .nobody).status == 200)

        let read = try await house.call(.get, "/properties/\(property)", as: .neighbour).data["property"]
        #expect(read["address"]["city"].text == "Berlin")
        #expect(read["address"]["country"] == .null)
        #expect(
            try await house.call(.get, "/portfolios/\(portfolio)", as: .neighbour).data["portfolio"]["name"].text == "Ash Street")
        let attached = try await house.call(.get, "/units/\(unit)/devices", as: .nobody)
        #expect(attached.data["devices"][0]["id"].text == device)
        #expect(attached.data["pagination"]["totalItems"].number == 1)

        let removed = try await house.call(.delete, "/units/\(unit)/tenants/\(tenant)", as: .neighbour)
        #expect(removed.status == 204)
        #expect(try await house.call(.post, "/devices/\(device)/unlock", as: .nobody).code == "forbidden")
        #expect(try await house.call(.delete, "/units/\(unit)/tenants/\(tenant)", as: .neighbour).status == 404)
    }

    @Test(
        "A caller who may not create an entity is told which role is required",
        arguments: [
            (House.Person.owner, "/portfolios", #"{"name":"x"}"#), (.manager, "/portfolios/P/properties", #"{"name":"x"}"#),
            (.maintenance, "/properties/R/units", #"{"name":"x"}"#), (.superAdmin, "/portfolios/P/properties", #"{"name":"x"}"#),
            (.maintenance, "/devices", #"{"name":"x","adapter":"scripted","address":{},"propertyId":"R"}"#),
            (.admin, "/portfolios/P/admins", #"{"userId":"U","role":"PORTFOLIO_ADMIN"}"#),
            (.auditor, "/properties/R/managers", #"{"userId":"U","role":"AUDITOR"}"#),
            (.tenant, "/units/T/tenants", #"{"userId":"U","role":"TENANT"}"#),
            (.owner, "/users", #"{"email":"a@b","firstName":"a","lastName":"b","password":"fifteen letters or more"}"#),
        ])
    func refused(_ person: House.Person, _ path: String, _ body: String) async throws {
        let house = try await House()
        let path = path.replacing("/P/", with: "/\(house.ids.portfolio)/").replacing("/R/", with: "/\(house.ids.property)/")
            .replacing("/T/", with: "/\(house.ids.unit)/")
        let body = body.replacing(#""R""#, with: "\"\(house.ids.property)\"")
            .replacing(#""U""#, with: "\"\(house.ids[.nobody])\"")
        // The portfolio above the property is not visible to a manager.
        let isOutOfReach = person == .manager
        let reply = try await house.call(.post, path, as: person, body)
        #expect(reply.status == 403)
        #expect(reply.code == (isOutOfReach ? "forbidden" : "role_insufficient"))
        #expect((reply.details["missing"]["role"].text == nil) == isOutOfReach)
    }

    @Test("Assigning a role to an unknown user is 404, checked after the right")
    func unknownPerson() async throws {
        let house = try await House()
        for id in ["01a1fd86-0000-7000-8000-000000000000", "nobody"] {
            let path = "/units/\(house.ids.unit)/tenants"
            #expect(try await house.call(.post, path, as: .manager, #"{"userId":"\#(id)","role":"TENANT"}"#).status == 404)
            #expect(try await house.call(.post, path, as: .tenant, #"{"userId":"\#(id)","role":"TENANT"}"#).status == 403)
        }
    }

    @Test("A caller without the right to remove roles cannot learn who has one")
    func removeNothing() async throws {
        let house = try await House()
        let path = "/properties/\(house.ids.property)/managers/"
        let there = try await house.call(.delete, path + house.ids[.manager].description, as: .maintenance)
        let notThere = try await house.call(.delete, path + house.ids[.nobody].description, as: .maintenance)
        #expect(there.status == 403)
        #expect(there.withoutRequestID == notThere.withoutRequestID)
    }

    @Test("Only a super admin can remove the last owner")
    func lastOwner() async throws {
        let house = try await House()
        let path = "/portfolios/\(house.ids.portfolio)/admins/\(house.ids[.owner])"
        let refused = try await house.call(.delete, path, as: .owner)
        #expect(refused.status == 409)
        #expect(refused.code == "conflict")
        #expect(try await house.call(.delete, path, as: .superAdmin).status == 204)
    }

    @Test("The users of a property are listed with their roles on it")
    func people() async throws {
        let house = try await House()
        let reply = try await house.call(.get, "/properties/\(house.ids.property)/managers?sortBy=-name", as: .owner)
        #expect(reply.status == 200)
        let users = reply.data["users"].elements
        #expect(users.map { $0["firstName"].text } == ["Manager", "Maintenance"])
        #expect(users.allSatisfy { $0["roleAssociations"].elements.count == 1 })
        #expect(try await house.call(.get, "/properties/\(house.ids.property)/managers", as: .tenant).status == 403)
    }

    @Test("Lists are paged and counted exactly, and equal names are sorted by id")
    func pages() async throws {
        let house = try await House()
        for name in ["b", "A", "b", "c"] {
            _ = try await house.call(.post, "/properties/\(house.ids.property)/units", as: .manager, #"{"name":"\#(name)"}"#)
        }
        func names(_ query: String) async throws -> [String?] {
            try await house.call(.get, "/units?\(query)", as: .owner).data["units"].elements.map { $0["name"].text }
        }
        #expect(try await names("sortBy=name") == ["2B", "3C", "A", "b", "b", "c"])
        #expect(try await names("sortBy=-name&limit=3") == ["c", "b", "b"])
        #expect(try await names("page=9") == [])
        let page = try await house.call(.get, "/units?page=2&limit=4", as: .owner).data
        #expect(page["units"].elements.count == 2)
        #expect(
            page["pagination"]
                == .object([
                    "totalItems": .integer(6), "totalPages": .integer(2), "currentPage": .integer(2), "pageSize": .integer(4),
                ]))
        let ids = try await house.call(.get, "/units?sortBy=name", as: .owner).data["units"].elements
            .filter { $0["name"].text == "b" }.compactMap { $0["id"].text }
        #expect(ids == ids.sorted())
        #expect(
            try await house.call(.get, "/properties/\(house.ids.property)/units", as: .tenant).data["units"].elements.count == 1)
        #expect(
            try await house.call(.get, "/portfolios/\(house.ids.portfolio)/properties", as: .auditor)
                .data["properties"].elements.count == 1)
    }

    @Test("An adapter's errors in an address are reported for each field")
    func address() async throws {
        let house = try await House()
        house.adapter.set(errors: AddressErrors([.init(field: "address.latencyMs", problem: "out_of_range")]))
        let reply = try await house.call(
            .post, "/devices", as: .manager,
            #"{"name":"x","adapter":"scripted","address":{"latencyMs":-1},"propertyId":"\#(house.ids.property)"}"#)
        #expect(reply.status == 400)
        #expect(reply.problems == ["address.latencyMs: out_of_range"])
    }

    @Test("The caller's permissions contain a decision for each operation")
    func permissions() async throws {
        let house = try await House()
        let reply = try await house.call(.get, "/devices/\(house.ids.door)/permissions", as: .guest)
        let decisions = reply.data["permissions"].elements
        #expect(decisions.map { $0["operation"].text } == LockOperation.allCases.map(\.rawValue))
        #expect(
            decisions.filter { $0["allowed"].flag == true }.map { $0["operation"].text } == ["LOCK", "UNLOCK", "VIEW_STATUS"])
        #expect(decisions[2]["reason"].text == "operation_not_granted")
        #expect(
            decisions[0].keys == [
                "allowed", "operation", "deviceId", "at", "rule", "reason", "opensAt", "closesAt", "missing",
                "assumes",
            ])
        let matrix = try await house.call(.get, "/permission-matrix", as: .nobody)
        #expect(matrix.data["operations"].elements.map { $0["operation"].text } == LockOperation.allCases.map(\.rawValue))
        let management = matrix.data["management"].elements
        #expect(management.map { $0["permission"].text } == ManagementPermission.allCases.map(\.rawValue))
        for (row, permission) in zip(management, ManagementPermission.allCases) {
            let holders = PermissionMatrix.holders(of: permission)
            #expect(row["superAdmin"].text == holders.superAdmin.rawValue)
            #expect(row["roles"].elements.map(\.text) == holders.roles.map(\.rawValue))
        }
        let unlock = matrix.data["operations"].elements.first { $0["operation"].text == "UNLOCK" }
        #expect(unlock?["holders"].elements.first?.keys == ["role"], "a missing condition is left out")
        #expect(unlock?["holders"].elements.last?["condition"].text == "GRANTED_AND_IN_WINDOW")
    }
}
