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
    /// Maximum number of events that are kept for display.
    private static let memory = 200

    /// Runs until it is cancelled, q is pressed, or the output is closed.
    func run() async {
        if OutputStyle.output.canRedraw { await watch(FullScreen()) } else { await tell() }
    }

    /// Redraws the parts of the screen that have changed.
    private func watch(_ screen: FullScreen) async {
        defer { screen.end() }
        var view = DemoView(invitation: invitation, style: .output)
        var tail = RecordFollower(query: AccessRecords.Query(), after: [])
        while true {
            let keys = screen.keys()
            if keys.contains(UInt8(ascii: "q")) { return }
            if keys.contains(UInt8(ascii: "s")) { view.toggle(.signIns) }
            if keys.contains(UInt8(ascii: "b")) { view.toggle(.links) }
            if let locks = try? await client.devices.list().all() { view.doors = DemoDoors(locks: inOrder(locks.content)) }
            view.news = (view.news + (await news(&tail))).suffix(Self.memory)
            view.time = time.name(of: clock.now())
            let size = TerminalSize.current
            screen.draw(view.lines(size), size)
            guard await pause() else { return }
        }
    }

    /// Prints the sign-ins and links, then one line for each event.
    private func tell() async {
        StandardStream.output.line("listening on \(invitation.address)")
        let lines = invitation.lines(columns: 80) + [""] + invitation.browserLines()
        StandardStream.output.line(lines.joined(separator: "\n") + "\n")
        var tail = RecordFollower(query: AccessRecords.Query(), after: [])
        repeat {
            for news in await news(&tail) {
                guard StandardStream.output.line("\(news.time)\t\(news.event.text)") else { return }
            }
        } while await pause()
    }

    /// Returns the new events; none if the request fails, for example because the gateway is stopping.
    private func news(_ tail: inout RecordFollower) async -> [DemoView.News] {
        let entries = (try? await tail.next(from: client.accessRecords)) ?? []
        return entries.compactMap { entry in
            guard let event = DemoEvent(entry.record), let at = try? Timestamp(rfc3339: entry.record.at) else { return nil }
            return DemoView.News(time: time.name(of: at), event: event)
        }
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
