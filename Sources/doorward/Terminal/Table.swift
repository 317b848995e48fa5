import Glibc

/// Rows of text in columns.
///
/// On a terminal a table that is wider than the window is reduced in this order: ids are shortened, optional columns are removed,
/// cells that have a short text show this text, and columns that may be cut are truncated with `…`, the widest first. In a pipe
/// every cell is printed in full.
struct Table: Sendable {
    /// One cell: its text, and its colour on a terminal.
    struct Cell: Sendable, ExpressibleByStringLiteral {
        let text: String
        var colour: OutputStyle.Colour?
        /// The text for a table that does not fit; `nil` if there is no shorter one.
        var short: String?

        /// - Parameter text: `nil` and an empty text are shown as `-`.
        init(_ text: String?, _ colour: OutputStyle.Colour? = nil, short: String? = nil) {
            self.text = text.map(\.printable).flatMap { $0.isEmpty ? nil : $0 } ?? "-"
            (self.colour, self.short) = (colour, short?.printable)
        }

        init(stringLiteral text: String) { self.init(text) }
    }

    /// How a column is reduced if the table is wider than the terminal.
    enum Fitting: Sendable, Equatable {
        /// Never reduced.
        case whole
        /// Ids: shortened to the number of first characters that distinguishes them, at least 8.
        case id
        /// Removed.
        case optional
        /// Truncated, down to this many characters.
        case cut(to: Int)
    }

    /// The visible columns and their widths.
    struct Layout: Sendable, Equatable {
        fileprivate(set) var columns: [Int]
        /// The widths of all columns, including removed ones.
        fileprivate(set) var widths: [Int]
        fileprivate var isShort = false
        fileprivate var isFitted = false

        fileprivate var width: Int { columns.reduce(2 * (columns.count - 1)) { $0 + widths[$1] } }
    }

    let headings: [String]
    var rows: [[Cell]]
    /// One entry per column; columns without one are never reduced.
    var fittings: [Fitting] = []
    /// Minimum widths of the columns, so that later rows are aligned with earlier ones.
    var leastWidths: [Int] = []

    init(_ headings: String..., rows: [[Cell]]) { (self.headings, self.rows) = (headings, rows) }

    /// A row for each item.
    init<Item>(_ items: [Item], _ columns: [Column<Item>]) {
        (headings, fittings) = (columns.map(\.heading), columns.map(\.fitting))
        rows = items.map { item in columns.map { $0.cell(item) } }
    }

    /// Whether the table can be reduced to the width of the terminal.
    func fits(_ style: OutputStyle) -> Bool {
        guard let room = style.columns else { return true }
        return layout(style).width <= room
    }

    /// Returns the lines: on a terminal a heading and aligned columns; in a pipe the cells of each row, separated by tabs.
    ///
    /// - Parameters:
    ///   - layout: the layout of the earlier rows; by default the layout that the rows of this table need.
    ///   - empty: the sentence on a terminal if there are no rows; `nil` for the headings alone.
    func lines(_ style: OutputStyle, _ layout: Layout? = nil, withHeadings: Bool = true, empty: String? = nil) -> [String] {
        guard style.isInteractive else { return rows.map { $0.map(\.text).joined(separator: "\t") } }
        if rows.isEmpty, let empty { return [empty] }
        let (layout, rows) = (layout ?? self.layout(style), shownRows(style))
        let top = withHeadings ? [line(headings.map { Cell($0, .dim) }, layout, style)] : []
        return top + rows.map { line($0, layout, style) }
    }

    /// Returns the layout for these rows on a terminal with `style.columns` columns.
    func layout(_ style: OutputStyle) -> Layout {
        let rows = shownRows(style)
        var layout = Layout(columns: Array(headings.indices), widths: widths(rows, isShort: false))
        guard let room = style.columns else { return layout }
        layout.isFitted = true
        while layout.width > room, let last = layout.columns.last(where: { fitting($0) == .optional }) {
            layout.columns.removeAll { $0 == last }
        }
        if layout.width > room {
            (layout.isShort, layout.widths) = (true, widths(rows, isShort: true))
            narrow(&layout, to: room)
        }
        // Later rows may use the full width of the line.
        if let last = layout.columns.last { layout.widths[last] += max(0, room - layout.width) }
        return layout
    }

    private func narrow(_ layout: inout Layout, to room: Int) {
        while layout.width > room {
            let wide = layout.columns.filter { layout.widths[$0] > least($0) }
            guard let widest = wide.max(by: { layout.widths[$0] < layout.widths[$1] }) else { return }
            layout.widths[widest] -= 1
        }
    }

    private func fitting(_ column: Int) -> Fitting { fittings.indices.contains(column) ? fittings[column] : .whole }

    private func least(_ column: Int) -> Int { if case .cut(let least) = fitting(column) { least } else { .max } }

    private func widths(_ rows: [[Cell]], isShort: Bool) -> [Int] {
        headings.indices.map { column in
            let texts = rows.map { $0[column].shown(isShort).displayWidth }
            let least = !isShort && leastWidths.indices.contains(column) ? leastWidths[column] : 0
            return max(headings[column].displayWidth, texts.max() ?? 0, least)
        }
    }

