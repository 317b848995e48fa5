import DoorwardClient
import FoundationEssentials

/// Which gateway the commands speak to, and as whom.
struct ClientAccess {
    private let environment: [String: String]

    init(environment: [String: String] = ProcessInfo.processInfo.environment) { self.environment = environment }

    /// Where the session is kept.
    ///
    /// - Throws: a failure where neither `XDG_CONFIG_HOME` nor `HOME` names a folder.
    func sessionFile() throws -> SessionFile {
        // A path that is not absolute is passed over, as the XDG Base Directory Specification wants.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return SessionFile(folder: "\(folder)/doorward") }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw CommandFailure("there is no place to keep a session: set HOME, or DOORWARD_SERVER and DOORWARD_TOKEN")
        }
        return SessionFile(folder: "\(home)/.config/doorward")
    }

    /// The gateway that the environment names.
    var server: String? { environment["DOORWARD_SERVER"].flatMap { $0.isEmpty ? nil : $0 } }

    private var token: String? { environment["DOORWARD_TOKEN"].flatMap { $0.isEmpty ? nil : $0 } }

    /// A client for whoever is signed in. The environment comes before the session; a session's secrets go to its own
    /// gateway alone.
    ///
    /// - Parameter isRenewing: whether a session that has run out is renewed.
    func client(isRenewing: Bool = true) throws -> DoorwardClient {
        if let token {
            guard let server else {
                throw CommandFailure("DOORWARD_TOKEN is set; set DOORWARD_SERVER, which it is for, too", code: 2)
            }
            return try Self.client(server: server, .bearer(token))
        }
        let file = try sessionFile()
        guard let session = try file.read() else { throw ClientError.notSignedIn(server: server) }
        return try Self.client(server: server ?? session.server, isRenewing ? .session(file) : .sessionUnrenewed(file))
    }

    static func client(server: String, _ credentials: Credentials) throws -> DoorwardClient {
        try DoorwardClient(server: server, credentials: credentials, source: "cli")
    }
}
