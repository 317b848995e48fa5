import Foundation
import Synchronization

/// The requests sent to the gateway over all its runs, and its responses.
final class CommandHistory: Sendable {
    struct Call: Sendable {
        let tenant: Int
        let path: String
        let key: String
    }

    private struct State {
        var answers: [String: String] = [:]
        var unanswered: [Call] = []
    }

    private let state = Mutex(State())

    /// The state of each command in the responses, by its id.
    var answers: [String: String] { state.withLock { $0.answers } }

    func answered(_ id: String, _ state: String) { self.state.withLock { $0.answers[id] = state } }

    func unanswered(_ call: Call) { state.withLock { $0.unanswered.append(call) } }

    /// Returns and removes the requests that got no response because of a crash.
    func takeUnanswered() -> [Call] {
        state.withLock { state in
            defer { state.unanswered = [] }
            return state.unanswered
        }
    }
}

/// Tenants who lock and unlock without a pause, each over their own connection.
struct Load: Sendable {
    let gateway: RunningGateway
    let tenants: [Caller]
    let locks: [String]
    let history: CommandHistory
    let seed: Seed
    /// Selects the part of the seed's random numbers for this load.
    var round = 0

    /// Runs until `limit` requests were answered, kills the gateway under load, and returns when every request has ended.
    func run(untilAnswers limit: Int) async {
        await run(untilAnswers: limit) { await gateway.crash() }
    }

    /// Runs until `limit` requests were answered, calls `end`, and returns when every request has ended.
    func run(untilAnswers limit: Int, end: @escaping @Sendable () async -> Void) async {
        let progress = Progress(limit: limit)
        await withTaskGroup { group in
            for index in tenants.indices { group.addTask { await operate(as: index, progress) } }
            await progress.isReached.value
            await end()
        }
    }

    private final class Progress: Sendable {
        private let count = Mutex(0)
        private let limit: Int
        let isReached = Latch<Void>()

        init(limit: Int) {
            self.limit = limit
            if limit == 0 { isReached.open(()) }
        }

        func note() {
            let count = count.withLock { count in
                count += 1
                return count
            }
            if count >= limit { isReached.open(()) }
        }
    }

    /// Sends commands until the gateway no longer responds.
    private func operate(as index: Int, _ progress: Progress) async {
        let caller = tenants[index].at(gateway)
        var random = seed.generator(1 + round * tenants.count + index)
        while true {
            let lock = locks.randomElement(using: &random) ?? ""
            let path = "/devices/\(lock)/\(Bool.random(using: &random) ? "unlock" : "lock")"
            let call = CommandHistory.Call(tenant: index, path: path, key: UUID().uuidString)
            do {
                let answer = try await caller.post(path, "{}", ["Idempotency-Key": call.key])
                let command = answer.status == 200 ? answer.data["command"] : answer.body["details"]["command"]
                if let id = command["id"].text, let state = command["state"].text { history.answered(id, state) }
                progress.note()
                if answer.code == "shutting_down" { return }
            } catch {
                history.unanswered(call)
                return
            }
        }
    }
}
