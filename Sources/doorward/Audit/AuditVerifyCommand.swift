import ArgumentParser
import DoorwardAudit
import FoundationEssentials

/// `doorward audit verify`: verifies an export without the gateway.
struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify an export of the access log, without the gateway.",
        discussion: """
            Checks every record of an NDJSON export against the signed checkpoint in it, and names the first record that is \
            wrong. The name of the log and the key are those that you expect, never those in the export.

            With --checkpoint, the export must have all records under a checkpoint that you kept or got from elsewhere: an older \
            export, or one whose end was cut, does not. With --since, the records under an older checkpoint must be unchanged.

            Exit codes: 0 whole, 1 changed, 2 wrong usage, 4 incomplete or rolled back. A partial export, of one lock for \
            example, ends with 4 even if all its records are genuine: it cannot show that none is missing.

            Example: doorward audit verify june.ndjson --log doors.example/logs/gateway --public-key doors.key
            """)

    @Argument(help: ArgumentHelp("The export.", valueName: "export"), completion: .file())
    var export: String

    @OptionGroup var expected: ExpectedLogOptions

    @Option(
        help: ArgumentHelp("A file with a checkpoint whose records the export must have.", valueName: "file"),
        completion: .file())
    var checkpoint: String?

    @Option(
        help: ArgumentHelp("A file with an older checkpoint, whose records must be unchanged.", valueName: "file"),
        completion: .file())
    var since: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (origin, keys) = (try expected.origin(), try expected.keys())
        let files = [checkpoint, since].compactMap { $0 }
        let others = try files.map { try AuditFiles.checkpoint($0, origin: origin, keys: keys) }
        let verdict = try await ExportFile.verify(export, origin: origin, keys: keys, comparingWith: others)
        for (file, (comparison, other)) in zip(files, zip(verdict.comparisons, others)) {
            try require(comparison, file, other, verdict)
        }
        guard let range = verdict.header.range else {
            throw CommandFailure(
                "\(export.printable): its \(verdict.count) records are genuine. The export is partial, and does not show whether "
                    + "others are missing.", code: 4)
        }
        let size = verdict.checkpoint.size
        let json = JSONOutput.document(
            Summary(origin: origin, records: verdict.count, from: range.lowerBound, until: range.upperBound, size: size))
        output.print(json: json) { style in
            let what = range == 0..<size ? "All \(size) records" : "Records \(range.lowerBound) to \(range.upperBound - 1)"
            let rest = range == 0..<size ? "" : ", of the \(size) in the checkpoint"
            return ["\(what) of \(origin) are \(style.paint("whole", .green))\(rest)."]
        }
    }

    private func require(
        _ comparison: ExportVerifier.Comparison, _ file: String, _ other: Checkpoint, _ verdict: ExportVerifier.Verdict
    ) throws {
        switch comparison {
        case .consistent: return
        case .changed:
            throw CommandFailure(
                "\(file.printable): records under this checkpoint were changed, or belong to another log", code: 1)
        case .newer:
            throw CommandFailure(
                "\(file.printable): this checkpoint has \(other.size) records, and that of the export only "
                    + "\(verdict.checkpoint.size): the export is older, or the log was rolled back", code: 4)
        case .notComparable:
            throw CommandFailure(
                "\(file.printable): the export does not have the records that are compared with this checkpoint of \(other.size)",
                code: 4)
        }
    }

    private struct Summary: Encodable {
        let origin: String
        let records: UInt64
        let from: UInt64
        let until: UInt64
        let size: UInt64
    }
}
