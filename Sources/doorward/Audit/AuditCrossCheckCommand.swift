import ArgumentParser
import DoorwardAudit
import DoorwardDomain
import FoundationEssentials

/// `doorward audit cross-check`: compares an export of a log with the checkpoints of it in the gateway's log.
struct AuditCrossCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cross-check",
        abstract: "Compare an export of a log with its checkpoints in the gateway's log, without the gateway.",
        discussion: """
            The gateway's log has a record of each checkpoint of the other logs. Verifies both exports, and that each checkpoint \
            of the log in the gateway's log agrees with the log's own records. A log that was deleted and started again does not agree.

            Example: doorward audit cross-check gateway.ndjson june.ndjson --log doors.example/logs/ID --public-key doors.key
            """)

    @Argument(help: ArgumentHelp("An export of the gateway's log.", valueName: "gateway-export"), completion: .file())
    var gatewayExport: String

    @Argument(help: ArgumentHelp("An export of the log.", valueName: "export"), completion: .file())
    var export: String

    @OptionGroup var expected: ExpectedLogOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (origin, keys) = try (expected.origin(), expected.keys())
        guard origin.log != .gateway else {
            throw CommandFailure("--log \(expected.log.printable): name the log of a portfolio, not the gateway's", code: 2)
        }
        // The gateway's log may be of another generation than the log of the portfolio.
        let gateway = try gatewayOrigin(of: origin)
        var found = RecordedCheckpoints(origin: "\(origin)")
        let ofGateway = try await ExportFile.verify(gatewayExport, origin: gateway, keys: keys) { found.add($0) }
        guard ofGateway.header.isComplete else {
            throw CommandFailure("\(gatewayExport.printable): this export is partial; a complete one is needed", code: 4)
        }
        let verdict = try await ExportFile.verify(export, origin: origin, keys: keys, comparingWith: found.checkpoints)
        for (checkpoint, comparison) in zip(found.checkpoints, verdict.comparisons) where comparison == .changed {
            throw CommandFailure(
                "\(export.printable): the gateway's log has a checkpoint of \(checkpoint.size) records of this log, with a different "
                    + "root: records under it were changed", code: 1)
        }
        if let newer = Array(zip(found.checkpoints, verdict.comparisons)).last(where: { $0.1 == .newer })?.0 {
            throw CommandFailure(
                "\(export.printable): the gateway's log has a checkpoint of \(newer.size) records of this log, and the export "
                    + "only \(verdict.checkpoint.size): it is older, or the log was rolled back", code: 4)
        }
        let compared = verdict.comparisons.count { $0 == .consistent }
        guard compared > 0 else {
            throw CommandFailure(
                "no checkpoint of \(expected.log.printable) in the gateway's log can be compared with the export", code: 4)
        }
        let summary: [String: JSONValue] = ["origin": .string("\(origin)"), "checkpoints": .integer(Int64(compared))]
        output.print(json: JSONOutput.document(summary)) { style in
            ["\(origin) is \(style.paint("consistent", .green)) with \(compared) of its checkpoints in the gateway's log."]
        }
    }

    /// The origin in the header of the export of the gateway's log, if it is one of the same gateway.
    private func gatewayOrigin(of log: LogOrigin) throws -> LogOrigin {
        var file = try AuditFiles.open(gatewayExport)
        let line = try file.next()?.prefix { $0 != UInt8(ascii: "\n") } ?? []
        let text = ExportHeader(parsing: Array(line)).flatMap { SignedNote(parsing: $0.checkpoint)?.text }
        guard let found = text.flatMap({ Checkpoint(parsing: $0) }).flatMap({ LogOrigin(parsing: $0.origin) }),
            found.gateway == log.gateway, found.log == .gateway
        else {
            throw CommandFailure(
                "\(gatewayExport.printable): this is not an export of the log of gateway \(log.gateway.printable)", code: 1)
        }
        return found
    }
}

/// Collects the checkpoints of a log from the lines of an export of the gateway's log.
struct RecordedCheckpoints {
    private let origin: String
    private var rest: [UInt8] = []
    /// The checkpoints in the order of their records.
    private(set) var checkpoints: [Checkpoint] = []

    init(origin: String) { self.origin = origin }

    /// Reads the next bytes of the export.
    mutating func add(_ block: [UInt8]) {
        guard let end = block.lastIndex(of: UInt8(ascii: "\n")) else {
            rest += block
            return
        }
        for line in (rest + block[...end]).split(separator: UInt8(ascii: "\n")) {
            guard line.firstRange(of: Self.marker) != nil, let line = try? JSONDecoder().decode(Line.self, from: Data(line))
            else { continue }
            for recorded in line.record.details.map({ $0.checkpoints ?? [$0] }) ?? [] where recorded.origin == origin {
                guard let size = recorded.size, let root = recorded.root.flatMap({ SignedNote.base64($0) }) else { continue }
                checkpoints.append(Checkpoint(origin: origin, size: size, root: root))
            }
        }
        rest = Array(block[(end + 1)...])
    }

    private static let marker = Array("\"event\":\"CHECKPOINT\"".utf8)

    private struct Line: Decodable { let record: Fields }
    private struct Fields: Decodable { let details: Details? }
    /// The details of a record of several checkpoints, or those of one checkpoint.
    private struct Details: Decodable {
        let checkpoints: [Details]?
        let origin: String?
        let size: UInt64?
        let root: String?
    }
}
