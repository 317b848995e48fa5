import ArgumentParser
import DoorwardClient

/// `doorward logout`: ends the session at the gateway and deletes it here.
struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign out, and forget the session.",
        discussion: """
            An API key is deleted from this machine only; the gateway still accepts it. With --as only that sign-in ends.

            Example: doorward logout
            """)

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let access = gateway.access
        guard let (file, session) = try access.session() else {
            StandardStream.output.line("not signed in")
            return
        }
        let ending = await Self.end(session, access, file)
        try await file.locked { try file.remove() }
        StandardStream.output.line("signed out: \(session.description.printable)")
        if let ending { throw ending }
    }

    /// Ends the session at the gateway, unless it is an API key. A failure is returned and not thrown, so that the session file
    /// is deleted before the failure is reported.
    private static func end(_ session: Session, _ access: ClientAccess, _ file: SessionFile) async -> CommandFailure? {
        guard session.refreshToken != nil else { return nil }
        do {
            try await access.client(of: session, in: file).authentication.signOut()
            return nil
        } catch ClientError.notSignedIn, ClientError.sessionExpired {
            return nil
        } catch {
            let failure = Exit(of: error)
            return CommandFailure("the session could not be ended at the gateway: \(failure.message)", code: failure.code)
        }
    }
}
