import Crypto
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import FoundationEssentials
import HTTPTypes
import Logging
import Testing

@testable import DoorwardHTTP

/// Every kind of invalid token gets the same response.
@Suite struct TokenTests {
    /// A handmade token that is valid except for the changes of a test case.
    private struct Forgery {
        var header: [String: JSONValue]
        var claims: [String: JSONValue]
        var key: TokenKey
        var signature: ((String, TokenKey) throws -> [UInt8]) = { text, key in
            Array(try key.signing.signature(for: Array(text.utf8)))
        }

        init(_ house: House, person: House.Person = .tenant) {
            let now = Int64(house.clock.now().milliseconds / 1000)
            key = house.signingKey
            header = ["alg": .string("EdDSA"), "typ": .string("at+jwt"), "kid": .string(key.keyID)]
            claims = [
                "iss": .string("doorward.local"), "aud": .string("doorward"), "sub": .string(house.ids[person].description),
                "sid": .string(House.session(of: person).description), "iat": .integer(now), "exp": .integer(now + 900),
                "jti": .string("1"),
            ]
        }

        func token() throws -> String {
            let text = [header, claims].map { part in
                var writer = JSONWriter()
                JSONValue.object(part).write(into: &writer)
                return Base64URL.encode(writer.bytes)
            }.joined(separator: ".")
            return "\(text).\(Base64URL.encode(try signature(text, key)))"
        }
    }

    @Test("An unchanged handmade token is valid, so that each forgery fails because of its change")
    func right() async throws {
        let house = try await House()
        #expect(try await read(house, "Bearer \(Forgery(house).token())").status == 200)
        #expect(try await read(house, "bearer \(Forgery(house).token())").status == 200)
    }

    private func read(_ house: House, _ authorization: String?) async throws -> Reply {
        var headers = HTTPFields()
        headers[.authorization] = authorization
        return try await house.send(.get, "/api/v1/users/me", headers)
    }

    private func forgeries(_ house: House) throws -> [(String, String)] {
        func forged(_ change: (inout Forgery) throws -> Void) throws -> String {
            var forgery = Forgery(house)
            try change(&forgery)
            return try forgery.token()
        }
        let right = try Forgery(house).token()
        let parts = right.split(separator: ".").map(String.init)
        let now = house.clock.now().milliseconds / 1000
        return [
            ("empty", ""), ("no token", "x"), ("two parts", "\(parts[0]).\(parts[1])"), ("four parts", right + ".x"),
            ("no signature", "\(parts[0]).\(parts[1])."),
            (
                "alg none",
                try forged {
                    $0.header["alg"] = .string("none"); $0.signature = { _, _ in [] }
                }
            ),
            ("alg None", try forged { $0.header["alg"] = .string("None") }),
            (
                "alg HS256 with the public key",
                try forged { forgery in
                    forgery.header["alg"] = .string("HS256")
                    forgery.signature = { text, key in
                        Array(
                            HMAC<SHA256>.authenticationCode(
                                for: Array(text.utf8), using: SymmetricKey(data: key.signing.publicKey.rawRepresentation)))
                    }
                }
            ),
            ("alg ES256", try forged { $0.header["alg"] = .string("ES256") }),
            ("another key", try forged { $0.key = try TokenKey(random: RandomSource()) }),
            ("another kid", try forged { $0.header["kid"] = .string("0000000000000000") }),
            ("no kid", try forged { $0.header["kid"] = nil }),
            ("typ JWT", try forged { $0.header["typ"] = .string("JWT") }),
            ("no typ", try forged { $0.header["typ"] = nil }),
            ("a jku", try forged { $0.header["jku"] = .string("https://example.org/keys") }),
            ("a jwk", try forged { $0.header["jwk"] = .object(["kty": .string("OKP")]) }),
            ("crit", try forged { $0.header["crit"] = .array([.string("exp")]) }),
            ("another issuer", try forged { $0.claims["iss"] = .string("elsewhere") }),
            ("another audience", try forged { $0.claims["aud"] = .string("elsewhere") }),
            ("no audience", try forged { $0.claims["aud"] = nil }),
            ("another subject", try forged { $0.claims["sub"] = .string(house.ids[.owner].description) }),
            ("a subject that is no id", try forged { $0.claims["sub"] = .string("root") }),
            ("an unknown session", try forged { $0.claims["sid"] = .string("01a1fd86-0000-7000-8000-000000000000") }),
            ("no session", try forged { $0.claims["sid"] = nil }),
            ("no end", try forged { $0.claims["exp"] = nil }),
            ("ended", try forged { $0.claims["exp"] = .integer(now) }),
            ("an end that is no number", try forged { $0.claims["exp"] = .string("never") }),
            ("too long", try forged { $0.claims["jti"] = .string(String(repeating: "x", count: 5000)) }),
            ("changed claims", "\(parts[0]).\(parts[1].dropLast(2))AA.\(parts[2])"),
            ("changed signature", "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"),
        ]
    }

