import ArgumentParser
import DoorwardControl
import DoorwardHTTP
import FoundationEssentials
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
            15 s. If the access log was rolled back, it does not start and exits with code 4: `doorward store recover` has the \
            way on.

            Under systemd it says when it is ready, alive or stopping (`Type=notify`, `WatchdogSec`).

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

    /// The time after which a stop aborts everything that still runs, so that the stop takes less than 15 s in all.
    private static let maxStopTime = Duration.seconds(13)

    func run() async throws {
        // Catch signals before anything is created or written, so that an early stop is orderly too.
        let signals = await StopSignals(.sigterm, .sigint)
        var configuration = try store.configuration(
            ["http.host": httpHost, "http.port": httpPort, "log.level": logLevel, "log.format": logFormat])
        Self.beginLogging(configuration.log)
        let logger = Logger(label: "doorward")
        try await Self.prepareDescriptors(&configuration, logger)
        let notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment, clock: SystemClock())
        let gateway = try await Gateway.open(configuration, logger: logger) { address in
            StandardStream.output.line("listening on \(address)")
            notifier.ready()
        }
        var group = ServiceGroupConfiguration(
            // They are stopped in the opposite order, one after the other.
            services: ([gateway, signals, notifier] as [any Service]).map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            }, logger: logger)
        group.maximumGracefulShutdownDuration = Self.maxStopTime
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("the gateway ended: \(error)")
        }
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
            switch log.format {
            case .text: handler = StreamLogHandler.standardError(label: label)
            case .json:
                handler = JSONLogHandler(label: label, now: { SystemClock().now() }, write: { StandardStream.error.line($0) })
            }
            handler.logLevel = level
            handler.metadataProvider = provider
            return handler
        }
        LoggingSystem.bootstrap(makeHandler, metadataProvider: RequestLogging.metadataProvider)
    }
}
