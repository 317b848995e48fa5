import ArgumentParser
import DoorwardClient
import DoorwardDomain

/// `doorward lockdown`: starts the lockdown of a property.
struct LockdownCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockdown",
        abstract: "Lock all locks of a property, and keep them from being opened through the gateway.",
        discussion: """
            Does not ask. The lockdown is in force before the locks move: from then on nobody opens a lock of the property through \
            the gateway, except owners and portfolio admins with `doorward unlock --override`. It stays in force, also after a \
            restart of the gateway, until `doorward lift`. People inside can leave as always: a lockdown has no effect on what can be done \
            at the lock itself.

            Prints the outcome for each lock. If not every lock has confirmed, the exit code is 1; the lockdown is in force \
            nevertheless. If you run the command again, it locks the locks that are not locked yet.

            Example: doorward lockdown "Quay 1" --reason "fire alarm in the next building"
            """)

    @OptionGroup var argument: NounArgument<Doorward.Property>

    @Option(help: ArgumentHelp("Why, for the log.", valueName: "reason"))
    var reason: String?

    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, found) = try await argument.find(at: output.gateway)
        let answer = try await Progress("Locking down \(found.name)").during {
            try await namingOptions(["reason": "--reason"]) {
                try await client.properties.startLockdown(of: found.id, reason: reason)
            }
        }
        // The names are only for display: the lockdown has started, whether or not they can be read.
        let locks = output.json ? nil : try? await client.devices.list([("propertyId", found.id)]).all().content
        let names = Dictionary((locks ?? []).map { ($0.id, $0.name) }) { first, _ in first }
        output.print(json: answer.json) { answer.content.lines(names: names, table.style($0)) }
        if let problem = answer.content.problem { throw CommandFailure(problem) }
    }
}

extension Doorward.LockdownStart {
    /// Returns a row for each lock; on a terminal first a sentence.
    ///
    /// - Parameter names: the names of the locks, by id.
    func lines(names: [String: String], _ style: OutputStyle) -> [String] {
        let name = property.name.printable
        let sentence =
            style.isInteractive ? ["\(name) is in lockdown. To end it: doorward lift \(property.id.printable)"] : []
        let table = Table(
            results,
            [
                Column("LOCK", .cut(to: 8)) { Table.Cell(names[$0.deviceId] ?? $0.deviceId) },
                Column("OUTCOME", .cut(to: 10), Self.outcome), Column("ID", .id) { Table.Cell($0.deviceId, .dim) },
            ])
        return sentence + table.lines(style, empty: "It has no locks.")
    }

    /// The message if not all locks have confirmed that they are locked; `nil` if they have.
    var problem: String? {
        let open = results.count { !Self.isLocked($0) }
        guard open > 0 else { return nil }
        let (name, all) = (property.name.printable, DisplayText.count(results.count, "lock"))
        return "\(name) is in lockdown, but \(open) of \(all) \(open == 1 ? "is" : "are") not confirmed as locked: "
            + "check \(open == 1 ? "it" : "them")"
    }

    private static func isLocked(_ result: Result) -> Bool { result.command?.state == .confirmed }

    private static func outcome(_ result: Result) -> Table.Cell {
        if isLocked(result) { return Table.Cell("locked", .green) }
        if let reason = result.decision?.reason { return Table.Cell("denied: \(DisplayText.reason(reason))", .red) }
        guard let command = result.command else { return Table.Cell("not started yet", .yellow) }
        let detail = command.outcomeDetail.map { ": \(DisplayText.word($0))" } ?? ""
        return Table.Cell((command.state.map(DisplayText.word) ?? "unknown") + detail, .red)
    }
}

/// `doorward lift`: ends the lockdown of a property.
struct LiftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lift",
        abstract: "End the lockdown of a property. No lock moves.",
        discussion: "Example: doorward lift \"Quay 1\"")

    @OptionGroup var argument: NounArgument<Doorward.Property>
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, found) = try await argument.find(at: output.gateway)
        let answer = try await client.properties.liftLockdown(of: found.id)
        let name = answer.content.name
        output.print(
            json: answer.json, sentence: "The lockdown of \(name.printable) has ended. No lock has moved.", values: name, "lifted"
        )
    }
}
