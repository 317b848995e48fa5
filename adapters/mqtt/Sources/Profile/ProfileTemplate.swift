/// A text with placeholders for variables: `{base}/{id}/state`. The braces contain only a name.
struct ProfileTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case variable(String)
    }

    /// How a value is escaped when it is inserted.
    enum Escaping: Hashable, Sendable {
        case plain
        /// The value is escaped as the content of a JSON string.
        case json
    }

    private(set) var pieces: [Piece]

    /// A text without placeholders, which may contain any braces.
    init(literal text: String) { pieces = text.isEmpty ? [] : [.text(text)] }

    /// Parses any text: braces that contain no name are text themselves, as in JSON.
    init(_ text: String) {
        var pieces: [Piece] = []
        var literal = ""
        var rest = Substring(text)
        while let first = rest.first {
            if first == "{", let end = rest.firstIndex(of: "}"), Self.isName(rest[rest.index(after: rest.startIndex)..<end]) {
                if !literal.isEmpty { pieces.append(.text(literal)) }
                literal = ""
                pieces.append(.variable(String(rest[rest.index(after: rest.startIndex)..<end])))
                rest = rest[rest.index(after: end)...]
            } else {
                literal.append(first)
                rest.removeFirst()
            }
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        self.pieces = pieces
    }

    /// Whether a text is a name: letters, digits and `_`, not beginning with a digit.
    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
        return text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95 }
    }

    /// The variables, in the order of their placeholders.
    var names: [String] { pieces.compactMap { if case .variable(let name) = $0 { name } else { nil } } }

    /// The text without its placeholders.
    var text: String {
        pieces.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    }

    /// Replaces placeholders by values.
    ///
    /// - Parameter open: variables that get their values later.
    /// - Returns: `nil` if a variable has no value.
    func resolved(
        with values: [String: String], _ escaping: Escaping = .plain, keeping deferred: Set<String> = []
    ) -> ProfileTemplate? {
        var resolved = ProfileTemplate(literal: "")
        for piece in pieces {
            switch piece {
            case .text: resolved.append(piece)
            case .variable(let name) where deferred.contains(name): resolved.append(piece)
            case .variable(let name):
                guard let value = values[name] else { return nil }
                resolved.append(.text(escaping == .json ? value.escapedAsJSON : value))
            }
        }
        return resolved
    }

    /// Appends a piece; a text is joined with a text before it.
    mutating func append(_ piece: Piece) {
        if piece == .text("") { return }
        if case .text(let more) = piece, case .text(let text)? = pieces.last {
            pieces[pieces.count - 1] = .text(text + more)
        } else {
            pieces.append(piece)
        }
    }
}
