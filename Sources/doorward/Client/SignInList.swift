import DoorwardClient
import DoorwardDomain
import FoundationEssentials

// This import is needed because DoorwardDomain has a type `Session`, too.
import struct DoorwardClient.Session

/// The sign-ins on this machine, as `doorward whoami --all` shows them.
struct SignInList {
    private let entries: [Entry]

    /// One sign-in, or the problem of its file.
    private struct Entry {
        let name: SessionName
        let session: Session?
        let problem: String?
        let isCurrent: Bool
    }

    /// - Throws: an error if there is no folder for sign-ins, or if the name of the current one is invalid.
    init(_ access: ClientAccess) throws {
        let (sessions, current) = (try access.sessions(), try access.name())
        entries = sessions.names().compactMap { name in
            let isCurrent = name == current && access.token == nil
            do throws(ClientError) {
                // Skip a sign-in that was removed meanwhile.
                return try sessions.file(name).read().map { Entry(name: name, session: $0, problem: nil, isCurrent: isCurrent) }
            } catch {
                return Entry(name: name, session: nil, problem: CommandFailure(error).sentence, isCurrent: isCurrent)
            }
        }
    }

    func lines(_ style: OutputStyle) -> [String] {
        if entries.isEmpty { return style.isInteractive ? ["There are no sign-ins on this machine."] : [] }
        let rows = entries.map { entry -> [Table.Cell] in
            [
                Table.Cell(entry.name.description, .bold), Table.Cell(entry.session.map { $0.email ?? "an API key" }),
                Table.Cell(entry.session?.server),
                entry.session.map { Table.Cell(Self.validity(of: $0, style)) } ?? Table.Cell(entry.problem, .red),
                Table.Cell(entry.isCurrent ? "yes" : "no", entry.isCurrent ? .green : nil),
            ]
        }
        var table = Table("NAME", "WHO", "SERVER", "SESSION", "IN USE", rows: rows)
        table.fittings = [.cut(to: 7), .cut(to: 12), .cut(to: 12), .cut(to: 17), .whole]
        return table.lines(style)
    }

    /// Returns the expiry of a session's credential, if it is known.
    static func validity(of session: Session, _ style: OutputStyle) -> String {
        guard let expiresAt = session.expiresAt else { return "an API key" }
        return "token until \(style.instant(Timestamp(milliseconds: expiresAt * 1000).description)), renewed by itself"
    }

    /// `{"signIns": [{"name", "email", "server", "tokenExpiresAt", "caFile", "isInUse", "problem"}]}`.
    var json: [UInt8] {
        let items = entries.map { entry in
            Document.Item(
                name: entry.name.description, email: entry.session?.email, server: entry.session?.server,
                tokenExpiresAt: entry.session?.expiresAt.map { Timestamp(milliseconds: $0 * 1000).description },
                caFile: entry.session?.caFile, isInUse: entry.isCurrent, problem: entry.problem)
        }
        return JSONOutput.document(Document(signIns: items))
    }

    private struct Document: Encodable {
        let signIns: [Item]

        struct Item: Encodable {
            let name: String
            let email: String?
            let server: String?
            let tokenExpiresAt: String?
            let caFile: String?
            let isInUse: Bool
            let problem: String?
        }
    }
}
