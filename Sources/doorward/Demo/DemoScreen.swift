import DoorwardAPI
import DoorwardClient
import DoorwardDomain

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
            guard let record = try? AccessRecords.Entry(followed).record, let event = DemoEvent(record),
                let at = try? Timestamp(rfc3339: record.at)
            else { continue }
            guard show(DemoView.News(time: time.name(of: at), event: event)) else { return false }
        }
        return true
    }

    /// Returns the locks in the order of the house. Locks attached meanwhile come last, grouped by house.
    private func inOrder(_ locks: [Wire.Device]) -> [Wire.Device] {
        let places = Dictionary(invitation.house.lockNames.enumerated().map { ($1, $0) }) { first, _ in first }
        let houses = invitation.house.sites.map(\.name)
        return locks.sorted { a, b in
            let key = { (lock: Wire.Device) in
                (
                    houses.firstIndex(of: lock.propertyName ?? "") ?? .max, lock.propertyName ?? "", places[lock.name] ?? .max,
                    lock.name
                )
            }
            return key(a) < key(b)
        }
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
