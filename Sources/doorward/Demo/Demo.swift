import AdapterSimulator
import ArgumentParser
import DoorwardClient
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import DoorwardYAML
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// `doorward demo`: runs a gateway with simulated locks in a house with invented people.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a gateway with a simulated house and residents, and watch it.",
        discussion: """
            Two properties, twelve flats and thirty simulated locks, on a fresh database. People leave and come home, forget to \
            lock, try other people's doors; a lock jams, a battery runs low, a guest's time ends. It begins on a Monday at \
            07:20; with --speed 60 an hour of the house passes in a minute.

            On a terminal the doors and what happens are shown live; q or Ctrl-C ends it. In a pipe it prints one line for each \
            event. The demo runs a real gateway, which you can use from other terminals: it shows the sign-ins, and links that open the \
            web console as one of the people. Each link works once, for ten minutes, on this machine.

            With --scenario the locks and the people are those of a scenario file (docs/simulator.md), starting one minute before its \
            first event. Residents are tenants of the flats behind their doors, visitors are guests, and people who only send commands are \
            managers.

            Example: doorward demo --seed 7
            """)

    @Option(
        help: ArgumentHelp(
            "Keep the database there, in an empty or new folder. (default: a temporary one, removed at the end)",
            valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp("Play this scenario file instead of the built-in house.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var scenario: String?

    @Option(help: ArgumentHelp("Seed of the random events. (default: 1, or the seed of the scenario)", valueName: "number"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("The port to listen on; 0 picks a free one.", valueName: "port"))
    var port: UInt16 = 0

    @Option(help: ArgumentHelp("How much faster than real time the demo runs, 1 to 120.", valueName: "factor"))
    var speed = 60

    func validate() throws {
        guard (1...120).contains(speed) else { throw ValidationError("--speed takes a whole number from 1 to 120.") }
    }

    func run() async throws {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            // Log lines would overwrite the screen.
            handler.logLevel = OutputStyle.output.canRedraw ? .critical : .error
            return handler
        }
        let plan = try plan()
        // Catch signals before anything is created that must be removed. SIGQUIT is Ctrl-\: the terminal is restored after that
        // key too.
        let end = await StopSignals(.sigint, .sigterm, .sighup, .sigquit)
        let (folder, password) = (try DemoFolder(folder), Self.newPassword())
        do {
            try await live(plan, in: folder, password, until: end)
        } catch {
            folder.remove()
            throw CommandFailure(of: error) ?? CommandFailure("the demo ended: \(error)")
        }
        folder.remove()
        StandardStream.output.line(folder.closingMessage(someone: plan.house.someone.email, password: password))
    }

    private func plan() throws -> DemoPlan {
        guard let path = scenario else { return DemoDay(house: DemoHouse(), seed: seed ?? 1).plan }
        do {
            var scenario = try Scenario(path: path)
            scenario.seed = seed ?? scenario.seed
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return try ScenarioHouse.plan(for: scenario, title: name)
        } catch let errors as YAMLErrors {
            throw CommandFailure("the scenario", errors)
        }
    }

    private func live(_ plan: DemoPlan, in folder: DemoFolder, _ password: Secret<String>, until end: StopSignals) async throws {
        let configuration = configuration(in: folder)
        let tenancy = try await fill(configuration, with: plan.house, password)
        let (addresses, address) = AsyncStream<String>.makeStream()
        let links = DemoSignInLinks(password: password, clock: SystemClock(), random: RandomSource())
        let gateway = try await Gateway.open(configuration, logger: Logger(label: "doorward"), demoSignIns: links) {
            address.yield($0)
        }
        guard let simulator = gateway.adapters.lazy.compactMap({ $0 as? SimulatorAdapter }).first else {
            throw CommandFailure("this program has no simulator")
        }
        let script = DemoScript(
            plan: plan, users: tenancy.users, locks: tenancy.locks, control: gateway.control, simulator: simulator,
            speed: Double(speed))
        let service = DemoService(script: script, password: password, links: links, folder: folder, addresses: addresses)
        // The last service in the list is stopped first, so the simulated people stop before the gateway that they use.
        try await ServiceGroup.run([gateway, service, end])
    }

    /// Creates the database and writes the house into it.
    private func fill(
        _ configuration: GatewayConfiguration, with house: DemoHouse, _ password: Secret<String>
    ) async throws -> DemoTenancy {
        let (clock, random) = (SystemClock(), RandomSource())
        let tenancy = DemoTenancy(house, at: clock.now(), random: random, speed: Double(speed))
        try await configuration.withStore(clock: clock) { store in
            try await tenancy.write(
                to: StoreGuard(store: store), password: password,
                hasher: PasswordHasher(cost: configuration.limits.passwordCost, random: random))
        }
        return tenancy
    }

    private func configuration(in folder: DemoFolder) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.http.port = Int(port)
        configuration.store.path = folder.database
        // The lowest allowed cost, so that sign-ins in the demo are fast.
        configuration.limits.passwordCost = 14
        return configuration
    }

    /// Returns a random password of 100 bits: four groups of five characters, from 32 characters that are not easily confused.
    private static func newPassword() -> Secret<String> {
        let signs = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let bytes = RandomSource().bytes(20)
        let groups = stride(from: 0, to: 20, by: 5).map { start in
            String(bytes[start..<start + 5].map { signs[Int($0) % signs.count] })
        }
        return Secret(groups.joined(separator: "-"))
    }
}

/// Plays the demo's plan and shows the screen while the gateway runs. `run` ends when the service is stopped, or when the user
/// closes the screen.
struct DemoService: Service {
    let script: DemoScript
    let password: Secret<String>
    let links: DemoSignInLinks
    let folder: DemoFolder
    /// Yields the gateway's address when it has started listening.
    let addresses: AsyncStream<String>

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await liveAndWatch() }
            await signOut()
        } catch {
            await signOut()
            // An error caused by stopping is not a failure.
            guard Task.isShuttingDownGracefully else { throw error }
        }
    }

    private func liveAndWatch() async throws {
        guard let address = await addresses.first(where: { _ in true }) else { return }
        let watch = DemoScreen(
            client: try await signIn(at: address),
            invitation: DemoSignIns(
                house: script.plan.house, address: address, password: password, program: DemoSignIns.programAsTyped,
                link: { [links] in links.address(for: $0, at: address) }),
            clock: script.control.clock,
            time: HouseTime(
                beganAt: script.control.clock.now(), speed: script.speed, start: script.plan.start,
                firstWeekday: script.plan.scenario.firstWeekday))
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await script.run()
                return false
            }
            group.addTask {
                await watch.run()
                return true
            }
            defer { group.cancelAll() }
            // After the last event of a scenario the screen stays open: the demo ends when the user closes it.
            while let hasGone = try await group.next(), !hasGone {}
        }
    }

    /// Signs in as the owner. The session is renewed like any other, so it lasts as long as the demo.
    private func signIn(at address: String) async throws -> DoorwardClient {
        let stranger = try DoorwardClient(server: address, credentials: .none)
        let signedIn = try await stranger.signIn(email: DemoHouse.owner.email, password: password.reveal())
        try folder.session.write(signedIn.session)
        return try DoorwardClient(server: address, credentials: .session(folder.session))
    }

    /// Ends the owner's session, so that it cannot be used from a demo folder that is kept. If the gateway has already stopped,
    /// only the file with the session's tokens is deleted.
    private func signOut() async {
        if let server = try? folder.session.read()?.server {
            try? await DoorwardClient(server: server, credentials: .session(folder.session)).signOut()
        }
        folder.removeSession()
    }
}

