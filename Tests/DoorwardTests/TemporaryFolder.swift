import FoundationEssentials

/// A folder for one test, deleted with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(component: "doorward-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }
}
