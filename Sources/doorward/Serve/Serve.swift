import ArgumentParser
import Dispatch
import DoorwardAPI
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// `doorward serve`: runs the gateway until it is stopped.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the gateway.",
        discussion: """
            Prints `listening on http://HOST:PORT` on standard output once it is ready, and logs to standard error. SIGTERM or \
            Ctrl-C stops it in order: new commands are refused, commands already sent to a lock are finished, and it ends within \
            15 s. If the access log was rolled back, it does not start and exits with code 4: `doorward store recover` explains what to do.

            On a database without a super admin it also prints `set up at URL`: a page that makes the first super admin, with a link that \
            works once, for an hour. Without a browser, stop the gateway and run `doorward admin create`, which needs the database for itself.

            Under systemd it reports when it is ready, alive or stopping (`Type=notify`, `WatchdogSec`).

            Every key of the configuration is also an environment variable: http.port is DOORWARD_HTTP_PORT. Options take \
            precedence over the environment, and the environment over the file.
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: ArgumentHelp("The address to listen on. (default: 127.0.0.1)", valueName: "address"))
    var httpHost: String?

    @Option(help: ArgumentHelp("The port to listen on; 0 picks a free one. (default: 8080)", valueName: "port"))
    var httpPort: String?

    @Option(
        help: ArgumentHelp(
            "The lowest level that is logged: trace, debug, info, notice, warning, error or critical. (default: info)",
            valueName: "level"),
        completion: .logLevel)
    var logLevel: String?

    @Option(
        help: ArgumentHelp("The format of log lines: text or json. (default: text)", valueName: "format"),
        completion: .list(["text", "json"]))
    var logFormat: String?

    func run() async throws {
        // Catch signals before anything is created or written, so that an early stop is orderly too.
        let signals = await StopSignals(.sigterm, .sigint)
        var configuration = try store.configuration(
            ["http.host": httpHost, "http.port": httpPort, "log.level": logLevel, "log.format": logFormat])
        Self.beginLogging(configuration.log)
        let logger = Logger(label: "doorward")
        try await Self.prepareDescriptors(&configuration, logger)
        let notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment, clock: SystemClock())
        let gateway = try await Gateway.open(
            configuration, logger: logger,
            onListening: { address in
                StandardStream.output.line("listening on \(address)")
                notifier.ready()
            },
            onSetup: { [warning = configuration.http.linkWarning] in Self.announceSetup(at: $0, warning: warning, logger) })
        do {
            try await ServiceGroup.run([gateway, signals, notifier])
        } catch {
            throw CommandFailure(of: error) ?? CommandFailure("the gateway ended: \(error)")
        }
    }

    /// Prints the address of the set-up page, and logs it for those who read the log only. A terminal also shows its QR code, unless other
    /// machines do not reach the address.
    ///
    /// - Parameter warning: why they do not; `nil` if they do.
    private static func announceSetup(at address: Secret<String>, warning: String?, _ logger: Logger) {
        let (url, style) = (address.reveal(), OutputStyle.output)
        let showsCode = style.isInteractive && warning == nil
        let code = showsCode ? QRCode(url)?.terminalLines(hasColour: style.hasColour) ?? [] : []
        StandardStream.output.line((["set up at \(url)"] + code).joined(separator: "\n"))
        logger.notice(
            "there is no super admin: within an hour, this address makes the first one", metadata: ["address": "\(url)"])
        if let warning { logger.notice("\(warning)") }
    }

    /// Raises the limit on open files, and lowers the maximum number of connections if the limit does not allow so many.
    private static func prepareDescriptors(_ configuration: inout GatewayConfiguration, _ logger: Logger) async throws {
        let limit = OpenFilesLimit.raise()
        await OpenFilesLimit.openTimers()
        let room = limit - OpenFilesLimit.reserve(adapters: try ConfiguredAdapters(configuration).descriptorCount)
        guard room >= OpenFilesLimit.leastConnections else {
            throw CommandFailure(
                "the limit on open files is \(limit), which leaves no room for connections; raise it to at least "
                    + "\(limit - room + OpenFilesLimit.leastConnections), with `ulimit -n` or systemd's LimitNOFILE")
        }
        guard room < configuration.http.maxConnections else { return }
        logger.warning(
            "the limit on open files leaves room for fewer connections than http.maxConnections",
            metadata: ["limit": .stringConvertible(limit), "maxConnections": .stringConvertible(room)])
        configuration.http.maxConnections = room
    }

    private static func beginLogging(_ log: GatewayConfiguration.Log) {
        let level = Logger.Level(rawValue: log.level) ?? .info
        let makeHandler = { @Sendable (label: String, provider: Logger.MetadataProvider?) -> any LogHandler in
            var handler: any LogHandler
            if log.format == "json" {
                handler = JSONLogHandler(label: label, now: { SystemClock().now() }, write: { StandardStream.error.line($0) })
            } else {
                handler = StreamLogHandler.standardError(label: label)
            }
            handler.logLevel = level
            handler.metadataProvider = provider
            return handler
        }
        LoggingSystem.bootstrap(makeHandler, metadataProvider: RequestLogging.metadataProvider)
    }
}

extension ServiceGroup {
    /// Runs services until one of them ends. They are stopped in the opposite order, one after the other.
    static func run(_ services: [any Service]) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
            logger: Logger(label: "doorward"))
        // After this time a stop aborts everything that still runs, so that the stop takes less than 15 s in all.
        configuration.maximumGracefulShutdownDuration = .seconds(13)
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// The process's limit on open file descriptors (`RLIMIT_NOFILE`), and the part of it that connections may not use.
enum OpenFilesLimit {
    /// Minimum number of connections with which the gateway starts.
    static let leastConnections = 16

    /// The desired soft limit, if the hard limit permits it.
    private static let wanted: rlim_t = 65_536

    /// Raises the soft limit towards the hard one.
    ///
    /// - Returns: the limit in force.
    static func raise() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        let before = limit.rlim_cur
        limit.rlim_cur = max(before, min(limit.rlim_max, wanted))
        if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
        return Int(clamping: limit.rlim_cur)
    }

    /// Descriptors reserved for other purposes than connections: the database and its backups, the event loops, the adapters, and
    /// connections that are being closed.
    ///
    /// - Parameter adapters: the number of descriptors that the adapters need.
    static func reserve(adapters: Int) -> Int { 96 + 4 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) + adapters }

    /// Makes Dispatch open the timer descriptor of each of its clocks. Otherwise Dispatch opens each descriptor at its first use,
    /// and crashes with an illegal instruction if none is available then.
    static func openTimers() async {
        // Long enough that the deadline is still in the future when Dispatch checks it. Otherwise Dispatch would open no timer.
        let moment = DispatchTimeInterval.milliseconds(50)
        async let continuous: ()? = try? ContinuousClock().sleep(for: .milliseconds(50))
        async let suspending: ()? = try? SuspendingClock().sleep(for: .milliseconds(50))
        await withCheckedContinuation { continuation in
            let group = DispatchGroup()
            for _ in 0..<2 { group.enter() }
            DispatchQueue.global().asyncAfter(deadline: .now() + moment) { group.leave() }
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + moment) { group.leave() }
            group.notify(queue: .global()) { continuation.resume() }
        }
        _ = await (continuous, suspending)
    }
}

/// Sends the state of the gateway (ready, alive, stopping) to the service manager (sd_notify(3)). Sends nothing if the environment names
/// no socket.
struct ServiceNotifier: Service {
    private let send: @Sendable (String) -> Void
    /// The time between two signs of life, half of what the manager waits for; `nil` if it waits for none.
    private let interval: Duration?
    private let clock: any GatewayClock

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` (sd_watchdog_enabled(3)).
    ///   - process: the id of this process; a watchdog that is meant for another one is ignored.
    ///   - send: sends a state; by default on the socket of the environment.
    init(
        environment: [String: String], process: Int32 = getpid(), clock: any GatewayClock,
        send: (@Sendable (String) -> Void)? = nil
    ) {
        let socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket($0) }
        self.send = send ?? { socket?.send($0) }
        self.clock = clock
        let isForThisProcess = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        interval = environment["WATCHDOG_USEC"].flatMap { isForThisProcess ? Int64($0) : nil }.flatMap {
            $0 > 1 ? .microseconds($0 / 2) : nil
        }
    }

    /// To be called when connections are accepted.
    func ready() { send("READY=1") }

    /// Sends signs of life until the service group is stopped. They come from a task on Swift's pool, as most work of the gateway does,
    /// so they end if the pool is blocked.
    func run() async {
        await cancelWhenGracefulShutdown {
            while true {
                if interval != nil { send("WATCHDOG=1") }
                // Without a watchdog, this only waits for the stop.
                let next = clock.monotonicNow().advanced(by: interval ?? .seconds(86_400))
                guard (try? await clock.sleep(until: next)) != nil else { return }
            }
        }
        send("STOPPING=1")
    }
}

/// The socket on which a service manager receives the states of its services: one datagram for each (sd_notify(3)).
struct NotifySocket: Sendable {
    private let address: sockaddr_un
    private let length: socklen_t

    /// - Parameter name: the value of `NOTIFY_SOCKET`: an absolute path, or `@` and a name in the abstract namespace (unix(7)).
    /// - Returns: `nil` for any other text, and for one that is too long for an address.
    init?(_ name: String) {
        var bytes = Array(name.utf8)
        guard bytes.count > 1, bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@"), !bytes.contains(0) else {
            return nil
        }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A path ends with a zero byte; an abstract name ends with the address.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        self.address = address
        length = socklen_t(MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + bytes.count)
    }

    /// Sends a state such as `READY=1`, and never waits: a manager that reads nothing does not stop the gateway.
    ///
    /// - Returns: whether it was sent.
    @discardableResult
    func send(_ state: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0, length)
            }
        } == bytes.count
    }
}

/// The signals that end a program which runs services: the first one stops the service group in order.
///
/// They are caught from the creation of this object, so that a signal before the start of the services counts, too.
struct StopSignals: Service {
    private let signals: UnixSignalsSequence

    init(_ signals: UnixSignal...) async { self.signals = await UnixSignalsSequence(trapping: signals) }

    /// Returns after the first signal, even if it was received before this call, or when the service group is stopped.
    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals { return }
        }
    }
}

/// The option that names the configuration, for every command that reads it.
struct ConfigurationOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The configuration, a YAML file.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    /// Loads the configuration from the environment, the flags, and the file if there is one.
    ///
    /// - Parameter flags: the values of the flags, keyed by the path of the configuration key.
    func load(flags: [String: String] = [:]) throws(ConfigurationError) -> GatewayConfiguration {
        try ConfigurationSources(file: config, environment: ProcessInfo.processInfo.environment, flags: flags).load()
    }
}

/// The options that select the database, for every command that opens it.
struct StoreOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Option(help: ArgumentHelp("The database file. (default: doorward.db)", valueName: "file"), completion: .file())
    var storePath: String?

    /// Returns the configuration from the file, the environment and these options. `options`
    /// contains the values of further options, keyed by the path of the configuration key.
    func configuration(_ options: [String: String?] = [:]) throws(ConfigurationError) -> GatewayConfiguration {
        var flags = options.compactMapValues { $0 }
        flags["store.path"] = storePath
        return try file.load(flags: flags)
    }
}
