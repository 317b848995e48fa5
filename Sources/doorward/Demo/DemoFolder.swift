import DoorwardClient
import DoorwardDomain
import FoundationEssentials

/// Where the demo keeps its database, its key, and its own session.
struct DemoFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    var database: String { "\(path)/doorward.db" }

    /// - Parameter wanted: a folder that the caller wants to keep; `nil` for one that is removed at the end.
    /// - Throws: a failure for a folder that cannot be made, or that holds a database already.
    init(_ wanted: String?) throws {
        isTemporary = wanted == nil
        path = wanted ?? FileManager.default.temporaryDirectory.appending(component: "doorward-demo-\(UUID().uuidString)").path
        guard !FileManager.default.fileExists(atPath: database) else {
            throw CommandFailure("\(path.printable) holds a database already: name an empty folder, or remove it")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("\(path.printable): this folder cannot be made; name another one with --folder")
        }
    }

    /// Where the demo's own session is kept while it runs.
    var session: SessionFile { SessionFile(folder: "\(path)/session") }

    /// Removes the demo's own session; nobody else's is kept here.
    func removeSession() { try? FileManager.default.removeItem(atPath: "\(path)/session") }

    /// Removes a temporary folder; one that was wanted stays.
    func remove() {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }

    /// What becomes of it, once the demo is over.
    ///
    /// - Parameters:
    ///   - someone: the email address of one who can sign in.
    ///   - password: everybody's: where the folder stays, this is the last time that anybody can read it.
    func closingMessage(someone: String, password: Secret<String>) -> String {
        guard !isTemporary else { return "The demo is over, and its database is removed." }
        return """
            The demo is over. \(path.printable) keeps its database and key; everybody still signs in, such as \
            \(someone) with the password \(password.reveal()), on
              \(DemoSignIns.programAsTyped) serve --store-path \(database.printable)
            """
    }
}