/// Plays the demo's plan: people send commands to the gateway, each with their own rights; manual operations, faults and battery
/// changes are applied to the simulated locks.
struct DemoScript: Sendable {
    let plan: DemoPlan
    /// The users by first name.
    let users: [String: UserID]
    /// The locks by name.
    let locks: [String: DeviceID]
    let control: GatewayControl
    let simulator: SimulatorAdapter
    /// How many times faster than real time the house's time passes.
    let speed: Double

    /// Runs to the end of the last planned day, or until it is cancelled; no command is in flight afterwards.
    func run() async throws {
        for guest in plan.guests { try await grant(guest) }
        let player = try ScenarioPlayer(
            plan.scenario, adapter: simulator, clock: control.clock, locks: locks, from: plan.start, pace: speed, command: ask)
        await player.run()
    }

    /// Sends a command. Its outcome appears in the log.
    private func ask(_ wish: ScenarioCommand) async {
        guard let user = users[wish.person] else { return }
        let request = CommandRequest(
            caller: Caller(userID: user), deviceID: wish.lock, attemptedID: wish.lock.description, operation: wish.operation,
            timeout: .seconds(10))
        guard let running = try? await control.locks.begin(request).value else { return }
        _ = await running.finished
    }

    private func grant(_ guest: DemoPlan.Guest) async throws {
        guard let user = users[guest.name], let host = users[guest.host] else { return }
        let now = control.clock.now()
        let window = guest.window.map { $0 / speed } ?? .seconds(365 * 86_400)
        let access = NewGuestAccess(
            guestUserID: user, label: nil, propertyID: nil, unitID: nil, deviceIDs: guest.doors.map { locks[$0] ?? .nonexistent },
            operations: [.lock, .unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: window)))
        _ = try await control.guestAccesses.grant(Caller(userID: host), access, repeatable: nil)
    }
}

/// The folder of the demo's database, its key, and its own session.
struct DemoFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    var database: String { "\(path)/doorward.db" }

    /// - Parameter wanted: a folder to be kept; `nil` for a temporary folder that is removed at the end.
    /// - Throws: an error if the folder cannot be created, or already contains a database.
    init(_ wanted: String?) throws {
        isTemporary = wanted == nil
        path = wanted ?? FileManager.default.temporaryDirectory.appending(component: "doorward-demo-\(UUID().uuidString)").path
        guard !FileManager.default.fileExists(atPath: database) else {
            throw CommandFailure("\(path.printable) contains a database already: name an empty folder, or remove it")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let cause = ((error as? CocoaError)?.underlying as? POSIXError).map { "\(SystemFailure($0.code.rawValue))" }
            throw CommandFailure("\(path.printable): this folder cannot be created: \(cause ?? "name another one with --folder")")
        }
    }

    /// The file of the demo's own session, which exists while the demo runs.
    var session: SessionFile { SessionFile(folder: "\(path)/session") }

    /// Removes the demo's own session, the only one in the folder.
    func removeSession() { try? FileManager.default.removeItem(atPath: "\(path)/session") }

    /// Removes a temporary folder; a folder given by the user is kept.
    func remove() {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Returns the message to print after the end of the demo.
    ///
    /// - Parameters:
    ///   - someone: the email address of a user who can sign in.
    ///   - password: the password of all users. If the folder is kept, this message shows the password for the last time.
    func closingMessage(someone: String, password: Secret<String>) -> String {
        guard !isTemporary else { return "The demo is over, and its database is removed." }
        return """
            The demo is over. \(path.printable) keeps its database and key; everybody still signs in, such as \
            \(someone) with the password \(password.reveal()), on
              \(DemoSignIns.programAsTyped) serve --store-path \(database.shellQuoted)
            """
    }
}
