internal import DoorwardDomain

/// Formats instants for tables: local times with their offset, such as `2026-11-25 01:03:05 +01:00`.
struct ReportTime: Sendable {
    private let rules: TimeZoneRules?
    /// The zone's name; `UTC` if the system does not know the zone.
    var zone: String { rules?.name ?? "UTC" }

    /// - Parameter zone: an IANA name; `nil` for UTC.
    init(zone: String?) { rules = zone.flatMap { TimeZoneDatabase.system.rules(of: $0) } }

    func text(_ instant: Timestamp) -> String {
        let offset = rules?.offset(at: instant.milliseconds.flooredQuotient(by: 1000)) ?? 0
        let local = Timestamp(milliseconds: instant.milliseconds + offset * 1000).description
        let minutes = Int(abs(offset) / 60)
        let digits = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(local.prefix(10)) \(local.dropFirst(11).prefix(8)) \(offset < 0 ? "\u{2212}" : "+")\(digits)"
    }

    /// The date, and for a part of a day the time, of the beginning of a part of a chart.
    func label(_ instant: Timestamp, isPartOfDay: Bool) -> String {
        let text = text(instant)
        return String(isPartOfDay ? text.prefix(16) : text.prefix(10))
    }

    /// A duration in the two largest units, such as `2 d 3 h`.
    static func duration(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
        guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return milliseconds > 0 ? "under 1 s" : "0 s" }
        return parts[first...].prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    /// A number with commas between thousands.
    static func number(_ value: Int) -> String {
        let digits = Array(String(abs(value)))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "\u{2212}" : "") + text
    }
}
