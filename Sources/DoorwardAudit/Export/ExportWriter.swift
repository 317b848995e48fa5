import DoorwardDomain

/// Writes the lines of records as docs/log-format.md specifies them, section "Exports". They come after `ExportHeader.line` and before
/// `lastLine`. Several writers can write the parts of an export at the same time.
package struct ExportWriter: Sendable {
    /// Writes the objects of records; its text is the lines written since `take` was called last.
    private var lines: RecordObject<[UInt8]>

    /// - Parameters:
    ///   - log: the log of the records.
    ///   - byteCount: the bytes of the records that will be written, to reserve memory for their lines.
    package init(log: LogID, byteCount: Int = 0) {
        // A line has the record's bytes in base64, as a JSON object of at most twice their length, and usually one hash.
        lines = RecordObject(log: log, byteCount: byteCount * 4)
    }

    /// Returns the lines written since the last call.
    package mutating func take() -> [UInt8] {
        defer { lines.text = [] }
        return lines.text
    }

    /// Writes the line of a record.
    ///
    /// - Parameter proof: the hashes for the record in the order of `ExportProof.Plan`.
    /// - Throws: if the stored record is damaged: its bytes are not a record of the log, or a value does not match its commitment. The
    ///   line is incomplete then.
    package mutating func add(_ record: DisclosedRecord, proof: [Digest32]) throws(ExportFault.Problem) {
        Self.start(record, proof: proof, in: &lines.text)
        try lines.append(record.bytes, personal: record.personal)
        lines.text.append("}\n")
        guard lines.seq == record.seq else { throw .wrongSeq(lines.seq) }
    }

    /// Writes the line up to the object of the record.
    private static func start(_ record: DisclosedRecord, proof: [Digest32], in text: inout [UInt8]) {
        text.append("{\"seq\":")
        text.append(string: String(record.seq))
        text.append(",\"leafHash\":\"")
        record.leafHash.withBytes { Base64.append($0, to: &text) }
        text.append("\",\"proof\":[")
        for (index, hash) in proof.enumerated() {
            text.append(index > 0 ? ",\"" : "\"")
            hash.withBytes { Base64.append($0, to: &text) }
            text.append(UInt8(ascii: "\""))
        }
        text.append("],\"bytes\":\"")
        Base64.append(record.bytes, to: &text)
        text.append("\",\"personal\":[")
        for (index, disclosed) in record.personal.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            guard let disclosed else {
                text.append("null")
                continue
            }
            text.append(UInt8(ascii: "["))
            CanonicalJSON.append(disclosed.value, to: &text)
            text.append(",\"")
            disclosed.salt.withBytes { Base64.append($0, to: &text) }
            text.append("\"]")
        }
        text.append("],\"record\":")
    }

    /// The last line, without which an export is incomplete.
    ///
    /// - Parameter count: the number of all records of the export.
    package static func lastLine(count: UInt64) -> [UInt8] { Array("{\"records\":\(count)}\n".utf8) }
}
