import Foundation
import Testing

extension EndToEnd {
    /// Erasing a person with the built program: nothing of the person is left in any file, nor in a backup from before.
    @Suite("Erasure", .timeLimit(.minutes(30))) struct ErasureTests {
        private static let (first, last, email) = ("Zebulon", "Canaryson", "z.canaryson@canary.example")
        private static let reason = "Zebulon forgot the parcel"
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Words that only this person's data contains.
        private static let canaries = ["Zebulon", "zebulon", "Canaryson", "canaryson", "CANARY", "canary.example"]

        /// Returns the files below a folder that contain one of the words.
        private func hits(in path: String) throws -> [String] {
            var found: [String] = []
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
                guard let bytes = FileManager.default.contents(atPath: "\(path)/\(name)") else { continue }
                for word in Self.canaries where bytes.range(of: Data(word.utf8)) != nil { found.append("\(name): \(word)") }
            }
            return found
        }

        /// Creates the person who is erased later, with a role, commands and a reason of their own.
        private func admit(to house: House, lock: String, on gateway: RunningGateway) async throws -> String {
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let created = try await admin.post(
                "/users",
                #"{"email":"\#(Self.email)","firstName":"\#(Self.first)","lastName":"\#(Self.last)","#
                    + #""password":"\#(RunningGateway.password)"}"#, ["Idempotency-Key": "create-1"])
            let id = try #require(created.data["user"]["id"].text, "\(created.body)")
            #expect(
                try await house.owner.post("/units/\(house.unitID)/tenants", #"{"userId":"\#(id)","role":"TENANT"}"#).status
                    == 200)
            let person = try await gateway.signIn(Self.email)
            for key in ["unlock-1", "unlock-2"] {
                let answer = try await person.post(
                    "/devices/\(lock)/unlock", #"{"reason":"\#(Self.reason)"}"#, ["Idempotency-Key": key])
                #expect(answer.status == 200, "\(answer.body)")
            }
            let stranger = Caller(address: gateway.address, token: nil)
            _ = try await stranger.post("/auth/login", #"{"email":"\#(Self.email)","password":"wrong wrong wrong wrong"}"#)
            #expect(try await person.put("/users/me", #"{"lastName":"\#(Self.last)-Canaryson"}"#).status == 200)
            return id
        }

        private func erase(_ id: String, by admin: Caller) async throws {
            #expect(try await admin.delete("/users/\(id)").status == 204)
            #expect(try await admin.delete("/users/\(id)/personal-data").status == 204)
        }

        /// Exports the logs of the gateway and of the house, and verifies them with both verifiers.
        private func exportAndVerify(_ house: House, on gateway: RunningGateway, to name: String) async throws -> String {
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let target = folder.file(name)
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            let owner = house.owner.at(gateway)
            for (caller, log) in [(admin, "gateway"), (owner, house.portfolioID)] {
                let shell = try Shell(gateway, ["DOORWARD_SERVER": caller.address, "DOORWARD_TOKEN": caller.token ?? ""])
                let key = try await shell.run("audit", "public-key")
                try Data(key.output.utf8).write(to: URL(filePath: "\(target)/doors.key"))
                let logs = try await caller.get("/audit/logs").data["logs"].items
                let origin = try #require(logs.first { $0["id"].text == log }?["origin"].text, "\(logs)")
                for format in ["ndjson", "csv"] {
                    let exported = try await shell.run(
                        "audit", "export", "--log", log, "--format", format, "--output", "\(target)/\(log).\(format)")
                    #expect(exported.code == 0, "\(exported.errors)")
                }
                let expected = ["--log", origin, "--public-key", "\(target)/doors.key"]
                let verified = try await shell.run(["audit", "verify", "\(target)/\(log).ndjson"] + expected)
                #expect(verified.code == 0, "\(verified.errors)")
                let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples/verify-log.py").path
                let second = try await Program.run(
                    "/usr/bin/env", ["python3", script, "\(target)/\(log).ndjson"] + expected, in: folder)
                #expect(second.code == 0, "\(second.output)\(second.errors)")
            }
            return target
        }

        @Test("nothing of an erased person is in any file, in later exports, or in an older backup with the present key file")
        func erased() async throws {
            let gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            let lock = try await house.lock("Front")
            let id = try await admit(to: house, lock: lock, on: gateway)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let backup = folder.file("before.db")
            #expect(try await admin.post("/store/backup", #"{"file":"\#(backup)"}"#).status == 200)
            let keys = try #require(FileManager.default.contents(atPath: folder.file("doorward.db.person-keys")))
            let shown = try await house.owner.get("/access-records?userId=\(id)&limit=50").data["accessRecords"].items
            #expect(
                shown.contains { $0["actorName"].text?.contains("Zebulon") == true && $0["statedReason"].text == Self.reason })

            try await erase(id, by: admin)
            #expect(try hits(in: folder.path).isEmpty, "while the gateway runs, with its write-ahead log and its log lines")
            #expect(FileManager.default.contents(atPath: folder.file("doorward.db.person-keys")) != keys)
            let exports = try await exportAndVerify(house, on: gateway, to: "exports")
            #expect(try hits(in: exports).isEmpty)
            for path in ["/access-records?limit=500", "/commands?limit=200", "/users?limit=200"] {
                for caller in [admin, house.owner] {
                    let answer = try await caller.get(path)
                    #expect(!Self.canaries.contains { "\(answer.body)".contains($0) }, "\(path)")
                }
            }
            // A repeated request with its key answers without the person.
            let again = try await admin.post(
                "/users", #"{"email":"\#(Self.email)","firstName":"A","lastName":"B","password":"\#(RunningGateway.password)"}"#,
                ["Idempotency-Key": "create-1"])
            #expect(again.status != 201 && !"\(again.body)".contains("Zebulon"), "\(again.body)")
            #expect(await gateway.stop() == 0)
            #expect(try hits(in: folder.path).isEmpty, "after the stop")
            try await RunningGateway.verifyLogs(in: folder)

            try await restore(backup, house, erased: id)
            try await restoreWithOldKeys(backup, house, keys, erased: id)
        }

        private func copy(_ backup: String) throws -> TemporaryFolder {
            let restored = try TemporaryFolder()
            try FileManager.default.copyItem(atPath: backup, toPath: restored.file("doorward.db"))
            for suffix in ["signing-key", "audit-key", "checkpoints", "person-keys"] {
                try FileManager.default.copyItem(
                    atPath: folder.file("doorward.db.\(suffix)"), toPath: restored.file("doorward.db.\(suffix)"))
            }
            return restored
        }

        private func recovered(_ restored: TemporaryFolder) async throws -> RunningGateway {
            let result = try await Program.run(
                Program.doorward, ["store", "recover", "--accept-rollback"],
                environment: RunningGateway.environment(for: restored), in: restored)
            try #require(result.code == 0, "\(result.errors)")
            return try await RunningGateway.start(in: restored)
        }

        /// The restored backup is readable for everybody but the erased person.
        private func restore(_ backup: String, _ house: House, erased id: String) async throws {
            let restored = try copy(backup)
            let gateway = try await recovered(restored)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let user = try await admin.get("/users/\(id)").data["user"]
            #expect(user["email"].text == "\(id)@erased.invalid" && user["isEnabled"] == .bool(false), "\(user)")
            let records = try await house.owner.at(gateway).get("/access-records?limit=200").data["accessRecords"].items
            let theirs = records.filter { $0["actorUserId"].text == id }
            #expect(!theirs.isEmpty && theirs.allSatisfy { $0["actorName"] == .null && $0["statedReason"] == .null })
            #expect(records.contains { $0["actorName"].text == "Olga Example" })
            let refused = try await gateway.stranger.post(
                "/auth/login", #"{"email":"\#(Self.email)","password":"\#(RunningGateway.password)"}"#)
            #expect(refused.status == 401)
            #expect(await gateway.stop() == 0)
            #expect(try hits(in: restored.path).isEmpty)
            let check = try await Program.run(
                Program.doorward, ["store", "check", "--store-path", restored.file("doorward.db")], in: restored)
            #expect(check.code == 0, "\(check.errors)")
        }

        /// With an old copy of the key file, the person would be readable: that is why such copies have to be destroyed.
        private func restoreWithOldKeys(_ backup: String, _ house: House, _ keys: Data, erased id: String) async throws {
            let restored = try copy(backup)
            let path = restored.file("doorward.db.person-keys")
            try keys.write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let gateway = try await recovered(restored)
            let records = try await house.owner.at(gateway).get("/access-records?userId=\(id)&limit=50").data["accessRecords"]
            #expect(records.items.contains { $0["actorName"].text?.contains("Zebulon") == true }, "the test can find the person")
            #expect(await gateway.stop() == 0)
        }

        @Test("a gateway killed at any time of an erasure finishes it at the next start, also if it is killed there again")
        func killed() async throws {
            var gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            let lock = try await house.lock("Front")
            let draft = folder.file("doorward.db.person-keys.new")
            var (inTheMiddle, erased) = (0, [String]())
            for round in 0..<8 {
                let admin = try await gateway.signIn(RunningGateway.adminEmail)
                let id = try await House.createUser("person\(round)@canary.example", "Zebulon\(round)", by: admin)
                #expect(
                    try await house.owner.at(gateway).post(
                        "/units/\(house.unitID)/tenants", #"{"userId":"\#(id)","role":"TENANT"}"#
                    ).status == 200)
                let person = try await gateway.signIn("person\(round)@canary.example")
                #expect(try await person.post("/devices/\(lock)/unlock", "{}").status == 200)
                let backup = folder.file("before-\(round).db")
                #expect(try await admin.post("/store/backup", #"{"file":"\#(backup)"}"#).status == 200)
                #expect(try await admin.delete("/users/\(id)").status == 204)
                async let answer = try? await admin.delete("/users/\(id)/personal-data").status
                if round < 6 {
                    // Kill when the new key file appears, or at once.
                    let program = gateway.program
                    let isRandom = round % 3 == 2
                    let isHit = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                        Thread.detachNewThread {
                            var count = 0
                            let isThere = { access(draft, F_OK) == 0 }
                            while !isThere(), count < (isRandom ? 2_000 * round : 600_000) { count += 1 }
                            let isHit = isThere()
                            program.signal(SIGKILL)
                            continuation.resume(returning: isHit)
                        }
                    }
                    inTheMiddle += isHit ? 1 : 0
                    _ = await program.exitCode
                    if round % 2 == 0 { _ = try await StartMoment.logWritten(1).kill(startIn: folder) }
                } else {
                    #expect(await answer == 204)
                    await gateway.crash()
                }
                let answered = await answer
                gateway = try await RunningGateway.start(in: folder)
                let again = try await gateway.signIn(RunningGateway.adminEmail)
                if answered != 204 { #expect(try await again.delete("/users/\(id)/personal-data").status == 204) }
                erased.append(id)
            }
            #expect(inTheMiddle > 0, "no kill came while the key file was replaced")
            #expect(await gateway.stop() == 0)
            #expect(try hits(in: folder.path).isEmpty)
            let restored = try copy(folder.file("before-7.db"))
            let old = try await recovered(restored)
            let users = try await old.signIn(RunningGateway.adminEmail).get("/users?limit=200").data["users"].items
            #expect(users.contains { $0["email"].text == "\(erased[7])@erased.invalid" }, "\(users)")
            #expect(await old.stop() == 0)
            #expect(try hits(in: restored.path).isEmpty)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("a missing, foreign or exposed key file stops the start with a sentence that tells what to do")
        func keyFile() async throws {
            #expect(try await RunningGateway.first(in: folder).stop() == 0)
            let path = folder.file("doorward.db.person-keys")
            let content = try #require(FileManager.default.contents(atPath: path))
            let refusal = {
                try await Program.run(
                    Program.doorward, ["serve"], environment: RunningGateway.environment(for: folder), in: folder)
            }
            try FileManager.default.removeItem(atPath: path)
            let missing = try await refusal()
            #expect(missing.code == 1 && missing.output.isEmpty)
            #expect(
                missing.errors.hasPrefix("doorward: \(path): the file with the keys of personal data is missing"),
                "\(missing.errors)")
            #expect(!FileManager.default.fileExists(atPath: path))
            try content.write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(try await refusal().errors.contains("run `chmod 600 \(path)`"))
            let other = try TemporaryFolder()
            #expect(try await RunningGateway.first(in: other).stop() == 0)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: other.file("doorward.db.person-keys"), toPath: path)
            let foreign = try await refusal()
            #expect(foreign.code == 1 && foreign.errors.contains("this file with keys of personal data does not belong to"))
            try FileManager.default.removeItem(atPath: path)
            try content.write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            // Another place, named in the configuration.
            let elsewhere = folder.file("elsewhere.keys")
            try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
            let program = try Program(
                Program.doorward, ["serve"],
                environment: RunningGateway.environment(for: folder).merging(["DOORWARD_AUDIT_PERSON_KEY_FILE": elsewhere]) {
                    $1
                },
                errors: folder.file("elsewhere.log"))
            #expect(try await RunningGateway(listening: program, folder: folder).stop() == 0)
        }
    }
}
