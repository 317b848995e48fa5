import Foundation

/// A duration as typed by a person: `50ms`, `1.5s`, `2m`, `1h`.
struct TypedDuration: Hashable, Sendable {
    let duration: Duration

    init?(_ text: some StringProtocol) {
        let units: [(String, Double)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
        guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }), let number = Double(text.dropLast(unit.count)),
            number.isFinite, number >= 0, number * factor <= 86_400_000
        else { return nil }
        duration = .microseconds(Int64(number * factor * 1000))
    }
}

/// A range of durations: `50ms-400ms`, or `100ms` for a constant one.
struct LatencyRange: Hashable, Sendable {
    let range: ClosedRange<Duration>

    init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { TypedDuration($0)?.duration }
        switch ends.count {
        case 1:
            guard let only = ends[0] else { return nil }
            range = only...only
        case 2:
            guard let shortest = ends[0], let longest = ends[1], shortest <= longest else { return nil }
            range = shortest...longest
        default: return nil
        }
    }
}
