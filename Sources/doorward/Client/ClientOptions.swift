import ArgumentParser
import DoorwardClient

/// The options of every command that calls a gateway: the sign-in, and the trusted certificates.
struct ClientOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The sign-in to use, by its name. (default: DOORWARD_AS, else `default`)", valueName: "name"),
        completion: .signInName)
    var signIn: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificates to trust, in place of the system's. (default: DOORWARD_CA_FILE, else the sign-in's)",
            valueName: "file"), completion: .file(extensions: ["pem", "crt", "cer"]))
    var caFile: String?

    func validate() throws {
        if let signIn, SessionName(signIn) == nil { throw ValidationError("--as \(ClientAccess.wrongName(signIn))") }
    }

    /// The gateway and the sign-in according to these options and the environment.
    var access: ClientAccess { ClientAccess(signIn: signIn, caFile: caFile) }

    /// Returns a client for the sign-in.
    func client() throws -> DoorwardClient { try access.client() }
}
