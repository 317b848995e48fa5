import Testing

/// The command records of the access log, read page by page over HTTP.
struct CommandLog: Sendable {
    /// The number of intents of each command.
    var intents: [String: Int] = [:]
    /// The outcomes of each command, in order.
    var outcomes: [String: [String]] = [:]
    /// Events in which a lock reports a remote movement although no command waits for it. The state that each simulated lock
    /// reports when the gateway starts has another method.
    var movementsUnasked: [JSON] = []

    static func read(by caller: Caller) async throws -> CommandLog {
        var log = CommandLog()
        var cursor = ""
        while true {
            let answer = try await caller.get("/access-records?order=asc&limit=500\(cursor)")
            try #require(answer.status == 200, "\(answer.body)")
            for record in answer.data["accessRecords"].items { log.add(record) }
            guard let next = answer.data["nextCursor"].text else { return log }
            cursor = "&cursor=\(next)"
        }
    }

    private mutating func add(_ record: JSON) {
        switch (record["kind"].text, record["commandId"].text) {
        case ("COMMAND_INTENT", let id?): intents[id, default: 0] += 1
        case ("COMMAND_OUTCOME", let id?): outcomes[id, default: []].append(record["outcome"].text ?? "")
        case ("DEVICE_EVENT", _):
            if record["method"] == .string("REMOTE") { movementsUnasked.append(record) }
        default: break
        }
    }
}
