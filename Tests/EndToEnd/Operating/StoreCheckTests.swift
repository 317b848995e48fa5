import Foundation
import Testing

extension EndToEnd {
    /// What `doorward store check` says about the files that a database needs beside it.
    @Suite("doorward store check") struct StoreCheckTests {
        private let folder: TemporaryFolder
        private var database: String { folder.file("doorward.db") }

        init() throws { folder = try TemporaryFolder() }

        private func check(_ options: String...) async throws -> (code: Int32, output: String, errors: [Substring]) {
            let result = try await Program.run(
                Program.doorward, ["store", "check", "--store-path", database] + options, in: folder)
            return (result.code, result.output, result.errors.split(separator: "\n"))
        }

        private func missing(_ suffix: String, _ noun: String, _ setting: String) -> String {
            "\(database)\(suffix): \(noun) is missing; restore the newest copy of it, or name the place where it is as \(setting)"
        }

        private var signingKey: String { missing(".signing-key", "the key that signs access tokens", "auth.signingKeyFile") }
        private var auditKey: String {
            missing(".audit-key", "the key that signs checkpoints of the access log", "audit.keyFile")
        }
        private var personKeys: String {
            missing(".person-keys", "the file with the keys of personal data", "audit.personKeyFile")
        }
        private var checkpoints: String {
            missing(".checkpoints", "the file with the signed checkpoints", "audit.checkpointFile")
        }

        @Test(
            "a database that does not exist is reported with every other file that does not, and with a mistake of the configuration"
        )
        func nothing() async throws {
            let gone =
                "\(database): the database could not be opened: there is nothing to check: there is no such file or folder; "
                + "create it, or correct the path."
            let result = try await check()
            #expect(result.code == 1 && result.output.isEmpty)
            #expect(
                result.errors == ["doorward: \(gone)"] + [signingKey, auditKey, personKeys, checkpoints].map { "  \($0)" })
            let both = try await check("--config", folder.file("none.yaml"))
            #expect(both.code != 0)
            #expect(both.errors.first?.contains("none.yaml") == true, "\(both.errors)")
            #expect(both.errors.last?.hasPrefix("  \(database): there is nothing to check: ") == true, "\(both.errors)")
        }

        @Test("of a served database every missing file is reported, and every file that no gateway can use is an error")
        func served() async throws {
            let gateway = try await RunningGateway.first(in: folder)
            #expect(await gateway.stop() == 0)
            var result = try await check()
            #expect(result.code == 0 && result.output.contains("\twhole\n") && result.errors.isEmpty, "\(result)")
            for suffix in [".signing-key", ".checkpoints"] { try FileManager.default.removeItem(atPath: database + suffix) }
            result = try await check()
            #expect(result.code == 0 && result.output.contains("\twhole\n"))
            #expect(result.errors == [signingKey, checkpoints].map { "doorward: \($0)" })
            let json = try JSONDecoder().decode(JSON.self, from: Data(try await check("--json").output.utf8))
            #expect(json["missing"] == .array([.string(signingKey), .string(checkpoints)]) && json["problems"] == .array([]))

            for suffix in [".audit-key", ".person-keys"] {
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: database + suffix)
            }
            result = try await check()
            let text = result.errors.joined(separator: "\n")
            #expect(result.code == 1)
            for part in [".signing-key: ", ".checkpoints: ", ".audit-key: others", ".person-keys: others"] {
                #expect(text.components(separatedBy: database + part).count == 2, "\(part) once in \(text)")
            }
        }

        @Test(
            "a gateway does not start with an instant of no calendar, and names its table, column and row, as the check does",
            arguments: ["sessions.expires_at", "users.created_at"])
        func damaged(column: String) async throws {
            let gateway = try await RunningGateway.first(in: folder)
            _ = try await gateway.signIn(RunningGateway.adminEmail)
            #expect(await gateway.stop() == 0)
            let (table, name) = (column.split(separator: ".")[0], column.split(separator: ".")[1])
            let script = """
                import sqlite3
                db = sqlite3.connect("\(database)")
                assert db.execute("UPDATE \(table) SET \(name) = 9223372036854775807").rowcount > 0
                db.commit()
                """
            let changed = try await Program.run("/usr/bin/env", ["python3", "-c", script], in: folder)
            try #require(changed.code == 0, "\(changed.errors)")
            let found = try await check()
            #expect(found.code == 1)
            let words = "\(found.output)\(found.errors)"
            let place = try #require(words.firstMatch(of: /[a-z_]+\.[a-z_]+ in the row [0-9a-f-]+/)).output
            #expect(place.hasPrefix(column))
            let start = try await Program.run(
                Program.doorward, ["serve", "--store-path", database, "--http-port", "0"], in: folder)
            let sentence = "the database is damaged: it cannot be read (\(place))."
            #expect(start.code == 1 && start.errors.contains(sentence), "\(start.errors)")
        }

        @Test("a backup, beside which there is no other file, is checked without a word about them in a pipe")
        func backup() async throws {
            let gateway = try await RunningGateway.first(in: folder)
            #expect(await gateway.stop() == 0)
            for suffix in [".signing-key", ".audit-key", ".person-keys", ".checkpoints"] {
                try FileManager.default.removeItem(atPath: database + suffix)
            }
            let result = try await check()
            #expect(result.code == 0 && result.output.contains("\twhole\n") && result.errors.isEmpty, "\(result)")
            let program = try TerminalProgram(Program.doorward, ["store", "check", "--store-path", database], in: folder)
            let shown = await program.rest()
            #expect(await program.exitCode == 0)
            #expect(shown.contains("No key file and no checkpoints are beside it"), "\(shown)")
        }
    }
}
