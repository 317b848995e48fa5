internal import FoundationEssentials

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
        return PosixTimeZone(text).map {
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
