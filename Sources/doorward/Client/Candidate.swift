/// Something that a name could mean.
struct Candidate: Hashable, Sendable {
    let id: String
    let name: String
    /// Where it is, to tell it from others of its name.
    let place: String?

    /// Those that bear a name, without regard to case and to spaces around it.
    static func bearing(_ text: String, of candidates: [Candidate]) -> [Candidate] {
        let name = Self.folded(text)
        return candidates.filter { Self.folded($0.name) == name }
    }

    /// The one that is meant.
    ///
    /// - Parameter listing: how to see what there is.
    /// - Throws: a failure that says that there is none, or lists several.
    static func one(_ text: String, of candidates: [Candidate], noun: String, listing: String) throws -> Candidate {
        if let candidate = candidates.first(where: { $0.id == text }) { return candidate }
        let found = bearing(text, of: candidates)
        guard Set(found.map(\.id)).count <= 1 else {
            let lines = found.map { "  " + [$0.name, $0.place, $0.id].compactMap { $0?.printable }.joined(separator: "  ") }
            throw CommandFailure(
                "`\(text.printable)` is the name of several; name one by its id:\n\(lines.joined(separator: "\n"))")
        }
        guard let candidate = found.first else { throw CommandFailure("there is no \(noun) `\(text.printable)`; \(listing)") }
        return candidate
    }

    private static func folded(_ text: String) -> String {
        let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return String(trimmed).lowercased()
    }
}
