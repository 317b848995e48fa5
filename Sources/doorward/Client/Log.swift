import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward log`: shows the access log.
struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the access log, newest last.",
        discussion: """
            Shows the newest 50 records, with --since all since that time, or with --limit that many. With --json they are \
            printed as in the API, newest first; with --json and --follow one per line, oldest first.

            Each line has the time, the actor, the operation, the lock, the result with the given reason, and the place. The \
            place is left out on a terminal that is too narrow.

            \(TimeArgument.help) -2h is two hours ago.

            Example: doorward log "Front door" --since yesterday --denied
            """)

    @Argument(help: ArgumentHelp("Only the records of this lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String?

    @Option(help: ArgumentHelp("Only the actions of this person: an id, email address or name.", valueName: "user"))
    var user: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Only records since this time.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("The maximum number of records; the newest are shown.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Only denials.")
    var denied = false

    @Flag(help: "Keep running and show new records, until Ctrl-C.")
    var follow = false

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit takes a number of at least 1.") }
    }

    func run() async throws {
        let since = try since.map { try TimeArgument($0, option: "--since").instant(now: SystemClock().now()) }
        let client = try gateway.client()
        let finder = NameResolver(client)
        var query = AccessRecords.Query(decision: denied ? "DENIED" : nil, from: since?.description)
        if let lock { query.deviceID = try await finder.lock(lock).id }
        if let user { query.userID = try await finder.person(user) }
        let shown = limit ?? (since == nil ? 50 : nil)
        guard follow else {
            let newest = try await client.accessRecords.newest(query, limit: shown)
            let records = newest.content.map(\.record)
            var names = RecordNames()
            if !output.json { await names.lookUp(records, client) }
            return output.print(json: newest.json) { [names] style in
                var lines = RecordTable(table.style(style), names: names)
                return lines.lines(records.reversed())
            }
        }
        let (newest, cursor) = try await client.accessRecords.newest(query, toFollowShowing: shown)
        let follower = LogFollower(client: client, query: query, isJSON: output.json, table: table)
        _ = try await Interruption.withInterrupt { try await follower.run(after: newest, cursor, showing: shown ?? .max) }
    }
}
