import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// The caller's own sessions, password and recovery codes over HTTP, and the console's cookie.
@Suite struct CredentialRouteTests {
    private static let newPassword = "another long passphrase"

    private func logIn(
        _ house: House, _ password: String = House.password, headers: [HTTPField.Name: String] = [:]
    ) async throws -> Reply {
        let body = #"{"email":"tenant@example.com","password":"\#(password)"}"#
        return try await house.call(.post, "/auth/login", as: nil, body, headers: headers)
    }

    private func bearer(_ reply: Reply) -> HTTPFields {
        [.authorization: "Bearer \(reply.data["token"].text ?? "")", .contentType: "application/json"]
    }

    @Test("sessions are listed with the current one marked, and end at once")
    func sessions() async throws {
        let house = try await House(withPasswords: true)
        house.clock.advance(by: .seconds(1))
        let signedIn = bearer(try await logIn(house))
        let list = try await house.send(.get, "/api/v1/users/me/sessions", signedIn)
        #expect(list.status == 200 && list.data.keys == ["sessions"])
        let sessions = list.data["sessions"].elements
        #expect(sessions.map { $0["isCurrent"].flag ?? false } == [false, true])
        #expect(sessions[0].keys == ["id", "createdAt", "expiresAt", "isCurrent"])
        #expect(sessions[0]["id"].text == House.session(of: .tenant).description)
        let first = "/api/v1/users/me/sessions/\(House.session(of: .tenant))"
        #expect(try await house.send(.delete, first, signedIn).status == 204)
        #expect(try await house.call(.get, "/users/me", as: .tenant).status == 401)
        let own = "/api/v1/users/me/sessions/\(sessions[1]["id"].text ?? "")"
        #expect(try await house.send(.delete, own, signedIn).status == 204)
        #expect(try await house.send(.get, "/api/v1/users/me", signedIn).status == 401)
    }

    @Test("another person's session answers as one that does not exist")
    func foreignSession() async throws {
        let house = try await House()
        var replies: [Reply] = []
        for id in [House.session(of: .owner).description, "nothing", SessionID(high: 7, low: 7).description] {
            replies.append(try await house.call(.delete, "/users/me/sessions/\(id)", as: .tenant))
        }
        #expect(replies.allSatisfy { $0.status == 404 && $0.withoutRequestID == replies[0].withoutRequestID })
        #expect(try await house.call(.get, "/users/me", as: .owner).status == 200)
    }

