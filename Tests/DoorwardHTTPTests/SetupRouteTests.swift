import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// The set-up over HTTP.
@Suite struct SetupRouteTests {
    static let person = #""email":"root@example.com","firstName":"Ada","lastName":"Ames","password":"a long enough passphrase""#
    private static let unknown = String(repeating: "A", count: 43)
    private static let places = #"""
        "portfolio":{"name":"Home"},"property":{"name":"Quay 1","defaultTimeZone":"Europe/Berlin"},"unit":{"name":"1A"}
        """#

    private func send(_ house: House, _ method: HTTPRequest.Method, _ token: String?, _ body: String? = nil) async throws -> Reply
    {
        try await house.setUp(method, token, body)
    }

    @Test("the token shows what is there, makes the first super admin with places and a simulated lock, and signs the person in")
    func complete() async throws {
        let house = try await House.empty()
        let token = try house.setupToken()
        house.adapter.set(transports: [AdapterTransport(name: "oak", owner: .gateway, health: .ok)])
        let found = try await send(house, .get, token)
        #expect(found.status == 200 && found.headers[.cacheControl] == "no-store")
        let setup = found.data["setup"]
        #expect(setup["gatewayName"].text == "doorward.local" && setup["publicUrl"] == .null)
        #expect(setup["adapters"].elements.map(\.text) == ["scripted", "simulator"])
        #expect(setup["brokers"].elements.map(\.text) == ["oak"])
        #expect(["userCount", "portfolioCount", "deviceCount"].allSatisfy { setup[$0].number == 0 })
        #expect(setup["expiresAt"].text == house.clock.now().advanced(by: .seconds(3600)).description)
        let made = try await send(house, .put, token, #"{\#(Self.person),\#(Self.places),"simulatedLocks":true}"#)
        #expect(made.status == 201 && made.data.keys == ["user", "token", "expiresIn", "refreshToken"])
        #expect(made.data["user"]["isSuperAdmin"].flag == true)
        let headers: HTTPFields = [.authorization: "Bearer \(made.data["token"].text ?? "")"]
        let device = try await house.send(.get, "/api/v1/devices", headers).data["devices"][0]
        #expect(device["name"].text == "Front door (simulated)" && device["adapter"].text == "simulator")
        let units = try await house.send(.get, "/api/v1/units", headers).data["units"]
        #expect(units[0]["name"].text == "1A" && device["unitId"] == units[0]["id"])
        let unlocked = try await house.send(.post, "/api/v1/devices/\(device["id"].text ?? "")/unlock", headers)
        #expect(unlocked.status == 200 && unlocked.data["device"]["state"].text == "UNLOCKED", "\(unlocked.text)")
    }

    @Test("the set-up shows the public address of the configuration")
    func publicAddress() async throws {
        var settings = HTTPSettings()
        settings.publicURL = "https://doors.example"
        let house = try await House.empty(settings)
        #expect(try await send(house, .get, try house.setupToken()).data["setup"]["publicUrl"].text == "https://doors.example")
    }

    @Test("without a valid token the answer is the same for every body: none, unknown, expired, used, or there is a super admin")
    func oneAnswer() async throws {
        let (house, furnished, old) = (try await House.empty(), try await House(), try await House.empty())
        let (token, expired) = (try house.setupToken(), try old.setupToken())
        old.clock.advance(by: .seconds(3600))
        #expect(try await send(house, .put, token, "{\(Self.person)}").status == 201)
        let requests: [(HTTPRequest.Method, String?)] = [
            (.get, nil), (.get, "no JSON"), (.put, "{\(Self.person)}"), (.put, "no JSON"), (.put, "{}"), (.put, nil),
        ]
        for (method, body) in requests {
            let replies = [
                try await send(furnished, method, nil, body), try await send(furnished, method, Self.unknown, body),
                try await send(furnished, method, "x", body), try await send(old, method, expired, body),
                try await send(house, method, token, body), try await send(house, method, nil, body),
            ]
            #expect(replies.allSatisfy { $0.status == 401 && $0.code == "unauthenticated" })
            #expect(Set(replies.map(\.withoutRequestID)).count == 1, "\(method)")
            for house in [house, furnished, old] { house.clock.advance(by: .seconds(60)) }
        }
        let signedIn: HTTPFields = [.authorization: "Bearer \(try await furnished.token(of: .superAdmin))"]
        #expect(try await furnished.send(.get, "/api/v1/setup", signedIn).status == 401)
    }

    @Test("the sixth wrong token in a minute waits, before its body is read, and the valid token does not")
    func limited() async throws {
        let house = try await House.empty()
        let token = try house.setupToken()
        for _ in 0..<5 { #expect(try await send(house, .get, Self.unknown).status == 401) }
        for reply in [
            try await send(house, .get, Self.unknown), try await send(house, .put, Self.unknown, "no JSON"),
            try await send(house, .put, "x", "{\(Self.person)}"),
        ] {
            #expect(reply.status == 429 && reply.code == "rate_limited")
            #expect((1...60).contains(reply.headers[.retryAfter].flatMap { Int($0) } ?? 0))
        }
        #expect(try await send(house, .put, nil, "no JSON").status == 401)
        #expect(try await send(house, .get, token).status == 200)
        #expect(try await send(house, .put, token, "no JSON").status == 400)
        #expect(try await send(house, .put, token, "{\(Self.person)}").status == 201)
        #expect(try await send(house, .get, token).status == 429, "the token is used, and so a wrong one")
        house.clock.advance(by: .seconds(60))
        #expect(try await send(house, .get, token).status == 401)
    }

    @Test("bad input with the valid token is refused, and does not use it up")
    func badInput() async throws {
        let house = try await House.empty()
        let token = try house.setupToken()
        for (body, problems) in [
            ("{}", ["email: required", "firstName: required", "password: required"]),
            (#"{\#(Self.person),"unit":{"name":"1A"}}"#, ["property: required"]),
            (#"{\#(Self.person),"simulatedLocks":true}"#, ["property: required"]),
            (#"{\#(Self.person),"property":{"name":"Quay 1"}}"#, ["portfolio: required"]),
            (#"{\#(Self.person),"portfolio":{}}"#, ["portfolio.name: required"]),
            (
                #"{\#(Self.person),"property":{"name":" ","defaultTimeZone":"Mars/Olympus"}}"#,
                ["property.defaultTimeZone: unknown_zone", "property.name: blank"]
            ),
            (#"{\#(Self.person),"token":"\#(token)"}"#, ["token: unknown_key"]),
            (#"{"email":"x","firstName":"A","password":"short"}"#, ["email: bad_email", "password: too_short"]),
        ] as [(String, [String])] {
            let reply = try await send(house, .put, token, body)
            #expect(reply.status == 400 && reply.problems == problems, "\(body): \(reply.text)")
        }
        let inQuery = try await house.call(.get, "/setup?token=\(token)", headers: [.setupToken: token])
        #expect(inQuery.problems == ["token: unknown_key"])
        #expect(try await send(house, .put, token, "{\(Self.person)}").status == 201)
    }

    @Test("the page gets the refresh token in the console's cookie, so that the console opens signed in")
    func console() async throws {
        let house = try await House.empty()
        let headers: HTTPFields = [
            .setupToken: try house.setupToken(), .contentType: "application/json", .doorwardClient: "console",
        ]
        let made = try await house.send(.put, "/api/v1/setup", headers, "{\(Self.person)}")
        #expect(made.status == 201 && made.data["refreshToken"] == .null)
        let cookie = try #require(made.headers[values: .setCookie].first { $0.hasPrefix(RefreshCookie.name) })
        let kept: HTTPFields = [.cookie: String(cookie.prefix { $0 != ";" }), .doorwardClient: "console"]
        #expect(try await house.send(.post, "/api/v1/auth/refresh", kept).status == 200)
    }

    @Test("the token is in no log line")
    func logs() async throws {
        let house = try await House.empty()
        let token = try house.setupToken()
        for wrong in [token.lowercased(), token + ".", "x" + token] {
            _ = try await send(house, .get, wrong)
            _ = try await house.send(.get, "/setup?token=\(wrong)")
        }
        #expect(try await send(house, .put, token, "{\(Self.person)}").status == 201)
        #expect(house.logs.text.contains("/api/v1/setup") && !house.logs.text.lowercased().contains(token.lowercased()))
    }
}

extension House {
    /// A gateway with nothing in its store.
    static func empty(_ settings: HTTPSettings = HTTPSettings()) async throws -> House {
        let ids = try HouseWorld.make(createdAt: VirtualClock().now()).1
        return try await House(settings: settings, world: ([], ids.withoutPeople))
    }

    /// The token of a new start line.
    func setupToken() throws -> String { try #require(control.setup.offer()).token.reveal() }

    /// Sends a request to `/setup` with this token.
    func setUp(_ method: HTTPRequest.Method, _ token: String?, _ body: String? = nil) async throws -> Reply {
        var headers = HTTPFields()
        headers[.setupToken] = token
        if body != nil { headers[.contentType] = "application/json" }
        return try await send(method, "/api/v1/setup", headers, body)
    }
}

extension House.IDs {
    /// The same ids, with nobody to start sessions for.
    fileprivate var withoutPeople: House.IDs {
        House.IDs(
            portfolio: portfolio, property: property, unit: unit, otherUnit: otherUnit, door: door, frontDoor: frontDoor,
            simulated: simulated, otherPortfolio: otherPortfolio, otherProperty: otherProperty, foreignUnit: foreignUnit,
            foreignDoor: foreignDoor, people: [:], guestAccess: guestAccess, foreignGuestAccess: foreignGuestAccess)
    }
}
