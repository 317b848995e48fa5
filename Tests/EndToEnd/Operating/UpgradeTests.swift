import Foundation
import Testing

extension EndToEnd {
    /// The section Upgrade of docs/operating.md: databases of older and newer program versions.
    @Suite("A database of another version", .timeLimit(.minutes(30))) struct UpgradeTests {
        private let folder: TemporaryFolder
        private let host: Host

        init() throws {
            folder = try TemporaryFolder()
            host = Host(in: folder)
        }

        /// The dumps in Fixtures contain one house each: its owner, a guest, and a lock with a confirmed, a jammed and a denied
        /// command.
        @Test("a database of an older program is migrated at the start, with all its contents", arguments: [1, 2])
        func older(schema: Int) async throws {
            try await makeFixture(schema: schema)
            #expect(try await self.schema() == schema)
            let before = try await records(on: host.follow("doorward store check --json"))
            let gateway = try await host.serve("doorward serve")
            let owner = try await gateway.signIn("owner@doors.example")
            let device = try await owner.get("/devices").data["devices"].items.first ?? .null
            #expect(device["name"] == .string("Front door"))
            #expect(try await owner.get("/guest-access").data["guestAccesses"].items.map { $0["label"] } == [.string("Plumber")])
            let commands = try await owner.get("/commands?deviceId=\(device["id"].text ?? "")").data["commands"].items
            #expect(Set(commands.compactMap { $0["state"].text }) == ["CONFIRMED", "FAILED"])
            // Columns added by later schemas are filled from the records.
            let denied = try await owner.get("/access-records?decision=DENIED").data["accessRecords"].items
            #expect(denied.map { $0["reason"] } == [.string("role_insufficient")])
            #expect(try await owner.post("/devices/\(device["id"].text ?? "")/unlock", "{}").status == 200)
            #expect(await gateway.stop() == 0)
            let report = try await host.follow("doorward store check --json")
            #expect(try await self.schema() > 2)
            #expect(try records(on: report) > before)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("a database of a newer program is rejected by every command, with file and version, and is not changed")
        func newer() async throws {
            #expect(try await RunningGateway.first(in: folder).stop() == 0)
            let known = try await schema()
            try await makeNewer(than: known)
            let before = try Data(contentsOf: URL(filePath: folder.file("doorward.db")))
            for command in [
                "doorward serve", "doorward store check", "doorward admin create --email b@doors.example --password-stdin",
            ] {
                let result = try await host.type(command, input: RunningGateway.password + "\n")
                #expect(result.code == 1)
                #expect(result.output.isEmpty)
                #expect(result.errors == (try sentence(found: known + 1, known: known)) + "\n")
            }
            #expect(try Data(contentsOf: URL(filePath: folder.file("doorward.db"))) == before)
        }

        /// Returns the error from the page, with these versions.
        private func sentence(found: Int, known: Int) throws -> String {
            try Page("operating").line(beginning: "doorward: /var/lib/doorward/doorward.db: this database was written by")
                .replacing("/var/lib/doorward", with: folder.path).replacing(#/schema [0-9]+/#, with: "schema \(found)")
                .replacing(#/knows [0-9]+/#, with: "knows \(known)")
        }

        private func schema() async throws -> Int { try number("schema", in: await host.follow("doorward store check --json")) }

        private func records(on report: String) throws -> Int { try number("records", in: report) }

        private func number(_ key: String, in report: String) throws -> Int {
            guard case .number(let number) = try JSONDecoder().decode(JSON.self, from: Data(report.utf8))[key] else { return 0 }
            return Int(number)
        }

        /// Makes a database with that schema from its dump, and its key: 32 bytes with the value 7.
        private func makeFixture(schema: Int) async throws {
            let dump = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Fixtures/schema-\(schema).sql").path
            let script = "import sqlite3, sys; sqlite3.connect('doorward.db').executescript(open(sys.argv[1]).read())"
            try await host.follow(#"umask 077; python3 -c "\#(script)" '\#(dump)'"#)
            try await host.follow(#"umask 077; head -c 32 /dev/zero | tr '\0' '\7' | base64 > doorward.db.signing-key"#)
        }

        /// Makes a database as a newer program would leave it: one more migration and its number.
        private func makeNewer(than schema: Int) async throws {
            let script = """
                import sqlite3
                db = sqlite3.connect("\(folder.file("doorward.db"))")
                db.execute("CREATE TABLE of_the_future (id INTEGER PRIMARY KEY)")
                db.execute("INSERT INTO grdb_migrations VALUES ('\(schema + 1)')")
                db.commit()
                db.execute("PRAGMA user_version = \(schema + 1)")
                """
            let result = try await Program.run("/usr/bin/env", ["python3", "-c", script], in: folder)
            try #require(result.code == 0, "\(result.errors)")
        }
    }
}
