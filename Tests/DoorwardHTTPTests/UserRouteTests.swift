import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct UserRouteTests {
    @Test("A super admin creates, reads and disables users")
    func lifecycle() async throws {
        let house = try await House()
        let body = #"{"email":"Neo@example.com","firstName":"Neo","lastName":"One","password":"fifteen letters or more"}"#
        let created = try await house.call(.post, "/users", as: .superAdmin, body)
        #expect(created.status == 201)
        #expect(!created.text.contains("fifteen"))
        let id = try #require(created.data["user"]["id"].text)
        let twice = try await house.call(.post, "/users", as: .superAdmin, body.replacing("Neo@", with: "nEO@"))
        #expect(twice.status == 409)
        #expect(twice.code == "already_exists")
        let signedIn = try await house.call(
            .post, "/auth/login", #"{"email":"neo@example.com","password":"fifteen letters or more"}"#)
        #expect(signedIn.status == 200)
        let disabled = try await house.call(.put, "/users/\(id)", as: .superAdmin, #"{"isEnabled":false,"lastName":"Two"}"#)
        #expect(disabled.data["user"]["isEnabled"].flag == false)
        #expect(disabled.data["user"]["lastName"].text == "Two")
        var headers = HTTPFields()
        headers[.authorization] = "Bearer \(signedIn.data["token"].text ?? "")"
        #expect(try await house.send(.get, "/api/v1/users/me", headers).status == 401)
    }

    @Test("The last super admin cannot be disabled")
    func lastSuperAdmin() async throws {
        let house = try await House()
        let reply = try await house.call(.put, "/users/\(house.ids[.superAdmin])", as: .superAdmin, #"{"isEnabled":false}"#)
        #expect(reply.status == 409)
        #expect(reply.code == "conflict")
    }

    @Test("A user changes their own names and defaults, and clears them with null")
    func me() async throws {
        let house = try await House()
        let changed = try await house.call(
            .put, "/users/me", as: .tenant, #"{"firstName":"Tess","defaultUnitId":"\#(house.ids.unit)"}"#)
        #expect(changed.status == 200)
        #expect(changed.data["user"]["firstName"].text == "Tess")
        #expect(changed.data["user"]["lastName"].text == "Last")
        #expect(changed.data["user"]["defaultUnitId"].text == house.ids.unit.description)
        let cleared = try await house.call(.put, "/users/me", as: .tenant, #"{"defaultUnitId":null}"#)
        #expect(cleared.data["user"]["defaultUnitId"] == .null)
        #expect(cleared.data["user"]["firstName"].text == "Tess")
        let unchanged = try await house.call(.put, "/users/me", as: .tenant, "{}")
        #expect(unchanged.data == cleared.data)
    }

    @Test("A manager reads the users of their scope and may change none of them")
    func scope() async throws {
        let house = try await House()
        let reply = try await house.call(.get, "/users?sortBy=name", as: .manager)
        #expect(
            reply.data["users"].elements.map { $0["firstName"].text } == [
                "CoTenant", "Guest", "Maintenance", "Manager", "Neighbour", "Tenant",
            ])
        #expect(reply.data["pagination"]["totalItems"].number == 6)
        let refused = try await house.call(.put, "/users/\(house.ids[.tenant])", as: .manager, #"{"firstName":"x"}"#)
        #expect(refused.code == "role_insufficient")
        #expect(try await house.call(.get, "/users/\(house.ids[.owner])", as: .manager).code == "forbidden")
        #expect(try await house.call(.get, "/users", as: .superAdmin).data["pagination"]["totalItems"].number == 12)
        #expect(try await house.call(.get, "/users", as: .tenant).code == "role_insufficient")
    }

    @Test("A manager reads, by name and address, the guests of their property and no others")
    func guests() async throws {
        let house = try await House()
        let guest = house.ids[.guest]
        let read = try await house.call(.get, "/users/\(guest)", as: .manager)
        #expect(read.status == 200, "\(read.text)")
        #expect(read.data["user"]["email"].text == "guest@example.com")
        #expect(try await house.call(.get, "/users?q=gues", as: .manager).data["users"][0]["id"].text == guest.description)
        for person in [House.Person.stranger, .tenant, .maintenance, .auditor] {
            #expect(try await house.call(.get, "/users/\(guest)", as: person).code == "forbidden", "\(person)")
        }
        #expect(try await house.call(.get, "/users?q=gues", as: .stranger).data["pagination"]["totalItems"].number == 0)
        #expect(try await house.call(.get, "/users/\(house.ids[.nobody])", as: .manager).code == "forbidden")
    }
}
