import ArgumentParser
import DoorwardStore

/// `doorward store check`: verifies the content of a database.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the database of a stopped gateway.",
        discussion: """
            Recomputes every log from its records, compares the values beside them, and checks commands, references and the file \
            itself. Nothing is changed. The first fault is printed, with exit code 1.

            Personal values are checked with the person-key file, `<path>.person-keys` unless `audit.personKeyFile` names another. \
            A backup does not contain it: without it the values are counted, and not checked.

            This shows that the file is intact, not that it is the newest: to check that too, keep the sizes of the logs \
            somewhere else.

            Example: doorward store check --store-path backup.db
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = try Self.report(on: try store.configuration())
        output.print(json: CheckView(report).json) { CheckView(report).lines($0) }
        if let fault = report.fault {
            throw CommandFailure(
                "\(report.path): \(fault)\n  Serve no gateway from this file: restore a backup that `doorward store check` finds whole."
            )
        }
    }

    private static func report(on configuration: GatewayConfiguration) throws -> StoreCheckReport {
        var bar = ProgressBar()
        defer { bar.clear() }
        do {
            return try StoreCheck.run(path: configuration.store.path, personKeyFile: configuration.personKeyPath) { progress in
                bar.show(progress.stage == .records ? "Checking records" : "Checking the file", progress.done, of: progress.total)
            }
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}
