import ArgumentParser
import DoorwardClient

/// `doorward logout`: ends the session, here and at the gateway.
struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign out, and forget the session.",
        discussion: "An API key is forgotten here and stays good at the gateway.\n\nExample: doorward logout")

    func run() async throws {
        let file = try ClientAccess().sessionFile()
        guard let session = try file.read() else {
            StandardStream.output.line("nobody was signed in")
            return
        }
        let ending = await Self.end(session, file)
        try await file.locked { try file.remove() }
        StandardStream.output.line("signed out: \(session.description.printable)")
        if let ending { throw ending }
    }

    /// Ends the session at the gateway, if it is one: what keeps it from that is told after the session was forgotten.
    private static func end(_ session: Session, _ file: SessionFile) async -> CommandFailure? {
        guard session.refreshToken != nil else { return nil }
        do {
            try await ClientAccess.client(server: session.server, .session(file)).authentication.signOut()
            return nil
        } catch ClientError.notSignedIn {
            return nil
        } catch {
            let failure = Exit(of: error)
            return CommandFailure("the session could not be ended at the gateway: \(failure.message)", code: failure.code)
        }
    }
}
