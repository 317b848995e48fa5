import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardPolicy

/// Compares the interval engine with a naive table of minutes around every change of every clock.
@Suite struct TransitionPropertyTests {
    /// 2020-01-01 to 2041-01-01.
    static let years: Range<Int64> = 1_577_836_800..<2_240_524_800
    static let counts = Mutex((zones: 0, transitions: 0, minutes: 0, changes: 0))

    /// The clocks of all zones in the system's zone data. Zones whose clocks are equal in these years are one entry, with all names.
    private static let clocks: [[String]] = {
        let names = TimeZoneDatabase.system.names
        // The offsets, and the instants at which they change.
        let equal = Dictionary(grouping: names) { name -> [Int64] in
            guard let zone = TimeZoneDatabase.system.rules(of: name) else { return [] }
            var segment = zone.segment(at: years.lowerBound)
            var course = [segment.offset]
            while segment.end < years.upperBound {
                course.append(segment.end)
                segment = zone.segment(at: segment.end)
                course.append(segment.offset)
            }
            return course
        }
        return equal.values.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    }()

    @Test(
        "Around every change of every zone's clock from 2020 to 2040, schedules open and close in exactly the expected minutes",
        arguments: 0..<16)
    func everyTransition(part: Int) throws {
        var generator = SeededGenerator(seed: UInt64(part))
        var (zones, transitions, minutes, changes) = (0, 0, 0, 0)
        for (index, names) in Self.clocks.enumerated() where index % 16 == part {
            let name = names[0]
            let zone = try #require(TimeZoneDatabase.system.rules(of: name))
            var segment = zone.segment(at: Self.years.lowerBound)
            zones += names.count
            while segment.end < Self.years.upperBound {
                let transition = segment.end
                let before = segment.offset
                segment = zone.segment(at: segment.end)
                transitions += names.count
                let wanted = transition / 60 - 1600..<transition / 60 + 1600
                let clock = NaiveSchedule.Clock(minutes: wanted) { zone.offset(at: $0) }
                let near = [before, segment.offset].map { Int(((transition + $0) % 86_400 + 86_400) % 86_400 / 60) }
                let day = (transition + before) / 86_400
                let schedule = Schedule.random(timeZone: nil, days: day - 2...day + 2, near: near, using: &generator)
                let naive = NaiveSchedule(schedule, clock)
                let expected = naive.changes(in: wanted)
                changes += expected.count
                minutes += wanted.count
                guard Self.agrees(ScheduleClock(schedule, in: zone), naive, expected, in: wanted, using: &generator) else {
                    Issue.record("\(name) at \(transition), part \(part): \(schedule)")
                    return
                }
            }
        }
        let sum = Self.counts.withLock { counts in
            counts = (
                counts.zones + zones, counts.transitions + transitions, counts.minutes + minutes, counts.changes + changes
            )
            return counts
        }
        print(
            "compared: \(sum.zones) zones, \(sum.transitions) transitions, \(sum.minutes) minutes, \(sum.changes) openings and closings"
        )
        #expect(zones > 0)
    }

    /// Whether the engine opens and closes in the expected minutes and in no others, asked in every way.
    private static func agrees(
        _ clock: ScheduleClock, _ naive: NaiveSchedule, _ expected: [Int64], in wanted: Range<Int64>,
        using generator: inout SeededGenerator
    ) -> Bool {
        var found: [Int64] = []
        var instant = wanted.lowerBound * 60 - 1
        while let next = clock.nextChange(after: instant, before: wanted.upperBound * 60) {
            found.append(next)
            instant = next
        }
        guard found == expected.map({ $0 * 60 }) else { return false }
        let asked =
            found.flatMap { [$0 - 1, $0, $0 + 59] } + (0..<10).map { _ in Int64.random(in: wanted, using: &generator) * 60 }
        for second in asked where wanted.contains(second / 60) {
            guard clock.contains(second) == naive.contains(second * 1000) else { return false }
            let last = clock.lastChange(upTo: second, after: wanted.lowerBound * 60 - 1)
            guard last == found.last(where: { $0 <= second }) else { return false }
        }
        return true
    }

    @Test("Far from any change of the clock the hours are the same, whether or not the offset is constant")
    func bothWays() throws {
        // The same schedule in a zone with a change every half year, and in one that never changes, has the same hours.
        let (berlin, fixed) = (
            try #require(TimeZoneDatabase.system.rules(of: "Europe/Berlin")),
            try #require(TimeZoneDatabase.system.rules(of: "Etc/GMT-1"))
        )
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let schedule = Schedule.random(timeZone: nil, days: 20_830...20_850, near: [], using: &generator)
            let (first, second) = (ScheduleClock(schedule, in: berlin), ScheduleClock(schedule, in: fixed))
            for _ in 0..<50 {
                // January 2027.
                let instant = Int64.random(in: 1_798_761_600..<1_801_440_000, using: &generator)
                let limit = instant + 1_000_000
                #expect(first.contains(instant) == second.contains(instant))
                #expect(first.nextChange(after: instant, before: limit) == second.nextChange(after: instant, before: limit))
            }
        }
    }
}
