import DoorwardAPI

/// How a lock's condition is shown.
struct LockView {
    let lock: Wire.Device

    init(_ lock: Wire.Device) { self.lock = lock }

    /// Where it hangs: the property, and the unit if it is on one.
    var place: String {
        let names = [lock.propertyName, lock.unitName].compactMap(\.self)
        return names.isEmpty ? "no property" : names.joined(separator: " / ")
    }

    /// Doubtful knowledge is marked as such: a state is shown bare only if the lock has confirmed it.
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
