import ArgumentParser
import DoorwardClient

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
