import DoorwardAPI
import DoorwardClient

/// Shows locks and their changes.
struct LocksFollower: Sendable {
    let client: DoorwardClient
    let propertyID: String?
    let unitID: String?
    let isJSON: Bool
    let table: TableOptions

    /// Runs until it is cancelled, or until the output is closed.
    func run(from locks: Response<[Wire.Device]>) async throws {
        if !isJSON, OutputStyle.output.canRedraw { try await redraw(locks) } else { try await tell(locks) }
    }

    private func fetch() async throws -> Response<[Wire.Device]> {
        try await client.devices.list(propertyID: propertyID, unitID: unitID).all()
    }

    // MARK: - On a terminal

    /// Shows a table of all locks, which is redrawn in place.
    private func redraw(_ locks: Response<[Wire.Device]>) async throws {
        let screen = FullScreen()
        defer { screen.end() }
        var (locks, message) = (locks.content, String?.none)
        func draw() {
            let size = TerminalSize.current
            screen.draw(Self.picture(locks, message, table.style(.output), size), size)
        }
        draw()
        try await Polling(client: client).run { text, isAway in
            message = isAway ? text : nil
            draw()
        } fetch: {
            try await fetch()
        } show: { answer in
            locks = answer.content
            draw()
            return true
        }
    }

    /// Returns one line for each row of the screen: the part of the table that fits, empty lines, and the message.
    static func picture(_ locks: [Wire.Device], _ message: String?, _ style: OutputStyle, _ size: TerminalSize) -> [String] {
        var lines = locks.isEmpty ? ["You see no locks."] : Locks.table(locks).lines(style)
        let room = max(1, size.rows - 2)
        if lines.count > room {
            let hidden = lines.count - room + 1
            lines = lines.prefix(room - 1) + [style.paint("… and \(hidden) more", .dim)]
        }
        lines += Array(repeating: "", count: room - lines.count + 1)
        let last = (message?.replacing("\n", with: " ") ?? "Ctrl-C ends").clipped(to: size.columns)
        return lines + [style.paint(last, message == nil ? .dim : .yellow)]
    }

    // MARK: - In a pipe

    /// Prints a line for each lock, and then a line for each changed lock.
    private func tell(_ locks: Response<[Wire.Device]>) async throws {
        var (changes, layout) = (LockChanges(), Table.Layout?.none)
        guard tell(changes.take(locks.entries), &layout) else { return }
        try await Polling(client: client).run {
            try await fetch()
        } show: { answer in
            tell(changes.take(answer.entries), &layout)
        }
    }

    /// - Returns: false if the output was closed.
    private func tell(_ news: LockChanges.News, _ layout: inout Table.Layout?) -> Bool {
        guard !news.isEmpty else { return true }
        return StandardStream.output.line(lines(news, &layout).joined(separator: "\n"))
    }

    private func lines(_ news: LockChanges.News, _ layout: inout Table.Layout?) -> [String] {
        guard !isJSON else {
            return news.changed.map { String(decoding: $0.json, as: UTF8.self) } + news.removed.map(Self.removal)
        }
        var table = Locks.table(news.changed.map(\.lock))
        table.rows += news.removed.map { [Table.Cell($0.name), "removed", "-", "-", "-", "-", Table.Cell($0.id, .dim)] }
        let (style, isFirst) = (self.table.style(.output), layout == nil)
        let shown = layout ?? table.layout(style)
        layout = shown
        return table.lines(style, shown, withHeadings: isFirst)
    }

    /// Returns a JSON object for a removed lock.
    private static func removal(_ lock: Wire.Device) -> String {
        var object = JSONObjectText()
        object.add("id", lock.id)
        object.add("removed", true)
        return object.text
    }
}
