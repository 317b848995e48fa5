import Foundation

/// A temporary folder that is deleted after the test.
final class ProfileFolder {
    let path = NSTemporaryDirectory() + "profiles-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)")) }
}
