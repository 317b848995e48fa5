import Testing

@testable import doorward

@Suite("Tables") struct TableTests {
    private let table = Table(
        "NAME", "STATE", rows: [["Front", Table.Cell("locked", .green)], ["Kellertür", Table.Cell(nil)], ["東口", "open"]])

    @Test("in a pipe are cells with a tab between, without headings, colours and spaces")
    func pipe() {
        let style = Style(isTerminal: false, environment: ["TERM": "xterm"])
        #expect(table.lines(style) == ["Front\tlocked", "Kellertür\t-", "東口\topen"])
    }

    @Test("on a terminal stand aligned by the columns that characters take, without spaces at the end")
    func terminal() {
        let style = Style(isTerminal: true, environment: ["NO_COLOR": "1"])
        #expect(table.lines(style) == ["NAME       STATE", "Front      locked", "Kellertür  -", "東口       open"])
    }

    @Test("colour surrounds the text of a cell, not the space after it")
    func colour() {
        let style = Style(isTerminal: true, environment: ["TERM": "xterm"])
        let coloured = Table("", "", rows: [[Table.Cell("a", .red), "b"], ["long", "b"]])
        #expect(coloured.lines(style, withHeadings: false) == ["\u{1B}[31ma\u{1B}[0m     b", "long  b"])
    }

    @Test("rows that come later stand under those before")
    func laterRows() {
        var later = Table("A", "B", rows: [["x", "y"]])
        later.leastWidths = [5, 0]
        let style = Style(isTerminal: true, environment: ["TERM": "dumb"])
        #expect(later.lines(style, withHeadings: false) == ["x      y"])
    }

    @Test("a name cannot make columns or lines of its own, in a pipe or on a terminal")
    func names() {
        let hostile = Table("", "", rows: [["a\tb\nc\u{1B}[2Jd", "x"]])
        #expect(
            hostile.lines(Style(isTerminal: false, environment: [:])) == ["a\u{2409}b\u{240A}c\u{241B}[2Jd\tx"])
        #expect(hostile.lines(Style(isTerminal: true, environment: [:])).allSatisfy { !$0.contains("\u{1B}[2J") })
    }
}
