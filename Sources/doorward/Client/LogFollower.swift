import DoorwardClient

/// Prints records as they are written.
struct LogFollower: Sendable {
    let client: DoorwardClient
    let query: AccessRecords.Query
    let isJSON: Bool
    let table: TableOptions

    /// Runs until it is cancelled, or until the output is closed.
    ///
    /// - Parameters:
    ///   - newest: the first records, newest first.
    ///   - cursor: the position after them.
    ///   - count: how many of them to print.
    func run(after newest: [AccessRecords.Entry], _ cursor: RecordCursor, showing count: Int) async throws {
        var lines = RecordTable(table.style(.output), isFollowing: true)
        guard await show(newest.prefix(count).reversed(), &lines, withHeadings: true) else { return }
        try await FollowedStream(client).run(revoked: "You may not see these records any more.") { live in
            let records = live.follow(query.live, after: cursor).makeAsyncIterator()
            var isOpen = true
            while isOpen {
                let entries = try await records.nextBatch().map { try AccessRecords.Entry($0) }
                isOpen = await show(entries, &lines, withHeadings: false)
            }
        }
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
