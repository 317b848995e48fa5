import DoorwardClient
import DoorwardDomain
import Synchronization

/// Shows the house as its owner sees it through the API: as a screen on a terminal, as lines in a pipe.
struct DemoScreen: Sendable {
    let client: DoorwardClient
    let invitation: DemoSignIns
    let clock: any GatewayClock
    let time: HouseTime

    private static let pause = Duration.milliseconds(250)

    /// Runs until it is cancelled, q is pressed, or the output is closed.
    func run() async {
        if OutputStyle.output.canRedraw { await watch(FullScreen()) } else { await tell() }
    }

    /// Redraws the parts of the screen that have changed.
    private func watch(_ screen: FullScreen) async {
        defer { screen.end() }
        var view = DemoView(invitation: invitation, style: .output)
        let (live, board) = (client.live(), DemoBoard())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await board.watchLocks(live, order: inOrder) }
            group.addTask { await board.end { _ = try await followRecords(live) { board.add($0) } } }
            defer { group.cancelAll() }
            // The loop reads keys and the time; the board is kept current by the stream.
            repeat {
                let keys = screen.keys()
                if keys.contains(UInt8(ascii: "q")) { return }
                if keys.contains(UInt8(ascii: "s")) { view.toggle(.signIns) }
                if keys.contains(UInt8(ascii: "b")) { view.toggle(.links) }
                (view.doors, view.news) = (DemoDoors(locks: board.locks), board.news)
                view.time = time.name(of: clock.now())
                view.notice = board.notice(live.status, at: view.time)
                let size = TerminalSize.current
                screen.draw(view.lines(size), size)
            } while await pause()
        }
    }

    /// Prints the sign-ins and links, then one line for each event.
    private func tell() async {
        StandardStream.output.line("listening on \(invitation.address)")
        let lines = invitation.lines(columns: 80) + [""] + invitation.browserLines()
        StandardStream.output.line(lines.joined(separator: "\n") + "\n")
        var isOpen = true
        do {
            isOpen = try await followRecords(client.live()) { news in
                StandardStream.output.line("\(news.time)\t\(news.event.text)")
            }
        } catch {
            guard !Task.isCancelled else { return }
            StandardStream.error.line("doorward: no more events: \(DemoBoard.reason(error))")
        }
        // The stream also ends when the gateway stops; then this task is cancelled.
        while isOpen, await pause() {}
    }

    /// Passes on each event until the stream ends, or `show` returns false.
    ///
    /// - Returns: whether `show` did not return false.
    private func followRecords(_ live: Live, show: (DemoView.News) -> Bool) async throws -> Bool {
        for try await followed in live.follow(after: RecordCursor()) {
            guard let event = DemoEvent(followed.record) else { continue }
            let at = Timestamp(followed.record.at)
            guard show(DemoView.News(time: time.name(of: at), event: event)) else { return false }
        }
        return true
    }

    /// Returns the locks in the order of the house. Locks attached meanwhile come last, grouped by house.
    private func inOrder(_ locks: [Doorward.LockDevice]) -> [Doorward.LockDevice] {
        let places = Dictionary(invitation.house.lockNames.enumerated().map { ($1, $0) }) { first, _ in first }
        let houses = invitation.house.sites.map(\.name)
        func key(_ lock: Doorward.LockDevice) -> (Int, String, Int, String) {
            let house = lock.propertyName ?? ""
            return (houses.firstIndex(of: house) ?? .max, house, places[lock.name] ?? .max, lock.name)
        }
        return locks.sorted { key($0) < key($1) }
    }

    private func pause() async -> Bool {
        do {
            try await clock.sleep(until: clock.monotonicNow().advanced(by: Self.pause))
            return true
        } catch {
            return false
        }
    }
}

/// The data of the house that the demo's screen shows, kept current by the live stream.
final class DemoBoard: Sendable {
    private struct State {
        var locks: [Doorward.LockDevice] = []
        var news: [DemoView.News] = []
        /// Why the locks or the events are not kept current any more.
        var failure: (any Error)?
        /// The time in the house at which the screen first showed this.
        var failedAt: String?
    }

