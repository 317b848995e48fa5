import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Email addresses and names as people type them.
@Suite struct PersonInputTests {
    private static let password = "another long passphrase"

    @Test("the white space around an email address is cut wherever one is read")
    func addresses() async throws {
        let house = try await House(withPasswords: true)
        let signIn = try await house.call(
            .post, "/auth/login", as: nil, #"{"email":" Tenant@example.com\n","password":"\#(House.password)"}"#)
        #expect(signIn.status == 200)
        let codes = try await house.call(
            .post, "/users/me/recovery-codes", as: .tenant, #"{"currentPassword":"\#(House.password)"}"#)
        let code = try #require(codes.data["recoveryCodes"][0].text)
        let reset = try await house.call(
            .post, "/auth/reset-password", as: nil,
            #"{"email":"\u00A0tenant@example.com ","recoveryCode":"\#(code)","newPassword":"\#(Self.password)"}"#)
        #expect(reset.status == 204)
        let user = try await house.call(
            .post, "/users", as: .superAdmin,
            #"{"email":" eve@example.com\t","firstName":"Eve","lastName":"A","password":"\#(Self.password)"}"#)
        #expect(user.data["user"]["email"].text == "eve@example.com")
        let invitation = try await house.call(
            .post, "/units/\(house.ids.unit)/tenants", as: .owner, #"{"email":" new@example.com ","role":"TENANT"}"#)
        #expect(invitation.data["invitation"]["email"].text == "new@example.com")
        let access = try await house.call(
            .post, "/guest-access", as: .owner,
            #"""
            {"guestEmail":" guest@example.com ","deviceIds":["\#(house.ids.door)"],"operations":["UNLOCK"],
            "validFrom":"2026-01-01T00:00:00Z","validUntil":"2099-01-01T00:00:00Z","recurrence":"ALWAYS"}
            """#)
        #expect(access.problems.allSatisfy { !$0.hasPrefix("guestEmail") }, "\(access.text)")
        #expect(access.status != 404)
    }

    @Test("an address of another spelling of white space inside it stays another address")
    func inside() async throws {
        let house = try await House(withPasswords: true)
        let reply = try await house.call(
            .post, "/auth/login", as: nil, #"{"email":"tenant @example.com","password":"\#(House.password)"}"#)
        #expect(reply.status == 401)
    }

    @Test(
        "a person may have one name, and its last name can be removed", arguments: [#""lastName":"","#, #""lastName":" ","#, ""])
    func oneName(member: String) async throws {
        let house = try await House(withPasswords: true)
        let created = try await house.call(
            .post, "/users", as: .superAdmin,
            #"{"email":"cher@example.com","firstName":"Cher",\#(member)"password":"\#(Self.password)"}"#)
        #expect(created.status == 201 && created.data["user"]["lastName"].text == "", "\(created.text)")
        let issued = try await house.call(
            .post, "/units/\(house.ids.unit)/tenants", as: .owner, #"{"email":"new@example.com","role":"TENANT"}"#)
        let token = try #require(issued.data["invitation"]["token"].text)
        let accepted = try await house.call(
            .post, "/auth/accept-invitation", as: nil,
            #"{"token":"\#(token)","firstName":"Nena",\#(member)"password":"\#(Self.password)"}"#)
        #expect(accepted.status == 201 && accepted.data["user"]["lastName"].text == "", "\(accepted.text)")
    }

    @Test("an own last name is removed by an empty one, and kept by none; the first name stays necessary")
    func ownNames() async throws {
        let house = try await House()
        let before = try await house.call(.get, "/users/me", as: .tenant).data["user"]["lastName"].text
        let kept = try await house.call(.put, "/users/me", as: .tenant, #"{"firstName":"New"}"#)
        #expect(kept.data["user"]["lastName"].text == before && before?.isEmpty == false)
        let removed = try await house.call(.put, "/users/me", as: .tenant, #"{"lastName":" "}"#)
        #expect(removed.status == 200 && removed.data["user"]["lastName"].text == "")
        #expect(house.control.directory.current.user(house.ids[.tenant])?.fullName == "New")
        let blank = try await house.call(.put, "/users/me", as: .tenant, #"{"firstName":""}"#)
        #expect(blank.problems == ["firstName: blank"])
        let control = try await house.call(.put, "/users/me", as: .tenant, #"{"lastName":"a\u0007"}"#)
        #expect(control.problems == ["lastName: control_character"])
    }
}