    /// Returns the rows with abbreviated ids.
    private func shownRows(_ style: OutputStyle) -> [[Cell]] {
        guard style.columns != nil else { return rows }
        var rows = rows
        for column in headings.indices where fitting(column) == .id {
            let length = IDPrefix.length(addingHint: rows.map { $0[column].text })
            for row in rows.indices {
                let cell = rows[row][column]
                rows[row][column] = Cell(String(cell.text.prefix(length)), cell.colour)
            }
        }
        return rows
    }

    private func line(_ cells: [Cell], _ layout: Layout, _ style: OutputStyle) -> String {
        layout.columns.enumerated().map { place, column in
            let (cell, width) = (cells[column], layout.widths[column])
            var text = cell.shown(layout.isShort)
            if layout.isFitted, case .cut = fitting(column) { text = text.clipped(to: width) }
            let space = place == layout.columns.count - 1 ? 0 : width - text.displayWidth
            return style.paint(text, cell.colour) + String(repeating: " ", count: max(0, space))
        }.joined(separator: "  ")
    }
}

/// A column of a table of items.
struct Column<Item> {
    let heading: String
    let fitting: Table.Fitting
    let cell: (Item) -> Table.Cell

    init(_ heading: String, _ fitting: Table.Fitting = .whole, _ cell: @escaping (Item) -> Table.Cell) {
        (self.heading, self.fitting, self.cell) = (heading, fitting, cell)
    }
}

extension Table.Cell {
    fileprivate func shown(_ isShort: Bool) -> String { isShort ? short ?? text : text }
}

extension String {
    /// The number of terminal columns that the text occupies.
    var displayWidth: Int {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// Appends spaces up to this number of columns; a wider text stays unchanged.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - displayWidth)) }

    /// Returns the whole text if it fits into this number of columns, else its beginning and `…`.
    func clipped(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var text = ""
        for character in self {
            let longer = text + String(character)
            guard longer.displayWidth < width else { break }
            text = longer
        }
        return text + "…"
    }

    /// Returns the text in lines of at most this number of columns, divided at spaces. A longer word has a line of its own.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ").map(String.init) {
            if let last = lines.last, last.displayWidth + 1 + word.displayWidth <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}

extension Character {
    /// Emoji and the wide characters of East Asia occupy two columns; combining marks occupy none.
    fileprivate var displayWidth: Int {
        if unicodeScalars.contains(where: { $0.value == 0xFE0F || $0.properties.isEmojiPresentation }) { return 2 }
        return unicodeScalars.map(\.displayWidth).max() ?? 0
    }
}

extension Unicode.Scalar {
    /// The blocks that are wide or full-width in East Asian Width (UAX #11, Unicode 16).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18AFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]

    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        default: Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }
}

/// The size of the terminal in characters.
struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var rows: Int

    /// The present size of the terminal on standard output; 80 × 24 if unknown.
    static var current: TerminalSize { of(.output) }

    /// The present size of the terminal on a stream; 80 × 24 if unknown.
    static func of(_ stream: StandardStream) -> TerminalSize {
        var window = winsize()
        guard ioctl(stream.rawValue, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}

/// Abbreviated ids, as tables show them and users type them.
enum IDPrefix {
    /// Minimum number of characters that tables show.
    static let leastShown = 8
    /// Minimum number of characters that must be typed.
    static let leastTyped = 6

    /// Returns the number of leading characters that distinguish these ids, at least `leastShown`.
    static func length(addingHint ids: [String]) -> Int {
        let ids = Set(ids)
        let longest = ids.map(\.count).max() ?? 0
        var length = leastShown
        while length < longest, Set(ids.map { $0.prefix(length) }).count < ids.count { length += 1 }
        return length
    }

    /// Whether a typed text is the beginning of an id.
    static func matches(_ text: String, _ id: String) -> Bool {
        text.count >= leastTyped && id.lowercased().hasPrefix(text.lowercased())
    }
}

extension String {
    /// The text with visible signs in place of characters that could control a terminal or make the text look like another one:
    /// control characters, line breaks, bidirectional marks, zero-width characters. Names are written by other users.
    var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isUnprintable { shown.append(contentsOf: scalar.visible.unicodeScalars) } else { shown.append(scalar) }
        }
        return String(shown)
    }
}

extension Unicode.Scalar {
    /// Whether the character must be replaced. The zero-width joiner is kept: without it emoji are split, and it cannot change
    /// the direction of text.
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: value != 0x200D
        default: false
        }
    }

    /// The symbol for a control character if Unicode has one, else its number.
    fileprivate var visible: String {
        if value < 0x20, let sign = Unicode.Scalar(0x2400 + value) { return String(Character(sign)) }
        if value == 0x7F { return "\u{2421}" }
        return "<U+\(String(value, radix: 16, uppercase: true))>"
    }
}

extension String {
    /// The text as one word of a suggested command: quoted for the shell if it contains anything but letters, digits and a few signs.
    var shellQuoted: String {
        let text = printable
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_./:@%+=,-".contains($0)) }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
