import Foundation
import Testing

extension EndToEnd {
    /// A gateway that backs itself up.
    @Suite("A gateway that backs itself up", .timeLimit(.minutes(30))) struct ScheduledBackupTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func start(_ backups: String) async throws -> RunningGateway {
            let settings = ["DOORWARD_BACKUP_FOLDER": backups, "DOORWARD_BACKUP_KEEP_DAYS": "2", "TZ": "Europe/Berlin"]
            let program = try Program(
                Program.doorward, ["serve"], environment: RunningGateway.environment(for: folder).merging(settings) { $1 },
                errors: folder.file("serve-\(UUID().uuidString).log"))
            return try await RunningGateway(listening: program, folder: folder)
        }

        /// The value of a metric; waits until it is at least `least`.
        private func metric(_ name: String, atLeast least: Double, of gateway: RunningGateway) async throws -> Double {
            while true {
                try Task.checkCancellation()
                let page = try await Program.run("/usr/bin/env", ["curl", "-s", "\(gateway.address)/metrics"], in: folder)
                try #require(page.code == 0, "\(page.errors)")
                let line = page.output.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
                if let value = line.flatMap({ Double($0.dropFirst(name.count + 1)) }), value >= least { return value }
            }
        }

        @Test("an overdue backup is made at the start, is whole, has an age, and replaces the one that is too old")
        func overdue() async throws {
            let backups = folder.file("backups")
            try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
            let left = [
                "doorward-20260101T023000Z.db", "doorward-20260102T023000Z.db.unchecked.partial-0123456789abcdef", "notes.txt",
            ]
            for name in left { _ = FileManager.default.createFile(atPath: "\(backups)/\(name)", contents: nil) }
            let created = try await Program.run(
                Program.doorward, ["admin", "create", "--email", RunningGateway.adminEmail, "--password-stdin"],
                environment: RunningGateway.environment(for: folder), input: RunningGateway.password + "\n", in: folder)
            try #require(created.code == 0, "\(created.errors)")
            let gateway = try await start(backups)
            // Old backups are deleted last. The age of the old one is far above that of the new one.
            while FileManager.default.fileExists(atPath: "\(backups)/\(left[0])") {
                _ = try await metric("doorward_backup_failures_total", atLeast: 0, of: gateway)
            }
            #expect(try await metric("doorward_backup_age_seconds", atLeast: 0, of: gateway) < 86_400)
            #expect(try await metric("doorward_backup_failures_total", atLeast: 0, of: gateway) == 0)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let records = try await admin.get("/access-records?kind=GATEWAY&limit=100").data["accessRecords"].items
            let exports = records.filter { $0["event"] == .string("EXPORT") }
            #expect(exports.count == 1 && exports.first?["actorKind"] == .string("GATEWAY"), "\(exports)")
            #expect(await gateway.stop() == 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: backups).sorted()
            #expect(files.count == 2 && files.last == "notes.txt", "\(files)")
            let backup = "\(backups)/\(try #require(files.first))"
            let checked = try await Program.run(
                Program.doorward, ["store", "check", "--store-path", backup], in: folder)
            #expect(checked.code == 0 && checked.output.contains("\twhole\n"), "\(checked.output)\(checked.errors)")
            try await RunningGateway.verifyLogs(in: folder, database: backup)
        }

        @Test("without its folder the gateway starts, serves, and says what to do")
        func noFolder() async throws {
            let gateway = try await start(folder.file("none"))
            #expect(try await metric("doorward_backup_failures_total", atLeast: 1, of: gateway) == 1)
            #expect(try await gateway.stranger.get("/openapi.json").status == 200)
            #expect(await gateway.stop() == 0)
            let logs = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("serve-") }
            let log = try String(contentsOfFile: folder.file(try #require(logs.first)), encoding: .utf8)
            #expect(log.contains("The folder of the backup does not exist on the gateway's machine; create it first."), "\(log)")
        }
    }
}
