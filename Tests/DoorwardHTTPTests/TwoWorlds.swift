import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import DoorwardTesting
import Foundation
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import DoorwardHTTP

/// Two gateways, each with its own database. The databases differ only in one portfolio: the first has it, the second has not. Both
/// have the same users, the same clock and, for each request, the same random numbers, so that all ids are equal.
final class TwoWorlds: Sendable {
    /// The kinds of objects whose ids are tried.
    enum Kind: String, CaseIterable, Sendable {
        case portfolio, property, unit, device, user, guestAccess, command, invitation, apiKey, session
    }

    /// People of the portfolio that both worlds have.
    enum Caller: String, CaseIterable, Sendable {
        case owner, admin, manager, maintenance, auditor, tenant, guest
        /// An API key of the owner.
        case key
        /// A request without a sign-in.
        case anonymous
    }

    /// The world with the other portfolio.
    let full: House
    /// The world without it.
    let bare: House
    /// The ids of the portfolio that both worlds have.
    let own: [Kind: [String]]
    /// The ids of what only the first world has, and of the users with a role there.
    let foreign = Seen<[Kind: [String]]>([:])
    /// The random numbers of `full` and of `bare`.
    private let random: (full: SwitchedGenerator, bare: SwitchedGenerator)
    private let steps = Seen(UInt64(0))
    /// The id of a user that only the first world has, by an invitation to the other portfolio.
    let newcomer = Seen("")
    static let newcomerEmail = "newcomer@example.com"
    private let folder: URL
    private let databases: [SQLiteStore]
    private let secret: String

