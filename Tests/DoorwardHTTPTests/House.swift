import AdapterSimulator
import DoorwardAdapterKit
import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Metrics
import NIOCore
import Synchronization
import Testing

@testable import DoorwardHTTP
@testable import DoorwardKernel
@testable import DoorwardRecords
@testable import DoorwardStreams
@testable import DoorwardTenancy

/// A gateway with two small portfolios and a user in every role, called over HTTP without a network. Time is virtual.
struct House: Sendable {
    let clock: VirtualClock
    let store: InMemoryStore
    let adapter: ScriptedAdapter
    let simulator: ScriptedSimulator
    let control: GatewayControl
    /// The files of the checkpoints and their key.
    let checkpoints = InMemoryCheckpoints()
    let ids: IDs
    let logs: LogCatcher
    /// Whether requests that a bulk can contain are sent as a bulk of one.
    var sendsInBulks = false
    private let responder: GatewayResponder
    private let tokenKey: TokenKey
    /// The tokens that were signed before: signing is the most expensive part of a test request.
    private let tokens = Seen<[String: String]>([:])

    struct IDs: Sendable {
        let portfolio: PortfolioID
        let property: PropertyID
        let unit: UnitID
        let otherUnit: UnitID
        let door: DeviceID
        let frontDoor: DeviceID
        let simulated: DeviceID
        let otherPortfolio: PortfolioID
        let otherProperty: PropertyID
        let foreignUnit: UnitID
        let foreignDoor: DeviceID
        let people: [Person: UserID]
        let guestAccess: GuestAccessID
        let foreignGuestAccess: GuestAccessID

        subscript(_ person: Person) -> UserID { people[person] ?? UserID(high: 0, low: 0) }
    }

    /// The users of the tests, named by their role in the first portfolio.
    enum Person: String, CaseIterable, Sendable {
        case superAdmin, owner, admin, manager, maintenance, auditor, tenant, coTenant, neighbour, guest
        /// Owner of the other portfolio, without a role in the first.
        case stranger
        /// A user without any role.
        case nobody
    }

    static let password = "a password for everybody here"

    /// - Parameters:
    ///   - withPasswords: Whether all users can also sign in by password, which costs a hash.
    ///   - settings: Settings of the server.
    ///   - adapterOfSimulated: The adapter of simulated locks; a scripted one by default.
    ///   - measures: Whether `/metrics` is available.
    ///   - world: the tenancy and its ids; by default that of `HouseWorld`.
    ///   - database: the store of the gateway; by default `store`.
    ///   - source: the gateway's random numbers, by default from `seed`.
    init(
        seed: UInt64 = 1, behaviour: ScriptedAdapter.Behaviour = .confirmAtOnce, withPasswords: Bool = false,
        settings: HTTPSettings = HTTPSettings(), deniedPerMinute: Int = 1000, measures: Bool = true,
        capabilities: LockCapabilities = .all, simulator adapterOfSimulated: (any LockAdapter)? = nil,
        world: ([TenancyChange], IDs)? = nil, database: (any GatewayStore)? = nil,
        random source: (any RandomNumberGenerator & Sendable)? = nil
    ) async throws {
        clock = VirtualClock()
        let (changes, ids) = try world ?? HouseWorld.make(createdAt: clock.now())
        self.ids = ids
        let memory = InMemoryStore()
        self.store = memory
        let store: any GatewayStore = database ?? memory
        _ = try await store.commit(StoreTransaction(changes: changes))
        adapter = ScriptedAdapter(clock: clock, behaviour: behaviour, capabilities: capabilities)
        simulator = ScriptedSimulator()
        let random = RandomSource(source ?? SeededGenerator(seed: seed))
        if withPasswords {
            let hash = try await PasswordHasher(cost: 10, random: random).hash(Secret(Self.password))
            let credentials = ids.people.values.map { CredentialChange.setPassword($0, hash: hash) }
            _ = try await store.commit(StoreTransaction(credentials: credentials))
        }
        let now = clock.now()
        let sessions = ids.people.map { person, user in
            CredentialChange.beginSession(
                Session(
                    id: Self.session(of: person), userID: user, createdAt: now, expiresAt: now.advanced(by: .seconds(30 * 86_400))
                ),
                refreshDigest: Array(person.rawValue.utf8))
        }
        _ = try await store.commit(StoreTransaction(credentials: sessions))
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        limits.deniedPerMinute = deniedPerMinute
        // One after the other, so that two gateways with the same random numbers give their records the same ids.
        limits.concurrentLockdownLocks = 1
        let metrics = PrometheusMetrics()
        let witnesses = [Self.key(of: try Self.witness.get()).description]
        var audit = try AuditSetup(
            gatewayName: "doorward.test", key: checkpoints.key, keys: checkpoints, storage: checkpoints, witnesses: witnesses)
        // Tests wait for the sleepers of commands, so no other task sleeps.
        audit.signsByItself = false
        control = GatewayControl(
            store: store, adapters: [adapter, adapterOfSimulated ?? ScriptedAdapter(kind: "simulator", clock: clock)],
            clock: clock, random: random,
            limits: limits, audit: audit, metrics: metrics)
        try await control.start()
        logs = LogCatcher()
        tokenKey = try TokenKey(random: source == nil ? RandomSource() : random)
        let page = MetricsPage(metrics, version: "test", samplers: [{ [control] in control.sampleMetrics() }])
        let services = try await Services(
            control: control, settings: settings, tokenKey: tokenKey, simulator: simulator, logger: logs.logger,
            metrics: measures ? page : nil)
        responder = RouteTable.responder(services)
    }

