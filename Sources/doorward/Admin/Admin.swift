import ArgumentParser

/// `doorward admin`: commands for the host's operator that work directly on the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manage the database of a stopped gateway.",
        subcommands: [AdminCreate.self, AdminRecover.self])
}
