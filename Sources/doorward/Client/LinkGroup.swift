import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward link`: creates and ends links of guest accesses.
struct LinkGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Create and end the link of a guest access, with which a guest needs no account.",
        discussion: """
            Whoever has the link can use the guest access until it ends. A guest access has at most one link.

            ACCESS is an id, as `doorward grants` lists it, or a label or guest's name that only one current access has.
            """,
        subcommands: [LinkCreate.self, LinkEnd.self])
}

/// `doorward link create`: creates the link of a guest access.
struct LinkCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create the link of a guest access, and print it once.",
        discussion: """
            A new link replaces an earlier one, which stops working at once. On a terminal a QR code of the link is printed too.

            Example: doorward link create Plumber
            """)

    @OptionGroup var access: NounArgument<Doorward.GuestAccess>

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, access) = try await access.find(at: output.gateway)
        let answer = try await client.guestAccesses.createLink(of: access.id)
        output.print(json: answer.json) { answer.content.lines(access: access.id, $0) }
        output.warn([answer.content.warning?.printable].compactMap(\.self))
    }
}

/// `doorward link end`: ends the link of a guest access.
struct LinkEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End the link of a guest access at once.",
        discussion: """
            The guest access itself stays: `doorward revoke` ends both. After exit code 0 no command of the link's holder is sent \
            any more.

            Example: doorward link end Plumber
            """)

    @OptionGroup var access: NounArgument<Doorward.GuestAccess>

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let (client, access) = try await access.find(at: gateway)
        try await client.guestAccesses.endLink(of: access.id)
        StandardStream.tell("Ended the link of \(access.nameAndID).", values: access.id, "link ended")
    }
}

extension Doorward.GuestLink {
    /// Joins the gateway's JSON of a new guest access and of its link, `{"guestAccess":…}` and `{"link":…}`, to one object.
    static func json(granted: [UInt8], link: [UInt8]) -> [UInt8] {
        granted.dropLast() + [UInt8(ascii: ",")] + link.dropFirst()
    }

    /// Returns the lines to print: on a terminal the link, its QR code and an explanation; in a pipe the link alone.
    ///
    /// - Parameter access: the id of the guest access.
    func lines(access: String, _ style: OutputStyle) -> [String] {
        guard style.isInteractive else { return [url.printable] }
        return ["The link of the guest access, until \(style.instant(expiresAt)):", "  \(url.printable)"]
            + (QRCode(url)?.terminalLines(hasColour: style.hasColour) ?? []) + [
                "It is not shown again. Whoever has it can use it: hand it over to the guest only.",
                "`doorward link end \(access.shellQuoted)` ends it.",
            ] + (warning.map { [$0.printable] } ?? [])
    }
}
