import DoorwardDomain

/// The first line of an export: what it contains, and the checkpoint that the records are verified with.
package struct ExportHeader: Hashable, Sendable {
    /// The log of the records.
    package let log: LogID
    /// The numbers of the records in a complete export, in which none of them is missing; `nil` for a partial export.
    package let range: Range<UInt64>?
    /// The signed checkpoint as text.
    package let checkpoint: String
    /// The public key of the checkpoint's signature, as C2SP signed-note writes it.
    package let publicKey: String

    /// The name and version of the format.
    package static let format = "doorward-export/1"

    package init(log: LogID, range: Range<UInt64>?, checkpoint: String, publicKey: String) {
        (self.log, self.range, self.checkpoint, self.publicKey) = (log, range, checkpoint, publicKey)
    }

    /// Whether the export states that no record of its range is missing.
    package var isComplete: Bool { range != nil }

    /// The line with its line break.
    package var line: [UInt8] {
        var text = Array("{\"format\":\"\(Self.format)\",\"complete\":\(isComplete),\"logId\":\"\(log)\"".utf8)
        if let range { text.append(contentsOf: ",\"from\":\(range.lowerBound),\"until\":\(range.upperBound)".utf8) }
        text.append(contentsOf: ",\"checkpoint\":".utf8)
        CanonicalJSON.append(checkpoint, to: &text)
        text.append(contentsOf: ",\"publicKey\":".utf8)
        CanonicalJSON.append(publicKey, to: &text)
        text.append(contentsOf: "}\n".utf8)
        return text
    }

    /// Reads a line without its line break.
    ///
    /// - Returns: `nil` unless the line is exactly that of a header.
    package init?(parsing line: [UInt8]) {
        guard var scanner = CanonicalJSONScanner(line[...]), scanner.skip("{\"format\":"), scanner.string() == Self.format,
            scanner.skip(",\"complete\":")
        else { return nil }
        let isComplete = scanner.skip("true")
        guard isComplete || scanner.skip("false"), scanner.skip(",\"logId\":"), let log = scanner.string().flatMap({ LogID($0) })
        else { return nil }
        var range: Range<UInt64>?
        if isComplete {
            guard scanner.skip(",\"from\":"), let from = scanner.integer(), scanner.skip(",\"until\":"),
                let until = scanner.integer(), from >= 0, from < until
            else { return nil }
            range = UInt64(from)..<UInt64(until)
        }
        guard scanner.skip(",\"checkpoint\":"), let checkpoint = scanner.string(), scanner.skip(",\"publicKey\":"),
            let publicKey = scanner.string(), scanner.skip("}"), scanner.isAtEnd
        else { return nil }
        self.init(log: log, range: range, checkpoint: checkpoint, publicKey: publicKey)
        // A log id has other spellings, which no gateway writes.
        guard self.line.dropLast().elementsEqual(line) else { return nil }
    }
}
