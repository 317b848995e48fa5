import Foundation
import Testing

extension EndToEnd {
    /// Kills the gateway with `kill -9` at points of its start that are visible in its files. The next start must continue from
    /// any of these states.
    @Suite("A gateway that is killed while it starts", .timeLimit(.minutes(30))) struct StartCrashTests {
        @Test("a gateway killed while it creates its database works after the next start")
        func killedOnAFreshDatabase() async throws {
            var random = Seed(of: "killedOnAFreshDatabase").generator()
            var moments: [StartMoment] = [.locked, .logAppears, .keyDrafted, .databaseBytes(0), .databaseBytes(1)]
            for _ in 0..<4 { moments.append(.databaseBytes(.random(in: 1...65_536, using: &random))) }
            for count in 1...6 { moments.append(.logWritten(count)) }
            // Between the first transaction and the one that creates the schema, the file is neither empty nor complete.
            for _ in 0..<4 { moments += [.logBytes(1), .logBytes(4_152), .logBytes(8_272), .logBytes(12_392)] }
            var kills = 0
            for moment in moments.shuffled(using: &random) {
                let folder = try TemporaryFolder()
                if try await moment.kill(startIn: folder) { kills += 1 }
                let gateway = try await RunningGateway.first(in: folder)
                let answer = try await gateway.signIn(RunningGateway.adminEmail).get("/portfolios")
                #expect(answer.status == 200, "killed when \(moment): \(answer.body)")
                #expect(await gateway.stop() == 0, "killed when \(moment)")
                try await RunningGateway.verifyLogs(in: folder)
            }
            #expect(kills >= 3, "too few kills came during the start: nothing was tested")
        }

        @Test("each of many open commands gets exactly one outcome, however often the recovery is interrupted")
        func killedWhileItSettles() async throws {
            var random = Seed(of: "killedWhileItSettles").generator()
            let folder = try TemporaryFolder()
            let gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            var tenants: [Caller] = []
            for index in 0..<4 { tenants.append(try await house.tenant("Tenant\(index)", on: gateway)) }
            var locks: [String] = []
            for index in 0..<10 { locks.append(try await house.lock("Stuck \(index)", address: #""latencyMs":60000"#)) }
            try await Self.leaveOpen(on: locks, tenants, house.owner, gateway)

            var kills = 0
            for round in 0..<12 {
                let moment: StartMoment = round % 4 == 0 ? .locked : .logWritten(.random(in: 1...6, using: &random))
                if try await moment.kill(startIn: folder) { kills += 1 }
                try await RunningGateway.verifyLogs(in: folder)
            }
            #expect(kills >= 3, "too few kills came during the start: nothing was tested")

            let again = try await RunningGateway.start(in: folder)
            let log = try await CommandLog.read(by: house.owner.at(again))
            #expect(log.intents.count == locks.count * tenants.count * 4)
            for id in log.intents.keys { #expect(log.outcomes[id] == ["UNKNOWN"], "command \(id)") }
            for lock in locks {
                let status = try await house.owner.at(again).get("/devices/\(lock)/status").data["status"]["state"]
                #expect(status == .string("LOCKED"), "the start of the gateway sends no command")
            }
            #expect(await again.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        /// Fills every queue with four commands of each tenant for each lock, and kills the gateway when all intents are on disk.
        private static func leaveOpen(
            on locks: [String], _ tenants: [Caller], _ owner: Caller, _ gateway: RunningGateway
        ) async throws {
            try await withThrowingTaskGroup { group in
                for lock in locks {
                    for tenant in tenants {
                        for _ in 0..<4 {
                            // The request gets no response, because the gateway is killed first.
                            group.addTask { _ = try? await tenant.post("/devices/\(lock)/unlock", #"{"timeoutMs":60000}"#) }
                        }
                    }
                }
                let count = locks.count * tenants.count * 4
                while try await CommandLog.read(by: owner).intents.count < count {}
                await gateway.crash()
                try await group.waitForAll()
            }
        }
    }
}
