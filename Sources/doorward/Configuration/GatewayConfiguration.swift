import DoorwardAdapterKit

/// All that `doorward serve` can be told, checked, with the defaults filled in.
struct GatewayConfiguration: Equatable, Sendable {
    var gateway = Identity()
    var http = HTTP()
    var store = Store()
    var auth = Auth()
    var limits = Limits()
    var commands = Commands()
    /// What the sections of the adapters say; each adapter reads its own.
    var adapters = AdapterSettings([], [:])
    var log = Log()
    /// For sentences about what only turns out to be wrong when it is used.
    var origins = SettingOrigins()

    struct Identity: Equatable, Sendable {
        /// Names the gateway in the origins of its logs.
        var name = "doorward.local"
        /// Where people reach it; `nil` when nobody said so.
        var publicURL: String?
    }

    struct HTTP: Equatable, Sendable {
        var host = "127.0.0.1"
        /// 0 picks a free one.
        var port = 8080
        /// Addresses and networks whose `X-Forwarded-For` is believed.
        var trustedProxies: [String] = []
        /// A proxy on another machine ends TLS, so plain HTTP may leave the loopback addresses.
        var plainBehindProxy = false
        /// Fewer where the limit on open files leaves room for fewer.
        var maxConnections = 4096
        /// Of one IPv4 address or IPv6 /64 network.
        var maxConnectionsPerAddress = 512
        /// From the first byte of a request to its last.
        var requestTimeoutSeconds = 30
        var tls: TLS?
    }

    /// Paths of PEM files.
    struct TLS: Equatable, Sendable {
        var certificate: String
        var privateKey: String
    }

    struct Store: Equatable, Sendable {
        /// The database file, from the current folder.
        var path = "doorward.db"
    }

    struct Auth: Equatable, Sendable {
        var accessTokenMinutes = 15
        var refreshTokenDays = 30
        /// The key that signs tokens; `nil` stands for a file beside the database.
        var signingKeyFile: String?
        /// The base-2 logarithm of scrypt's N.
        var passwordCost = 17
    }

    struct Limits: Equatable, Sendable {
        var deniedPerMinute = 20
        var signInFailuresPerMinute = 20
    }

    struct Commands: Equatable, Sendable {
        var timeoutSeconds = 10
    }

    struct Log: Equatable, Sendable {
        var level = "info"
        var format = Format.text

        enum Format: String, Sendable {
            case text
            case json
        }
    }
}
