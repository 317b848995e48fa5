import Foundation
import Testing

extension EndToEnd {
    /// Kills the gateway under load repeatedly with `kill -9`. Every answered command is in the log, every begun command has one
    /// outcome, and the start of the gateway sends no command.
    @Suite("A gateway that is killed") struct CrashTests {
        static let crashes = 60

        @Test("no answered command is lost, and every command has exactly one outcome", .timeLimit(.minutes(30)))
        func killedUnderLoad() async throws {
            let seed = Seed(of: "killedUnderLoad")
            var random = seed.generator()
            let folder = try TemporaryFolder()
            var gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            let locks = try await Self.locks(of: house)
            var tenants: [Caller] = []
            for index in 0..<8 { tenants.append(try await house.tenant("Tenant\(index)", on: gateway)) }
            let history = CommandHistory()

            for round in 0..<Self.crashes {
                // In the first rounds the load has hardly begun; later the queues are full.
                let answers = Int.random(in: 0...min(40, 2 + round * 2), using: &random)
                await Load(
                    gateway: gateway, tenants: tenants, locks: locks.map(\.id), history: history, seed: seed, round: round
                ).run(untilAnswers: answers)
                try await RunningGateway.verifyLogs(in: folder)
                gateway = try await RunningGateway.start(in: folder)
                try await Self.expectNothingSent(house.owner.at(gateway), locks)
                try await Self.repeatUnanswered(history, tenants, gateway)
            }

            try await Self.compare(history, with: CommandLog.read(by: house.owner.at(gateway)), gateway, house)
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        /// Locks of different speeds; the slowest are still moving when the gateway is killed. Half of them begin unlocked, so
        /// that a repeated LOCK is noticed as well as a repeated UNLOCK.
        private static func locks(of house: House) async throws -> [SimulatedLock] {
            var locks: [SimulatedLock] = []
            for (name, latency) in [("Quick", 0), ("Brisk", 5), ("Slow", 30), ("Still moving", 120)] {
                for state in ["LOCKED", "UNLOCKED"] {
                    let address = #""latencyMs":\#(latency),"initialState":"\#(state)""#
                    locks.append(
                        SimulatedLock(id: try await house.lock("\(name) \(state)", address: address), initialState: state))
                }
            }
            return locks
        }

        /// Expects that the start sent no command to a lock: simulated locks start in their initial state, so a lock in another
        /// state has received a command.
        private static func expectNothingSent(_ owner: Caller, _ locks: [SimulatedLock]) async throws {
            for lock in locks {
                let answer = try await owner.get("/devices/\(lock.id)/status")
                #expect(answer.data["status"]["state"] == .string(lock.initialState), "\(answer.body)")
            }
        }

        /// Repeats the requests without a response. A repeat with the same key must not create a
        /// second command if the first command has an intent.
        private static func repeatUnanswered(_ history: CommandHistory, _ tenants: [Caller], _ gateway: RunningGateway)
            async throws
        {
            for call in history.takeUnanswered() {
                let answer = try await tenants[call.tenant].at(gateway).post(call.path, "{}", ["Idempotency-Key": call.key])
                let command = answer.status == 200 ? answer.data["command"] : answer.body["details"]["command"]
                if answer.status == 503 {
                    #expect(answer.code == "outcome_unknown", "\(answer.body)")
                    #expect(command["state"] == .string("UNKNOWN"))
                }
                if let id = command["id"].text, let state = command["state"].text { history.answered(id, state) }
            }
        }

        private static func compare(
            _ history: CommandHistory, with log: CommandLog, _ gateway: RunningGateway, _ house: House
        ) async throws {
            let answered = history.answers
            #expect(answered.count > crashes, "too little load: \(answered.count) responses")
            for (id, state) in answered {
                #expect(log.intents[id] != nil, "command \(id) was answered but has no intent")
                #expect(log.outcomes[id] == [state], "command \(id) was answered \(state)")
            }
            for id in log.intents.keys { #expect(log.outcomes[id]?.count == 1, "command \(id) has \(log.outcomes[id] ?? [])") }
            #expect(log.outcomes.keys.allSatisfy { log.intents[$0] != nil })
            #expect(log.outcomes.values.contains(["UNKNOWN"]), "no crash interrupted a command: nothing was tested")
            #expect(log.movementsUnasked.isEmpty, "a lock moved without a command waiting for it")
            for (id, state) in answered.prefix(50) {
                let answer = try await house.owner.at(gateway).get("/commands/\(id)")
                #expect(answer.data["command"]["state"] == .string(state))
            }
        }
    }
}

private struct SimulatedLock: Sendable {
    let id: String
    let initialState: String
}
