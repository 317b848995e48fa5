import Foundation
import Synchronization

/// What was asked of the gateway over all its lives, and what it answered.
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

    /// The state of each command that an answer told, by its id.
    var answers: [String: String] { state.withLock { $0.answers } }

    func answered(_ id: String, _ state: String) { self.state.withLock { $0.answers[id] = state } }

    func unanswered(_ call: Call) { state.withLock { $0.unanswered.append(call) } }

    /// The calls that the crash left without an answer.
    func takeUnanswered() -> [Call] {
        state.withLock { state in
            defer { state.unanswered = [] }
            return state.unanswered
        }
    }
}

/// Tenants who lock and unlock without a pause, each over a connection of their own.
struct Load: Sendable {
    let gateway: RunningGateway
    let tenants: [Caller]
    let locks: [String]
    let history: CommandHistory
    let seed: Seed
    /// Of the seed's draws, those of this load.
    var round = 0

    /// Runs until so many calls were answered, kills the gateway in the midst, and returns when every call has ended.
    func run(untilAnswers limit: Int) async {
        await run(untilAnswers: limit) { await gateway.crash() }
    }

    /// The same with another end than a crash.
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

    /// Until the gateway no longer answers.
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
