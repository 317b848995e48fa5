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

extension Duration {
    /// A duration as typed by a person: `50ms`, `1.5s`, `2m`, `1h`.
    init?(typed text: some StringProtocol) {
        let units: [(String, Double)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
        guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }), let number = Double(text.dropLast(unit.count)),
            number.isFinite, number >= 0, number * factor <= 86_400_000
        else { return nil }
        self = .microseconds(Int64(number * factor * 1000))
    }
}

extension ClosedRange<Duration> {
    /// A range of durations as typed by a person: `50ms-400ms`, or `100ms` for a constant one.
    init?(typed text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Duration(typed: $0) }
        guard ends.count <= 2, let shortest = ends.first ?? nil, let longest = ends.last ?? nil, shortest <= longest else {
            return nil
        }
        self = shortest...longest
    }
}
