import DoorwardAPI

/// Prints the state of the gateway's clock.
struct ClockView {
    private let clock: Wire.Clock

    init(_ clock: Wire.Clock) { self.clock = clock }

    /// Returns one line with a name and a value for each fact; on a terminal also what to do next.
    func lines(_ style: OutputStyle) -> [String] {
        var facts = [
            ("clock", clock.isTrusted ? "trusted" : "not trusted"), ("time", style.instant(clock.at)),
            ("latest trusted time", style.instant(clock.mark)),
            ("system clock", clock.isSynchronised ? "synchronised" : "not synchronised"),
        ]
        if let reason { facts.insert(("because", reason), at: 1) }
        if let step = clock.lastStep {
            let size = Double(step.stepMs) / 1000
            facts.append(
                ("last step", "\(size > 0 ? "+" : "")\(size) s, \(style.instant(step.before)) to \(style.instant(step.after))"))
        }
        guard style.isInteractive else { return facts.map { "\($0)\t\($1)" } }
        let colour: OutputStyle.Colour = clock.isTrusted ? .green : .red
        let rows = facts.map { name, value in [Table.Cell(name), Table.Cell(value, name == "clock" ? colour : nil)] }
        let table = Table("CLOCK", "", rows: rows).lines(style, withHeadings: false)
        return advice.map { table + ["", $0] } ?? table
    }

    private var reason: String? {
        switch clock.reason {
        case nil: nil
        case "below_mark": "the clock is before the latest trusted time"
        case "stepped_forward": "the clock was set forward, and the step is not confirmed"
        case "agreeing": "the clock agrees again, but not yet for 60 seconds"
        case let other?: DisplayText.word(other)
        }
    }

    private var advice: String? {
        switch clock.reason {
        case "below_mark": "Guest accesses are denied. Set the clock of the gateway's machine right, for example by NTP."
        case "stepped_forward":
            "Guest accesses are denied. If the time above is right, confirm it with: doorward clock accept"
        case "agreeing": "Guest accesses are denied until then."
        default: nil
        }
    }
}
