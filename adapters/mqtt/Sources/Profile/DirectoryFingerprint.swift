internal import FoundationEssentials

/// A fingerprint of the profile folders, to detect changed files.
struct DirectoryFingerprint: Hashable {
    private struct File: Hashable {
        let path: String
        let modified: Date?
        let size: Int?
    }

    private let files: [File]

    /// Reads names, modification times and sizes, not the contents.
    init(of directories: [String]) {
        files = directories.flatMap { directory in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return names.sorted().map { name in
                let path = "\(directory)/\(name)"
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                return File(
                    path: path, modified: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? Int)
            }
        }
    }
}