    @Test("a changed password keeps this session and ends the others")
    func password() async throws {
        let house = try await House(withPasswords: true)
        let current = bearer(try await logIn(house))
        let body = #"{"currentPassword":"\#(House.password)","newPassword":"\#(Self.newPassword)"}"#
        #expect(try await house.send(.post, "/api/v1/users/me/password", current, body).status == 204)
        #expect(try await house.send(.get, "/api/v1/users/me", current).status == 200)
        #expect(try await house.call(.get, "/users/me", as: .tenant).status == 401)
        #expect(try await logIn(house).status == 401)
        #expect(try await logIn(house, Self.newPassword).status == 200)
        let wrong = try await house.send(.post, "/api/v1/users/me/password", current, body)
        #expect(wrong.status == 401 && wrong.code == "unauthenticated")
        for (text, problems) in [
            ("{}", ["currentPassword: required", "newPassword: required"]),
            (#"{"currentPassword":"x","newPassword":"short"}"#, ["newPassword: too_short"]),
            (#"{"currentPassword":"x","newPassword":"\#(Self.newPassword)","userId":"x"}"#, ["userId: unknown_key"]),
        ] {
            #expect(try await house.send(.post, "/api/v1/users/me/password", current, text).problems == problems)
        }
        #expect(!house.logs.text.contains(House.password) && !house.logs.text.contains(Self.newPassword))
    }

    @Test("a recovery code sets the password once, for its address only")
    func recoveryCode() async throws {
        let house = try await House(withPasswords: true)
        let made = try await house.call(
            .post, "/users/me/recovery-codes", as: .tenant, #"{"currentPassword":"\#(House.password)"}"#)
        #expect(made.status == 201 && made.data["recoveryCodes"].elements.count == 8)
        let code = try #require(made.data["recoveryCodes"][0].text)
        func reset(_ email: String, _ code: String) async throws -> Reply {
            try await house.call(
                .post, "/auth/reset-password", as: nil,
                #"{"email":"\#(email)","recoveryCode":"\#(code)","newPassword":"\#(Self.newPassword)"}"#)
        }
        let wrong = try await reset("tenant@example.com", "AAAAA-AAAAA-AAAAA-AAAAA")
        #expect(wrong.status == 401 && wrong.code == "unauthenticated")
        #expect(try await reset("who@example.com", code).withoutRequestID == wrong.withoutRequestID)
        #expect(try await reset("owner@example.com", code).withoutRequestID == wrong.withoutRequestID)
        #expect(try await reset("Tenant@example.com", code).status == 204)
        #expect(try await logIn(house, Self.newPassword).status == 200)
        #expect(try await reset("tenant@example.com", code).withoutRequestID == wrong.withoutRequestID)
        let mixed = try await house.call(
            .post, "/auth/reset-password", as: nil,
            #"{"email":"a@b","recoveryCode":"x","token":"t","newPassword":"\#(Self.newPassword)"}"#)
        #expect(mixed.problems == ["token: unknown_key"])
        let missing = try await house.call(
            .post, "/auth/reset-password", as: nil, #"{"recoveryCode":"x","newPassword":"\#(Self.newPassword)"}"#)
        #expect(missing.problems == ["email: required"])
        #expect(!house.logs.text.contains(code))
    }

    @Test("guesses of recovery codes are limited together with those of the password")
    func limited() async throws {
        let house = try await House(withPasswords: true)
        let body = #"{"email":"tenant@example.com","recoveryCode":"AAAAA","newPassword":"\#(Self.newPassword)"}"#
        for _ in 0..<5 { #expect(try await house.call(.post, "/auth/reset-password", as: nil, body).status == 401) }
        let limited = try await house.call(.post, "/auth/reset-password", as: nil, body)
        #expect(limited.status == 429 && limited.headers[.retryAfter] == "1")
        #expect(try await logIn(house).status == 429)
    }

    // MARK: - The console's cookie

    private static let console: [HTTPField.Name: String] = [.doorwardClient: "console"]

    private func cookie(_ reply: Reply) throws -> (value: String, attributes: [String]) {
        let parts = try #require(reply.headers[values: .setCookie].first).split(separator: ";").map { String($0).trimmed }
        return (parts[0], Array(parts.dropFirst()))
    }

    private func refresh(_ house: House, _ cookie: String?, _ body: String? = nil) async throws -> Reply {
        var headers = Self.console
        headers[.cookie] = cookie
        return try await house.call(.post, "/auth/refresh", as: nil, body, headers: headers)
    }

    @Test("the console's refresh token is in a cookie that no script reads and no other site sends, and not in the body")
    func consoleCookie() async throws {
        let house = try await House(withPasswords: true)
        let reply = try await logIn(house, headers: Self.console)
        #expect(reply.status == 200 && reply.data.keys == ["user", "token", "expiresIn"])
        let (value, attributes) = try cookie(reply)
        #expect(value.hasPrefix("__Secure-doorward-refresh="))
        #expect(Set(attributes) == ["Max-Age=2592000", "HttpOnly", "Secure", "SameSite=Strict", "Path=/api/v1/auth"])
        let next = try await refresh(house, "other=1; \(value)")
        #expect(next.status == 200 && next.data.keys == ["user", "token", "expiresIn"])
        let successor = try cookie(next).value
        #expect(successor != value)
        let out = try await house.send(
            .post, "/api/v1/auth/logout", [.authorization: "Bearer \(next.data["token"].text ?? "")", .doorwardClient: "console"])
        #expect(out.status == 204 && isClearing(out))
        #expect(try await refresh(house, successor).status == 401)
    }

    @Test("the cookie is read only with the console's header, and the console's body takes no token")
    func cookieNeedsHeader() async throws {
        let house = try await House(withPasswords: true)
        let value = try cookie(try await logIn(house, headers: Self.console)).value
        let without = try await house.call(.post, "/auth/refresh", as: nil, "{}", headers: [.cookie: value])
        #expect(without.problems == ["refreshToken: required"])
        let token = try #require(value.split(separator: "=").last)
        let inBody = try await refresh(house, nil, #"{"refreshToken":"\#(token)"}"#)
        #expect(inBody.problems == ["refreshToken: unknown_key"])
        #expect(try await refresh(house, nil).status == 401)
        #expect(try await refresh(house, value).status == 200)
        // This client has no address, so no answer is repeated to it.
        let replay = try await refresh(house, value)
        #expect(replay.status == 401 && isClearing(replay))
    }

    /// Whether the reply removes both cookies.
    private func isClearing(_ reply: Reply) -> Bool {
        let cookies = reply.headers[values: .setCookie]
        return cookies.count == 2 && cookies.allSatisfy { $0.contains("=; Max-Age=0; ") }
    }

    @Test("a marker that scripts can read is set and removed together with the cookie, and proves nothing")
    func marker() async throws {
        let house = try await House(withPasswords: true)
        let reply = try await logIn(house, headers: Self.console)
        let cookies = reply.headers[values: .setCookie]
        #expect(cookies.count == 2)
        #expect(cookies.last == "doorward_session=1; Max-Age=2592000; Secure; SameSite=Strict; Path=/")
        let withoutCookie = try await refresh(house, "doorward_session=1")
        #expect(withoutCookie.status == 401 && isClearing(withoutCookie))
        #expect(withoutCookie.headers[values: .setCookie].last == "doorward_session=; Max-Age=0; Secure; SameSite=Strict; Path=/")
    }

    private func logOut(
        _ house: House, _ cookie: String?, token: String? = nil, client: String = "console"
    ) async throws -> Reply {
        var headers: HTTPFields = [.doorwardClient: client]
        headers[.cookie] = cookie
        headers[.authorization] = token.map { "Bearer \($0)" }
        return try await house.send(.post, "/api/v1/auth/logout", headers)
    }

    @Test("the console signs out with the cookie alone, after its access token has expired")
    func signOutByCookie() async throws {
        let house = try await House(withPasswords: true)
        let reply = try await logIn(house, headers: Self.console)
        let (value, token) = (try cookie(reply).value, reply.data["token"].text)
        house.clock.advance(by: .seconds(3600))
        let out = try await logOut(house, value, token: token)
        #expect(out.status == 204 && isClearing(out))
        #expect(try await refresh(house, value).status == 401)
        let records = try await house.store.records(RecordQuery(scopes: [.gatewayLog], limit: 500))
        #expect(records.contains { $0.body.event == .signedOut })
    }

    @Test("a sign-out without a live session removes the cookies; without any proof it is refused, and removes them as well")
    func signOutOfNothing() async throws {
        let house = try await House(withPasswords: true)
        let value = try cookie(try await logIn(house, headers: Self.console)).value
        for cookie in ["__Secure-doorward-refresh=unknown", value, value] {
            let out = try await logOut(house, cookie)
            #expect(out.status == 204 && isClearing(out), "\(cookie)")
        }
        for (cookie, token) in [(nil, nil), ("doorward_session=1", nil), (nil, "expired")] {
            let out = try await logOut(house, cookie, token: token)
            #expect(out.status == 401 && out.headers[.wwwAuthenticate] == "Bearer" && isClearing(out))
        }
    }

    @Test("the cookie proves nothing without the console's header")
    func signOutFromElsewhere() async throws {
        let house = try await House(withPasswords: true)
        let value = try cookie(try await logIn(house, headers: Self.console)).value
        let out = try await logOut(house, value, client: "browser")
        #expect(out.status == 401 && out.headers[.setCookie] == nil)
        #expect(try await refresh(house, value).status == 200)
    }

    @Test("other clients get no cookie", arguments: ["cli", "browser", ""])
    func noCookie(client: String) async throws {
        let house = try await House(withPasswords: true)
        let reply = try await logIn(house, headers: [.doorwardClient: client])
        #expect(reply.headers[.setCookie] == nil && reply.data["refreshToken"].text != nil)
    }
}
