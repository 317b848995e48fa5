import DoorwardClient
import DoorwardDomain
import FoundationEssentials
import Glibc

/// The folder of the demo's database, its key, and its own session.
struct DemoFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    var database: String { "\(path)/doorward.db" }

    /// - Parameter wanted: a folder to be kept; `nil` for a temporary folder that is removed at the end.
    /// - Throws: an error if the folder cannot be created, or already contains a database.
    init(_ wanted: String?) throws {
        isTemporary = wanted == nil
        path = wanted ?? FileManager.default.temporaryDirectory.appending(component: "doorward-demo-\(UUID().uuidString)").path
        guard !FileManager.default.fileExists(atPath: database) else {
            throw CommandFailure("\(path.printable) contains a database already: name an empty folder, or remove it")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let cause = ((error as? CocoaError)?.underlying as? POSIXError).map { "\(SystemFailure($0.code.rawValue))" }
            throw CommandFailure("\(path.printable): this folder cannot be made: \(cause ?? "name another one with --folder")")
        }
    }

    /// The file of the demo's own session, which exists while the demo runs.
    var session: SessionFile { SessionFile(folder: "\(path)/session") }

    /// Removes the demo's own session, the only one in the folder.
    func removeSession() { try? FileManager.default.removeItem(atPath: "\(path)/session") }

    /// Removes a temporary folder; a folder given by the user is kept.
    func remove() {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Returns the message to print after the end of the demo.
    ///
    /// - Parameters:
    ///   - someone: the email address of a user who can sign in.
    ///   - password: the password of all users. If the folder is kept, this message shows the password for the last time.
    func closingMessage(someone: String, password: Secret<String>) -> String {
        guard !isTemporary else { return "The demo is over, and its database is removed." }
        return """
            The demo is over. \(path.printable) keeps its database and key; everybody still signs in, such as \
            \(someone) with the password \(password.reveal()), on
              \(DemoSignIns.programAsTyped) serve --store-path \(database.shellQuoted)
            """
    }
}
