import ArgumentParser

/// `doorward admin`: commands for the host's operator that work directly on the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work on the database of a gateway that does not run.",
        subcommands: [AdminCreate.self, AdminRecover.self])
}
