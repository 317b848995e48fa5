import Foundation
import Testing

extension EndToEnd {
    /// docs/operating.md, Upgrade: databases of programs that are older and newer than this one.
    @Suite("A database of another version", .timeLimit(.minutes(2))) struct UpgradeTests {
        private let folder: TemporaryFolder
        private let host: Host

        init() throws {
            folder = try TemporaryFolder()
            host = Host(in: folder)
        }

        @Test("one of a newer program is refused by file and version, by every command, and left as it is")
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

        /// What the page says that somebody will read, for these versions.
        private func sentence(found: Int, known: Int) throws -> String {
            try Page("operating").line(beginning: "doorward: doorward.db: this database was written by")
                .replacing(#/schema [0-9]+/#, with: "schema \(found)").replacing(#/knows [0-9]+/#, with: "knows \(known)")
        }

        private func schema() async throws -> Int {
            let report = try await host.follow("doorward store check --json")
            guard case .number(let schema) = try JSONDecoder().decode(JSON.self, from: Data(report.utf8))["schema"] else { return 0 }
            return Int(schema)
        }

        /// What the next program's first start would leave: one more step, and its number.
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
