import ArgumentParser
import DoorwardClient
import DoorwardDomain

/// A type of object that the commands `list`, `show`, `rename` and `delete` of its group show and change: portfolios, properties, units,
/// users and API keys. The differences between the groups are in the type's table.
protocol ListedByCommand: NamedByArgument, NamedNoun, Equatable {
    /// What the commands print.
    static var commands: NounCommands<Self> { get }
    /// The id.
    var id: String { get }
}

/// The help text and the completion of an argument.
typealias ArgumentWords = (help: ArgumentHelp, completion: CompletionKind?)

/// A type of object that an argument can name.
protocol NamedByArgument {
    static var argument: ArgumentWords { get }
    /// Finds an object by the text of an argument: its id, and the name that was found or typed.
    static func find(_ text: String, _ finder: NameResolver) async throws -> NameMatch
}

extension Doorward.LockDevice: NamedByArgument {
    static var argument: ArgumentWords { (ArgumentHelp("The lock: a name or id.", valueName: "lock"), .lockName) }

    static func find(_ text: String, _ finder: NameResolver) async throws -> NameMatch { try await finder.lock(text) }
}

extension Doorward.GuestAccess: NamedByArgument {
    static var argument: ArgumentWords {
        (ArgumentHelp("The guest access: an id, a label or the guest's name.", valueName: "access"), nil)
    }

    static func find(_ text: String, _ finder: NameResolver) async throws -> NameMatch { try await finder.guestAccess(text) }
}

/// The words and columns of a type's commands.
struct NounCommands<Noun> {
    /// The name of one object in sentences.
    let noun: String
    /// The sentence for an empty list.
    let empty: String
    /// The short help text of `list`.
    let list: String
    /// The short help text of `show`, if it says something else than `Show a NOUN.`
    var show: String?
    /// The short help text of `delete`, if it says something else than `Delete a NOUN.`
    var delete: String?
    /// Examples and further sentences of the long help texts, by the name of the command.
    let discussions: [String: String]
    /// The columns of `list` before the id.
    let columns: [(heading: String, fitting: Table.Fitting, value: NounValue<Noun>)]
    /// The lines of `show` before the id.
    var facts: [(name: String, value: NounValue<Noun>)] = []
    /// The kinds of entity whose names the output of an object needs.
    var kinds: (Noun) -> [Doorward.EntityType] = { _ in [] }

    fileprivate func configuration(_ name: String, _ abstract: String) -> CommandConfiguration {
        CommandConfiguration(commandName: name, abstract: abstract, discussion: discussions[name] ?? "")
    }
}

/// How a value of an object is shown.
struct NounValue<Noun> {
    /// `nil` where the object has no such line. `names` has the names of portfolios, properties and units, by id.
    let cell: (_ object: Noun, _ names: [String: String], _ style: OutputStyle) -> Table.Cell?

    /// A text as it is.
    static func text(_ path: KeyPath<Noun, String?>, _ colour: OutputStyle.Colour? = nil) -> Self {
        Self { object, _, _ in Table.Cell(object[keyPath: path], colour) }
    }

    static func text(_ path: KeyPath<Noun, String>, _ colour: OutputStyle.Colour? = nil) -> Self {
        Self { object, _, _ in Table.Cell(object[keyPath: path], colour) }
    }

    /// The number of elements.
    static func count(_ path: KeyPath<Noun, [String]?>) -> Self {
        Self { object, _, _ in Table.Cell(object[keyPath: path].map { "\($0.count)" }) }
    }

    /// An instant.
    static func time(_ path: KeyPath<Noun, Doorward.Instant?>) -> Self {
        Self { object, _, style in Table.Cell(object[keyPath: path].map(style.instant)) }
    }

    /// The name of an entity, or its id if the name is not known.
    static func entity(_ path: KeyPath<Noun, String?>) -> Self {
        Self { object, names, _ in Table.Cell(object[keyPath: path].map { names[$0] ?? $0 }) }
    }

    /// A cell that is made from the object.
    static func cell(_ path: KeyPath<Noun, Table.Cell>) -> Self { Self { object, _, _ in object[keyPath: path] } }
}

extension ListedByCommand {
    /// The kinds of entity whose names the output needs.
    static func kinds(shownWith objects: [Self]) -> [AssociatedEntityType] {
        objects.flatMap(commands.kinds).compactMap { AssociatedEntityType(rawValue: $0.rawValue) }
    }

    /// A row for each object; a sentence on a terminal if there is none.
    static func lines(_ objects: [Self], names: [String: String] = [:], _ style: OutputStyle) -> [String] {
        let columns = commands.columns.map { column in
            Column<Self>(column.heading, column.fitting) { column.value.cell($0, names, style) ?? Table.Cell(nil) }
        }
        return Table(objects, columns + [Column("ID", .id) { Table.Cell($0.id, .dim) }]).lines(style, empty: commands.empty)
    }

