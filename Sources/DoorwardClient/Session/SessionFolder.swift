internal import FoundationEssentials

/// The stored sign-ins of one person on this machine: `session.json` for the default sign-in, and `sessions/NAME.json` for each
/// named one.
package struct SessionFolder: Sendable {
    /// An absolute path.
    private let path: String

    /// - Parameter path: the folder, which is created when a session is stored.
    package init(_ path: String) { self.path = path }

    /// Returns the file of a sign-in, which need not exist.
    package func file(_ name: SessionName) -> SessionFile {
        SessionFile(path: name == .default ? "\(path)/session.json" : "\(path)/sessions/\(name).json", name: name)
    }

    /// Returns the names of the stored sign-ins, the default one first. Ignores files with other names.
    package func names() -> [SessionName] {
        let files = FileManager.default
        let entries = (try? files.contentsOfDirectory(atPath: "\(path)/sessions")) ?? []
        let named = entries.filter { $0.hasSuffix(".json") }.compactMap { SessionName(String($0.dropLast(".json".count))) }
            .filter { $0 != .default }
        return (files.fileExists(atPath: file(.default).path) ? [.default] : []) + named.sorted()
    }
}
