import DoorwardAPI

/// Prints the state of a lock.
struct LockView {
    let lock: Wire.Device

    init(_ lock: Wire.Device) { self.lock = lock }

    /// Where the lock is: its property, and its unit if it has one.
    var place: String {
        let names = [lock.propertyName, lock.unitName].compactMap(\.self)
        return names.isEmpty ? "no property" : names.joined(separator: " / ")
    }

    /// The state; any state that is not confirmed is marked with its quality.
    var state: Table.Cell {
        guard let state = lock.state else { return Table.Cell(nil) }
        let quality = lock.stateQuality.map { $0 == "CONFIRMED" ? "" : " (\(DisplayText.word($0)))" } ?? ""
        return Table.Cell(DisplayText.word(state) + quality, Self.colour(of: state))
    }

    static func colour(of state: String) -> OutputStyle.Colour? {
        switch state {
        case "LOCKED": .green
        case "JAMMED": .red
        case "UNLOCKED", "UNLATCHED": .yellow
        default: nil
        }
    }

    var door: Table.Cell { Table.Cell(lock.doorState.map(DisplayText.word), lock.doorState == "OPEN" ? .yellow : nil) }

    var battery: Table.Cell {
        guard let level = lock.batteryLevel else { return Table.Cell(lock.batteryLow == true ? "low" : nil, .red) }
        return lock.batteryLow == true ? Table.Cell("\(level) % low", .red) : Table.Cell("\(level) %")
    }

    var online: Table.Cell {
        Table.Cell(lock.isOnline.map { $0 ? "yes" : "no" }, lock.isOnline == false ? .red : nil)
    }
}
