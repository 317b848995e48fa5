/// Reads TZif files, versions 1 to 4 (RFC 9636).
enum TimeZoneFile {
    /// The content of a file as the rules of the zone `name`; `nil` if the file is damaged, or if it counts leap seconds (the zones
    /// in `right/`), which the gateway's clock does not.
    static func rules(named name: String, from bytes: [UInt8]) -> TimeZoneRules? {
        var reader = Reader(rest: bytes[...])
        guard let first = reader.header() else { return nil }
        guard first.version >= UInt8(ascii: "2") else {
            return reader.body(first, wordSize: 4).flatMap { table in rules(named: name, table, footer: nil) }
        }
        guard reader.skip(first.size(wordSize: 4)), let second = reader.header(),
            let table = reader.body(second, wordSize: 8), let text = reader.footer()
        else { return nil }
        if text.isEmpty { return rules(named: name, table, footer: nil) }
        return PosixTimeZone(text).flatMap { rules(named: name, table, footer: $0) }
    }

    private static func rules(named name: String, _ table: Table, footer: PosixTimeZone?) -> TimeZoneRules? {
        let isAscending = zip(table.transitions, table.transitions.dropFirst()).allSatisfy { $0 < $1 }
        guard let initial = table.offsets.first, isAscending, table.types.allSatisfy({ Int($0) < table.offsets.count })
        else { return nil }
        return TimeZoneRules(
            name: name, transitions: table.transitions, offsets: [initial] + table.types.map { table.offsets[Int($0)] },
            footer: footer)
    }

    private struct Table {
        var transitions: [Int64] = []
        /// For each transition the index of the offset after it.
        var types: [UInt8] = []
        var offsets: [Int32] = []
    }

    private struct Header {
        let version: UInt8
        let isUT: Int
        let isStandard: Int
        let leapSeconds: Int
        let transitions: Int
        let types: Int
        let characters: Int

        func size(wordSize: Int) -> Int {
            transitions * (wordSize + 1) + types * 6 + characters + leapSeconds * (wordSize + 4) + isStandard + isUT
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ count: Int) -> Bool {
            guard rest.count >= count else { return false }
            rest = rest.dropFirst(count)
            return true
        }

        /// Reads a two's complement number, the most significant byte first.
        mutating func number(_ size: Int) -> Int64? {
            guard rest.count >= size, let first = rest.first else { return nil }
            let sign: Int64 = first & 0x80 == 0 ? 0 : -1
            let value = rest.prefix(size).reduce(sign) { $0 << 8 | Int64($1) }
            rest = rest.dropFirst(size)
            return value
        }

        mutating func header() -> Header? {
            guard rest.starts(with: "TZif".utf8), skip(4), let version = rest.first, skip(16) else { return nil }
            var counts: [Int] = []
            for _ in 0..<6 {
                guard let count = number(4), (0...0xFFFF).contains(count) else { return nil }
                counts.append(Int(count))
            }
            return Header(
                version: version, isUT: counts[0], isStandard: counts[1], leapSeconds: counts[2], transitions: counts[3],
                types: counts[4], characters: counts[5])
        }

        mutating func body(_ header: Header, wordSize: Int) -> Table? {
            guard header.leapSeconds == 0, header.types > 0, rest.count >= header.size(wordSize: wordSize) else { return nil }
            var table = Table()
            for _ in 0..<header.transitions { table.transitions.append(number(wordSize) ?? 0) }
            table.types = Array(rest.prefix(header.transitions))
            rest = rest.dropFirst(header.transitions)
            for _ in 0..<header.types {
                table.offsets.append(Int32(truncatingIfNeeded: number(4) ?? 0))
                rest = rest.dropFirst(2)
            }
            rest = rest.dropFirst(header.characters + header.isStandard + header.isUT)
            return table.offsets.allSatisfy { abs(Int64($0)) < TimeZoneRules.maxOffset } ? table : nil
        }

        /// Reads the rule between two line feeds at the end of the file; empty if the file has none.
        mutating func footer() -> String? {
            guard rest.first == UInt8(ascii: "\n"), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\n")) else {
                return nil
            }
            return String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
        }
    }
}
