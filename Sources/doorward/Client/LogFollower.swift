import DoorwardClient

/// Prints records as they come.
struct LogFollower: Sendable {
    let client: DoorwardClient
    let query: AccessRecords.Query
    let isJSON: Bool

    /// How often is looked for new records, and for a gateway that is away.
    private static let pause = Duration.seconds(1)

    /// Goes on until it is cancelled, or nobody reads any more.
    ///
    /// - Parameters:
    ///   - newest: the records to begin with, newest first.
    ///   - count: how many of them are shown.
    func run(after newest: [AccessRecords.Entry], showing count: Int) async throws {
        var tail = RecordTail(query: query, after: newest)
        let lines = RecordLines(.output, isFollowing: true)
        guard show(newest.prefix(count).reversed(), lines, withHeadings: true) else { return }
        var isAway = false
        while true {
            try await Task.sleep(for: Self.pause)
            do {
                let entries = try await tail.next(from: client.accessRecords)
                if isAway { StandardStream.error.line("doorward: \(client.server) is back") }
                isAway = false
                guard show(entries, lines, withHeadings: false) else { return }
            } catch let error as ClientError where Self.isPassing(error) {
                if !isAway { StandardStream.error.line("\(Exit(of: error).message); trying again") }
                isAway = true
            }
        }
    }

    /// - Returns: whether somebody reads it.
    private func show(_ entries: [AccessRecords.Entry], _ lines: RecordLines, withHeadings: Bool) -> Bool {
        let texts =
            isJSON
            ? entries.map { String(decoding: $0.json, as: UTF8.self) }
            : lines.lines(entries.map(\.record), withHeadings: withHeadings)
        return texts.isEmpty || StandardStream.output.line(texts.joined(separator: "\n"))
    }

    /// A gateway that is away or just stopping may come back.
    private static func isPassing(_ error: ClientError) -> Bool {
        switch error {
        case .noConnection, .noAnswer: true
        case .refused(let refusal): refusal.status == 503 || refusal.status == 429
        default: false
        }
    }
}
