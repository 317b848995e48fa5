import Foundation
import Testing

extension EndToEnd {
    @Suite("A gateway that is stopped") struct StopTests {
        @Test("it finishes commands in flight, ends queued ones, responds to all, and exits 0", .timeLimit(.minutes(30)))
        func stopsUnderLoad() async throws {
            let folder = try TemporaryFolder()
            let gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            let slow = try await house.lock("Slow", address: #""latencyMs":400"#)
            var tenants: [Caller] = []
            for index in 0..<8 { tenants.append(try await house.tenant("Tenant\(index)", on: gateway)) }
            let history = CommandHistory()
            let load = Load(gateway: gateway, tenants: tenants, locks: [slow], history: history, seed: Seed(of: "stopsUnderLoad"))
            await load.run(untilAnswers: 2) {
                // Each tenant sends another command after a response, so that commands queue behind the one in flight.
                while let open = try? await Self.openCommands(of: slow, by: house.owner), open < 4 {}
                #expect(await gateway.stop() == 0)
            }
            try await RunningGateway.verifyLogs(in: folder)

            let again = try await RunningGateway.start(in: folder)
            let log = try await CommandLog.read(by: house.owner.at(again))
            for (id, state) in history.answers { #expect(log.outcomes[id] == [state]) }
            for id in log.intents.keys { #expect(log.outcomes[id]?.count == 1) }
            #expect(!log.outcomes.values.contains(["UNKNOWN"]), "every command has its outcome before the process ends")
            #expect(history.answers.values.contains("CONFIRMED"))
            #expect(history.answers.values.contains("FAILED"), "a command was queued when the gateway was stopped")
            #expect(await again.stop() == 0)
        }

        /// Returns the number of commands in flight or in the queue.
        private static func openCommands(of lock: String, by owner: Caller) async throws -> Int {
            try await owner.get("/commands?deviceId=\(lock)").data["commands"].items.count { $0["completedAt"] == .null }
        }

        @Test("a gateway that is stopped before it listens shuts down cleanly too", .timeLimit(.minutes(30)))
        func early() async throws {
            let folder = try TemporaryFolder()
            let program = try RunningGateway.launch(in: folder)
            while !FileManager.default.fileExists(atPath: folder.file("doorward.db.lock")) {
                try Task.checkCancellation()
                await Task.yield()
            }
            program.signal(SIGTERM)
            #expect(await program.exitCode == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("a second gateway on the same database is refused, and the first continues")
        func secondGateway() async throws {
            let folder = try TemporaryFolder()
            let gateway = try await RunningGateway.first(in: folder)
            let database = folder.file("doorward.db")
            let sentence =
                "doorward: \(database): a gateway uses this database (\(database).lock is locked); stop it first, or use its API.\n"
            let second = try await Program.run(
                Program.doorward, ["serve"], environment: RunningGateway.environment(for: folder), in: folder)
            #expect(second.code == 1)
            #expect(second.output.isEmpty)
            #expect(second.errors == sentence)
            let admin = try await Program.run(
                Program.doorward, ["admin", "create", "--email", "other@doors.example", "--password-stdin"],
                environment: RunningGateway.environment(for: folder), input: RunningGateway.password + "\n", in: folder)
            #expect(admin.code == 1)
            #expect(admin.errors == sentence)
            #expect(try await gateway.stranger.get("//readyz").status == 200)
            #expect(await gateway.stop() == 0)
        }
    }
}
