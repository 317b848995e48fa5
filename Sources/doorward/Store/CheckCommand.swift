import ArgumentParser
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import FoundationEssentials
import Glibc

/// `doorward store check`: verifies the content of a database.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the database of a stopped gateway.",
        discussion: """
            Recomputes every log from its records, compares the values that are stored beside the records, and checks commands, \
            references and the file itself. Nothing is changed. The first fault is printed, with exit code 1.

            Also reports which of the three key files and the checkpoint file are missing or unusable for a gateway. A backup has none of \
            these files beside it, and is checked without them.

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
            let view = CheckView(report: report, files: files)
            output.print(json: view.json) { view.lines($0) }
            if let fault = report.fault {
                problems = [
                    "\(report.path): \(fault)",
                    "Serve no gateway from this file: restore a backup in which `doorward store check` finds no fault.",
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
        } catch {
            guard let path = store.storePath, access(path, F_OK) != 0 else { throw error }
            let missing = "\(path): there is nothing to check: \(SystemFailure.last)"
            throw CommandFailure("\(error)\n  \(missing)", code: error.isUsageError ? 2 : 1)
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

/// Prints the report on a database.
struct CheckView {
    let report: StoreCheckReport
    let files: StoreFiles

    /// Returns one line for each verified log; on a terminal also a sentence about all logs.
    func lines(_ style: OutputStyle) -> [String] {
        let rows = report.counts.logs.map { [Table.Cell("\($0.log)"), Table.Cell("\($0.size)"), Table.Cell("whole", .green)] }
        let table = Table("LOG", "RECORDS", "CHECK", rows: rows).lines(style)
        guard style.isInteractive else { return table }
        let alone =
            files.areAllMissing
            ? ["No key file and no checkpoints are beside it: a gateway needs them as well to start on it."] : []
        return (rows.isEmpty ? [] : table) + (report.isWhole ? ["", sentence(style)] + alone : [])
    }

    private func sentence(_ style: OutputStyle) -> String {
        let counts = report.counts
        let open = counts.openCommands == 0 ? "" : ", \(counts.openCommands) of them without an outcome yet"
        let erased = counts.erasedValues == 0 ? "" : ", \(counts.erasedValues) erased"
        let unverified =
            counts.unverifiedValues == 0 ? "" : ", \(counts.unverifiedValues) not checked for lack of the person-key file"
        return "\(report.path.printable) is \(style.paint("whole", .green)): \(counts.records) records, "
            + "\(counts.commands) commands\(open), \(counts.personalValues) personal values\(erased)\(unverified); "
            + "schema \(report.schema)."
    }

    /// The report as one JSON document. `fault`, and its fields `logId` and `seq`, are `null` if there are none, but never absent.
    var json: [UInt8] {
        let counts = report.counts
        let logs = counts.logs.map { JSONValue.object(["id": .string("\($0.log)"), "size": .count($0.size)]) }
        let document: [String: JSONValue] = [
            "path": .string(report.path), "bytes": .integer(report.bytes), "schema": .integer(Int64(report.schema)),
            "isWhole": .bool(report.isWhole), "logs": .array(logs), "records": .count(counts.records),
            "commands": .count(counts.commands), "openCommands": .count(counts.openCommands),
            "personalValues": .count(counts.personalValues), "erasedValues": .count(counts.erasedValues),
            "unverifiedValues": .count(counts.unverifiedValues), "fault": report.fault.map(Self.json) ?? .null,
            "missing": .array(files.missing.map { .string($0) }), "problems": .array(files.problems.map { .string($0) }),
        ]
        return JSONOutput.document(document)
    }

    private static func json(_ fault: StoreFault) -> JSONValue {
        .object([
            "logId": fault.log.map { .string("\($0)") } ?? .null, "seq": fault.seq.map { .count($0) } ?? .null,
            "problem": .string(fault.problem.code), "message": .string("\(fault)"),
        ])
    }
}

/// The files that a gateway needs beside a database: the three key files and the checkpoints.
struct StoreFiles {
    /// Sentences about files that exist and that no gateway can use.
    private(set) var problems: [String] = []
    /// Sentences about files that do not exist. A backup has none of them.
    private(set) var missing: [String] = []
    /// Whether none of the files exists, as is usual for a backup in a separate folder.
    let areAllMissing: Bool

    /// Looks at all files, and changes none.
    init(of configuration: GatewayConfiguration) async {
        let keys = [SigningKeyFile.accessTokens(configuration), .checkpoints(configuration)]
        let (personKeys, checkpoints) = (configuration.personKeyPath, CheckpointFile(path: configuration.checkpointPath))
        let files: [(path: String, noun: String, setting: String, exists: () async throws -> Bool)] =
            keys.map { key in (key.path, key.noun, key.setting, key.check) } + [
                (
                    personKeys, "the file with the keys of personal data", "audit.personKeyFile",
                    { try SQLiteStore.hasPersonKeys(at: personKeys) }
                ),
                (
                    checkpoints.path, "the file with the signed checkpoints", "audit.checkpointFile",
                    { try await checkpoints.read() != nil }
                ),
            ]
        for file in files {
            do {
                guard try await !file.exists() else { continue }
                missing.append(
                    "\(file.path): \(file.noun) is missing; restore the newest copy of it, or name the place where it is as "
                        + file.setting)
            } catch {
                problems.append(CommandFailure(of: error)?.sentence ?? "\(error)")
            }
        }
        areAllMissing = missing.count == files.count
    }
}
