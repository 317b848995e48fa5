import DoorwardDomain
import FoundationEssentials
import Glibc

/// A file in which the operator keeps what the gateway signs in to something else with.
struct SecretFile {
    let path: String
    /// What the file holds, and which key names it, as a sentence goes on with it: "the password of the broker `home`".
    let meaning: String

    /// What the file holds, without the line break at its end.
    ///
    /// - Parameter isSecret: refuses a file that others than its owner can read.
    /// - Throws: `CommandFailure`, which never says what is in the file.
    func text(isSecret: Bool) throws -> Secret<String> {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
        guard !isSecret || status.st_mode & 0o077 == 0 else {
            throw failure("can be read by others than its owner; run `chmod 600 \(path)`")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)), let text = String(validating: data, as: UTF8.self) else {
            throw failure("cannot be read: it is no file of UTF-8 text")
        }
        let line = text.split(whereSeparator: \.isNewline)
        guard line.count == 1, text.first?.isNewline == false, text.utf8.count <= 65_535 else {
            throw failure("must hold one line, and nothing else")
        }
        return Secret(String(line[0]))
    }

    private func failure(_ sentence: String) -> CommandFailure { CommandFailure("\(path): the file with \(meaning) \(sentence)") }
}
