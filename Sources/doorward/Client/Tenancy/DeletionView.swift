import DoorwardAPI

/// Prints what a deletion would remove and end.
struct DeletionView {
    private let preview: Wire.RemovalPreview

    /// Maximum number of listed objects.
    private static let maxRows = 20

    init(_ preview: Wire.RemovalPreview) { self.preview = preview }

    /// Returns a line for each object that would go, and one sentence about the rights that would end.
    func lines(_ style: OutputStyle) -> [String] {
        let rows = preview.removed.prefix(Self.maxRows).map { item -> [Table.Cell] in
            [Table.Cell("  \(DisplayText.entityKind(item.type))"), Table.Cell(item.name), Table.Cell(item.id, .dim)]
        }
        let table = Table("", "", "", rows: rows).lines(style, withHeadings: false)
        let rest = preview.removed.count - rows.count
        return (rows.isEmpty ? [] : ["This would go:"] + table) + (rest > 0 ? ["  … and \(rest) more"] : []) + endings
    }

    /// Locks that lose their place are counted apart: they are kept.
    private var endings: [String] {
        var counts = Dictionary(grouping: preview.ended) { DisplayText.entityKind($0.type) }.mapValues(\.count)
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
