import DoorwardClient
import DoorwardDomain
import FoundationEssentials

// DoorwardDomain has one, too.
import struct DoorwardClient.Session

/// Which gateway the commands call, and as whom.
struct ClientAccess {
    private let environment: [String: String]
    /// `--as`.
    private let signIn: String?
    /// `--ca-file`.
    private let caFileOption: String?

    init(
        environment: [String: String] = ProcessInfo.processInfo.environment, signIn: String? = nil, caFile: String? = nil
    ) {
        (self.environment, self.signIn, caFileOption) = (environment, signIn, caFile)
    }

    /// - Parameter words: of a command line that is being typed, with the options of `ClientOptions` among them.
    init(environment: [String: String] = ProcessInfo.processInfo.environment, words: [String]) {
        func value(_ option: String) -> String? {
            if let joined = words.last(where: { $0.hasPrefix("\(option)=") }) {
                return String(joined.dropFirst(option.count + 1))
            }
            return words.lastIndex(of: option).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        }
        self.init(environment: environment, signIn: value("--as"), caFile: value("--ca-file"))
    }

    /// A variable's value; one that is empty is as good as absent.
    private func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    // MARK: - Sign-ins

    /// The sign-ins on this machine.
    ///
    /// - Throws: a failure where neither `XDG_CONFIG_HOME` nor `HOME` names a folder.
    func sessions() throws -> SessionFolder {
        // A path that is not absolute is passed over, as the XDG Base Directory Specification wants.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return SessionFolder("\(folder)/doorward") }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw CommandFailure("there is no place to keep a session: set HOME, or DOORWARD_SERVER and DOORWARD_TOKEN")
        }
        return SessionFolder("\(home)/.config/doorward")
    }

    /// The name of the sign-in to use: that of `--as`, else of `DOORWARD_AS`.
    func name() throws -> SessionName {
        guard let text = signIn ?? variable("DOORWARD_AS") else { return .default }
        guard let name = SessionName(text) else {
            throw CommandFailure("\(signIn == nil ? "DOORWARD_AS" : "--as") \(Self.wrongName(text))", code: 2)
        }
        return name
    }

    /// What is wrong with a name, to follow the option or variable that holds it.
    static func wrongName(_ text: String) -> String {
        "`\(text.printable)` is not a name: use 1 to 64 letters, digits, hyphens, underscores and dots"
    }

    /// The file of the sign-in, whether or not it is there.
    func sessionFile() throws -> SessionFile { try sessions().file(name()) }

    /// The sign-in and its file; `nil` where nobody is signed in and no name was given.
    ///
    /// - Throws: a failure for a name that no sign-in has, with those that there are.
    func session() throws -> (file: SessionFile, session: Session)? {
        let file = try sessionFile()
        if let session = try file.read() { return (file, session) }
        guard file.name != .default else { return nil }
        let names = try sessions().names().map(\.description)
        let hint = nearestName(to: file.name.description, among: names).map { "; did you mean `\($0)`?" } ?? ""
        let known = names.isEmpty ? "there are none on this machine" : "there are: \(names.joined(separator: ", "))"
        throw CommandFailure(
            "there is no sign-in `\(file.name)`\(hint)\n  \(known)\n"
                + "  to make it: doorward login --as \(file.name) --server URL --email ADDRESS")
    }

    // MARK: - Clients

    /// The gateway that the environment names.
    var server: String? { variable("DOORWARD_SERVER") }

    /// The access token or API key of the environment. A sign-in that is named on the command line comes before it.
    var token: String? { signIn == nil ? variable("DOORWARD_TOKEN") : nil }

    /// The absolute path of the certificates that the command line or the environment names.
    var caFile: String? {
        (caFileOption ?? variable("DOORWARD_CA_FILE")).map {
            BackupCommand.absolute($0, from: FileManager.default.currentDirectoryPath)
        }
    }

    /// A client for whoever is signed in. A name on the command line comes before the environment, the environment before the
    /// session; a session's secrets go to its own gateway alone.
    ///
    /// - Parameter isRenewing: whether a session that has run out is renewed.
    func client(isRenewing: Bool = true) throws -> DoorwardClient {
        if let token { return try client(server: tokenServer(), .bearer(token), caFile: caFile) }
        guard let (file, session) = try session() else { throw ClientError.notSignedIn(server: server) }
        let credentials: Credentials = isRenewing ? .session(file) : .sessionWithoutRefresh(file)
        let server = signIn == nil ? server ?? session.server : session.server
        return try client(server: server, credentials, caFile: caFile ?? session.caFile)
    }

    /// The gateway that the token of the environment is for.
    func tokenServer() throws -> String {
        guard let server else {
            throw CommandFailure("DOORWARD_TOKEN is set; set DOORWARD_SERVER, which it is for, too", code: 2)
        }
        return server
    }

    /// A client for a session at its own gateway, whatever the environment names.
    func client(of session: Session, in file: SessionFile) throws -> DoorwardClient {
        try client(server: session.server, .session(file), caFile: caFile ?? session.caFile)
    }

    /// A client for a new sign-in, which trusts what the one of the same name does if it is for the same gateway.
    func client(server: String, _ credentials: Credentials) throws -> DoorwardClient {
        try client(server: server, credentials, caFile: caFile(at: server))
    }

    /// The certificates for a new sign-in at a gateway: those of the command line, the environment, or the sign-in that it replaces.
    func caFile(at server: String) -> String? {
        if let caFile { return caFile }
        guard let session = try? sessionFile().read(), session.server == (try? ServerAddress(server))?.description else {
            return nil
        }
        return session.caFile
    }

    private func client(server: String, _ credentials: Credentials, caFile: String?) throws -> DoorwardClient {
        try DoorwardClient(server: server, credentials: credentials, source: "cli", caFile: caFile)
    }
}
