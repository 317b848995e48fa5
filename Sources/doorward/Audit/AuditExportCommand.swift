import ArgumentParser
import DoorwardAudit
import DoorwardClient
import DoorwardControl
import DoorwardDomain
import Glibc

/// `doorward audit export`: writes records to a file.
struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export the access log to a file.",
        discussion: """
            NDJSON has each record with its proof, for `doorward audit verify`. CSV is a table for spreadsheets, with times in \
            UTC and of the property. The export of a whole log, or of a range of it, is complete: it shows that no record is \
            missing. Every export is recorded in the log.

            \(TimeArgument.help)

            Example: doorward audit export --output june.ndjson
            """)

    /// The formats of exports.
    enum Format: String, ExpressibleByArgument, CaseIterable { case ndjson, csv }

    @Option(help: ArgumentHelp("The format: ndjson or csv.", valueName: "format"))
    var format = Format.ndjson

    /// The separator between the cells of a CSV file.
    enum Separator: String, ExpressibleByArgument, CaseIterable { case comma, semicolon }

    @Option(
        help: ArgumentHelp(
            "The separator of a CSV file: comma or semicolon. (default: comma)", valueName: "separator"))
    var separator: Separator?

    @OptionGroup var log: LogOption

    @Option(help: ArgumentHelp("The number of the first record.", valueName: "number"))
    var fromSeq: UInt64?

    @Option(help: ArgumentHelp("The number of the first record that is not exported.", valueName: "number"))
    var untilSeq: UInt64?

    @Option(
        help: ArgumentHelp("Only the records of this lock: a name or id. The export is partial.", valueName: "lock"),
        completion: .lockName)
    var lock: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Only records since this time. The export is partial.", valueName: "time"))
    var from: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Only records before this time. The export is partial.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp("The file to write, which must not exist yet. (default: standard output)", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        guard separator == nil || format == .csv else { throw ValidationError("--separator is for --format csv.") }
    }

    func run() async throws {
        let now = SystemClock().now()
        var query = [
            ("format", format.rawValue), ("separator", separator?.rawValue),
            ("logId", log.log.map { LogOrigin(parsing: $0)?.log.description ?? $0 }), ("fromSeq", fromSeq?.description),
            ("untilSeq", untilSeq?.description),
            ("from", try from.map { try TimeArgument($0, option: "--from").instant(now: now).description }),
            ("until", try until.map { try TimeArgument($0, option: "--until").instant(now: now).description }),
        ]
        let client = try gateway.client()
        if let lock { query.append(("deviceId", try await NameResolver(client).lock(lock).id)) }
        let target = try output.map { try NewFile($0) }
        do {
            let response = try await client.audit.export(query)
            try await Progress("Exporting").during { try await Self.write(response, to: target) }
        } catch {
            target?.discard()
            throw error
        }
        if let output, OutputStyle.output.isInteractive { StandardStream.output.line("Wrote \(output.printable).") }
    }

    private static func write(_ response: RawResponse, to target: NewFile?) async throws {
        var isWritten = true
        try await response.read { part in
            isWritten = target?.write(part) ?? StandardStream.output.write(part)
            return isWritten
        }
        if let target { isWritten = isWritten && target.finish() }
        guard isWritten else { throw CommandFailure("the export could not be written completely") }
    }
}

/// A file that gets its name once it is complete.
struct NewFile: Sendable {
    private let path: String
    private let descriptor: CInt
    private var partial: String { path + ".partial" }

    /// - Throws: `CommandFailure` if the file exists or cannot be created.
    init(_ path: String) throws {
        self.path = path
        guard access(path, F_OK) != 0 else {
            throw CommandFailure("--output \(path.printable): the file exists already; name another one", code: 2)
        }
        descriptor = open(path + ".partial", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("--output \(path.printable): the file cannot be created: \(SystemFailure.last)", code: 2)
        }
    }

    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    /// - Returns: whether the file is on the disk under its name.
    func finish() -> Bool {
        // Blocks: the command's own thread, because the command does nothing else.
        let isFlushed = fsync(descriptor) == 0
        return close(descriptor) == 0 && isFlushed && rename(partial, path) == 0
    }

    func discard() { unlink(partial) }
}

/// Verifies an export in a file, with a progress bar.
enum ExportFile {
    /// - Parameters:
    ///   - others: verified checkpoints of the same log to compare with.
    ///   - watch: receives each block before it is verified.
    /// - Throws: `CommandFailure` with code 1 for a changed export, with code 4 for an incomplete one.
    static func verify(
        _ path: String, origin: LogOrigin, keys: [VerifierKey], comparingWith others: [Checkpoint] = [],
        watch: ([UInt8]) -> Void = { _ in }
    ) async throws -> ExportVerifier.Verdict {
        var file = try AuditFiles.open(path)
        let width = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))
        var verifier = ExportVerifier(origin: "\(origin)", keys: keys, comparingWith: others, width: width)
        var bar = ProgressBar()
        defer { bar.clear() }
        do {
            while let block = try file.next() {
                watch(block)
                try await verifier.add(block)
                bar.show("Verifying", file.position, of: max(file.size, file.position))
            }
            return try await verifier.finish()
        } catch let fault as ExportFault {
            bar.clear()
            throw CommandFailure("\(path.printable): \(fault.sentence)", code: fault.isIncomplete ? 4 : 1)
        }
    }
}

extension ExportFault {
    /// The fault in words, with its place in the file.
    var sentence: String {
        if isIncomplete {
            return
                "the export is incomplete: it ends in line \(line), and records are missing at the end. The others are genuine."
        }
        let place = seq.map { "line \(line), record \($0)" } ?? "line \(line)"
        return "\(place): \(problem.sentence)"
    }
}

extension ExportFault.Problem {
    fileprivate var sentence: String {
        switch self {
        case .malformed: "this is not a line of an export, or it was changed"
        case .checkpoint(let fault): "the checkpoint of the export: \(AuditFiles.sentence(fault))"
        case .otherKey: "the export is not signed by the expected key"
        case .otherLog: "this belongs to another log"
        case .notARecord: "the bytes are not a record of a version that this program reads"
        case .wrongSeq(let seq): "the record here has the number \(seq): a record is missing, duplicated or out of order"
        case .wrongLeafHash: "the leaf hash is not that of the record's bytes: one of them was changed"
        case .wrongPersonalValue: "a personal value does not match its commitment in the record"
        case .wrongFields: "the fields are not those of the record's bytes: one of them was changed"
        case .earlierThanTheOneBefore: "the time of the record is earlier than that of the previous record"
        case .notIncluded: "the log of the checkpoint has another record with this number: the record was changed"
        case .wrongCount(let count): "the export states \(count) records, but has a different number"
        case .afterTheEnd: "there is more data after the end of the export"
        case .incomplete: "the export is incomplete"
        }
    }
}
