import ArgumentParser

/// `doorward audit`: commands that prove what the access log contains.
struct AuditGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read the access log's checkpoints, and prove and check what it contains.",
        discussion: """
            A checkpoint is a signed statement of the size and the root hash of a log. Keep checkpoints where the gateway cannot \
            change them: any later change, removal or insertion below them can then be proved.

            Exit codes: 0 whole, 1 changed, 2 wrong usage, 3 no connection, 4 incomplete or rolled back.
            """,
        subcommands: [
            AuditPublicKeyCommand.self, AuditCheckpointCommand.self, AuditExportCommand.self, AuditVerifyCommand.self,
            AuditProveCommand.self, AuditCheckCommand.self, AuditConsistencyCommand.self, AuditCrossCheckCommand.self,
            AuditRotateCommand.self,
        ])
}
