import ArgumentParser
import DoorwardClient

/// `doorward session`: shows and ends one's own sessions.
struct SessionGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Show and end your own sessions at the gateway.",
        discussion: "Each sign-in, on any machine, is a session. `doorward whoami --all` lists the sign-ins on this machine.",
        subcommands: [SessionList.self, SessionEnd.self])
}

/// `doorward session list`: lists the caller's sessions.
struct SessionList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your sessions.", discussion: "Example: doorward session list")

    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let sessions = try await output.client().sessions()
        output.print(json: sessions.json) { Self.lines(sessions.content, table.style($0)) }
    }

    static func lines(_ sessions: [Doorward.OwnSession], _ style: OutputStyle) -> [String] {
        Table(
            sessions,
            [
                Column("SIGNED IN") { Table.Cell(style.instant($0.createdAt)) },
                Column("EXPIRES") { Table.Cell(style.instant($0.expiresAt)) },
                Column("THIS ONE") { Table.Cell($0.isCurrent ? "yes" : "no", $0.isCurrent ? .green : nil) },
                Column("ID", .id) { Table.Cell($0.id, .dim) },
            ]
        ).lines(style, empty: "You have no sessions.")
    }
}

/// `doorward session end`: ends one of the caller's sessions.
struct SessionEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End one of your sessions.",
        discussion: """
            After exit code 0 the gateway no longer accepts the session's tokens. `doorward logout` ends the session of this \
            machine, and forgets it here.

            Example: doorward session end 0199a3c0
            """)

    @Argument(help: ArgumentHelp("The session: an id, or its beginning.", valueName: "session"))
    var session: String

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let sessions = try await client.sessions().content
        let found = try NameMatch.one(
            session, of: sessions.map { NameMatch(id: $0.id, name: $0.id, place: "since \($0.createdAt)") }, noun: "session",
            listing: "`doorward session list` lists your sessions.")
        try await client.endSession(found.id)
        StandardStream.tell("Ended session \(found.id.printable).", values: found.id, "ended")
    }
}
