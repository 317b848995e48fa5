import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Invitations over HTTP.
@Suite struct InvitationRouteTests {
    private static let account = #""firstName":"Eve","lastName":"Adams","password":"a long enough passphrase""#

    private func invite(
        _ house: House, _ email: String = "eve@example.com", as person: House.Person = .manager, role: String = "TENANT",
        at path: String? = nil
    ) async throws -> Reply {
        try await house.call(
            .post, path ?? "/units/\(house.ids.unit)/tenants", as: person, #"{"email":"\#(email)","role":"\#(role)"}"#)
    }

    private func token(_ reply: Reply) throws -> String { try #require(reply.data["invitation"]["token"].text) }

    private func accept(_ house: House, _ token: String, _ rest: String = account, as person: House.Person? = nil) async throws
        -> Reply
    {
        let rest = rest.isEmpty ? "" : ",\(rest)"
        return try await house.call(.post, "/auth/accept-invitation", as: person, #"{"token":"\#(token)"\#(rest)}"#)
    }

    @Test("the response to an invitation is the same whether or not the address has an account or already holds the role")
    func oneShape() async throws {
        let house = try await House()
        for email in ["eve@example.com", "tenant@example.com", "OWNER@example.com", "stranger@example.com", "nobody@example.com"]
        {
            let reply = try await invite(house, email)
            let invitation = reply.data["invitation"]
            #expect(reply.status == 200 && reply.data.keys == ["invitation"])
            #expect(invitation.keys == ["id", "email", "role", "token", "url", "expiresAt"])
            #expect(invitation["email"].text == email && invitation["role"].text == "TENANT")
            let token = try token(reply)
            #expect(invitation["url"].text == "http://127.0.0.1:8080/invitation#token=\(token)")
            #expect(invitation["expiresAt"].text == house.clock.now().advanced(by: .seconds(7 * 86_400)).description)
            #expect(reply.text.utf8.count == (try await invite(house, email)).text.utf8.count)
        }
    }

    @Test("pending invitations are listed to those who made or could make them, without their tokens, until they end")
    func list() async throws {
        let house = try await House()
        func listed(_ person: House.Person, _ query: String = "") async throws -> [String] {
            let reply = try await house.call(.get, "/invitations\(query)", as: person)
            #expect(reply.status == 200, "\(reply.text)")
            let invitations = reply.data["invitations"].elements
            #expect(invitations.allSatisfy { $0["token"] == .null && $0["url"] == .null })
            #expect(reply.data["pagination"]["totalItems"].number == Int64(invitations.count))
            return invitations.compactMap { $0["email"].text }
        }
        let made = try await invite(house)
        _ = try await invite(
            house, "ann@example.com", as: .owner, role: "AUDITOR", at: "/portfolios/\(house.ids.portfolio)/admins")
        #expect(try await listed(.manager) == ["eve@example.com"])
        #expect(try await listed(.owner, "?sortBy=name") == ["ann@example.com", "eve@example.com"])
        #expect(try await listed(.owner, "?q=EVE") == ["eve@example.com"])
        #expect(try await listed(.superAdmin) == ["ann@example.com"], "those of portfolios")
        for person in [House.Person.tenant, .maintenance, .auditor, .guest, .stranger] {
            #expect(try await listed(person) == [], "\(person)")
        }
        let id = try #require(made.data["invitation"]["id"].text)
        #expect(try await house.call(.delete, "/invitations/\(id)", as: .manager).status == 204)
        #expect(try await listed(.manager) == [])
        house.clock.advance(by: .seconds(7 * 86_400))
        #expect(try await listed(.owner) == [], "expired")
    }

    @Test("a new person accepts and is signed in with 201; the token works once")
    func accepted() async throws {
        let house = try await House()
        let token = try token(try await invite(house))
        let reply = try await accept(house, token)
        #expect(reply.status == 201 && reply.data.keys == ["user", "token", "expiresIn", "refreshToken"])
        #expect(reply.data["user"]["email"].text == "eve@example.com")
        let headers: HTTPFields = [.authorization: "Bearer \(reply.data["token"].text ?? "")"]
        #expect(try await house.send(.get, "/api/v1/units/\(house.ids.unit)", headers).status == 200)
        let again = try await accept(house, token)
        #expect(again.status == 401 && again.code == "unauthenticated")
        #expect(again.withoutRequestID == (try await accept(house, "no token")).withoutRequestID)
    }

    @Test("accepting for an address with an account answers 401 sign_in_required unless its user is signed in")
    func signInRequired() async throws {
        let house = try await House()
        let token = try token(try await invite(house, "Nobody@Example.com"))
        for (rest, person) in [(Self.account, nil), ("", nil), ("", .stranger), ("", .manager)] as [(String, House.Person?)] {
            let reply = try await accept(house, token, rest, as: person)
            #expect(reply.status == 401 && reply.code == "sign_in_required", "\(reply.text)")
            #expect(reply.headers[.wwwAuthenticate] == "Bearer")
        }
        let withData = try await accept(house, token, Self.account, as: .nobody)
        #expect(withData.problems == ["firstName: read_only", "lastName: read_only", "password: read_only"])
        let reply = try await accept(house, token, "", as: .nobody)
        #expect(reply.status == 201 && reply.data["user"]["id"].text == house.ids[.nobody].description)
        #expect(try await house.call(.get, "/units/\(house.ids.unit)", as: .nobody).status == 200)
    }

    @Test("without a valid token an answer does not depend on whether an address has an account, nor on a sign-in")
    func stranger() async throws {
        let house = try await House()
        _ = try await invite(house, "nobody@example.com")
        _ = try await invite(house)
        let replies = [
            try await accept(house, "guess"), try await accept(house, "guess", ""),
            try await accept(house, "guess", "", as: .nobody),
        ]
        #expect(replies.allSatisfy { $0.status == 401 && $0.withoutRequestID == replies[0].withoutRequestID })
    }

    @Test("bad input is refused before the token is looked at, and does not use it up")
    func badInput() async throws {
        let house = try await House()
        let token = try token(try await invite(house))
        for (rest, problems) in [
            (#""firstName":"E","lastName":"A","password":"short""#, ["password: too_short"]),
            (#""firstName":" ","lastName":"A","password":"a long enough passphrase""#, ["firstName: blank"]),
            (#""firstName":"E""#, ["password: required"]),
            (Self.account + #","role":"OWNER","isSuperAdmin":true"#, ["isSuperAdmin: unknown_key", "role: unknown_key"]),
            (Self.account + #","email":"other@example.com""#, ["email: unknown_key"]),
        ] as [(String, [String])] {
            let reply = try await accept(house, token, rest)
            #expect(reply.status == 400 && reply.problems == problems, "\(reply.text)")
        }
        #expect(try await house.call(.post, "/auth/accept-invitation", "{}").problems == ["token: required"])
        #expect(try await accept(house, token).status == 201)
        let path = "/units/\(house.ids.unit)/tenants"
        for (text, problems) in [
            (#"{"role":"TENANT"}"#, ["userId: required"]), (#"{"email":"x","role":"TENANT"}"#, ["email: bad_email"]),
            (#"{"email":"e@example.com","userId":"u","role":"TENANT"}"#, ["email: exclusive"]),
            (#"{"email":"e@example.com","role":"OWNER"}"#, ["role: unknown_value"]),
            (#"{"email":null,"role":"TENANT"}"#, ["userId: required"]),
        ] as [(String, [String])] {
            let reply = try await house.call(.post, path, as: .manager, text)
            #expect(reply.status == 400 && reply.problems == problems, "\(text): \(reply.text)")
        }
    }

    @Test("who may invite, read and withdraw; out of reach is the same as not there")
    func rights() async throws {
        let house = try await House()
        let id = try #require(try await invite(house).data["invitation"]["id"].text)
        for (person, status, code) in [
            (.owner, 200, nil), (.manager, 200, nil), (.tenant, 403, "forbidden"), (.stranger, 403, "forbidden"),
            (.auditor, 403, "forbidden"), (.superAdmin, 403, "role_insufficient"),
        ] as [(House.Person, Int, String?)] {
            let reply = try await house.call(.get, "/invitations/\(id)", as: person)
            #expect(reply.status == status && reply.code == code, "\(person)")
            if status == 200 {
                #expect(reply.data["invitation"].keys == ["id", "email", "role", "token", "url", "expiresAt"])
                #expect(reply.data["invitation"]["token"] == .null && reply.data["invitation"]["url"] == .null)
            }
            if code == "forbidden" {
                let missing = try await house.call(.get, "/invitations/\(InvitationID(high: 7, low: 7))", as: person)
                #expect(missing.withoutRequestID == reply.withoutRequestID)
            }
        }
        #expect(try await house.call(.get, "/invitations/nothing", as: .superAdmin).status == 404)
        #expect(try await invite(house, as: .stranger).code == "forbidden")
        #expect(try await invite(house, as: .tenant).code == "role_insufficient")
        #expect(try await house.call(.delete, "/invitations/\(id)", as: .owner).status == 204)
        #expect(try await house.call(.delete, "/invitations/\(id)", as: .owner).code == "forbidden")
    }

    @Test("a user without a password sets one by accepting an invitation, and can sign in afterwards")
    func invitedUser() async throws {
        let house = try await House()
        let made = try await house.call(
            .post, "/users", as: .superAdmin, #"{"email":"new@example.com","firstName":"N","lastName":"M"}"#)
        #expect(made.status == 201 && made.data.keys == ["user", "invitation"])
        #expect(made.headers[.location] == "/api/v1/users/\(made.data["user"]["id"].text ?? "")")
        #expect(made.data["invitation"]["role"] == .null)
        let login = #"{"email":"new@example.com","password":"a long enough passphrase"}"#
        #expect(try await house.call(.post, "/auth/login", login).status == 401)
        let reply = try await accept(house, try token(made), #""password":"a long enough passphrase""#)
        #expect(reply.status == 201 && reply.data["user"]["firstName"].text == "N")
        #expect(try await house.call(.post, "/auth/login", login).status == 200)
        let withPassword = try await house.call(
            .post, "/users", as: .superAdmin,
            #"{"email":"two@example.com","firstName":"N","lastName":"M","password":"a long enough passphrase"}"#)
        #expect(withPassword.status == 201 && withPassword.data.keys == ["user"])
        let null = try await house.call(
            .post, "/users", as: .superAdmin, #"{"email":"three@example.com","firstName":"N","lastName":"M","password":null}"#)
        #expect(null.problems == ["password: required"])
    }
}

extension House {
    /// Sends a request with a body and without a sign-in.
    fileprivate func call(_ method: HTTPRequest.Method, _ path: String, _ body: String) async throws -> Reply {
        try await call(method, path, as: nil, body)
    }
}
