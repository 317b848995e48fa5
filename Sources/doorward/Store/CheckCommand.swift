import ArgumentParser
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
            output.print(json: CheckView(report, files).json) { CheckView(report, files).lines($0) }
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

/// Prints the report on a database.
struct CheckView {
    private let report: StoreCheckReport
    private let files: StoreFiles

    init(_ report: StoreCheckReport, _ files: StoreFiles) { (self.report, self.files) = (report, files) }

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

    /// One JSON document with the fields `path bytes schema isWhole logs records commands openCommands personalValues
    /// erasedValues unverifiedValues fault missing problems`.
    var json: [UInt8] {
        let counts = report.counts
        let document = Document(
            path: report.path, bytes: report.bytes, schema: report.schema, isWhole: report.isWhole,
            logs: counts.logs.map { Document.Log(id: "\($0.log)", size: $0.size) }, records: counts.records,
            commands: counts.commands, openCommands: counts.openCommands, personalValues: counts.personalValues,
            erasedValues: counts.erasedValues, unverifiedValues: counts.unverifiedValues,
            fault: Nullable(value: report.fault.map(Document.Fault.init)), missing: files.missing, problems: files.problems)
        return JSONOutput.document(document)
    }

    private struct Document: Encodable {
        let path: String
        let bytes: Int64
        let schema: Int
        let isWhole: Bool
        let logs: [Log]
        let records: UInt64
        let commands: UInt64
        let openCommands: UInt64
        let personalValues: UInt64
        let erasedValues: UInt64
        let unverifiedValues: UInt64
        /// `null` if there is no fault, but never absent.
        let fault: Nullable<Fault>
        /// Sentences about files that a gateway needs beside the database and that do not exist.
        let missing: [String]
        /// Sentences about files beside the database that no gateway can use.
        let problems: [String]

        struct Log: Encodable {
            let id: String
            let size: UInt64
        }

        struct Fault: Encodable {
            let logId: Nullable<String>
            let seq: Nullable<UInt64>
            let problem: String
            let message: String

            init(_ fault: StoreFault) {
                (logId, seq) = (Nullable(value: fault.log.map { "\($0)" }), Nullable(value: fault.seq))
                (problem, message) = (fault.problem.code, "\(fault)")
            }
        }
    }

    /// Encodes `nil` as `null`.
    private struct Nullable<Value: Encodable>: Encodable {
        let value: Value?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }
}

/// The files that a gateway needs beside a database: the three key files and the checkpoints.
struct StoreFiles {
    /// Sentences about files that exist and that no gateway can use.
    private(set) var problems: [String] = []
    /// Sentences about files that do not exist. A backup has none of them.
    private(set) var missing: [String] = []
    private var count = 0

    /// Whether none of the files exists, as is usual for a backup in a separate folder.
    var areAllMissing: Bool { missing.count == count }

    /// Looks at all files, and changes none.
    init(of configuration: GatewayConfiguration) async {
        for key in [SigningKeyFile.accessTokens(configuration), .checkpoints(configuration)] {
            await look(at: key.path, key.noun, key.setting) { try key.check() }
        }
        let personKeys = configuration.personKeyPath
        await look(at: personKeys, "the file with the keys of personal data", "audit.personKeyFile") {
            try SQLiteStore.hasPersonKeys(at: personKeys)
        }
        let checkpoints = CheckpointFile(path: configuration.checkpointPath)
        await look(at: checkpoints.path, "the file with the signed checkpoints", "audit.checkpointFile") {
            try await checkpoints.read() != nil
        }
    }

    /// - Parameters:
    ///   - noun: the file in messages.
    ///   - setting: the configuration key that names the file.
    private mutating func look(
        at path: String, _ noun: String, _ setting: String, exists: () async throws -> Bool
    ) async {
        count += 1
        do {
            guard try await !exists() else { return }
            missing.append(
                "\(path): \(noun) is missing; restore the newest copy of it, or name the place where it is as \(setting)")
        } catch {
            problems.append((error as? CommandFailure)?.sentence ?? "\(error)")
        }
    }
}
