internal import FoundationEssentials
internal import Synchronization

/// The time zones of a folder of TZif files, such as `/usr/share/zoneinfo` from the system's package `tzdata`.
///
/// A file is read when its zone is first used, and stays in memory. New zone data are in force after a restart.
package final class TimeZoneDatabase: Sendable {
    /// The zones of the system. Without any zone data there are none but UTC.
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

    /// Whether a text has the form of a name. No such text is a path out of the folder.
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