    init() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-worlds-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (changes, shared, ids) = try Self.world()
        func open(_ name: String) throws -> SQLiteStore {
            try SQLiteStore.open(
                path: folder.appending(path: name).path, clock: VirtualClock(), random: SeededGenerator(seed: 9),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        let databases = [try open("full.db"), try open("bare.db")]
        random = (SwitchedGenerator(seed: 5), SwitchedGenerator(seed: 5))
        let full = try await Self.house((changes, ids), databases[0], random.full)
        let bare = try await Self.house((Array(changes.prefix(shared)), ids), databases[1], random.bare)
        (self.folder, self.databases, self.full, self.bare) = (folder, databases, full, bare)
        var key: [String] = []
        for house in [full, bare] {
            let made = try await house.call(
                .post, "/api-keys", as: .owner,
                """
                {"name":"Robot","entityType":"PROPERTY","entityId":"\(ids.property)","role":"MAINTENANCE",
                "expiresAt":"\(house.clock.now().advanced(by: .seconds(86_400)))"}
                """)
            key = [try #require(made.data["apiKey"]["id"].text), try #require(made.data["secret"].text)]
        }
        secret = key[1]
        own = [
            .portfolio: ["\(ids.portfolio)"], .property: ["\(ids.property)"], .unit: ["\(ids.unit)", "\(ids.otherUnit)"],
            .device: ["\(ids.door)", "\(ids.frontDoor)", "\(ids.simulated)"], .guestAccess: ["\(ids.guestAccess)"],
            .user: [House.Person.owner, .manager, .tenant, .guest, .coTenant, .neighbour].map { "\(ids[$0])" }, .apiKey: [key[0]],
            .session: [House.Person.owner, .tenant].map { "\(House.session(of: $0))" },
        ]
        foreign.change { foreign in
            foreign = [
                .portfolio: ["\(ids.otherPortfolio)"], .property: ["\(ids.otherProperty)"], .unit: ["\(ids.foreignUnit)"],
                .device: ["\(ids.foreignDoor)"], .guestAccess: ["\(ids.foreignGuestAccess)"],
                .user: ["\(ids[.stranger])", "\(ids[.nobody])"], .session: ["\(House.session(of: .stranger))"],
            ]
        }
        let id = try await addNewcomer()
        newcomer.change { $0 = id }
    }

    /// Closes the databases and deletes their files.
    func close() async throws {
        for database in databases { try await database.close() }
        try FileManager.default.removeItem(at: folder)
    }

    /// The tenancy of the full world, the number of its changes that the bare world has too, and the ids.
    private static func world() throws -> ([TenancyChange], Int, House.IDs) {
        var world = TenancyFixture(seed: 7, createdAt: VirtualClock().now())
        var people: [House.Person: UserID] = [:]
        for person in House.Person.allCases {
            people[person] = world.user(
                person.name, lastName: "Last", email: "\(person.rawValue)@example.com", isSuperAdmin: person == .superAdmin)
        }
        func assign(_ person: House.Person, _ role: Role, _ entity: AssociatedEntity) throws -> AssociationID {
            world.assign(try #require(people[person]), role, entity)
        }
        let portfolio = world.portfolio("Oak Street")
        let property = world.property("No. 5", in: portfolio, timeZone: "Europe/Berlin")
        let (unit, otherUnit) = (world.unit("2B", in: property), world.unit("3C", in: property))
        let door = world.device("Flat door", in: .unit(unit), address: ["broker": "oak", "topic": "door"])
        let frontDoor = world.device("Front door", in: .property(property), address: ["broker": "oak", "topic": "front"])
        let simulated = world.device("Cellar", in: .property(property), adapter: "simulator")
        world.share(frontDoor, with: unit)
        _ = try assign(.owner, .owner, .portfolio(portfolio))
        _ = try assign(.admin, .portfolioAdmin, .portfolio(portfolio))
        _ = try assign(.manager, .propertyManager, .property(property))
        _ = try assign(.maintenance, .maintenance, .property(property))
        _ = try assign(.auditor, .auditor, .portfolio(portfolio))
        let tenancy = try assign(.tenant, .tenant, .unit(unit))
        _ = try assign(.coTenant, .tenant, .unit(unit))
        _ = try assign(.neighbour, .tenant, .unit(otherUnit))
        let access = world.guestAccess(for: people[.guest], to: [door], hours: 0..<24, under: tenancy)
        let shared = world.changes.count
        let otherPortfolio = world.portfolio("Elm Street")
        let otherProperty = world.property("No. 9", in: otherPortfolio)
        let foreignUnit = world.unit("1A", in: otherProperty)
        let foreignDoor = world.device("Elsewhere", in: .unit(foreignUnit), address: ["broker": "elm", "topic": "door"])
        let foreign = try assign(.stranger, .owner, .portfolio(otherPortfolio))
        _ = try assign(.nobody, .tenant, .unit(foreignUnit))
        // A person with roles in both portfolios: the people of the first one see only the role there.
        _ = try assign(.neighbour, .tenant, .unit(foreignUnit))
        let foreignAccess = world.guestAccess(for: people[.nobody], to: [foreignDoor], hours: 0..<24, under: foreign)
        let ids = House.IDs(
            portfolio: portfolio, property: property, unit: unit, otherUnit: otherUnit, door: door, frontDoor: frontDoor,
            simulated: simulated, otherPortfolio: otherPortfolio, otherProperty: otherProperty, foreignUnit: foreignUnit,
            foreignDoor: foreignDoor, people: people, guestAccess: try #require(access),
            foreignGuestAccess: try #require(foreignAccess))
        return (world.changes, shared, ids)
    }

    /// A gateway whose broker `oak` belongs to the shared portfolio; `elm` belongs to the other one, if there is one.
    private static func house(
        _ world: ([TenancyChange], House.IDs), _ database: SQLiteStore, _ random: SwitchedGenerator
    ) async throws -> House {
        let house = try await House(
            withPasswords: true, deniedPerMinute: 1_000_000, world: world, database: database, random: random)
        let ids = world.1
        let isFull = house.control.directory.current.portfolio(ids.otherPortfolio) != nil
        let owners: [String: TransportOwner] =
            ["oak": .portfolio(ids.portfolio)].merging(isFull ? ["elm": .portfolio(ids.otherPortfolio)] : [:]) { $1 }
        house.adapter.set(owners: owners)
        house.adapter.set(
            transports: owners.sorted { $0.key < $1.key }.map { AdapterTransport(name: $0.key, owner: $0.value, health: .ok) })
        house.adapter.set(
            discovered: owners.sorted { $0.key < $1.key }.map { broker, owner in
                DiscoveredLock(
                    id: "new-\(broker)", name: "Attic", manufacturer: "Acme", model: "A1",
                    address: ["broker": .string(broker), "topic": .string("new")], owner: owner, capabilities: [.lock, .unlock],
                    problem: nil, firstSeenAt: house.clock.now(), lastSeenAt: house.clock.now())
            })
        return house
    }

    // MARK: - Requests

    /// A request of one of the people of the shared portfolio.
    struct Step: Sendable, CustomStringConvertible {
        let caller: Caller
        let method: HTTPRequest.Method
        let path: String
        var body: String?
        var headers: [HTTPField.Name: String] = [:]

        var description: String { "\(caller.rawValue): \(method) \(path) \(body ?? "") \(headers)" }
    }

    /// Sends a request in both worlds; returns both responses. Each request has a sequence of random numbers of its own, equal in both
    /// worlds: the number of those that earlier requests have used does not matter.
    func send(_ step: Step) async throws -> (full: Reply, bare: Reply) {
        steps.change { $0 += 1 }
        random.full.begin(steps.value)
        random.bare.begin(steps.value)
        return (try await send(step, in: full), try await send(step, in: bare))
    }

    /// Does the same in both worlds, with the same random numbers.
    func both<Result>(_ body: (House) async throws -> Result) async throws -> (full: Result, bare: Result) {
        steps.change { $0 += 1 }
        random.full.begin(steps.value)
        random.bare.begin(steps.value)
        return (try await body(full), try await body(bare))
    }

    private func send(_ step: Step, in house: House) async throws -> Reply {
        var fields = HTTPFields()
        switch step.caller {
        case .key: fields[.authorization] = "Bearer \(secret)"
        case .anonymous: break
        default:
            let person = try #require(House.Person(rawValue: step.caller.rawValue))
            fields[.authorization] = "Bearer \(try await house.token(of: person))"
        }
        if step.body != nil { fields[.contentType] = "application/json" }
        for (name, value) in step.headers { fields[name] = value }
        return try await house.unchecked(step.method, step.path, fields, step.body)
    }

    /// What a client can compare: status, headers and body without the request's id and the sealed bytes of a cursor. Of a signed
    /// token, header and claims are compared, because the order of their members differs from token to token. Of roots, leaf hashes,
    /// signatures and the bytes of records in base64, the length is compared: a store derives the commitments in a record's bytes from random keys.
    static func shown(_ reply: Reply) -> String {
        reply.withoutRequestID.replacing(#/"nextCursor":"([^"]*)"/#) { "\"nextCursor\":\"\($0.output.1.count)\"" }
            .replacing(#/(eyJ[\w\-]+)\.([\w\-]+)\.([\w\-]+)/#) { token in
                let (header, claims, signature) = (token.output.1, token.output.2, token.output.3)
                return "\(members(header)).\(members(claims)).\(signature.count)"
            }
            .replacing(#/\nid: ([\w\-]+)\n/#) { "\nid: \($0.output.1.count)\n" }
            .replacing(#/"bytes":"([^"]*)"/#) { "\"bytes\":\"\($0.output.1.count)\"" }
            .replacing(#/[A-Za-z0-9+\/]{43}=|(— doorward\.test )[A-Za-z0-9+\/]{91}=/#) { found in
                "\(found.output.1 ?? "")<\(found.output.0.count)>"
            }
    }

    /// The members of an encoded part of a token, in the order of their names.
    private static func members(_ part: Substring) -> String {
        guard let bytes = Base64URL.decode(part.utf8), let json = try? JSONValue.parse(bytes) else { return String(part) }
        return json.members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }

    /// Time passes in both worlds.
    func pass(_ duration: Duration) {
        full.clock.advance(by: duration)
        bare.clock.advance(by: duration)
    }

    // MARK: - The other portfolio

    /// Invites a person without an account to the other portfolio, in the full world only, and accepts.
    ///
    /// - Returns: the id of the new user.
    private func addNewcomer() async throws -> String {
        random.full.isOther = true
        defer { random.full.isOther = false }
        let invited = try await full.call(
            .post, "/units/\(full.ids.foreignUnit)/tenants", as: .stranger, #"{"email":"\#(Self.newcomerEmail)","role":"TENANT"}"#
        )
        let token = try #require(invited.data["invitation"]["token"].text)
        let accepted = try await full.call(
            .post, "/auth/accept-invitation", as: nil,
            #"{"token":"\#(token)","firstName":"New","lastName":"Comer","password":"\#(House.password)"}"#)
        return try #require(accepted.data["user"]["id"].text)
    }

    /// Something that happens in the other portfolio, in the full world only.
    func happenElsewhere(_ number: Int) async throws {
        random.full.isOther = true
        defer { random.full.isOther = false }
        let ids = full.ids
        let requests: [(HTTPRequest.Method, String, House.Person, String?)] = [
            (.post, "/devices/\(ids.foreignDoor)/unlock", .stranger, #"{"reason":"post"}"#),
            (.post, "/devices/\(ids.foreignDoor)/lock", .nobody, nil),
            (.post, "/properties/\(ids.otherProperty)/lockdown", .stranger, #"{"reason":"drill"}"#),
            (.post, "/devices/\(ids.foreignDoor)/unlock", .nobody, nil),
            (.delete, "/properties/\(ids.otherProperty)/lockdown", .stranger, nil),
            (.post, "/units", .stranger, #"{"name":"2B \#(number)","propertyId":"\#(ids.otherProperty)"}"#),
            (.put, "/portfolios/\(ids.otherPortfolio)", .stranger, #"{"name":"Oak \#(number)"}"#),
            (
                .post, "/guest-access", .stranger,
                #"{"label":"Guest \#(number)","deviceIds":["\#(ids.foreignDoor)"],"operations":["UNLOCK"],"#
                    + #""validFrom":"2026-11-21T08:00:00Z","validUntil":"2026-11-22T08:00:00Z"}"#
            ),
            (.post, "/units/\(ids.foreignUnit)/tenants", .stranger, #"{"email":"coTenant@example.com","role":"TENANT"}"#),
            (.post, "/guest-access/\(ids.foreignGuestAccess)/link", .stranger, nil),
            (.post, "/units/\(ids.foreignUnit)/tenants", .stranger, #"{"email":"new@example.com","role":"TENANT"}"#),
            (
                .post, "/api-keys", .stranger,
                #"{"name":"K","entityType":"PORTFOLIO","entityId":"\#(ids.otherPortfolio)","role":"OWNER","#
                    + #""expiresAt":"2026-12-21T08:00:00Z"}"#
            ),
            (
                .post, "/devices", .stranger,
                #"{"name":"Front door","adapter":"scripted","address":{"broker":"elm","topic":"n\#(number)"},"#
                    + #""propertyId":"\#(ids.otherProperty)"}"#
            ),
        ]
        let (method, path, person, body) = requests[number % requests.count]
        // The same keys as those of the first portfolio's people.
        let reply = try await full.call(method, path, as: person, body, headers: [.idempotencyKey: "key-\(number)"])
        #expect(reply.status < 300 || reply.code == "lockdown_active", "\(path): \(reply.text)")
        foreign.change { TwoWorlds.collect(reply, into: &$0) }
        full.adapter.report(.battery(level: 5 + number % 80, low: number.isMultiple(of: 2)), from: ids.foreignDoor)
    }

    /// Adds the id of the object that a response contains.
    static func collect(_ reply: Reply, into ids: inout [Kind: [String]]) {
        guard (200..<300).contains(reply.status) else { return }
        for kind in Kind.allCases {
            if let id = reply.data[kind.rawValue]["id"].text, !ids[kind, default: []].contains(id) {
                ids[kind, default: []].append(id)
            }
        }
    }
}

/// Two sequences of random numbers, of which one is used at a time: what happens in one portfolio does not change the ids of
/// another. The usual sequence begins anew for each request.
private final class SwitchedGenerator: RandomNumberGenerator, Sendable {
    private let state: Mutex<(usual: SeededGenerator, other: SeededGenerator, isOther: Bool)>

    init(seed: UInt64) {
        state = Mutex((SeededGenerator(seed: seed), SeededGenerator(seed: ~seed), false))
    }

    var isOther: Bool {
        get { state.withLock { $0.isOther } }
        set { state.withLock { $0.isOther = newValue } }
    }

    /// Begins the usual sequence of a request.
    func begin(_ request: UInt64) {
        // The generator adds a constant to its seed: mixed seeds keep two sequences from overlapping.
        var seeds = SeededGenerator(seed: request)
        let seed = seeds.next()
        state.withLock { $0.usual = SeededGenerator(seed: seed) }
    }

    func next() -> UInt64 { state.withLock { $0.isOther ? $0.other.next() : $0.usual.next() } }
}