    /// The witness whose cosignatures the gateway accepts.
    static let witness = Result { try NoteSigner(name: "witness.example/w1", seed: [UInt8](repeating: 9, count: 32)) }

    /// The public key of a witness.
    static func key(of witness: NoteSigner) -> VerifierKey {
        VerifierKey(name: witness.verifierKey.name, algorithm: .cosignature, key: witness.verifierKey.key)
    }

    /// The checkpoint with the cosignature of the witness, which has signed at `time` in seconds.
    func cosigned(_ checkpoint: String, at time: UInt64 = 1_795_252_860, by witness: NoteSigner? = nil) throws -> String {
        var note = try #require(SignedNote(parsing: checkpoint))
        note.add(try (witness ?? Self.witness.get()).cosignature(of: note.text, at: time))
        return note.rendered
    }

    static func session(of person: Person) -> SessionID {
        SessionID(high: 0x7000, low: UInt64(Person.allCases.firstIndex(of: person) ?? 0))
    }

    var services: Services { responder.services }

    /// Returns an access token like that of a sign-in.
    func token(of person: Person) async throws -> String {
        let now = clock.now()
        let session = Session(
            id: Self.session(of: person), userID: ids[person], createdAt: now, expiresAt: now.advanced(by: .seconds(30 * 86_400)))
        let key = "\(person) \(now)"
        if let token = tokens.value[key] { return token }
        let token = try await services.tokens.issue(for: session, at: now).token
        tokens.change { $0[key] = token }
        return token
    }

    /// The token signing key, for tokens that the gateway would not issue.
    var signingKey: TokenKey { tokenKey }

    // MARK: - Requests

    /// Sends a request under `/api/v1`, with or without a user.
    func call(
        _ method: HTTPRequest.Method, _ path: String, as person: Person? = nil, _ body: String? = nil,
        headers: [HTTPField.Name: String] = [:]
    ) async throws -> Reply {
        var fields = HTTPFields()
        if let person { fields[.authorization] = "Bearer \(try await token(of: person))" }
        if body != nil { fields[.contentType] = "application/json" }
        for (name, value) in headers { fields[name] = value.isEmpty ? nil : value }
        return try await send(method, path.hasPrefix("//") ? String(path.dropFirst()) : "/api/v1" + path, fields, body)
    }

    /// Sends a request unchanged. A response that differs from the document of the API fails the test.
    func send(_ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], _ body: String? = nil) async throws
        -> Reply
    {
        let reply = try await unchecked(method, path, headers, body)
        // The result of a bulk has no headers.
        if path.hasPrefix("/api/v1/"), !sendsInBulks {
            let document = try await PublishedDocument.shared { try await unchecked(.get, "/api/v1/openapi.json", [:], nil).json }
            let differences = document.differences(method, path, reply)
            #expect(differences.isEmpty, "\(method) \(path): \(reply.text)")
        }
        return reply
    }

    func unchecked(_ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields, _ body: String?) async throws -> Reply {
        if sendsInBulks, let reply = try await inBulk(method, path, headers, body) { return reply }
        let application = Application(responder: responder, logger: logs.logger)
        // A stream would not end by itself: it is ended as soon as it is open.
        let isStream = path.hasPrefix("/api/v1/stream") && (method == .get || method == .post)
        let ending = Task { [control] in
            while isStream, !Task.isCancelled {
                control.streams.endIdle()
                await Task.yield()
            }
        }
        defer { ending.cancel() }
        return try await application.test(.router) { client in
            let response = try await client.executeRequest(
                uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
            return try Reply(response)
        }
    }

    /// Sends a command, by default an unlock of the flat's door.
    func command(
        _ word: String = "unlock", as person: Person, on device: DeviceID? = nil, _ body: String? = nil,
        headers: [HTTPField.Name: String] = [:]
    ) async throws -> Reply {
        try await call(.post, "/devices/\(device ?? ids.door)/\(word)", as: person, body, headers: headers)
    }
}

/// A test double for the simulator's control interface.
final class ScriptedSimulator: SimulatorControl {
    let triggered = Seen<[String]>([])
    var adapterKind: String { "simulator" }
    var eventNames: Set<String> { ["jam", "clear", "door_open", "keypad", "online"] }

    /// Its locks have an empty battery and a keypad with a code for Ada only, but no door contact.
    func trigger(_ event: String, slot: String?, on device: DeviceID) async -> String? {
        triggered.change { $0.append("\(event)\(slot.map { " \($0)" } ?? "") \(device)") }
        switch event {
        case "door_open": return SimulatorEventError.unsupported.sentence
        case "keypad" where slot != "Ada": return SimulatorEventError.unknownSlot.sentence
        case "online": return SimulatorEventError.batteryDead.sentence
        case "clear": return SimulatorEventError.notAttached.sentence
        default: return nil
        }
    }
}

extension LiveStreams {
    /// Ends the streams that have sent everything.
    fileprivate func endIdle() {
        for stream in table.all {
            stream.state.withLock { state in
                guard state.isOpened, !state.hasWork, state.inFlight == nil, state.ending == nil else { return }
                state.ending = .shuttingDown
            }
            stream.signal.set()
        }
    }
}