    /// A line for each value, with the value's name first.
    func lines(names: [String: String] = [:], _ style: OutputStyle) -> [String] {
        let rows = (Self.commands.facts + [("id", .text(\.id))]).compactMap { fact in
            fact.value.cell(self, names, style).map { [Table.Cell(fact.name), $0] }
        }
        return Table("", "", rows: rows).lines(style, withHeadings: false)
    }
}

/// The argument that names an object.
struct NounArgument<Noun: NamedByArgument>: ParsableArguments {
    @Argument(help: Noun.argument.help, completion: Noun.argument.completion)
    var text: String

    func find(_ finder: NameResolver) async throws -> NameMatch { try await Noun.find(text, finder) }

    /// Finds the object at a gateway, and returns it with the client that has found it.
    func find(at gateway: ClientOptions) async throws -> (client: DoorwardClient, found: NameMatch) {
        let client = try gateway.client()
        return (client, try await find(NameResolver(client)))
    }
}

/// The options of `list` that select objects.
protocol ListFilter: ParsableArguments {
    /// The items of the query.
    func items(_ finder: NameResolver) async throws -> [(name: String, value: String?)]
}

/// The option for the objects that one other object contains.
struct ContainerFilter<Container: ListedByCommand>: ListFilter {
    @Option(
        name: .customLong(Container.commands.noun),
        help: ArgumentHelp("Only those in this \(Container.commands.noun): a name or id.", valueName: Container.commands.noun),
        completion: Container.argument.completion)
    var container: String?

    func items(_ finder: NameResolver) async throws -> [(name: String, value: String?)] {
        guard let container else { return [] }
        return [("\(Container.commands.noun)Id", try await Container.find(container, finder).id)]
    }
}

/// No options, for a list that cannot be filtered, and for objects that contain no others.
struct NoOptions: ListFilter, CascadeChoice {
    var cascade: Bool { false }

    func items(_: NameResolver) async throws -> [(name: String, value: String?)] { [] }
}

/// `list`: lists the visible objects.
struct NounList<Noun: ListedByCommand, Filter: ListFilter>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { Noun.commands.configuration("list", Noun.commands.list) }

    @OptionGroup var filter: Filter
    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let finder = NameResolver(client)
        let objects = try await Resource<Noun>(client: client).list(filter.items(finder)).all()
        let names = output.json ? [:] : try await finder.names(of: Noun.kinds(shownWith: objects.content))
        output.print(json: objects.json) { Noun.lines(objects.content, names: names, table.style($0)) }
    }
}

/// `show`: shows one object.
struct NounShow<Noun: ListedByCommand>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Noun.commands.configuration("show", Noun.commands.show ?? "Show a \(Noun.commands.noun).")
    }

    @OptionGroup var argument: NounArgument<Noun>
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let finder = NameResolver(client)
        let answer = try await Resource<Noun>(client: client).get(argument.find(finder).id)
        let names = output.json ? [:] : try await finder.names(of: Noun.kinds(shownWith: [answer.content]))
        output.print(json: answer.json) { answer.content.lines(names: names, $0) }
    }
}

/// `rename`: changes the name of a place.
struct PlaceRename<Noun: Place>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { Noun.commands.configuration("rename", "Rename a \(Noun.commands.noun).") }

    @OptionGroup var argument: NounArgument<Noun>

    @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
    var name: String

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, found) = try await argument.find(at: output.gateway)
        let answer = try await namingOptions(["name": "the new name"]) {
            try await Resource<Noun>(client: client).change(found.id, ["name": name])
        }
        output.printRenamed(answer.json, found.name, to: answer.content.name, id: answer.content.id)
    }
}

/// `delete`: deletes an object.
struct NounDelete<Noun: ListedByCommand, Cascade: CascadeChoice>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Noun.commands.configuration("delete", Noun.commands.delete ?? "Delete a \(Noun.commands.noun).")
    }

    @OptionGroup var argument: NounArgument<Noun>
    @OptionGroup var cascade: Cascade
    @OptionGroup var deletion: DeletionOptions
    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        guard Noun.self == Doorward.User.self, argument.text == "me" else { return }
        throw ValidationError("`me` cannot be deleted; name a user by email address or id.")
    }

    func run() async throws {
        try deletion.requireConfirmable()
        let (client, found) = try await argument.find(at: gateway)
        try await deletion.run(
            Resource<Noun>(client: client).deletion(of: found.id), name: found.name, "\(Noun.commands.noun) \(found.name)",
            isCascading: cascade.cascade)
    }
}

