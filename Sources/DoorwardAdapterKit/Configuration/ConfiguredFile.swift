package import DoorwardDomain
internal import FoundationEssentials
internal import Glibc

/// A file or folder that a setting names and that the gateway needs to start.
package struct ConfiguredFile {
    /// The path; relative to the current folder if it does not begin with `/`.
    package let path: String
    /// The beginning of an error message about the file: the origin of the setting, and the setting's key.
    package let setting: String

    /// - Parameter setting: the beginning of an error message about the file.
    package init(path: String, setting: String) { (self.path, self.setting) = (path, setting) }

    /// - Throws: one sentence if the path is not a file or cannot be read.
    package func requireReadable() throws(ConfigurationError) {
        let status = try opened("file")
        guard status.st_mode & S_IFMT != S_IFDIR else { throw unreadable("file", "it is a folder") }
    }

    /// - Throws: one sentence if the path is not a folder or cannot be read.
    package func requireFolder() throws(ConfigurationError) {
        let status = try opened("folder")
        guard status.st_mode & S_IFMT == S_IFDIR else { throw unreadable("folder", "it is not a folder") }
    }

    /// Returns the only line of the file, without the line break at its end.
    ///
    /// - Parameter isSecret: whether to reject a file that users other than its owner can read.
    /// - Throws: one sentence, which never contains the content of the file.
    package func line(isSecret: Bool) throws(ConfigurationError) -> Secret<String> {
        let status = try opened("file")
        guard !isSecret || status.st_mode & 0o077 == 0 else {
            throw mistake("file", "can be read by others than its owner; run `chmod 600 \(path)`")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)), let text = String(validating: data, as: UTF8.self) else {
            throw unreadable("file", "it is not a UTF-8 text file")
        }
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count == 1, text.first?.isNewline == false, text.utf8.count <= 65_535 else {
            throw mistake("file", "must contain exactly one line")
        }
        return Secret(String(lines[0]))
    }

    /// Opens the file to test whether it can be read, and returns its status. The permissions alone do not determine this.
    private func opened(_ kind: String) throws(ConfigurationError) -> stat {
        // Open without blocking, because the path may be a pipe without a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(kind, SystemFailure.last.description) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(kind, SystemFailure.last.description) }
        return status
    }

    private func unreadable(_ kind: String, _ why: String) -> ConfigurationError {
        mistake(kind, "cannot be read: \(why)")
    }

    private func mistake(_ kind: String, _ sentence: String) -> ConfigurationError {
        ConfigurationError("\(setting): the \(kind) `\(path)` \(sentence)")
    }
}