    /// Maximum number of events that are kept for display.
    private static let capacity = 200
    private let state = Mutex(State())

    var locks: [Doorward.LockDevice] { state.withLock { $0.locks } }
    var news: [DemoView.News] { state.withLock { $0.news } }

    /// - Returns: true: the screen does not close by itself.
    func add(_ news: DemoView.News) -> Bool {
        state.withLock { $0.news = ($0.news + [news]).suffix(Self.capacity) }
        return true
    }

    /// Keeps the locks current until the task is cancelled, or the stream ends for good.
    func watchLocks(_ live: Live, order: ([Doorward.LockDevice]) -> [Doorward.LockDevice]) async {
        await end {
            for try await locks in live.watch(LiveQuery<Doorward.LockDevice>.all) {
                let ordered = order(locks.value)
                state.withLock { $0.locks = ordered }
            }
        }
    }

    /// Runs `body`, and notes the error with which it ends.
    func end(after body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            guard !Task.isCancelled else { return }
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    /// Why the screen is out of date, and what to do; empty while it is live.
    ///
    /// - Parameter time: the present time in the house.
    func notice(_ status: LiveStatus, at time: String) -> [String] {
        state.withLock { state in
            if let failure = state.failure {
                let since = state.failedAt ?? time
                state.failedAt = since
                return ["Not live since \(since): \(Self.reason(failure))", "Press q and start the demo again"]
            }
            guard case .stale = status else { return [] }
            return ["Not live: the gateway does not answer; connecting again"]
        }
    }

    /// Why a stream has ended.
    static func reason(_ error: any Error) -> String {
        switch error as? DoorwardError {
        case .sessionEnded, .notSignedIn: "the owner's session has ended"
        case let error?: CommandFailure(error, revoked: "the owner may not see this any more").sentence
        case nil: "the live stream has ended"
        }
    }
}

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
    /// Why the screen is out of date, and what to do; empty while it is live.
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
            case .signIns: titled("sign-ins", invitation.lines(columns: size.columns - 1), size.columns)
            case .links: titled("in a browser", invitation.browserLines(), size.columns)
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
        return titled("try it in another terminal", invitation.foot(columns: size.columns - 1), size.columns)
    }

    private func titled(_ title: String, _ lines: [String], _ columns: Int) -> [[Span]] {
        [rule(title, columns)] + lines.map { [Span(" \($0)")] }
    }

    /// Returns a line with a title: `── what happens ─────`.
    private func rule(_ title: String, _ columns: Int) -> [Span] {
        let rest = max(0, columns - title.displayWidth - 5)
        return [Span(" ── ", .dim), Span(title, .dim), Span(" " + String(repeating: "─", count: max(0, rest - 1)), .dim)]
    }
}

/// The doors of the demo in columns, grouped by house.
struct DemoDoors: Sendable {
    /// The locks in display order; the locks of one house are consecutive.
    let locks: [Doorward.LockDevice]

    /// Minimum and maximum width of one door with its sign, name and state.
    private static let widths = 26...34
    private static let stateWidth = 9
    /// The usual number of columns. More are used only if the window has too few rows.
    private static let usualColumns = 3

    private enum Entry {
        case house(String)
        case door(Doorward.LockDevice)
        case gap
    }

