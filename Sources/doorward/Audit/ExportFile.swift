import DoorwardAudit
import Glibc

/// Verifies an export in a file, with a progress bar.
enum ExportFile {
    /// - Parameters:
    ///   - others: verified checkpoints of the same log to compare with.
    ///   - watch: receives each block before it is verified.
    /// - Throws: `CommandFailure` with code 1 for a changed export, with code 4 for an incomplete one.
    static func verify(
        _ path: String, origin: String, keys: [VerifierKey], comparingWith others: [Checkpoint] = [],
        watch: ([UInt8]) -> Void = { _ in }
    ) async throws -> ExportVerifier.Verdict {
        var file = try FileBlocks(path)
        let width = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))
        var verifier = ExportVerifier(origin: origin, keys: keys, comparingWith: others, width: width)
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
                "the export is incomplete: it ends in line \(line), and records are missing at the end. Those before are genuine."
        }
        let place = seq.map { "line \(line), record \($0)" } ?? "line \(line)"
        return "\(place): \(problem.sentence)"
    }
}

extension ExportFault.Problem {
    fileprivate var sentence: String {
        switch self {
        case .malformed: "this is no line of an export, or it was changed"
        case .checkpoint(let fault): "the checkpoint of the export: \(AuditFiles.sentence(fault))"
        case .otherKey: "the export is signed by another key than the expected one"
        case .otherLog: "this belongs to another log"
        case .notARecord: "the bytes are not a record of a version that this program reads"
        case .wrongSeq(let seq): "the record here has the number \(seq): a record is missing, doubled or out of place"
        case .wrongLeafHash: "the leaf hash is not that of the record's bytes: one of them was changed"
        case .wrongPersonalValue: "a personal value is not the one that the record commits to"
        case .wrongFields: "the fields are not those of the record's bytes: one of them was changed"
        case .earlierThanTheOneBefore: "the time of the record is before that of the record before"
        case .notIncluded: "the log of the checkpoint has another record with this number: the record was changed"
        case .wrongCount(let count): "the export says that it has \(count) records, and has another number of them"
        case .afterTheEnd: "there is something after the end of the export"
        case .incomplete: "the export is incomplete"
        }
    }
}
