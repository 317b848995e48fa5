import ArgumentParser
import DoorwardClient
import DoorwardDomain
import DoorwardHTTP

/// `doorward ready`: reports whether the gateway on this machine is ready.
struct Ready: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell whether the gateway on this machine is ready.",
        discussion: """
            Finds the gateway by its configuration, the file and the environment of `doorward serve`, with or without TLS. For \
            health checks of containers and for scripts that wait for a gateway.

            Exit codes: 0 it is ready, 1 it is not, or the configuration has a mistake, 3 no gateway answers.

            Example: doorward ready --config /etc/doorward/doorward.yaml
            """)

    @OptionGroup var file: ConfigurationOption

    /// The timeout: less than the usual timeout of a health check.
    private static let timeout = Duration.seconds(3)

    func run() async throws {
        let address = try Self.address(file.load())
        switch try await ReadinessProbe.status(of: address, within: Self.timeout) {
        case 200: StandardStream.output.line("ready")
        case 503:
            throw CommandFailure(
                "the gateway at \(address) is not ready: it is starting or stopping, or its database cannot be written; its log "
                    + "says which")
        case let status:
            throw CommandFailure(
                "\(address) does not answer like a gateway: status \(status) for /readyz; another program may have this port")
        }
    }

    /// The address at which this machine reaches a gateway with this configuration.
    ///
    /// - Throws: a failure if the gateway picks its port.
    static func address(_ configuration: GatewayConfiguration) throws(CommandFailure) -> String {
        var settings = configuration.http
        guard settings.port != 0 else {
            throw CommandFailure(
                "\(configuration.subject("http.port")) is 0, so the gateway picks its port at each start; set another one"
            )
        }
        // A client cannot connect to the address that stands for all networks.
        switch settings.host {
        case "0.0.0.0": settings.host = "127.0.0.1"
        case "::": settings.host = "::1"
        default: break
        }
        return settings.ownAddress()
    }
}
