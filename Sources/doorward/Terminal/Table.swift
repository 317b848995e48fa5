/// Rows of text in columns.
struct Table: Sendable {
    /// One cell: its text, and how it is coloured for a person.
    struct Cell: Sendable, ExpressibleByStringLiteral {
        let text: String
        var colour: Style.Colour?

        /// - Parameter text: anything; `nil` and nothing are shown as `-`.
        init(_ text: String?, _ colour: Style.Colour? = nil) {
            self.text = text.map(\.printable).flatMap { $0.isEmpty ? nil : $0 } ?? "-"
            self.colour = colour
        }

        init(stringLiteral text: String) { self.init(text) }
    }

    let headings: [String]
    var rows: [[Cell]]
    /// Columns that are at least so wide, so that rows that come later stand under those before.
    var leastWidths: [Int] = []

    init(_ headings: String..., rows: [[Cell]]) { (self.headings, self.rows) = (headings, rows) }

    /// For a person a heading and aligned columns; for a program the cells of each row with a tab between.
    func lines(_ style: Style, withHeadings: Bool = true) -> [String] {
        guard style.isForPerson else { return rows.map { $0.map(\.text).joined(separator: "\t") } }
        let widths = headings.indices.map { column in
            max(
                headings[column].displayWidth, rows.map { $0[column].text.displayWidth }.max() ?? 0,
                leastWidths.indices.contains(column) ? leastWidths[column] : 0)
        }
        let top = withHeadings ? [line(headings.map { Cell($0, .dim) }, widths, style)] : []
        return top + rows.map { line($0, widths, style) }
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ style: Style) -> String {
        zip(cells, widths).enumerated().map { column, item in
            let (cell, width) = item
            let space = column == cells.count - 1 ? 0 : width - cell.text.displayWidth
            return style.paint(cell.text, cell.colour) + String(repeating: " ", count: max(0, space))
        }.joined(separator: "  ")
    }
}
