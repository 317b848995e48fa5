import ArgumentParser
import DoorwardClient
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import FoundationEssentials
import Logging

/// `doorward admin`: commands for the host's operator that work directly on the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manage the database of a stopped gateway.",
        subcommands: [AdminCreate.self, AdminRecover.self])
}

/// `doorward admin create`: creates the first super admin directly in the database.
struct AdminCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a super admin, who can then create portfolios and users.",
        discussion: """
            Asks for the password on the terminal, twice and without showing it. A password has at least 15 characters and at \
            most 1,024 bytes, and must not be a commonly used one. No gateway may run on the database.
            """)

    @Option(help: ArgumentHelp("The address that the person signs in with.", valueName: "address"), transform: { $0.trimmed })
    var email: String

    @Option(help: ArgumentHelp("The person's first name.", valueName: "name"))
    var firstName = "Super"

    @Option(help: ArgumentHelp("The person's last name.", valueName: "name"))
    var lastName = "Admin"

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    @OptionGroup var store: StoreOptions

    func validate() throws {
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), email.utf8.count <= 254,
            email.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
        else { throw ValidationError("`\(email)` is not an e-mail address.") }
    }

    func run() async throws {
        let configuration = try store.configuration()
        // Check first that no gateway has the database open, so that the password is not typed in vain. A new database file is
        // created only after the password was read.
        let early = FileManager.default.fileExists(atPath: configuration.store.path) ? nil : try newPassword()
        try await configuration.withAdministration { host in
            let password = try early ?? newPassword()
            do {
                _ = try await host.createSuperAdmin(email: email, firstName: firstName, lastName: lastName, password: password)
            } catch GatewayError.alreadyExists {
                throw CommandFailure("\(email): a user of this address exists already; nothing was done")
            }
        }
        StandardStream.output.line("\(email) is now a super admin in \(configuration.store.path)")
    }

    /// Reads a password that satisfies `PasswordRules`.
    private func newPassword() throws -> Secret<String> {
        let password = try PasswordPrompt.newPassword(fromStandardInput: passwordStdin)
        switch PasswordRules.problem(with: password) {
        case nil: return password
        case "too_short":
            throw CommandFailure("the password is too short: it needs \(PasswordRules.minCharacters) characters at least")
        case "too_long": throw CommandFailure("the password is too long: it may have \(PasswordRules.maxBytes) bytes at most")
        case _?: throw CommandFailure("the password is a commonly used one; choose another")
        }
    }
}

/// `doorward admin recover`: creates a one-time link for a super admin who forgot the password.
struct AdminRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Create a one-time link that sets a super admin's password.",
        discussion: """
            The link is valid for 24 hours; an earlier link for the same person becomes invalid. The holder of the link can \
            take over the account: hand it over in person. Using it ends all sessions of the user.

            The link begins with gateway.publicUrl of the configuration. If that is not set, only the path is printed.

            No gateway may run on the database meanwhile; start it afterwards.

            Example: doorward admin recover --email you@example.org
            """)

    @Option(help: ArgumentHelp("The address that the person signs in with.", valueName: "address"), transform: { $0.trimmed })
    var email: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let configuration = try store.configuration()
        // Opening a missing file would create a database, which contains no user to recover.
        guard FileManager.default.fileExists(atPath: configuration.store.path) else {
            throw CommandFailure("\(configuration.store.path): there is no such database; name it with --store-path or --config")
        }
        let offer = try await configuration.withAdministration { host in
            do {
                return try await host.recover(email: email)
            } catch GatewayError.notFound {
                throw CommandFailure("\(email.printable): no user has this address; nothing was done")
            } catch GatewayError.conflict(let sentence) {
                throw CommandFailure("\(email.printable): nothing was done. \(sentence)")
            }
        }
        let reset = ResetView(offer: offer, http: configuration.http)
        output.print(json: reset.json) { reset.lines($0) }
        // If a program reads the output, the remark goes to standard error, where a person may still see it.
        if let remark = reset.remark, output.json || !OutputStyle.output.isInteractive {
            StandardStream.error.line("doorward: \(remark)")
        }
    }
}

extension GatewayConfiguration {
    /// Opens the store of a stopped gateway for `body`, and closes it.
    fileprivate func withAdministration<Result>(_ body: (OfflineAdministration) async throws -> Result) async throws -> Result {
        let clock = SystemClock()
        return try await withStore(clock: clock) { store in
            do {
                return try await body(
                    OfflineAdministration(
                        store: store, clock: clock, random: RandomSource(), passwordCost: limits.passwordCost))
            } catch let error as GatewayError {
                throw CommandFailure("the database could not be written: \(error)")
            }
        }
    }
}

/// Prints the offer of a password reset: the link, or the request that does the same.
struct ResetView {
    let offer: PasswordReset.Offer
    /// The gateway's public address, the beginning of the link, and its address on this machine.
    let http: HTTPSettings

    /// The link; without a public address only a path.
    private var url: String { offer.url(under: http.publicURL).reveal() }

    /// A text about the part that is missing from the link; `nil` if the link is complete.
    var remark: String? {
        http.publicURL == nil
            ? "the link lacks the gateway's address, because gateway.publicUrl is not set; put it before the path" : nil
    }

    /// Returns the lines to print: on a terminal the link, and the request that sets the password without the web page; in a pipe
    /// the link and its expiry.
    func lines(_ style: OutputStyle) -> [String] {
        guard style.isInteractive else { return ["\(url)\t\(offer.expiresAt)"] }
        let until = style.instant(Doorward.Instant(offer.expiresAt))
        let gateway = http.publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? http.ownAddress()
        return [
            "\(offer.user.email.printable) can set a new password, once and until \(until), with this link:",
            "  \(url)",
        ] + (remark.map { ["  \($0)"] } ?? []) + [
            "Or, while the gateway runs:",
            "  curl \(gateway)/api/v1/auth/reset-password -H 'Content-Type: application/json' \\",
            "    --data '{\"token\":\"\(offer.token.reveal())\",\"newPassword\":\"…\"}'",
        ]
    }

    /// `{"reset": {"url", "token", "expiresAt"}}`, as in the API.
    var json: [UInt8] {
        let reset = ["url": url, "token": offer.token.reveal(), "expiresAt": "\(offer.expiresAt)"]
        return JSONOutput.document(["reset": reset])
    }
}
