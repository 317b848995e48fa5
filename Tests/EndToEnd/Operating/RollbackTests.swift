import Foundation
import NIOHTTP1
import Testing

extension EndToEnd {
    /// The access log's checkpoints against the real program, files and kills.
    @Suite("Rollback", .timeLimit(.minutes(30))) struct RollbackTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private var database: String { folder.file("doorward.db") }
        private var checkpoints: String { database + ".checkpoints" }

        /// The files of the database at one moment, while no gateway runs.
        private func copy(_ names: [String] = ["doorward.db"], to name: String) throws {
            let target = folder.file(name)
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            for file in names {
                let path = "\(target)/\(file)"
                if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
                try FileManager.default.copyItem(atPath: folder.file(file), toPath: path)
            }
        }

        private func restore(_ names: [String] = ["doorward.db"], from name: String) throws {
            for file in names {
                for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: folder.file(file) + suffix) {
                    try FileManager.default.removeItem(atPath: folder.file(file) + suffix)
                }
                try FileManager.default.copyItem(atPath: "\(folder.file(name))/\(file)", toPath: folder.file(file))
            }
        }

        private func refusal() async throws -> (code: Int32, output: String, errors: String) {
            try await Program.run(
                Program.doorward, ["serve"], environment: RunningGateway.environment(for: folder), in: folder)
        }

        private func recover(_ options: [String] = ["--accept-rollback"]) async throws -> (
            code: Int32, output: String, errors: String
        ) {
            try await Program.run(
                Program.doorward, ["store", "recover"] + options, environment: RunningGateway.environment(for: folder), in: folder
            )
        }

        /// The text of all notes in the checkpoint file.
        private func notes() throws -> [String] {
            try String(contentsOfFile: checkpoints, encoding: .utf8).split(separator: "\n").map { line in
                try #require(try JSONDecoder().decode(JSON.self, from: Data(line.utf8))["note"].text)
            }
        }

        /// Starts a gateway, creates a portfolio and stops it. The stop covers all its records by checkpoints.
        private func serveOnce(_ name: String) async throws {
            let gateway = try await RunningGateway.start(in: folder)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            #expect(try await admin.post("/portfolios", #"{"name":"\#(name)"}"#).status == 201)
            #expect(await gateway.stop() == 0)
        }

        @Test(
            "a restored database is refused with exit code 4 until the loss is accepted, and then each log has a new generation")
        func restored() async throws {
            #expect(try await RunningGateway.first(in: folder).stop() == 0)
            try await serveOnce("Oak")
            try copy(to: "yesterday")
            try await serveOnce("Elm")
            try restore(from: "yesterday")
            let refused = try await refusal()
            #expect(refused.code == 4)
            #expect(refused.output.isEmpty, "the port was not opened")
            #expect(refused.errors.hasPrefix("doorward: \(checkpoints): "), "\(refused.errors)")
            #expect(refused.errors.contains("run `doorward store recover --accept-rollback`\n"))
            let usage = try await recover([])
            #expect(usage.code == 2 && usage.errors.contains("--accept-rollback"))
            #expect(try await refusal().code == 4)

            let accepted = try await recover()
            #expect(accepted.code == 0, "\(accepted.errors)")
            #expect(accepted.output.contains("gateway\t2\n"))
            let gateway = try await RunningGateway.start(in: folder)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let logs = try await admin.get("/audit/logs").data["logs"]
            #expect(logs.items.contains { $0["origin"] == .string("doorward.local/logs/gateway/2") })
            let records = try await admin.get("/access-records?kind=GATEWAY&limit=50").data["accessRecords"]
            let recovered = records.items.first { $0["event"] == .string("RECOVERED") }
            #expect(recovered?["details"]["after"] == .string("rollback"))
            #expect(await gateway.stop() == 0)
            #expect(try await recover(["--accept-rollback", "--json"]).output == #"{"generations":[]}"# + "\n")
            try await RunningGateway.verifyLogs(in: folder)

            // The same backup once more: it knows nothing of the second generation.
            try restore(from: "yesterday")
            #expect(try await refusal().code == 4)
            #expect(try await recover().output.contains("gateway\t3\n"))
            #expect(try await RunningGateway.start(in: folder).stop() == 0)
        }

        @Test("a missing, foreign or older checkpoint file, and another database, are refused; a torn last line is not")
        func files() async throws {
            #expect(try await RunningGateway.first(in: folder).stop() == 0)
            let names = ["doorward.db", "doorward.db.checkpoints"]
            try copy(names, to: "before")
            try await serveOnce("Oak")
            try copy(names, to: "after")
            let content = try Data(contentsOf: URL(filePath: checkpoints))

            try FileManager.default.removeItem(atPath: checkpoints)
            let missing = try await refusal()
            #expect(missing.code == 4 && missing.errors.contains("the file with the signed checkpoints is missing"))
            #expect(!FileManager.default.fileExists(atPath: checkpoints))
            try restore(["doorward.db.checkpoints"], from: "before")
            let older = try await refusal()
            #expect(older.code == 4 && older.errors.contains("is older than the database"), "\(older.errors)")
            try restore(names, from: "after")
            try (content + Data(#"{"note":"doorward.lo"#.utf8)).write(to: URL(filePath: checkpoints))
            #expect(try await RunningGateway.start(in: folder).stop() == 0)

            // A database of another gateway, in this one's place, with this one's keys: its own key is another.
            let other = try TemporaryFolder()
            #expect(try await RunningGateway.first(in: other).stop() == 0)
            try FileManager.default.removeItem(atPath: database)
            try FileManager.default.copyItem(atPath: other.file("doorward.db"), toPath: database)
            #expect(try await refusal().code != 0)
            // A new database, which knows no key.
            try FileManager.default.removeItem(atPath: database)
            let new = try await refusal()
            #expect(new.code == 4 && new.errors.contains("has 0 records"), "\(new.errors)")
        }

        @Test("after a kill at any time the gateway starts again, and every note in its file has a record or is the newest")
        func kills() async throws {
            #expect(try await RunningGateway.first(in: folder).stop() == 0)
            let environment = RunningGateway.environment(for: folder).merging([
                "DOORWARD_AUDIT_CHECKPOINT_RECORDS": "1"
            ]) { $1 }
            var random = SystemRandomNumberGenerator()
            for round in 0..<12 {
                let program = try Program(
                    Program.doorward, ["serve"], environment: environment, errors: folder.file("kill-\(round).log"))
                let gateway = try await RunningGateway(listening: program, folder: folder)
                let admin = try await gateway.signIn(RunningGateway.adminEmail)
                let requests = Int.random(in: 0...4, using: &random)
                for number in 0..<requests {
                    #expect(try await admin.post("/portfolios", #"{"name":"P\#(round)-\#(number)"}"#).status == 201)
                    // Reading a checkpoint signs it now, so that the kill comes at any step of signing.
                    async let note = admin.get("/audit/logs/gateway/checkpoint")
                    if number == requests - 1 { break }
                    _ = try? await note
                }
                await gateway.crash()
            }
            #expect(try await RunningGateway.start(in: folder).stop() == 0)
            #expect(try await recover(["--accept-rollback", "--json"]).output == #"{"generations":[]}"# + "\n")
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("a rotated key: earlier notes are verified with both, a database from before the rotation is refused and recovered")
        func rotation() async throws {
            let gateway = try await RunningGateway.first(in: folder)
            let host = Host(in: folder)
            let login = try await host.type(
                "doorward login --server \(gateway.address) --email \(RunningGateway.adminEmail) --password-stdin",
                input: RunningGateway.password + "\n")
            try #require(login.code == 0, "\(login.errors)")
            let log = "--log doorward.local/logs/gateway --public-key doors.key"
            try await host.follow(
                """
                doorward audit public-key > doors.key
                doorward audit checkpoint > monday.note
                doorward audit prove --seq 0 > first.tlog-proof
                doorward store backup \(folder.file("before.db"))
                doorward audit checkpoint > tuesday.note
                doorward audit consistency monday.note tuesday.note \(log)
                doorward audit check first.tlog-proof \(log)
                """)
            let key = folder.file("doorward.db.audit-key")
            let oldKey = try Data(contentsOf: URL(filePath: key))
            try await host.follow(
                """
                cp doors.key old.key
                doorward audit rotate >> doors.key
                doorward audit checkpoint > wednesday.note
                doorward audit consistency monday.note wednesday.note \(log)
                doorward audit consistency monday.note wednesday.note --log doorward.local/logs/gateway --public-key old.key
                doorward whoami
                doorward logout
                """)
            #expect(try Data(contentsOf: URL(filePath: key)) != oldKey)
            #expect(!FileManager.default.fileExists(atPath: key + ".new"))
            // The checks of proofs need no sign-in.
            try await host.follow("doorward audit check first.tlog-proof \(log)")
            try await host.follow("sed -i 's/^index 0/index 1/' first.tlog-proof")
            #expect(try await host.type("doorward audit check first.tlog-proof \(log)").code == 1)
            #expect(try await host.type("doorward audit consistency wednesday.note monday.note \(log)").code == 4)
            #expect(try await host.type("doorward audit consistency monday.note wednesday.note \(log)").code == 1)
            #expect(await gateway.stop() == 0)

            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + suffix) }
            try FileManager.default.copyItem(atPath: folder.file("before.db"), toPath: database)
            let refused = try await refusal()
            #expect(refused.code == 4 && refused.errors.contains("does not know the key"), "\(refused.errors)")
            let accepted = try await recover()
            #expect(accepted.code == 0, "\(accepted.errors)")
            #expect(try await RunningGateway.start(in: folder).stop() == 0)
            #expect(try notes().allSatisfy { $0.hasPrefix("doorward.local/logs/gateway") })
        }
    }
}