    @Test("A forged token is rejected without a reason")
    func forged() async throws {
        let house = try await House()
        let expected = try await read(house, nil)
        #expect(expected.status == 401)
        #expect(expected.code == "unauthenticated")
        #expect(expected.headers[.wwwAuthenticate] == "Bearer")
        for (name, token) in try forgeries(house) {
            let reply = try await read(house, "Bearer \(token)")
            #expect(reply.withoutRequestID == expected.withoutRequestID, "\(name)")
        }
        let basic = try await read(house, "Basic \(try Forgery(house).token())")
        #expect(basic.withoutRequestID == expected.withoutRequestID)
    }

    @Test("A token has one spelling: with padding, in another alphabet or with spare bits set it is rejected")
    func spellings() async throws {
        let house = try await House()
        let right = try Forgery(house).token()
        let parts = right.split(separator: ".").map(String.init)
        let expected = try await read(house, nil)
        var others: [[String]] = []
        for index in 0..<3 {
            for padding in ["=", "==", "==="] {
                var padded = parts
                padded[index] += padding
                others.append(padded)
            }
            var plain = parts
            plain[index] = plain[index].replacing("-", with: "+").replacing("_", with: "/")
            if plain != parts { others.append(plain) }
            // If the last character encodes fewer than six bits, other characters encode the same bits.
            guard !parts[index].utf8.count.isMultiple(of: 4) else { continue }
            let last = try #require(parts[index].last)
            for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" where other != last {
                var spare = parts
                spare[index] = String(parts[index].dropLast()) + String(other)
                others.append(spare)
            }
        }
        for other in others {
            let reply = try await read(house, "Bearer \(other.joined(separator: "."))")
            #expect(reply.withoutRequestID == expected.withoutRequestID, "\(other)")
        }
        #expect(try await read(house, "Bearer \(right)").status == 200)
    }

    @Test("A cached token still expires, and still ends with its session and its user")
    func remembered() async throws {
        let house = try await House()
        let token = "Bearer \(try await house.token(of: .tenant))"
        #expect(try await read(house, token).status == 200)
        #expect(house.services.authenticator.memory.count == 1)
        house.clock.advance(by: .seconds(899))
        #expect(try await read(house, token).status == 200)
        house.clock.advance(by: .seconds(1))
        #expect(try await read(house, token).status == 401)

        let next = "Bearer \(try await house.token(of: .tenant))"
        #expect(try await read(house, next).status == 200)
        let admin = Caller(userID: house.ids[.superAdmin])
        _ = try await house.control.users.update(admin, house.ids[.tenant], UserChanges(isEnabled: false))
        #expect(try await read(house, next).status == 401)
        _ = try await house.control.users.update(admin, house.ids[.tenant], UserChanges(isEnabled: true))
        #expect(try await read(house, next).status == 401, "enabling the user again does not restore the session")

        let owners = "Bearer \(try await house.token(of: .owner))"
        #expect(try await read(house, owners).status == 200)
        try await house.control.signIn.logOut(Caller(userID: house.ids[.owner], sessionID: House.session(of: .owner)))
        #expect(try await read(house, owners).status == 401)
    }

    @Test("The token cache is bounded and drops its older half at once")
    func memory() {
        let memory = VerifiedTokenCache(capacity: 10)
        let now = Timestamp(milliseconds: 0)
        let token = VerifiedToken(
            userID: UserID(high: 1, low: 1), sessionID: SessionID(high: 1, low: 1), expiresAt: now.advanced(by: .seconds(1)))
        for number in 0..<100 {
            memory.remember(token, as: "\(number)")
            #expect(memory.count <= 20)
        }
        #expect(memory.token("99", at: now) != nil)
        #expect(memory.token("0", at: now) == nil)
        #expect(memory.token("99", at: now.advanced(by: .seconds(1))) == nil)
    }
}

/// All random values come from the injected source.
@Suite struct RandomnessTests {
    private func drawn() async throws -> [String] {
        let random = RandomSource(SeededGenerator(seed: 5))
        let key = try TokenKey(random: random)
        let tokens = await AccessTokens(key: key, issuer: "doorward", lifetime: .seconds(60), random: random)
        let session = Session(
            id: SessionID(high: 1, low: 1), userID: UserID(high: 1, low: 2), createdAt: Timestamp(milliseconds: 0),
            expiresAt: Timestamp(milliseconds: 1_000_000))
        let token = try await tokens.issue(for: session, at: Timestamp(milliseconds: 5_000)).token
        let claims = try #require(Base64URL.decode(token.utf8.split(separator: UInt8(ascii: "."))[1]))
        guard case .object(let members) = try JSONValue.parse(claims), case .string(let id)? = members["jti"] else { return [] }
        let head = HTTPRequest(
            method: .get, scheme: nil, authority: nil, path: "/",
            headerFields: [.traceContext: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"])
        let proxies = try TrustedProxies([])
        let metadata = RequestMetadata(head, peer: PeerAddress(nil, proxies: proxies), proxies: proxies, random: random)
        let span = metadata.logMetadata["span"]?.description ?? ""
        return [key.keyID, id, metadata.requestID, span]
    }

    @Test("Keys, token ids, request ids and spans are drawn from the injected random source")
    func injected() async throws {
        let drawn = try await drawn()
        #expect(drawn.map(\.utf8.count) == [16, 32, 32, 16])
        #expect(Set(drawn).count == 4)
        #expect(try await self.drawn() == drawn)
    }
}
