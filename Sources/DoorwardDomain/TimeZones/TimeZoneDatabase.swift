internal import FoundationEssentials
internal import Synchronization

/// The time zones of a folder of TZif files, such as `/usr/share/zoneinfo` from the system's package `tzdata`.
///
/// A file is read when its zone is first used, and stays in memory. New zone data are in force after a restart.
package final class TimeZoneDatabase: Sendable {
    /// The zones of the system. Without zone data, UTC is the only zone.
    package static let system = TimeZoneDatabase(
        folder: ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"].first {
            FileManager.default.fileExists(atPath: $0 + "/UTC")
        } ?? "/usr/share/zoneinfo")

    /// The absolute path of the folder.
    let folder: String
    private let read: Mutex<[String: TimeZoneRules]> = Mutex([:])

    package init(folder: String) { self.folder = folder }

    /// The rules of a zone; `nil` if the name is not that of a zone.
    ///
    /// Names are `UTC` and those with a slash, in their exact case. Abbreviations such as `EST`, and the server's own zone
    /// (`localtime`), are not accepted.
    package func rules(of name: String) -> TimeZoneRules? {
        if let known = read.withLock({ $0[name] }) { return known }
        guard Self.isName(name), let rules = load(name) else { return nil }
        return read.withLock { zones in
            if let known = zones[name] { return known }
            zones[name] = rules
            return rules
        }
    }

    /// The rules of `UTC`.
    package var utc: TimeZoneRules {
        rules(of: "UTC") ?? TimeZoneRules(name: "UTC", transitions: [], offsets: [0], footer: nil)
    }

    /// The names of all zones, sorted.
    package var names: [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return (Set(paths).union(["UTC"])).filter { Self.isName($0) && load($0) != nil }.sorted()
    }

    private func load(_ name: String) -> TimeZoneRules? {
        guard let file = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
            return name == "UTC" ? TimeZoneRules(name: name, transitions: [], offsets: [0], footer: nil) : nil
        }
        return TimeZoneFile.rules(named: name, from: [UInt8](file))
    }

    /// Whether a text has the form of a name. A text of this form cannot be a path that leaves the folder.
    private static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text == "UTC" || parts.count > 1, text.utf8.count <= 64, !["posix", "right"].contains(parts[0]) else {
            return false
        }
        return parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    switch UInt8(ascii: " ") < byte && byte < 0x7F ? Character(Unicode.Scalar(byte)) : " " {
                    case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "+": true
                    default: false
                    }
                }
        }
    }
}

extension TimeZoneDatabase {
    /// The rules of the machine's own zone, which the C library finds in the same places: in the variable `TZ`, else in the file
    /// `/etc/localtime`. Reads files: call it at the start, and again only after a restart.
    ///
    /// - Parameters:
    ///   - variable: the value of `TZ`: a name (`Europe/Berlin`), a rule (`CET-1CEST,M3.5.0,M10.5.0/3`) or the absolute path of a
    ///     file, with or without a colon before it. Empty for UTC; `nil` if it is not set.
    ///   - localtime: the file of the zone without the variable.
    /// - Returns: `nil` if there is no such zone.
    package func hostRules(variable: String?, localtime: String = "/etc/localtime") -> TimeZoneRules? {
        guard let variable else { return rules(inFile: localtime) }
        let text = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        if text.isEmpty { return utc }
        if text.hasPrefix("/") { return rules(inFile: text) }
        if let rules = rules(of: text) ?? rules(inFile: "\(folder)/\(text)") { return rules }
        // Without a rule for the second offset, the C library takes the one of the United States.
        return (PosixTimeZone(text) ?? PosixTimeZone(text + ",M3.2.0,M11.1.0")).map {
            TimeZoneRules(name: text, transitions: [], offsets: [Int32(clamping: $0.standard)], footer: $0)
        }
    }

    /// The rules of a file, with the name that its path gives: `/etc/localtime` is a link to the file of a zone on most systems.
    private func rules(inFile path: String) -> TimeZoneRules? {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let parts = resolved.split(separator: "/")
        let name = parts.lastIndex(of: "zoneinfo").map { parts[($0 + 1)...].joined(separator: "/") } ?? path
        if let rules = rules(of: name) { return rules }
        return FileManager.default.contents(atPath: path).flatMap { TimeZoneFile.rules(named: name, from: [UInt8]($0)) }
    }
}

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
