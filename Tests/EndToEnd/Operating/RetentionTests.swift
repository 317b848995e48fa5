import Foundation
import Testing

extension EndToEnd {
    /// Records whose retention has ended, with the built program.
    @Suite("Retention", .timeLimit(.minutes(30))) struct RetentionTests {
        private static let day = 24 * 3600
        private let folder: TemporaryFolder
        private let clock: MovedClock

        init() async throws {
            folder = try TemporaryFolder()
            clock = try await MovedClock(in: folder)
        }

        private func cuts(_ owner: Caller) async throws -> [JSON] {
            try await owner.get("/access-records?kind=GATEWAY&limit=200").data["accessRecords"].items
                .filter { $0["event"].text == "RETENTION_CUT" }
        }

        @Test("expired records are gone, and what is left is proved as before, with the checkpoints from before")
        func expired() async throws {
            var gateway = try await clock.first()
            let house = try await House.build(on: gateway)
            let lock = try await house.lock("Front")
            for _ in 0..<20 { #expect(try await house.owner.post("/devices/\(lock)/unlock", "{}").status == 200) }
            #expect(try await house.owner.put("/portfolios/\(house.portfolioID)/retention", #"{"days":1}"#).status == 200)
            let early = try await house.owner.get("/access-records?limit=500&order=asc").data["accessRecords"].items
            let logs = try await house.owner.get("/audit/logs").data["logs"].items
            let origin = try #require(logs.first { $0["id"].text == house.portfolioID }?["origin"].text)
            try await keep("old", of: house.owner, origin, on: gateway)
            #expect(await gateway.stop() == 0)

            try clock.set(3 * Self.day)
            gateway = try await clock.start()
            var owner = try await gateway.signIn("owner@doors.example")
            try await untilCut(owner, on: gateway)
            let kept = try await owner.get("/access-records?limit=500&order=asc").data["accessRecords"].items
            let cut = try #require(try await cuts(owner).first)
            let last = try #require(early.last?["seq"])
            guard case .number(let seq) = last, case .number(let until) = cut["details"]["untilSeq"] else {
                return _ = Issue.record("\(cut)")
            }
            #expect(until >= seq, "all early records are removed: \(cut)")
            #expect(!kept.contains { record in early.contains { $0["id"] == record["id"] } })
            for record in early.prefix(3) {
                #expect(try await owner.get("/access-records/\(record["id"].text ?? "")").status == 403)
            }
            #expect(try await owner.get("/commands?limit=200").data["commands"].items.isEmpty)
            #expect(try await owner.post("/devices/\(lock)/unlock", "{}").status == 200)
            try await keep("new", of: owner, origin, on: gateway)
            try await verify(owner, origin, from: until, on: gateway)

            #expect(try await owner.put("/portfolios/\(house.portfolioID)/retention", #"{"legalHold":true}"#).status == 200)
            #expect(await gateway.stop() == 0)
            try clock.set(9 * Self.day)
            gateway = try await clock.start()
            owner = try await gateway.signIn("owner@doors.example")
            #expect(try await cuts(owner).count == 1, "nothing is removed under a legal hold")
            let held = try await owner.get("/access-records?limit=500&order=asc").data["accessRecords"].items
            #expect(held.first?["id"] == kept.first?["id"])
            #expect(await gateway.stop() == 0)
            let check = try await Program.run(
                Program.doorward, ["store", "check"], environment: RunningGateway.environment(for: folder), in: folder)
            #expect(check.code == 0, "\(check.errors)")
        }

        /// Waits until the gateway has removed the expired records.
        private func untilCut(_ owner: Caller, on gateway: RunningGateway) async throws {
            while try await cuts(owner).isEmpty { try Task.checkCancellation() }
        }

        private func shell(_ owner: Caller, on gateway: RunningGateway) throws -> Shell {
            try Shell(gateway, ["DOORWARD_SERVER": owner.address, "DOORWARD_TOKEN": owner.token ?? ""])
        }

        /// Writes a checkpoint and the public key to files.
        private func keep(_ name: String, of owner: Caller, _ origin: String, on gateway: RunningGateway) async throws {
            let shell = try shell(owner, on: gateway)
            for (arguments, file) in [(["checkpoint"], "\(name).note"), (["public-key"], "doors.key")] {
                let result = try await shell.run(["audit"] + arguments)
                #expect(result.code == 0, "\(result.errors)")
                try Data(result.output.utf8).write(to: URL(filePath: folder.file(file)))
            }
        }

        private func verify(_ owner: Caller, _ origin: String, from: Double, on gateway: RunningGateway) async throws {
            let shell = try shell(owner, on: gateway)
            let expected = ["--log", origin, "--public-key", folder.file("doors.key")]
            func run(_ arguments: [String]) async throws -> String {
                let result = try await shell.run(["audit"] + arguments)
                #expect(result.code == 0, "\(arguments): \(result.errors)")
                return result.output
            }
            let export = folder.file("left.ndjson")
            _ = try await run(["export", "--output", export])
            let header = try String(contentsOfFile: export, encoding: .utf8).prefix { $0 != "\n" }
            #expect(header.contains(#""complete":true"#) && header.contains("\"from\":\(Int(from)),"), "\(header)")
            _ = try await run(["verify", export, "--checkpoint", folder.file("new.note")] + expected)
            _ = try await run(["consistency", folder.file("old.note"), folder.file("new.note")] + expected)
            // A removed record is still proved to those who have it.
            let proof = try await run(["prove", "--seq", "0"])
            try Data(proof.utf8).write(to: URL(filePath: folder.file("first.tlog-proof")))
            _ = try await run(["check", folder.file("first.tlog-proof")] + expected)
            let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples/verify-log.py").path
            let second = try await Program.run("/usr/bin/env", ["python3", script, export] + expected, in: folder)
            #expect(second.code == 0, "\(second.output)\(second.errors)")
        }
    }
}
