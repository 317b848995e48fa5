import Foundation
import Testing

extension EndToEnd {
    /// `kill -9` at points of the start that show in the gateway's files: whatever it had made of them, the next start goes on
    /// from there.
    @Suite("A gateway that is killed while it starts", .timeLimit(.minutes(30))) struct StartCrashTests {
        @Test("on a database that it has only begun to make, works at the next start")
        func killedOnAFreshDatabase() async throws {
            var random = Seed(of: "killedOnAFreshDatabase").generator()
            var moments: [StartMoment] = [.locked, .logAppears, .keyDrafted, .databaseBytes(0), .databaseBytes(1)]
            for _ in 0..<4 { moments.append(.databaseBytes(.random(in: 1...65_536, using: &random))) }
            for count in 1...6 { moments.append(.logWritten(count)) }
            // Between the first transaction and the one that makes the schema, which is where a file is neither empty nor done.
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
            #expect(kills >= 3, "hardly any kill fell into the start: the test has shown nothing")
        }

        @Test("ends each of many open commands exactly once, however often it is cut off while it does")
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
            #expect(kills >= 3, "hardly any kill fell into the start: the test has shown nothing")

            let again = try await RunningGateway.start(in: folder)
            let log = try await CommandLog.read(by: house.owner.at(again))
            #expect(log.intents.count == locks.count * tenants.count * 4)
            for id in log.intents.keys { #expect(log.outcomes[id] == ["UNKNOWN"], "command \(id)") }
            for lock in locks {
                let status = try await house.owner.at(again).get("/devices/\(lock)/status").data["status"]["state"]
                #expect(status == .string("LOCKED"), "nothing is sent because the gateway starts")
            }
            #expect(await again.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        /// Fills every queue, four commands of each tenant for each lock, and kills the gateway once all their intents are on disk.
        private static func leaveOpen(
            on locks: [String], _ tenants: [Caller], _ owner: Caller, _ gateway: RunningGateway
        ) async throws {
            try await withThrowingTaskGroup { group in
                for lock in locks {
                    for tenant in tenants {
                        for _ in 0..<4 {
                            // Never answered: the gateway dies first.
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
