import Testing

/// What the access log says of commands, read page by page over HTTP.
struct CommandLog: Sendable {
    /// How many intents each command has.
    var intents: [String: Int] = [:]
    /// The outcomes of each command, in order.
    var outcomes: [String: [String]] = [:]
    /// Events in which a lock says that an order moved its bolt although no command waits for it. At the start of the
    /// gateway each simulated lock says where its bolt stands; that comes of no order.
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
