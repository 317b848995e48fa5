import DoorwardControl
import DoorwardStore
import FoundationEssentials

/// Prints the report on a database.
struct CheckView {
    private let report: StoreCheckReport

    init(_ report: StoreCheckReport) { self.report = report }

    /// Returns one line for each verified log; on a terminal also a sentence about all logs.
    func lines(_ style: OutputStyle) -> [String] {
        let rows = report.counts.logs.map { [Table.Cell("\($0.log)"), Table.Cell("\($0.size)"), Table.Cell("whole", .green)] }
        let table = Table("LOG", "RECORDS", "CHECK", rows: rows).lines(style)
        guard style.isInteractive else { return table }
        return (rows.isEmpty ? [] : table) + (report.isWhole ? ["", sentence(style)] : [])
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
    /// erasedValues unverifiedValues fault`.
    var json: [UInt8] {
        let counts = report.counts
        let document = Document(
            path: report.path, bytes: report.bytes, schema: report.schema, isWhole: report.isWhole,
            logs: counts.logs.map { Document.Log(id: "\($0.log)", size: $0.size) }, records: counts.records,
            commands: counts.commands, openCommands: counts.openCommands, personalValues: counts.personalValues,
            erasedValues: counts.erasedValues, unverifiedValues: counts.unverifiedValues,
            fault: Nullable(value: report.fault.map(Document.Fault.init)))
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
