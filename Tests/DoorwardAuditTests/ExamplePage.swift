import DoorwardAudit

/// The section of docs/log-format.md that lists the fields of the gateway's first two records.
enum ExamplePage {
    static func text(of examples: WorkedExamples) throws -> String {
        let log = examples.logs[0]
        return try "\n" + keys(of: log)
            + log.records.prefix(2).enumerated().map { try record($0.element, seq: $0.offset) }.joined()
    }

    private static func keys(of log: WorkedExamples.ExampleLog) -> String {
        let used = Set(log.records.prefix(2).flatMap { $0.personal.map(\.owner) })
        let lines = used.sorted().compactMap { owner in log.keys[owner].map { "\(owner)  \($0)\n" } }
        return "The keys of the log `\(log.logId)` that are used here (of test records; a real key is never shown):\n\n```\n"
            + lines.joined() + "```\n"
    }

    private static func record(_ record: WorkedExamples.ExampleRecord, seq: Int) throws -> String {
        guard let bytes = [UInt8](hex: record.bytes) else { return "" }
        return "\n### Record \(seq): \(bytes.count) bytes\n\n```\n\(rows(of: bytes))```\n"
            + record.personal.map(personal).joined()
            + "\n```\nleaf hash             \(record.leafHash)\nfrontier of size \(seq + 1)    \(record.frontier)\n"
            + "root of size \(seq + 1)        \(record.root)\n```\n"
    }

    /// Returns two rows per field: the first has the number, length and value in hexadecimal, the
    /// second the name and the meaning.
    private static func rows(of bytes: [UInt8]) -> String {
        var rows = "\(Array(bytes[..<4]).hex) \(Array(bytes[4..<5]).hex)\n"
        var position = 5
        while position < bytes.count {
            let start = position + 3
            let end = start + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
            let value = Array(bytes[start..<end])
            let name = RecordField(rawValue: bytes[position]).map { "\($0)".replacing("ID", with: "Id") } ?? ""
            rows += "\(Array(bytes[position..<position + 1]).hex) \(Array(bytes[position + 1..<start]).hex) \(value.hex)\n"
            rows += "        \(name)\(meaning(of: value))\n"
            position = end
        }
        return rows
    }

    private static func meaning(of value: [UInt8]) -> String {
        if value.count == 32, value.contains(where: { $0 >= 0x80 }) { return ", a commitment" }
        guard value.contains(where: { $0 < 0x20 }) else { return " = \(String(decoding: value, as: UTF8.self))" }
        return value.count == 8 ? " = \(value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })" : ", a commitment"
    }

    private static func personal(_ value: WorkedExamples.ExamplePersonal) -> String {
        """

        `\(value.field)` is `\(value.value)`, under the key of `\(value.owner)`:

        ```
        salt        \(value.salt)
        commitment  \(value.commitment)
        sealed      \(value.sealed)
        ```

        """
    }
}
