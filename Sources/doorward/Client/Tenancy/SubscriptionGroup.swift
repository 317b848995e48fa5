import ArgumentParser
import DoorwardClient

/// `doorward subscription`: shows and changes what a portfolio may use.
struct SubscriptionGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscription",
        abstract: "Show and change what a portfolio may use.",
        discussion: "A subscription has a tier, modules that are on or off, and limits.",
        subcommands: [SubscriptionShow.self, SubscriptionSet.self])
}

/// `doorward subscription show`: shows the subscription of a portfolio.
struct SubscriptionShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the subscription of a portfolio, and how much of it is used.",
        discussion: "Example: doorward subscription show \"Harbour Homes\"")

    @OptionGroup var argument: NounArgument<Doorward.Portfolio>
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, found) = try await argument.find(at: output.gateway)
        let answer = try await client.portfolios.subscription(of: found.id)
        output.print(json: answer.json) { Self.lines(answer.content, $0) }
    }

    /// Returns a line for the tier, for each module and for each limit, with the names that `subscription set` takes.
    static func lines(_ subscription: Doorward.Subscription, _ style: OutputStyle) -> [String] {
        let modules = subscription.modules.sorted { $0.key < $1.key }.map { name, isOn -> [Table.Cell] in
            [Table.Cell(name), Table.Cell(isOn ? "on" : "off", isOn ? .green : .yellow)]
        }
        // The name of the limit on a counted kind of object: `maxUnits` for `units`.
        let used = Dictionary(subscription.usage.map { ("max\($0.prefix(1).uppercased())\($0.dropFirst())", $1) }) { first, _ in
            first
        }
        let limits = Set(used.keys).union(subscription.limits.keys).sorted().map { name -> [Table.Cell] in
            let (limit, count) = (subscription.limits[name], used[name])
            let text = "\(count.map { "\($0)" } ?? "?") of \(limit.map { "\($0)" } ?? "no limit")"
            return [Table.Cell(name), Table.Cell(text, limit.map { count ?? 0 >= $0 } ?? false ? .yellow : nil)]
        }
        let rows: [[Table.Cell]] = [["tier", Table.Cell(subscription.tier, .bold)]] + modules + limits
        return Table("", "", rows: rows).lines(style, withHeadings: false)
    }
}

/// `doorward subscription set`: changes the subscription of a portfolio.
struct SubscriptionSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the subscription of a portfolio. Only super admins may do this.",
        discussion: """
            Choosing a tier sets the modules and limits of the tier; --module and --limit beside it take precedence. Modules and limits \
            that are not named do not change. While a module is off, new uses of it are refused. What exists continues to work, except \
            that without guestAccess guests are denied.

            Example: doorward subscription set "Harbour Homes" --tier pro --limit maxUnits=200
            """)

    @OptionGroup var argument: NounArgument<Doorward.Portfolio>

    @Option(help: ArgumentHelp("The tier, such as free, standard, pro or enterprise.", valueName: "tier"))
    var tier: String?

    @Option(
        help: ArgumentHelp("A module to switch; the option can be repeated.", valueName: "name=on|off"),
        transform: SubscriptionArgument.module)
    var module: [SubscriptionArgument] = []

    @Option(
        help: ArgumentHelp("A limit to change; the option can be repeated.", valueName: "name=number|none"),
        transform: SubscriptionArgument.limit)
    var limit: [SubscriptionArgument] = []

    @OptionGroup var output: AnswerOptions

    func validate() throws {
        guard tier != nil || !module.isEmpty || !limit.isEmpty else { throw ValidationError("Give --tier, --module or --limit.") }
        let names = module.map { "--module \($0.name)" } + limit.map { "--limit \($0.name)" }
        if let twice = Dictionary(grouping: names, by: \.self).first(where: { $1.count > 1 })?.key {
            throw ValidationError("There are two values for `\(twice.printable)`.")
        }
    }

    func run() async throws {
        let (client, found) = try await argument.find(at: output.gateway)
        let modules = Dictionary(module.map { ($0.name, $0.value) }) { first, _ in first }
        let limits = Dictionary(limit.map { ($0.name, $0.value) }) { first, _ in first }
        let change: [String: Doorward.JSONValue] = [
            "tier": tier.map { Doorward.JSONValue.string($0) }, "modules": modules.isEmpty ? nil : .object(modules),
            "limits": limits.isEmpty ? nil : .object(limits),
        ].compactMapValues(\.self)
        let answer = try await namingOptions(Self.option) {
            try await client.portfolios.changeSubscription(of: found.id, .object(change))
        }
        output.print(json: answer.json) { SubscriptionShow.lines(answer.content, $0) }
    }

    /// Maps a field of the request to its command-line option.
    static func option(_ field: String) -> FieldOption? {
        let parts = field.split(separator: ".", maxSplits: 1).map(String.init)
        return switch parts.first {
        case "tier": FieldOption("--tier")
        case "modules": FieldOption(parts.count > 1 ? "--module \(parts[1])" : "--module")
        case "limits": FieldOption(parts.count > 1 ? "--limit \(parts[1])" : "--limit")
        default: nil
        }
    }
}

/// One `NAME=VALUE` of a subscription's modules or limits.
struct SubscriptionArgument: Equatable, Sendable {
    let name: String
    let value: Doorward.JSONValue

    /// `NAME=on` or `NAME=off`.
    ///
    /// - Throws: a `ValidationError` for any other text.
    static func module(_ text: String) throws -> Self {
        try Self(text, form: "NAME=on or NAME=off, as in `guestLinks=off`") { ["on": .bool(true), "off": .bool(false)][$0] }
    }

    /// `NAME=NUMBER`, or `NAME=none` for no limit, which is `null` in JSON.
    ///
    /// - Throws: a `ValidationError` for any other text.
    static func limit(_ text: String) throws -> Self {
        try Self(text, form: "NAME=NUMBER or NAME=none, as in `maxUnits=200`") { typed in
            typed == "none" ? .null : Int64(typed).flatMap { $0 >= 0 ? .integer($0) : nil }
        }
    }

    private init(_ text: String, form: String, value: (_ typed: String) -> Doorward.JSONValue?) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let value = value(parts[1].lowercased()) else {
            throw ValidationError("write it as \(form).")
        }
        (name, self.value) = (String(parts[0]), value)
    }
}
