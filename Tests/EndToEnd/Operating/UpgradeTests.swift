import Foundation
import Testing

extension EndToEnd {
    /// The section Upgrade of docs/operating.md: a database of a newer program version.
    @Suite("A database of another version", .timeLimit(.minutes(30))) struct UpgradeTests {
        private let folder: TemporaryFolder
        private let host: Host

        init() throws {
            folder = try TemporaryFolder()
            host = Host(in: folder)
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

        private func number(_ key: String, in report: String) throws -> Int {
            guard case .number(let number) = try JSONDecoder().decode(JSON.self, from: Data(report.utf8))[key] else { return 0 }
            return Int(number)
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
