import ArgumentParser

/// `doorward store`: keeping and checking the database.
struct StoreGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Back up a gateway's database, and check one.",
        subcommands: [BackupCommand.self, CheckCommand.self])
}
