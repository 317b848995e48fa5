import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct SignInTests {
    private func logIn(
        _ house: House, _ email: String = "tenant@example.com", _ password: String = House.password
    ) async throws -> Reply {
        try await house.call(.post, "/auth/login", #"{"email":"\#(email)","password":"\#(password)"}"#)
    }

    private func me(_ house: House, _ token: String) async throws -> Reply {
        var headers = HTTPFields()
        headers[.authorization] = "Bearer \(token)"
        return try await house.send(.get, "/api/v1/users/me", headers)
    }

    @Test("Signing in returns a valid token, refreshing returns another one, and signing out ends both")
    func lifecycle() async throws {
        let house = try await House(withPasswords: true)
        let reply = try await logIn(house, "TENANT@example.com")
        #expect(reply.status == 200)
        #expect(reply.data["expiresIn"].number == 900)
        #expect(reply.data["user"]["id"].text == house.ids[.tenant].description)
        let token = try #require(reply.data["token"].text)
        let refresh = try #require(reply.data["refreshToken"].text)
        #expect(try await me(house, token).status == 200)

        house.clock.advance(by: .seconds(1))
        let next = try await house.call(.post, "/auth/refresh", #"{"refreshToken":"\#(refresh)"}"#)
        #expect(next.status == 200)
        #expect(next.data.keys == reply.data.keys)
        let nextToken = try #require(next.data["token"].text)
        #expect(nextToken != token)
        #expect(try await me(house, nextToken).status == 200)

        var headers = HTTPFields()
        headers[.authorization] = "Bearer \(nextToken)"
        let out = try await house.send(.post, "/api/v1/auth/logout", headers)
        #expect(out.status == 204)
        #expect(out.text.isEmpty)
        #expect(try await me(house, token).status == 401)
        #expect(try await me(house, nextToken).status == 401)
    }

    @Test("An email address that is too long gives the same error as an unknown one, and only a short form of it is kept")
    func longEmail() async throws {
        let house = try await House(withPasswords: true)
        let long = String(repeating: "x", count: 60_000) + "@example.com"
        let unknown = try await logIn(house, "x@example.com")
        let reply = try await logIn(house, long)
        #expect(reply.status == 401)
        #expect(reply.withoutRequestID == unknown.withoutRequestID)
        #expect(SignInRoutes.account(long).utf8.count < 100)
        #expect(SignInRoutes.account(long) == SignInRoutes.account(long.uppercased()))
        #expect(SignInRoutes.account(long) != SignInRoutes.account("x" + long))
        let longest = String(repeating: "x", count: 242) + "@example.com"
        #expect(SignInRoutes.account(longest) == longest)
        #expect(!SignInRoutes.account("x" + longest).contains("@"))
    }

    @Test("A refresh token that is used a second time ends the session")
    func reuse() async throws {
        let house = try await House(withPasswords: true)
        let reply = try await logIn(house)
        let body = #"{"refreshToken":"\#(reply.data["refreshToken"].text ?? "")"}"#
        let next = try await house.call(.post, "/auth/refresh", body)
        #expect(next.status == 200)
        #expect(try await house.call(.post, "/auth/refresh", body).status == 401)
        #expect(try await me(house, next.data["token"].text ?? "").status == 401)
    }

    @Test("An unknown address, a wrong password and a disabled user give the same error")
    func oneAnswer() async throws {
        let house = try await House(withPasswords: true)
        _ = try await house.control.users.update(
            Caller(userID: house.ids[.superAdmin]), house.ids[.guest], UserChanges(isEnabled: false))
        let wrong = try await logIn(house, "tenant@example.com", "wrong")
        #expect(wrong.status == 401)
        #expect(wrong.code == "unauthenticated")
        #expect(try await logIn(house, "who@example.com").withoutRequestID == wrong.withoutRequestID)
        #expect(try await logIn(house, "guest@example.com").withoutRequestID == wrong.withoutRequestID)
        let absurd = try await logIn(house, "tenant@example.com", String(repeating: "x", count: 2000))
        #expect(absurd.withoutRequestID == wrong.withoutRequestID)
        let refresh = try await house.call(.post, "/auth/refresh", #"{"refreshToken":"nothing"}"#)
        #expect(refresh.withoutRequestID == wrong.withoutRequestID)
    }

    @Test("After five failures the account is rate limited, and not locked")
    func throttle() async throws {
        let house = try await House(withPasswords: true)
        for _ in 0..<5 { #expect(try await logIn(house, "tenant@example.com", "wrong").status == 401) }
        let limited = try await logIn(house)
        #expect(limited.status == 429)
        #expect(limited.headers[.retryAfter] == "1")
        house.clock.advance(by: .seconds(1))
        #expect(try await logIn(house).status == 200)
    }

    @Test("Missing, wrong and unknown fields of a sign-in are reported")
    func bodies() async throws {
        let house = try await House()
        #expect(try await house.call(.post, "/auth/login").problems == ["email: required", "password: required"])
        let more = try await house.call(.post, "/auth/login", #"{"email":"a","password":1,"remember":true}"#)
        #expect(more.problems == ["password: wrong_type", "remember: unknown_key"])
        #expect(try await house.call(.post, "/auth/refresh", "{}").problems == ["refreshToken: required"])
        #expect(try await house.call(.get, "/auth/login").status == 405)
    }

    @Test("No password and no token is written to the program's log or to an error response")
    func canary() async throws {
        let house = try await House(withPasswords: true)
        let reply = try await logIn(house)
        let token = try #require(reply.data["token"].text)
        let refresh = try #require(reply.data["refreshToken"].text)
        _ = try await me(house, token)
        _ = try await me(house, token + "x")
        let failures = [
            try await logIn(house, "tenant@example.com", "canary-password-one"),
            try await house.call(.post, "/auth/login", #"{"email":"canary","password":"canary-password-two","x":1}"#),
            try await house.call(.post, "/auth/login", #"{"password":"canary-password-three""#),
            try await house.call(.post, "/auth/refresh", #"{"refreshToken":"canary-token"}"#),
            try await house.call(
                .post, "/users", as: .superAdmin,
                #"{"email":"a@b","firstName":"a","lastName":"b","password":"canary-four"}"#),
        ]
        house.store.stayUnavailable()
        let unavailable = try await logIn(house)
        #expect(unavailable.status == 503)
        for text in failures.map(\.text) + [unavailable.text, house.logs.text] {
            #expect(!text.contains("canary-") && !text.contains(House.password))
            #expect(!text.contains(token) && !text.contains(refresh))
        }
    }
}
