import ArgumentParser
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
    @OptionGroup var output: AnswerOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit takes a number of at least 1.") }
    }

    func run() async throws {
        let since = try since.map { try TimeArgument($0, option: "--since").instant(now: SystemClock().now()) }
        let client = try output.client()
        let finder = NameResolver(client)
        var query = AccessRecords.Query.all
        if denied { query = query.with("decision", "DENIED") }
        if let since { query = query.with("from", since.description) }
        if let lock { query = query.with("deviceId", try await finder.lock(lock).id) }
        if let user { query = query.with("userId", try await finder.person(user).id) }
        let shown = limit ?? (since == nil ? 50 : nil)
        guard follow else {
            if output.json { return try await printDocument(query, shown, client) }
            guard let shown else { return try await printAll(query, client) }
            let newest = try await client.accessRecords.newest(query, limit: shown)
            var lines = RecordTable(table.style(.output))
            // The newest record says how something is called that is in no list.
            await lines.names.lookUp(newest.map(\.value), client)
            _ = await lines.print(newest.map(\.value).reversed(), client)
            return
        }
        let follower = LogFollower(client: client, query: query, isJSON: output.json, table: table)
        _ = try await withInterrupt { try await follower.run(showing: shown) }
    }

    /// Prints all records as a table, oldest first, each page when it arrives. Stops when the output is closed.
    private func printAll(_ query: AccessRecords.Query, _ client: DoorwardClient) async throws {
        var lines: RecordTable?
        try await client.accessRecords.eachPage(query, oldestFirst: true) { page, next in
            var table = lines ?? RecordTable(table.style(.output), isFollowing: next != nil)
            let isOpen = await table.print(page.map(\.value), client, withHeadings: lines == nil)
            lines = table
            return isOpen
        }
    }

    /// Prints the API's `data`, newest first, each page when it arrives. Stops when the output is closed.
    private func printDocument(_ query: AccessRecords.Query, _ count: Int?, _ client: DoorwardClient) async throws {
        // Nothing is printed before the first page is here, so an error of the first request leaves the output empty.
        var (start, end) = ("{\"accessRecords\":[", "")
        try await client.accessRecords.eachPage(query, limit: count) { page, next in
            end = "],\"nextCursor\":\(next.map { "\"\($0)\"" } ?? "null")}"
            guard !page.isEmpty else { return true }
            defer { start = "," }
            return StandardStream.output.write(
                start + page.map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: ","))
        }
        if start != "," { end = start + end }
        StandardStream.output.line(end)
    }
}

/// Prints records as they are written.
struct LogFollower: Sendable {
    let client: DoorwardClient
    let query: AccessRecords.Query
    let isJSON: Bool
    let table: TableOptions

    /// Prints earlier records, then each new one. Runs until it is cancelled, or until the output is closed.
    ///
    /// - Parameter count: how many earlier records to print; `nil` for all of the query.
    func run(showing count: Int?) async throws {
        var lines = RecordTable(table.style(.output), isFollowing: true)
        guard let cursor = try await showEarlier(count, &lines) else { return }
        try await withStream(of: client, revoked: "You may not see these records any more.") { live in
            let records = live.follow(query, after: cursor).makeAsyncIterator()
            var isOpen = true
            while isOpen {
                let entries = try await records.nextBatch().map(\.entry)
                isOpen = await show(entries, &lines, withHeadings: false)
            }
        }
    }

    /// Prints the earlier records, oldest first.
    ///
    /// - Returns: the position after them; `nil` if the output was closed.
    private func showEarlier(_ count: Int?, _ lines: inout RecordTable) async throws -> RecordCursor? {
        guard let count else {
            var isFirst = true
            return try await client.accessRecords.eachPage(toFollow: query) { page in
                defer { isFirst = false }
                return await show(page, &lines, withHeadings: isFirst)
            }
        }
        let (newest, cursor) = try await client.accessRecords.newest(query, toFollowShowing: count)
        return await show(newest.prefix(count).reversed(), &lines, withHeadings: true) ? cursor : nil
    }

    /// - Returns: false if the output was closed.
    private func show(_ entries: [AccessRecords.Entry], _ lines: inout RecordTable, withHeadings: Bool) async -> Bool {
        guard !isJSON else {
            let texts = entries.map { String(decoding: $0.json, as: UTF8.self) }
            return texts.isEmpty || StandardStream.output.line(texts.joined(separator: "\n"))
        }
        return await lines.print(entries.map(\.value), client, withHeadings: withHeadings)
    }
}
