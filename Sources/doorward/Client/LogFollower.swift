import DoorwardClient

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
        try await FollowedStream(client).run(revoked: "You may not see these records any more.") { live in
            let records = live.follow(query.live, after: cursor).makeAsyncIterator()
            var isOpen = true
            while isOpen {
                let entries = try await records.nextBatch().map { try AccessRecords.Entry($0) }
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
        let records = entries.map(\.record)
        await lines.names.lookUp(records, client)
        let texts = lines.lines(records, withHeadings: withHeadings)
        return texts.isEmpty || StandardStream.output.line(texts.joined(separator: "\n"))
    }
}
