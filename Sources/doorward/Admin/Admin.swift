import ArgumentParser

/// `doorward admin`: what the host's operator does straight in the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work on the database of a gateway that does not run.",
        subcommands: [AdminCreate.self, AdminRecover.self])
}
