import Testing

@testable import doorward

@Suite("Tables") struct TableTests {
    private let table = Table(
        "NAME", "STATE", rows: [["Front", Table.Cell("locked", .green)], ["Kellertür", Table.Cell(nil)], ["東口", "open"]])

    @Test("in a pipe cells are separated by tabs, without headings, colours and padding")
    func pipe() {
        let style = OutputStyle(isTerminal: false, environment: ["TERM": "xterm"])
        #expect(table.lines(style) == ["Front\tlocked", "Kellertür\t-", "東口\topen"])
    }

    @Test("on a terminal cells are aligned by display width, without spaces at the end of a line")
    func terminal() {
        let style = OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"])
        #expect(table.lines(style) == ["NAME       STATE", "Front      locked", "Kellertür  -", "東口       open"])
    }

    @Test("colour applies to the text of a cell, not to the space after it")
    func colour() {
        let style = OutputStyle(isTerminal: true, environment: ["TERM": "xterm"])
        let coloured = Table("", "", rows: [[Table.Cell("a", .red), "b"], ["long", "b"]])
        #expect(coloured.lines(style, withHeadings: false) == ["\u{1B}[31ma\u{1B}[0m     b", "long  b"])
    }

    @Test("later rows are aligned with earlier ones")
    func laterRows() {
        var later = Table("A", "B", rows: [["x", "y"]])
        later.leastWidths = [5, 0]
        let style = OutputStyle(isTerminal: true, environment: ["TERM": "dumb"])
        #expect(later.lines(style, withHeadings: false) == ["x      y"])
    }

    private static let ids = ["0199aaaa-0001-7000-8000-000000000000", "0199aaaa-0002-7000-8000-000000000000"]

    private func doors(_ fittings: [Table.Fitting]) -> Table {
        var table = Table(
            "NAME", "WHERE", "SINCE", "ID",
            rows: [
                [
                    "Front door of the house", "Quay 1", Table.Cell("2030-01-01 12:00:00", short: "Jan 01 12:00"),
                    Table.Cell(Self.ids[0]),
                ],
                ["Cellar", "Quay 2", Table.Cell("2030-01-02 12:00:00", short: "Jan 02 12:00"), Table.Cell(Self.ids[1])],
            ])
        table.fittings = fittings
        return table
    }

    private func terminal(_ columns: Int?) -> OutputStyle {
        OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], columns: columns)
    }

    @Test("a table that fits is complete, but ids are shortened as far as they stay unique")
    func fits() {
        let lines = doors([.cut(to: 8), .optional, .whole, .id]).lines(terminal(80))
        #expect(
            lines == [
                "NAME                     WHERE   SINCE                ID",
                "Front door of the house  Quay 1  2030-01-01 12:00:00  0199aaaa-0001",
                "Cellar                   Quay 2  2030-01-02 12:00:00  0199aaaa-0002",
            ])
    }

    @Test("a table that does not fit first omits columns, then shortens cells, then cuts them", arguments: [59, 52, 40, 37])
    func narrow(_ columns: Int) {
        let lines = doors([.cut(to: 8), .optional, .whole, .id]).lines(terminal(columns))
        #expect(lines.allSatisfy { $0.displayWidth <= columns }, "\(lines)")
        #expect(lines[0].contains("WHERE") == false)
        #expect(lines[1].contains("Jan 01 12:00") == (columns < 59))
        #expect(lines[1].contains("…") == (columns < 52))
        #expect(lines[1].hasSuffix("0199aaaa-0001") && lines[2].hasPrefix("Cellar "))
    }

    @Test("a column is not cut below its minimum, and a whole column is never cut")
    func leastWidth() {
        let lines = doors([.cut(to: 8), .optional, .whole, .id]).lines(terminal(10))
        #expect(lines[1] == "Front d…  Jan 01 12:00  0199aaaa-0001")
    }

    @Test("without a width, for example with --wide, and in a pipe everything is shown in full")
    func wide() {
        let table = doors([.cut(to: 8), .optional, .whole, .id])
        #expect(table.lines(terminal(nil))[1] == "Front door of the house  Quay 1  2030-01-01 12:00:00  \(Self.ids[0])")
        let pipe = OutputStyle(isTerminal: false, environment: [:], columns: 20)
        #expect(table.lines(pipe)[1] == "Cellar\tQuay 2\t2030-01-02 12:00:00\t\(Self.ids[1])")
    }

    @Test("later rows keep the layout, and are cut if they are wider")
    func laterLayout() {
        let table = doors([.cut(to: 8), .optional, .whole, .id])
        let layout = table.layout(terminal(59))
        var later = table
        later.rows = [["The back door of the house", "Quay 1", "2030-01-03 12:00:00", "0199aaaa-0003"]]
        let lines = later.lines(terminal(59), layout, withHeadings: false)
        #expect(lines.map { $0.prefix(26) } == ["The back door of the h…  2"])
        #expect(!lines[0].contains("Quay 1"))
    }

    @Test(
        "ids are shortened to the first characters that make them unique, at least eight",
        arguments: [
            (["aaaaaaaaaa", "baaaaaaaaa"], 8), (["aaaaaaaaaa", "aaaaaaaaab"], 10), (["aaaaaaaaaa", "aaaaaaaaaa"], 8), ([], 8),
            (["aaaaaaaaaa", "aaaaaaaaaab"], 11),
        ])
    func idLength(_ ids: [String], _ length: Int) { #expect(IDPrefix.length(addingHint: ids) == length) }

    @Test("tabs, line breaks and control characters in a name cannot add columns or lines")
    func names() {
        let hostile = Table("", "", rows: [["a\tb\nc\u{1B}[2Jd", "x"]])
        #expect(
            hostile.lines(OutputStyle(isTerminal: false, environment: [:])) == ["a\u{2409}b\u{240A}c\u{241B}[2Jd\tx"])
        #expect(hostile.lines(OutputStyle(isTerminal: true, environment: [:])).allSatisfy { !$0.contains("\u{1B}[2J") })
    }
}
