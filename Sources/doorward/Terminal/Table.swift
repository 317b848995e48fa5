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

    init(_ headings: String..., rows: [[Cell]]) { self.init(headings, rows: rows) }

    init(_ headings: [String], rows: [[Cell]]) { (self.headings, self.rows) = (headings, rows) }

    /// Whether the table can be reduced to the width of the terminal.
    func fits(_ style: OutputStyle) -> Bool {
        guard let room = style.columns else { return true }
        return layout(style).width <= room
    }

    /// Returns the lines: on a terminal a heading and aligned columns; in a pipe the cells of each row, separated by tabs.
    ///
    /// - Parameter layout: the layout of the earlier rows; by default the layout that the rows of this table need.
    func lines(_ style: OutputStyle, _ layout: Layout? = nil, withHeadings: Bool = true) -> [String] {
        guard style.isInteractive else { return rows.map { $0.map(\.text).joined(separator: "\t") } }
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

extension Table.Cell {
    fileprivate func shown(_ isShort: Bool) -> String { isShort ? short ?? text : text }
}
