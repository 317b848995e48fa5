import DoorwardControl
import DoorwardStore
import FoundationEssentials

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
