import DoorwardAPI

/// The demo's screen: every door, the latest events, and commands to try.
struct DemoView: Sendable {
    /// An event with its time in the house.
    struct News: Equatable, Sendable {
        /// `Mon 07:42`.
        let time: String
        let event: DemoEvent
    }

    /// What the screen shows.
    enum Page: Sendable { case doors, signIns, links }

    var doors = DemoDoors(locks: [])
    /// The events, newest last.
    var news: [News] = []
    /// The time in the house, such as `Mon 07:42`.
    var time = ""
    /// Why what is shown is out of date, and what to do; empty while it is live.
    var notice: [String] = []
    /// The doors and events, or the sign-ins, or the links to the console.
    var page = Page.doors
    let invitation: DemoSignIns
    let style: OutputStyle

    private static let fewestNews = 4
    /// Minimum number of rows for a window with a footer.
    private static let fewestRowsWithFoot = 18

    /// Renders exactly `size.rows` lines, each at most `size.columns` wide.
    func lines(_ size: TerminalSize) -> [String] {
        let top = [header(size.columns)] + notice.map { [Span(" ! ", .red), Span($0)] }
        let room = TerminalSize(columns: size.columns, rows: size.rows - notice.count)
        let body: [[Span]] =
            switch page {
            case .doors: doorsAndNews(room)
            case .signIns: signIns(room)
            case .links: links(room)
            }
        let blank = Array(repeating: [Span](), count: max(0, size.rows - top.count - body.count))
        return (top + body + blank).prefix(size.rows).map { style.line($0, columns: size.columns) }
    }

    /// Shows a page, or the doors if it is shown already.
    mutating func toggle(_ other: Page) { page = page == other ? .doors : other }

    private func header(_ columns: Int) -> [Span] {
        let keys = "b \(page == .links ? "doors" : "browser")   s \(page == .signIns ? "doors" : "sign-ins")   q end "
        let (title, time) = (" Doorward demo", "   \(time)")
        let room = columns - title.displayWidth - time.displayWidth - keys.displayWidth
        guard room > 0 else { return [Span(title, .bold), Span(time)] }
        return [Span(title, .bold), Span(time), Span(String(repeating: " ", count: room)), Span(keys, .dim)]
    }

    private func doorsAndNews(_ size: TerminalSize) -> [[Span]] {
        let foot = foot(size)
        // Two rows: the header, and the rule above the events.
        let room = size.rows - 2 - foot.count
        let doors = doors.lines(columns: size.columns, rows: max(1, room - Self.fewestNews))
        let shown = news.suffix(max(0, room - doors.count)).map(line)
        let blank = Array(repeating: [Span](), count: max(0, room - doors.count - shown.count))
        return doors + [rule("what happens", size.columns)] + shown + blank + foot
    }

    private func line(_ news: News) -> [Span] {
        [
            Span(" \(news.time.suffix(5)) ", .dim), Span("\(news.event.mark.sign) ", news.event.mark.colour),
            Span(news.event.text, news.event.mark == .noted ? .dim : nil),
        ]
    }

    private func foot(_ size: TerminalSize) -> [[Span]] {
        guard size.rows >= Self.fewestRowsWithFoot else { return [] }
        return [rule("try it in another terminal", size.columns)]
            + invitation.foot(columns: size.columns - 1).map { [Span(" \($0)")] }
    }

    private func signIns(_ size: TerminalSize) -> [[Span]] {
        [rule("sign-ins", size.columns)] + invitation.lines(columns: size.columns - 1).map { [Span(" \($0)")] }
    }

    private func links(_ size: TerminalSize) -> [[Span]] {
        [rule("in a browser", size.columns)] + invitation.browserLines().map { [Span(" \($0)")] }
    }

    /// Returns a line with a title: `── what happens ─────`.
    private func rule(_ title: String, _ columns: Int) -> [Span] {
        let rest = max(0, columns - title.displayWidth - 5)
        return [Span(" ── ", .dim), Span(title, .dim), Span(" " + String(repeating: "─", count: max(0, rest - 1)), .dim)]
    }
}
