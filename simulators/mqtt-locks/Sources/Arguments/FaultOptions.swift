import ArgumentParser
import Foundation

/// Options for the rates of the simulated faults.
struct FaultOptions: ParsableArguments {
    @Option(help: "Fraction of motor movements that jam, from 0 to 1.")
    var jam = 0.0
    @Option(help: "Fraction of movements during which a lock reports a half-way state.")
    var halfWay = 0.0
    @Option(help: "Fraction of commands that are lost on their way to the lock.")
    var drop = 0.0
    @Option(help: "Fraction of reports that are published twice.")
    var duplicate = 0.0
    @Option(help: "Fraction of movements that take 15 s longer.")
    var late = 0.0
    @Option(help: "Fraction of commands at which a lock goes offline for 20 s, with its last will.")
    var offline = 0.0
    @Option(help: "Fraction of movements after which a lock reports the opposite position of its bolt.")
    var wrongState = 0.0
    @Option(help: "Fraction of reports before which a garbage payload is published.")
    var garbage = 0.0
    @Option(help: "Fraction of locks whose retained state on the broker becomes stale.")
    var retained = 0.0
    @Option(help: "Fraction of commands at which a lock restarts instead of executing the command.")
    var reboot = 0.0

    var rates: [Fault: Double] {
        [
            .jam: jam, .halfWay: halfWay, .drop: drop, .duplicate: duplicate, .late: late, .offline: offline,
            .wrongState: wrongState,
            .garbage: garbage, .retained: retained, .reboot: reboot,
        ]
    }

    func validate() throws {
        for fault in Fault.allCases where !(0...1).contains(rates[fault] ?? 0) {
            throw ValidationError("--\(fault.rawValue) is a rate from 0 to 1.")
        }
    }
}

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
