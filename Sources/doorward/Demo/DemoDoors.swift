import DoorwardAPI

/// The doors of the demo in columns, grouped by house.
struct DemoDoors: Sendable {
    /// The locks in display order; the locks of one house are consecutive.
    let locks: [Wire.Device]

    /// Minimum and maximum width of one door with its sign, name and state.
    private static let widths = 26...34
    private static let stateWidth = 9
    /// The usual number of columns. More are used only if the window has too few rows.
    private static let usualColumns = 3

    private enum Entry {
        case house(String)
        case door(Wire.Device)
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

    init(_ lock: Wire.Device) {
        (sign, word, colour) =
            if lock.isOnline == false {
                ("!", "offline", .red)
            } else if lock.state == "JAMMED" {
                ("!", "jammed", .red)
            } else if lock.doorState == "OPEN" {
                ("○", "open", .yellow)
            } else {
                switch lock.state {
                case "LOCKED": lock.batteryLow == true ? ("!", "low batt.", .yellow) : ("●", "locked", .green)
                case let state?: ("○", DisplayText.word(state), state == "UNKNOWN" ? nil : .yellow)
                case nil: ("○", "unknown", nil)
                }
            }
    }
}
