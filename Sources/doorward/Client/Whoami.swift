import ArgumentParser
import DoorwardClient
import DoorwardDomain
import FoundationEssentials

import struct DoorwardClient.Session

// This import is needed because DoorwardDomain has a type `Session`, too.

/// `doorward whoami`: shows the current sign-in, or all of them.
struct Whoami: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show who is signed in, and where.",
        discussion: """
            Asks the gateway who is signed in: with the sign-in of --as NAME, else with the token in the environment, else with the \
            default sign-in. --json prints the gateway's own response.

            --all lists the sign-ins on this machine, without a request to a gateway.

            Example: doorward whoami --as work
            """)

    @Flag(help: "List all sign-ins on this machine; no request is sent.")
    var all = false

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let access = output.gateway.access
        if all {
            let list = try SignInList(access)
            return output.print(json: list.json) { list.lines($0) }
        }
        let client = try access.client()
        let answer = try await user(client, access)
        if output.json, let answer { return output.print(json: answer.json) { _ in [] } }
        let (user, credential) = (answer?.content, try Self.credential(access))
        let places = try await NameResolver(client).names(of: user.map { Doorward.User.kinds(shownWith: [$0]) } ?? [])
        output.print(json: []) { Self.lines(user, server: client.server.description, credential, places: places, $0) }
    }

    /// - Returns: `nil` for a valid API key that belongs to no user.
    private func user(_ client: DoorwardClient, _ access: ClientAccess) async throws -> Response<Doorward.User>? {
        do {
            return try await client.users.me()
        } catch ClientError.refused(let refusal) where !output.json && (refusal.status == 403 || refusal.status == 404) {
            if try Self.credential(access).expiresAt == nil { return nil }
            throw ClientError.refused(refusal)
        }
    }

    private static func credential(_ access: ClientAccess) throws -> Credential {
        if let token = access.token { return Credential(token: token) }
        // Read the session again: the request may have renewed it.
        guard let (file, session) = try access.session() else { throw ClientError.notSignedIn(server: access.server) }
        return Credential(file.name, session)
    }

    /// Returns a line for each value, with the value's name first.
    ///
    /// - Parameter user: `nil` for an API key that belongs to no user.
    static func lines(
        _ user: Doorward.User?, server: String, _ credential: Credential, places: [String: String], _ style: OutputStyle
    ) -> [String] {
        let facts: [[Table.Cell]] = [
            ["email", Table.Cell(user?.email)], ["name", Table.Cell(user == nil ? "an API key" : user?.fullName, .bold)],
            ["roles", Table.Cell(user.flatMap { $0.roles(places: places) })], ["server", Table.Cell(server)],
            ["sign-in", Table.Cell(credential.name)], ["session", Table.Cell(credential.validity(style))],
        ]
        return Table("", "", rows: facts).lines(style, withHeadings: false)
    }
}

/// What identifies the caller to the gateway.
struct Credential: Equatable {
    /// The name of the sign-in, or the variable that contains the token.
    let name: String
    /// When the access token expires; `nil` for an API key.
    let expiresAt: Timestamp?
    /// Whether the client renews the access token.
    private let isRenewed: Bool

    init(_ name: SessionName, _ session: Session) {
        (self.name, isRenewed) = (name.description, true)
        expiresAt = session.expiresAt.map { Timestamp(milliseconds: $0 * 1000) }
    }

    init(token: String) { (name, expiresAt, isRenewed) = ("DOORWARD_TOKEN", Timestamp(expiryOf: token), false) }

    /// Returns the expiry of the access token, if it is known. The API does not return the end of a session.
    func validity(_ style: OutputStyle) -> String {
        guard let time = expiresAt.map({ style.instant(Doorward.Instant($0)) }) else { return "an API key" }
        return isRenewed ? "token until \(time), renewed by itself" : "until \(time), not renewed"
    }
}

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
        Table(
            entries,
            [
                Column("NAME", .cut(to: 7)) { Table.Cell($0.name.description, .bold) },
                Column("WHO", .cut(to: 12)) { Table.Cell($0.session.map { $0.email ?? "an API key" }) },
                Column("SERVER", .cut(to: 12)) { Table.Cell($0.session?.server) },
                Column("SESSION", .cut(to: 17)) { entry in
                    entry.session.map { Table.Cell(Credential(entry.name, $0).validity(style)) }
                        ?? Table.Cell(entry.problem, .red)
                },
                Column("IN USE") { Table.Cell($0.isCurrent ? "yes" : "no", $0.isCurrent ? .green : nil) },
            ]
        ).lines(style, empty: "There are no sign-ins on this machine.")
    }

    /// `{"signIns": [{"name", "email", "server", "tokenExpiresAt", "caFile", "isInUse", "problem"}]}`.
    var json: [UInt8] {
        let items = entries.map { entry -> [String: Doorward.JSONValue] in
            let expiresAt = entry.session.flatMap { Credential(entry.name, $0).expiresAt?.description }
            let texts = [
                "name": entry.name.description, "email": entry.session?.email, "server": entry.session?.server,
                "tokenExpiresAt": expiresAt, "caFile": entry.session?.caFile, "problem": entry.problem,
            ]
            return texts.compactMapValues { $0.map { .string($0) } }.merging(["isInUse": .bool(entry.isCurrent)]) { $1 }
        }
        return JSONOutput.document(["signIns": items])
    }
}
