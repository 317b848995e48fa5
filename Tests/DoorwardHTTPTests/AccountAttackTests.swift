import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Attempts to get more rights than one has by way of invitations, keys, default entities and tokens of another kind.
@Suite struct AccountAttackTests {
    private func expiry(_ house: House) -> String { house.clock.now().advanced(by: .seconds(86_400)).description }

    private func key(_ house: House, as person: House.Person, _ role: String, _ type: String, _ id: String) async throws -> String
    {
        let reply = try await house.call(
            .post, "/api-keys", as: person,
            #"{"name":"K","entityType":"\#(type)","entityId":"\#(id)","role":"\#(role)","expiresAt":"\#(expiry(house))"}"#)
        return try #require(reply.data["secret"].text, "\(reply.text)")
    }

    private func headers(_ token: String) -> HTTPFields { [.authorization: "Bearer \(token)", .contentType: "application/json"] }

    @Test("a token of one kind is rejected where a token of another kind is required")
    func otherKind() async throws {
        let house = try await House(withPasswords: true)
        let login = try await house.call(
            .post, "/auth/login", as: nil, #"{"email":"tenant@example.com","password":"\#(House.password)"}"#)
        let reset = try await house.call(.post, "/users/\(house.ids[.guest])/password-reset", as: .superAdmin)
        let invitation = try await house.call(
            .post, "/units/\(house.ids.unit)/tenants", as: .owner, #"{"email":"e@example.com","role":"TENANT"}"#)
        let codes = try await house.call(
            .post, "/users/me/recovery-codes", as: .tenant, #"{"currentPassword":"\#(House.password)"}"#)
        let tokens: [String: String] = try [
            "access": #require(login.data["token"].text), "refresh": #require(login.data["refreshToken"].text),
            "reset": #require(reset.data["reset"]["token"].text),
            "invitation": #require(invitation.data["invitation"]["token"].text),
            "code": #require(codes.data["recoveryCodes"][0].text),
        ]
        let secret = try await key(house, as: .owner, "AUDITOR", "PROPERTY", house.ids.property.description)
        for (kind, token) in tokens.merging(["key": secret], uniquingKeysWith: { $1 }) {
            if kind != "access", kind != "key" {
                #expect(try await house.send(.get, "/api/v1/devices", headers(token)).status == 401, "\(kind) as a sign-in")
            }
            if kind != "refresh" {
                let reply = try await house.call(.post, "/auth/refresh", as: nil, #"{"refreshToken":"\#(token)"}"#)
                #expect(reply.status == 401, "\(kind) as a refresh token")
            }
            if kind != "reset" {
                let body = #"{"token":"\#(token)","newPassword":"another long passphrase"}"#
                #expect(try await house.call(.post, "/auth/reset-password", as: nil, body).status == 401, "\(kind) as a link")
            }
            if kind != "invitation" {
                let body = #"{"token":"\#(token)","firstName":"E","lastName":"A","password":"another long passphrase"}"#
                #expect(try await house.call(.post, "/auth/accept-invitation", as: nil, body).status == 401, "\(kind)")
            }
        }
        #expect(
            try await house.call(.post, "/auth/refresh", as: nil, #"{"refreshToken":"\#(tokens["refresh"] ?? "")"}"#).status
                == 200)
    }

    @Test("an invitation cannot be turned into another role, entity or address by the person who accepts it")
    func invitation() async throws {
        let house = try await House()
        let invited = try await house.call(
            .post, "/units/\(house.ids.unit)/tenants", as: .manager, #"{"email":"e@example.com","role":"TENANT"}"#)
        let token = try #require(invited.data["invitation"]["token"].text)
        let account = #""token":"\#(token)","firstName":"E","lastName":"A","password":"another long passphrase""#
        for more in [
            #""role":"OWNER""#, #""email":"owner@example.com""#, #""entityId":"\#(house.ids.portfolio)""#,
            #""isSuperAdmin":true"#, #""userId":"\#(house.ids[.owner])""#,
        ] {
            #expect(try await house.call(.post, "/auth/accept-invitation", as: nil, "{\(account),\(more)}").status == 400)
        }
        let reply = try await house.call(.post, "/auth/accept-invitation", as: nil, "{\(account)}")
        let roles = reply.data["user"]["roleAssociations"].elements
        #expect(roles.map { $0["roleWithinEntity"].text } == ["TENANT"] && reply.data["user"]["isSuperAdmin"].flag == false)
    }

    @Test("a manager cannot get a higher role through an invitation of the own address, a key or a role for the key's creator")
    func manager() async throws {
        let house = try await House()
        let ids = house.ids
        for (path, role) in [
            ("/portfolios/\(ids.portfolio)/admins", "OWNER"), ("/properties/\(ids.property)/managers", "PROPERTY_MANAGER"),
        ] {
            for body in [
                #"{"email":"manager@example.com","role":"\#(role)"}"#, #"{"userId":"\#(ids[.manager])","role":"\#(role)"}"#,
            ] {
                #expect(try await house.call(.post, path, as: .manager, body).status == 403, "\(path)")
            }
        }
        let secret = try await key(house, as: .manager, "PROPERTY_MANAGER", "PROPERTY", ids.property.description)
        for (path, body) in [
            ("/properties/\(ids.property)/managers", #"{"email":"e@example.com","role":"PROPERTY_MANAGER"}"#),
            ("/portfolios/\(ids.portfolio)/admins", #"{"userId":"\#(ids[.manager])","role":"OWNER"}"#),
            (
                "/api-keys",
                #"{"name":"K","entityType":"PORTFOLIO","entityId":"\#(ids.portfolio)","role":"OWNER","expiresAt":"\#(expiry(house))"}"#
            ),
        ] {
            #expect(try await house.send(.post, "/api/v1\(path)", headers(secret), body).status == 403, "\(path)")
        }
    }

    @Test("neither a key of an owner nor a key of a super admin can remove the last owner")
    func lastOwner() async throws {
        let house = try await House()
        let ids = house.ids
        let path = "/api/v1/portfolios/\(ids.portfolio)/admins/\(ids[.owner])"
        for person in [House.Person.owner, .superAdmin] {
            let secret = try await key(house, as: person, "OWNER", "PORTFOLIO", ids.portfolio.description)
            let reply = try await house.send(.delete, path, headers(secret))
            #expect(reply.status == 409 && reply.code == "conflict", "\(person): \(reply.text)")
        }
        #expect(try await house.send(.delete, path, headers(try await house.token(of: .superAdmin))).status == 204)
    }

    @Test("a default entity gives no right, and one out of reach is refused as one that does not exist")
    func defaultEntity() async throws {
        let house = try await House()
        let foreign = try await house.call(
            .put, "/users/me", as: .nobody, #"{"defaultPortfolioId":"\#(house.ids.otherPortfolio)"}"#)
        let missing = try await house.call(
            .put, "/users/me", as: .nobody, #"{"defaultPortfolioId":"\#(PortfolioID(high: 7, low: 7))"}"#)
        #expect(foreign.status == 403 && foreign.withoutRequestID == missing.withoutRequestID)
        for more in [#""isSuperAdmin":true"#, #""isEnabled":true"#, #""email":"x@example.com""#, #""roleAssociations":[]"#] {
            let reply = try await house.call(.put, "/users/me", as: .nobody, "{\(more)}")
            #expect(reply.status == 400 && reply.problems[0].hasSuffix("unknown_key"))
        }
    }

    @Test("sessions, tokens and keys of a disabled user are refused, and enabling the user does not restore them")
    func disabled() async throws {
        let house = try await House(withPasswords: true)
        let ids = house.ids
        let secret = try await key(house, as: .manager, "MAINTENANCE", "PROPERTY", ids.property.description)
        let invited = try await house.call(
            .post, "/units/\(ids.unit)/tenants", as: .manager, #"{"email":"e@example.com","role":"TENANT"}"#)
        let reset = try await house.call(.post, "/users/\(ids[.manager])/password-reset", as: .superAdmin)
        for flag in [false, true] {
            let reply = try await house.call(.put, "/users/\(ids[.manager])", as: .superAdmin, #"{"isEnabled":\#(flag)}"#)
            #expect(reply.status == 200)
            #expect(try await house.send(.get, "/api/v1/devices", headers(secret)).status == 401)
            #expect(try await house.call(.get, "/users/me", as: .manager).status == 401)
            let account = #""firstName":"E","lastName":"A","password":"another long passphrase""#
            let token = invited.data["invitation"]["token"].text ?? ""
            #expect(
                try await house.call(.post, "/auth/accept-invitation", as: nil, #"{"token":"\#(token)",\#(account)}"#).status
                    == 401)
            let link = #"{"token":"\#(reset.data["reset"]["token"].text ?? "")","newPassword":"another long passphrase"}"#
            #expect(try await house.call(.post, "/auth/reset-password", as: nil, link).status == 401)
        }
    }

    @Test("a new user with the address of a deleted one inherits nothing, and nothing of the deleted user works any more")
    func sameAddressAgain() async throws {
        let house = try await House(withPasswords: true)
        let ids = house.ids
        let login = #"{"email":"manager@example.com","password":"\#(House.password)"}"#
        let signedIn = try await house.call(.post, "/auth/login", as: nil, login)
        let access = headers(try #require(signedIn.data["token"].text))
        let refresh = #"{"refreshToken":"\#(signedIn.data["refreshToken"].text ?? "")"}"#
        let secret = try await key(house, as: .manager, "MAINTENANCE", "PROPERTY", ids.property.description)
        let codes = try await house.send(
            .post, "/api/v1/users/me/recovery-codes", access, #"{"currentPassword":"\#(House.password)"}"#)
        let code = try #require(codes.data["recoveryCodes"][0].text)
        let made = try await house.call(
            .post, "/units/\(ids.unit)/tenants", as: .manager, #"{"email":"e@example.com","role":"TENANT"}"#)
        let received = try await house.call(
            .post, "/portfolios/\(ids.portfolio)/admins", as: .owner,
            #"{"email":"Manager@example.com","role":"PORTFOLIO_ADMIN"}"#)
        let reset = try await house.call(.post, "/users/\(ids[.manager])/password-reset", as: .superAdmin)
        #expect(try await house.call(.delete, "/users/\(ids[.manager])", as: .superAdmin).status == 204)
        let again = try await house.call(
            .post, "/users", as: .superAdmin,
            #"{"email":"manager@example.com","firstName":"M","lastName":"N","password":"another long passphrase"}"#)
        #expect(again.status == 201 && again.data["user"]["id"].text != ids[.manager].description)
        #expect(again.data["user"]["roleAssociations"].elements.isEmpty && again.data["user"]["guestAccesses"].elements.isEmpty)

        let account = #""firstName":"E","lastName":"A","password":"another long passphrase""#
        let newPassword = #""newPassword":"yet another long passphrase""#
        let bodies: [(String, String)] = [
            ("/auth/login", login), ("/auth/refresh", refresh),
            ("/auth/accept-invitation", #"{"token":"\#(made.data["invitation"]["token"].text ?? "")",\#(account)}"#),
            ("/auth/accept-invitation", #"{"token":"\#(received.data["invitation"]["token"].text ?? "")"}"#),
            ("/auth/reset-password", #"{"token":"\#(reset.data["reset"]["token"].text ?? "")",\#(newPassword)}"#),
            ("/auth/reset-password", #"{"email":"manager@example.com","recoveryCode":"\#(code)",\#(newPassword)}"#),
        ]
        for (path, body) in bodies {
            let reply = try await house.call(.post, path, as: nil, body)
            #expect(reply.status == 401 && reply.code == "unauthenticated", "\(path): \(reply.text)")
        }
        for credentials in [access, headers(secret)] {
            #expect(try await house.send(.get, "/api/v1/devices", credentials).status == 401)
        }
        let new = try await house.call(
            .post, "/auth/login", as: nil, #"{"email":"manager@example.com","password":"another long passphrase"}"#)
        let mine = headers(try #require(new.data["token"].text, "\(new.text)"))
        #expect(try await house.send(.get, "/api/v1/devices", mine).data["devices"].elements.isEmpty)
        #expect(try await house.send(.get, "/api/v1/properties/\(ids.property)", mine).code == "forbidden")
    }

    @Test("of many uses of one refresh token at the same time at most one succeeds, and then none of its family does")
    func refreshRace() async throws {
        let house = try await House(withPasswords: true)
        let signedIn = try await house.call(
            .post, "/auth/login", as: nil, #"{"email":"tenant@example.com","password":"\#(House.password)"}"#)
        let body = #"{"refreshToken":"\#(signedIn.data["refreshToken"].text ?? "")"}"#
        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<8 { group.addTask { try await house.call(.post, "/auth/refresh", as: nil, body) } }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }
        let won = replies.filter { $0.status == 200 }
        #expect(won.count <= 1 && replies.allSatisfy { $0.status == 200 || $0.status == 401 })
        for reply in won {
            let next = #"{"refreshToken":"\#(reply.data["refreshToken"].text ?? "")"}"#
            #expect(try await house.call(.post, "/auth/refresh", as: nil, next).status == 401)
            let token = reply.data["token"].text ?? ""
            #expect(try await house.send(.get, "/api/v1/users/me", headers(token)).status == 401)
        }
        let reused = house.store.log(.gateway).map(\.body).filter { $0.event == .refreshReused }
        #expect(!reused.isEmpty && reused.allSatisfy { $0.actor.userID == house.ids[.tenant] })
    }
}
