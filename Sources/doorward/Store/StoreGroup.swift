import ArgumentParser

/// `doorward store`: commands for backing up and checking the database.
struct StoreGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Back up a gateway's database, check one, and recover one.",
        subcommands: [BackupCommand.self, CheckCommand.self, RecoverCommand.self])
}