    /// Renders at most `rows` lines of at most `columns` characters. If not all doors fit, those with a problem come first,
    /// without the names of the houses, and the last line contains the number of hidden doors.
    func lines(columns: Int, rows: Int) -> [[Span]] {
        let entries = self.entries
        guard rows > 0 else { return [] }
        let most = max(1, columns / Self.widths.lowerBound)
        let perRow = min(most, max(Self.usualColumns, (entries.count + rows - 1) / rows))
        let width = min(Self.widths.upperBound, columns / perRow)
        if entries.count <= rows * perRow {
            // Use as few rows as possible, with evenly filled columns.
            return grid(entries, width: width, height: (entries.count + perRow - 1) / perRow)
        }
        let quiet = locks.filter { DoorCondition($0).isQuiet }
        let shown = (locks.filter { !DoorCondition($0).isQuiet } + quiet).prefix((rows - 1) * perRow)
        let missing = locks.count - shown.count
        let words = missing <= quiet.count ? "more doors, all locked" : "more doors"
        return grid(shown.map { .door($0) }, width: width, height: rows - 1) + [[Span(" … and \(missing) \(words)", .dim)]]
    }

    private var entries: [Entry] {
        var entries: [Entry] = []
        for (index, lock) in locks.enumerated() {
            let house = lock.propertyName ?? "no property"
            if index == 0 || house != locks[index - 1].propertyName ?? "no property" {
                entries += (index == 0 ? [] : [.gap]) + [.house(house)]
            }
            entries.append(.door(lock))
        }
        return entries
    }

    /// Fills the columns from top to bottom.
    private func grid(_ entries: [Entry], width: Int, height: Int) -> [[Span]] {
        let columns = stride(from: 0, to: entries.count, by: max(1, height)).map { start -> [Entry] in
            let column = Array(entries[start..<min(start + height, entries.count)])
            // Remove the gap between two houses if a column would begin with it.
            if case .gap? = column.first { return Array(column.dropFirst()) }
            return column
        }
        return (0..<height).map { row in columns.flatMap { cell(row < $0.count ? $0[row] : .gap, width) } }
    }

    private func cell(_ entry: Entry, _ width: Int) -> [Span] {
        switch entry {
        case .gap: return [Span(String(repeating: " ", count: width))]
        case .house(let name): return [Span(" \(name.printable)".clipped(to: width - 1).padded(to: width), .bold)]
        case .door(let lock):
            let condition = DoorCondition(lock)
            let room = max(0, width - Self.stateWidth - 4)
            return [
                Span(" \(condition.sign)", condition.colour),
                Span(" \(lock.name.printable.clipped(to: room).padded(to: room)) "),
                // The state of a door without a problem is dimmed.
                Span(
                    condition.word.clipped(to: Self.stateWidth).padded(to: Self.stateWidth),
                    condition.isQuiet ? .dim : condition.colour),
            ]
        }
    }
}

/// The most important information about a lock: a sign that is understandable without colour, and a word.
struct DoorCondition: Equatable {
    let sign: String
    let word: String
    let colour: OutputStyle.Colour?

    /// Whether the lock has no problem: it is locked and has no fault.
    var isQuiet: Bool { colour == .green }

    init(_ lock: Doorward.LockDevice) {
        (sign, word, colour) =
            if lock.isOnline == false {
                ("!", "offline", .red)
            } else if lock.state == .jammed {
                ("!", "jammed", .red)
            } else if lock.doorState == .open {
                ("○", "open", .yellow)
            } else {
                switch lock.state {
                case .locked?: lock.batteryLow == true ? ("!", "low batt.", .yellow) : ("●", "locked", .green)
                case let state?: ("○", DisplayText.word(state), state == .unknown ? nil : .yellow)
                case nil: ("○", "unknown", nil)
                }
            }
    }
}

/// A piece of a line in one colour.
struct Span: Equatable, Sendable {
    let text: String
    let colour: OutputStyle.Colour?

    init(_ text: String, _ colour: OutputStyle.Colour? = nil) { (self.text, self.colour) = (text, colour) }
}

extension OutputStyle {
    /// Concatenates the spans, truncated to this number of columns.
    func line(_ spans: [Span], columns: Int) -> String {
        var (line, left) = ("", columns)
        for span in spans where left > 0 {
            let text = span.text.clipped(to: left)
            left -= text.displayWidth
            line += paint(text, span.colour)
        }
        return line
    }
}
