internal import FoundationEssentials

/// The sign-ins that one person keeps on this machine: `session.json`, and `sessions/NAME.json` for each that has a name.
package struct SessionFolder: Sendable {
    /// An absolute path.
    private let path: String

    /// - Parameter path: the folder, which is made when a session is kept.
    package init(_ path: String) { self.path = path }

    /// The file of a sign-in, whether or not it is there.
    package func file(_ name: SessionName) -> SessionFile {
        SessionFile(path: name == .default ? "\(path)/session.json" : "\(path)/sessions/\(name).json", name: name)
    }

    /// The names of the sign-ins that are kept, the default one first. Files with other names are passed over.
    package func names() -> [SessionName] {
        let files = FileManager.default
        let entries = (try? files.contentsOfDirectory(atPath: "\(path)/sessions")) ?? []
        let named = entries.filter { $0.hasSuffix(".json") }.compactMap { SessionName(String($0.dropLast(".json".count))) }
            .filter { $0 != .default }
        return (files.fileExists(atPath: file(.default).path) ? [.default] : []) + named.sorted()
    }
}
