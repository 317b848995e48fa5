internal import FoundationEssentials

/// A profile file on disk.
package struct ProfileFile: Sendable {
    private let path: String

    /// - Parameter path: also the name in messages.
    package init(path: String) { self.path = path }

    /// Reads the profile.
    ///
    /// - Throws: every mistake of the file, or that it cannot be read.
    package func profile() throws(ProfileErrors) -> Profile { try Profile(yaml: text(), file: path) }

    private func text() throws(ProfileErrors) -> String {
        guard let handle = FileManager.default.contents(atPath: path) else { throw mistake("the file cannot be read") }
        guard handle.count <= Profile.maxFileBytes else {
            throw mistake("the file is longer than \(Profile.maxFileBytes) bytes; a profile is a page or two")
        }
        // The operator's own file, stream-safe or not; its values are compared with stream-safe ones.
        guard let text = String(validating: handle, as: UTF8.self) else { throw mistake("the file is not UTF-8 text") }
        return text
    }

    private func mistake(_ sentence: String) -> ProfileErrors {
        ProfileErrors(file: path, [ProfileErrors.Mistake(line: nil, key: "", message: sentence)])
    }
}
