import ArgumentParser
import DoorwardDomain
import DoorwardStore
import Glibc

/// `doorward store check`: verifies the content of a database.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the database of a stopped gateway.",
        discussion: """
            Recomputes every log from its records, compares the values beside them, and checks commands, references and the file \
            itself. Nothing is changed. The first fault is printed, with exit code 1.

            Also reports, all at once, which of the three key files and of the checkpoints a gateway would miss or could not use. \
            A backup has none of them beside it, and is checked without.

            Personal values are checked with the person-key file, `<path>.person-keys` unless `audit.personKeyFile` names another. \
            A backup does not contain it: without it the values are counted, and not checked.

            This shows that the file is intact, not that it is the newest: to check that too, keep the sizes of the logs \
            somewhere else.

            Example: doorward store check --store-path backup.db
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let configuration = try self.configuration()
        let files = await StoreFiles(of: configuration)
        var problems: [String] = []
        do throws(StoreOpenError) {
            let report = try Self.report(on: configuration)
            output.print(json: CheckView(report, files).json) { CheckView(report, files).lines($0) }
            if let fault = report.fault {
                problems = [
                    "\(report.path): \(fault)",
                    "Serve no gateway from this file: restore a backup that `doorward store check` finds whole.",
                ]
            }
            // A backup alone has none of the files, and is checked without them.
            if !files.areAllMissing { for sentence in files.missing { StandardStream.error.line("doorward: \(sentence)") } }
            problems += files.problems
        } catch {
            problems = ["\(error)"] + files.problems.filter { $0 != "\(error)" } + files.missing
        }
        if !problems.isEmpty { throw CommandFailure(problems.joined(separator: "\n  ")) }
    }

    /// - Throws: the mistakes of the configuration, and with them that there is no database where the command line says.
    private func configuration() throws -> GatewayConfiguration {
        do {
            return try store.configuration()
        } catch let failure as CommandFailure {
            guard let path = store.storePath, access(path, F_OK) != 0 else { throw failure }
            let missing = "\(path): there is nothing to check: \(SystemFailure.last)"
            throw CommandFailure("\(failure.sentence)\n  \(missing)", code: failure.code)
        }
    }

    private static func report(on configuration: GatewayConfiguration) throws(StoreOpenError) -> StoreCheckReport {
        var bar = ProgressBar()
        defer { bar.clear() }
        return try StoreCheck.run(path: configuration.store.path, personKeyFile: configuration.personKeyPath) { progress in
            bar.show(progress.stage == .records ? "Checking records" : "Checking the file", progress.done, of: progress.total)
        }
    }
}
