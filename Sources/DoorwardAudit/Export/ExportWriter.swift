import DoorwardDomain

/// Writes the lines of records as docs/log-format.md specifies them, section "Exports". They come after `ExportHeader.line` and before
/// `lastLine`. Several writers can write the parts of an export at the same time.
package struct ExportWriter: Sendable {
    /// The lines written since `take` was called last.
    private var text: [UInt8] = []
    private var object: RecordObject<[UInt8]>

    /// - Parameters:
    ///   - log: the log of the records.
    ///   - byteCount: the bytes of the records that will be written, to reserve memory for their lines.
    package init(log: LogID, byteCount: Int = 0) {
        object = RecordObject(log: log)
        // A line has the record's bytes in base64, as a JSON object of at most twice their length, and usually one hash.
        text.reserveCapacity(byteCount * 4)
    }

    /// Returns the lines written since the last call.
    package mutating func take() -> [UInt8] {
        defer { text = [] }
        return text
    }

    /// Writes the line of a record.
    ///
    /// - Parameter proof: the hashes for the record in the order of `ExportProof.Plan`.
    /// - Throws: if the stored record is damaged: its bytes are not a record of the log, or a value does not match its commitment.
    package mutating func add(_ record: DisclosedRecord, proof: [Digest32]) throws(ExportFault.Problem) {
        try object.write(record.bytes, personal: record.personal)
        guard object.seq == record.seq else { throw .wrongSeq(object.seq) }
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
        text.append(contentsOf: object.text)
        text.append("}\n")
    }

    /// The last line, without which an export is incomplete.
    ///
    /// - Parameter count: the number of all records of the export.
    package static func lastLine(count: UInt64) -> [UInt8] { Array("{\"records\":\(count)}\n".utf8) }
}
