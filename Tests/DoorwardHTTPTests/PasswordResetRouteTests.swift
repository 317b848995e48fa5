import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct PasswordResetRouteTests {
    private func offer(_ house: House, _ person: House.Person, as caller: House.Person = .superAdmin) async throws -> Reply {
        try await house.call(.post, "/users/\(house.ids[person])/password-reset", as: caller)
    }

    private func use(_ house: House, _ token: String, _ password: String = "a brand new password") async throws -> Reply {
        try await house.call(.post, "/auth/reset-password", #"{"token":"\#(token)","newPassword":"\#(password)"}"#)
    }

    @Test("A password link has a URL, a token and an expiry, and sets a password once")
    func lifecycle() async throws {
        var settings = HTTPSettings()
        settings.publicURL = "https://locks.example.org/"
        let house = try await House(settings: settings)
        let made = try await offer(house, .tenant)
        #expect(made.status == 201)
        #expect(made.data.keys == ["reset"])
        #expect(made.data["reset"].keys == ["url", "token", "expiresAt"])
        let token = try #require(made.data["reset"]["token"].text)
        #expect(made.data["reset"]["url"].text == "https://locks.example.org/reset-password#token=\(token)")
        #expect(made.data["reset"]["expiresAt"].text == house.clock.now().advanced(by: .seconds(86_400)).description)
        #expect(try await house.call(.get, "/users/me", as: .tenant).status == 200)
        let used = try await use(house, token)
        #expect(used.status == 204)
        #expect(used.text.isEmpty)
        #expect(try await house.call(.get, "/users/me", as: .tenant).status == 401, "the session has ended")
        #expect(try await house.call(.get, "/users/me", as: .owner).status == 200)
        let logIn = #"{"email":"tenant@example.com","password":"a brand new password"}"#
        #expect(try await house.call(.post, "/auth/login", logIn).status == 200)
        #expect(try await use(house, token).status == 401)
        #expect(!house.logs.text.contains(token))
    }

    @Test("An unknown, used, replaced or expired token and one of a disabled user give the same error")
    func oneAnswer() async throws {
        let house = try await House()
        let unknown = try await use(house, "canary-token")
        #expect(unknown.status == 401)
        #expect(unknown.code == "unauthenticated")
        #expect(!unknown.text.contains("canary"))
        let first = try await offer(house, .tenant).data["reset"]["token"].text ?? ""
        let second = try await offer(house, .tenant).data["reset"]["token"].text ?? ""
        #expect(try await use(house, first).withoutRequestID == unknown.withoutRequestID)
        #expect(try await use(house, second).status == 204)
        #expect(try await use(house, second).withoutRequestID == unknown.withoutRequestID)
        let disabled = try await offer(house, .guest).data["reset"]["token"].text ?? ""
        _ = try await house.control.users.update(
            Caller(userID: house.ids[.superAdmin]), house.ids[.guest], UserChanges(isEnabled: false))
        #expect(try await use(house, disabled).withoutRequestID == unknown.withoutRequestID)
        #expect(try await offer(house, .guest).code == "conflict")
        let over = try await offer(house, .owner).data["reset"]["token"].text ?? ""
        house.clock.advance(by: .seconds(86_400))
        #expect(try await use(house, over).withoutRequestID == unknown.withoutRequestID)
    }

    @Test("Missing and invalid fields are reported, and a weak password does not use up the token")
    func bodies() async throws {
        let house = try await House()
        #expect(try await house.call(.post, "/auth/reset-password").problems == ["newPassword: required", "token: required"])
        let token = try await offer(house, .tenant).data["reset"]["token"].text ?? ""
        #expect(try await use(house, token, "short").problems == ["newPassword: too_short"])
        #expect(
            try await house.call(.post, "/auth/reset-password", #"{"token":"x","newPassword":"\#(House.password)","email":"a"}"#)
                .problems == ["email: unknown_key"])
        #expect(try await use(house, token).status == 204)
        #expect(
            try await house.call(.post, "/users/\(house.ids[.tenant])/password-reset", as: .superAdmin, #"{"a":1}"#).problems
                == ["a: unknown_key"])
        #expect(try await house.call(.get, "/auth/reset-password").status == 405)
    }

    @Test(
        "Only a super admin can create a password link",
        arguments: [
            (.superAdmin, .owner, 201, nil), (.owner, .tenant, 403, "role_insufficient"),
            (.owner, .admin, 403, "role_insufficient"), (.admin, .owner, 403, "role_insufficient"),
            (.admin, .auditor, 403, "role_insufficient"), (.owner, .stranger, 403, "forbidden"),
            // The manager has a role in another portfolio, which must not be revealed to the owner.
            (.owner, .manager, 403, "role_insufficient"), (.manager, .tenant, 403, "role_insufficient"),
            (.manager, .owner, 403, "forbidden"), (.tenant, .coTenant, 403, "forbidden"),
            (.guest, .guest, 403, "role_insufficient"),
        ] as [(House.Person, House.Person, Int, String?)])
    func rights(_ caller: House.Person, _ person: House.Person, _ status: Int, _ code: String?) async throws {
        let house = try await House()
        let reply = try await offer(house, person, as: caller)
        #expect(reply.status == status)
        #expect(reply.code == code)
        if code == "forbidden" {
            let missing = try await house.call(.post, "/users/\(UserID(high: 7, low: 7))/password-reset", as: caller)
            #expect(missing.withoutRequestID == reply.withoutRequestID, "the response does not reveal that the user exists")
        }
    }
}
