import DoorwardAPI

/// The doors of the demo in columns, each house under its name.
struct DemoDoors: Sendable {
    /// In the order in which they are shown; those of a house stand together.
    let locks: [Wire.Device]

    /// How wide one door is shown at least, and at most: sign, name, state.
    private static let widths = 26...34
    private static let stateWidth = 9
    /// More columns than these are made only where a window is too low for fewer.
    private static let usualColumns = 3

    private enum Entry {
        case house(String)
        case door(Wire.Device)
        case gap
    }

    /// At most so many lines, each of them at most so wide. Where not all doors fit, those that are not as they should be come
    /// first, without the houses, and the last line says how many are missing.
    func lines(columns: Int, rows: Int) -> [[Span]] {
        let entries = self.entries
        guard rows > 0 else { return [] }
        let most = max(1, columns / Self.widths.lowerBound)
        let perRow = min(most, max(Self.usualColumns, (entries.count + rows - 1) / rows))
        let width = min(Self.widths.upperBound, columns / perRow)
        if entries.count <= rows * perRow {
            // As few rows as will do, evenly filled.
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

    /// Down the columns, as one reads a list.
    private func grid(_ entries: [Entry], width: Int, height: Int) -> [[Span]] {
        let columns = stride(from: 0, to: entries.count, by: max(1, height)).map { start -> [Entry] in
            let column = Array(entries[start..<min(start + height, entries.count)])
            // A gap between two houses is none at the top of a column.
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
                // What is as it should be does not call for the eye.
                Span(
                    condition.word.clipped(to: Self.stateWidth).padded(to: Self.stateWidth),
                    condition.isQuiet ? .dim : condition.colour),
            ]
        }
    }
}

/// What is most worth knowing of a lock: a sign that says it without colour too, and a word.
struct DoorCondition: Equatable {
    let sign: String
    let word: String
    let colour: OutputStyle.Colour?

    /// Whether it is as it should be: locked, and nothing wrong with it.
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
