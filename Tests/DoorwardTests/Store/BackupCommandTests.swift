import Testing

@testable import DoorwardClient
@testable import doorward

@Suite struct BackupCommandTests {
    @Test(
        "a relative path is resolved against the caller's folder, and an absolute one is unchanged",
        arguments: [
            ("copy.db", "/home/olga", "/home/olga/copy.db"), ("../copy.db", "/home/olga", "/home/olga/../copy.db"),
            ("/var/copy.db", "/home/olga", "/var/copy.db"), ("copy.db", "/", "/copy.db"),
        ])
    func absolute(file: String, folder: String, expected: String) {
        #expect(BackupCommand.absolute(file, from: folder) == expected)
    }

    private let backup = Doorward.Backup(
        file: "/var/backups/a\u{1B}[2J.db", bytes: 4096, at: "2026-11-21T12:00:00.000Z",
        logs: [.init(id: "gateway", size: 3), .init(id: "p", size: 4)])

    @Test("the result is sentences on a terminal and fields in a pipe, with control characters made visible")
    func lines() {
        let person = BackupCommand.lines(backup, OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"]))
        #expect(
            person == [
                "Wrote /var/backups/a␛[2J.db on the gateway's host: 4096 bytes, 7 records in 2 logs.",
                "Check it there with: doorward store check --store-path '/var/backups/a␛[2J.db'",
            ])
        let program = BackupCommand.lines(backup, OutputStyle(isTerminal: false, environment: [:]))
        #expect(program == ["/var/backups/a␛[2J.db\t4096\t2026-11-21T12:00:00.000Z"])
    }
}