/// The options of the commands that delete something or remove a role, and the steps of such a command: show what would be deleted, ask,
/// delete.
struct DeletionOptions: ParsableArguments {
    @Flag(help: "Delete without showing what would be deleted and without asking.")
    var yes = false

    /// - Throws: a usage error if there is no terminal to ask on.
    func requireConfirmable(_ verb: String = "delete") throws {
        try Confirmation.requireTerminal(unless: yes, verb, "\(verb)d")
    }

    /// Deletes an object. Unless `--yes` is given, first shows what the gateway would remove and end, and asks.
    ///
    /// - Parameters:
    ///   - name: the object as the user named it.
    ///   - what: the object in the question, such as `property Quay 1`.
    ///   - verb: the verb of the question, `Delete` or `Remove`.
    func run(
        _ deletion: Deletion, name: String, _ what: String, isCascading: Bool = false, verb: String = "Delete"
    ) async throws {
        let explain = { (refusal: APIError) in
            refusal.code == "has_dependents" ? Doorward.RemovalPreview.dependents(refusal.dependents, of: name) : nil
        }
        try await namingOptions(explain: explain) {
            if !yes {
                let preview = try await deletion.preview(isCascading: isCascading).content
                preview.lines(.error).forEach { StandardStream.error.line($0) }
                try Confirmation.ask("\(verb) \(what.printable)?", otherwise: "Nothing was \(verb.lowercased())d.")
            }
            try await deletion.perform(isCascading: isCascading)
        }
        StandardStream.tell("\(verb)d \(what.printable).", values: name, "\(verb.lowercased())d")
    }
}

/// Whether a deletion includes what the object contains.
protocol CascadeChoice: ParsableArguments {
    var cascade: Bool { get }
}

/// `--cascade`, of the commands that delete an entity that can contain others.
struct CascadeOptions: CascadeChoice {
    @Flag(help: "Delete also what it contains. Locks are kept, in no property, where a super admin can attach them again.")
    var cascade = false
}

extension Doorward.RemovalPreview {
    /// Maximum number of listed objects.
    private static let maxRows = 20

    /// Returns a line for each object that would be deleted, and one sentence about the rights that would end.
    func lines(_ style: OutputStyle) -> [String] {
        let rows = removed.prefix(Self.maxRows).map { item -> [Table.Cell] in
            [Table.Cell("  \(DisplayText.entityKind(item.type))"), Table.Cell(item.name), Table.Cell(item.id, .dim)]
        }
        let table = Table("", "", "", rows: rows).lines(style, withHeadings: false)
        let rest = removed.count - rows.count
        return (rows.isEmpty ? [] : ["This would go:"] + table) + (rest > 0 ? ["  … and \(rest) more"] : []) + endings
    }

    /// Locks that lose their place are counted apart: they are kept.
    private var endings: [String] {
        var counts = Dictionary(grouping: ended) { DisplayText.entityKind($0.type) }.mapValues(\.count)
        let locks = counts.removeValue(forKey: "lock") ?? 0
        let rights = counts.sorted { $0.key < $1.key }.map { DisplayText.count($1, $0) }.joined(separator: ", ")
        return (rights.isEmpty ? [] : ["This would end: \(rights)"])
            + (locks > 0 ? ["This would leave without a place: \(DisplayText.count(locks, "lock"))"] : [])
    }

    /// Returns the message about an object that contains others.
    ///
    /// - Parameter counts: the number of contained objects by kind, such as `units`.
    static func dependents(_ counts: [String: Int], of name: String) -> String {
        let parts = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { kind, count in
            DisplayText.count(count, nouns[kind] ?? DisplayText.kind(kind))
        }
        return "\(name.printable) contains \(parts.isEmpty ? "others" : parts.joined(separator: ", ")); nothing was deleted."
            + "\n  to delete it with what it contains: --cascade"
    }

    private static let nouns = ["properties": "property", "units": "unit", "devices": "lock"]
}

extension DisplayText {
    /// Converts the name of an entity's type, in either form of the API: `GuestAccess` and `GUEST_ACCESS` to `guest access`.
    static func entityKind(_ type: String) -> String {
        type.contains(where: \.isLowercase) ? kind(type) : word(type)
    }

    /// Returns a number with its noun: `1 lock`, `2 properties`.
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(number == 1 ? noun : plural(noun))" }

    /// Returns the plural of one of the nouns for entities.
    static func plural(_ noun: String) -> String {
        if noun.hasSuffix("y") { return noun.dropLast() + "ies" }
        return noun.hasSuffix("s") ? noun + "es" : noun + "s"
    }
}
