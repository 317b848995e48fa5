import ArgumentParser
import DoorwardAudit
import DoorwardDomain

/// `doorward audit verify`: verifies an export without the gateway.
struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify an export of the access log, without the gateway.",
        discussion: """
            Checks every record of an NDJSON export against the signed checkpoint in it, and names the first record that is \
            wrong. Give the name of the log and the key that you expect; those in the export are not trusted.

            With --checkpoint, the export must have all records under a checkpoint that you kept or received elsewhere; an older or \
            truncated export fails. With --since, the records under an older checkpoint must be unchanged.

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
        let (origin, keys) = try (expected.origin(), expected.keys())
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
        let summary: [String: JSONValue] = [
            "origin": .string("\(origin)"), "records": .count(verdict.count), "from": .count(range.lowerBound),
            "until": .count(range.upperBound), "size": .count(size),
        ]
        output.print(json: JSONOutput.document(summary)) { style in
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
                "\(file.printable): this checkpoint has \(other.size) records, but that of the export only "
                    + "\(verdict.checkpoint.size): the export is older, or the log was rolled back", code: 4)
        case .notComparable:
            throw CommandFailure(
                "\(file.printable): the export does not have the records that are compared with this checkpoint of \(other.size)",
                code: 4)
        }
    }
}

/// The options with what a verifier expects. They come from the user, never from the file that is verified.
struct ExpectedLogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The expected name of the log: the origin of its checkpoints, such as doors.example/logs/gateway.",
            valueName: "origin"))
    var log: String

    @Option(
        help: ArgumentHelp("A file with the expected public key; after rotations several, one in each line.", valueName: "file"),
        completion: .file())
    var publicKey: String

    func origin() throws -> LogOrigin {
        guard let origin = LogOrigin(parsing: log) else {
            throw CommandFailure(
                "--log \(log.printable): this is not the origin of a log; `doorward audit checkpoint` prints it in the first line",
                code: 2)
        }
        return origin
    }

    func keys() throws -> [VerifierKey] {
        let lines = try AuditFiles.text(publicKey).split(separator: "\n").map { String($0) }.filter { !$0.isEmpty }
        let keys = lines.compactMap { VerifierKey(parsing: $0) }
        guard !keys.isEmpty, keys.count == lines.count, keys.allSatisfy({ $0.algorithm == .ed25519 }) else {
            throw CommandFailure(
                "\(publicKey.printable): this is not a public key; use the line that `doorward audit public-key` prints", code: 2)
        }
        return keys
    }
}

/// Reads the files of the offline checks.
enum AuditFiles {
    /// - Throws: `CommandFailure` with code 2.
    static func open(_ path: String) throws(CommandFailure) -> InputFile { try InputFile(path, orInput: false, code: 2) }

    /// - Throws: `CommandFailure` with code 2.
    static func bytes(_ path: String) throws(CommandFailure) -> [UInt8] {
        var file = try open(path)
        return try file.rest()
    }

    /// - Throws: `CommandFailure` with code 2 for an unreadable file, with code 1 for one that is not text.
    static func text(_ path: String) throws -> String {
        guard let text = String(validating: try bytes(path), as: UTF8.self) else {
            throw CommandFailure("\(path.printable): the file is not text, or it was changed", code: 1)
        }
        return text
    }

    /// Reads and verifies a checkpoint.
    ///
    /// - Throws: `CommandFailure`.
    static func checkpoint(_ path: String, origin: LogOrigin, keys: [VerifierKey]) throws -> Checkpoint {
        let text = try text(path)
        do throws(CheckpointFault) {
            return try Checkpoint.verified(text, origin: "\(origin)", keys: keys)
        } catch {
            throw failure(error, path)
        }
    }

    static func failure(_ fault: CheckpointFault, _ path: String) -> CommandFailure {
        CommandFailure("\(path.printable): \(sentence(fault))", code: 1)
    }

    /// The fault in words.
    static func sentence(_ fault: CheckpointFault) -> String {
        switch fault {
        case .malformed: "this is not a signed checkpoint, or it was changed"
        case .otherOrigin(let origin): "this is a checkpoint of another log, \(origin.printable)"
        case .notSigned(let name): "the key of \(name.printable) that you expect has not signed this checkpoint"
        case .wrongSignature: "the signature does not match: the checkpoint was changed, or it is a forgery"
        }
    }
}
