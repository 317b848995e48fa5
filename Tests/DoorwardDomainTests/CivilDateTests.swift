import DoorwardDomain
import Foundation
import Testing

@Suite struct CivilDateTests {
    @Test("Every day of eight centuries directly follows the previous one")
    func consecutive() {
        var previous = CivilDate(daysSinceEpoch: -146_098)
        for day in -146_097...146_097 as ClosedRange<Int64> {
            let date = CivilDate(daysSinceEpoch: day)
            if date.daysSinceEpoch != day || !follows(date, previous) {
                Issue.record("\(previous), \(date)")
                return
            }
            previous = date
        }
    }

    private func follows(_ date: CivilDate, _ previous: CivilDate) -> Bool {
        if date.day != 1 { return (date.year, date.month, date.day) == (previous.year, previous.month, previous.day + 1) }
        let isNewYear = date.month == 1
        return CivilDate(year: previous.year, month: previous.month, day: previous.day + 1) == nil
            && (date.year, date.month) == (isNewYear ? previous.year + 1 : previous.year, isNewYear ? 1 : previous.month + 1)
    }

    @Test(
        "Known days are converted from the number of days since 1970",
        arguments: [
            (0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (20_778, "2026-11-21"), (-719_162, "0001-01-01"),
        ])
    func known(days: Int64, text: String) { #expect(CivilDate(daysSinceEpoch: days).description == text) }

    @Test(
        "A date that does not exist is rejected",
        arguments: [
            (2026, 2, 29), (1900, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, 32),
        ])
    func missing(year: Int, month: Int, day: Int) { #expect(CivilDate(year: year, month: month, day: day) == nil) }

    @Test("The leap years of the Gregorian calendar have a 29 February", arguments: [2000, 2024, 2400, 4])
    func leap(year: Int) { #expect(CivilDate(year: year, month: 2, day: 29) != nil) }
}

extension CivilDateTests {
    @Test("Each month has the right number of days")
    func lengths() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for year in [1999, 2000, 2023, 2024, 2100] {
            let isLeap = [2000, 2024].contains(year)
            for (month, length) in zip(1...12, lengths) {
                let last = month == 2 && isLeap ? 29 : length
                #expect(CivilDate(year: year, month: month, day: last) != nil, "\(year)-\(month)")
                #expect(CivilDate(year: year, month: month, day: last + 1) == nil, "\(year)-\(month)")
            }
        }
    }

    @Test(
        "The difference between two dates is the number of days between them",
        arguments: [
            ((2023, 1, 1), (2024, 1, 1), 365), ((2024, 1, 1), (2025, 1, 1), 366), ((2024, 2, 28), (2024, 3, 1), 2),
            ((2023, 2, 28), (2023, 3, 1), 1), ((1900, 1, 1), (2000, 1, 1), 36_524), ((2000, 1, 1), (2400, 1, 1), 146_097),
            ((1969, 12, 31), (1970, 1, 1), 1), ((0, 3, 1), (1970, 1, 1), 719_468),
        ] as [((Int, Int, Int), (Int, Int, Int), Int64)])
    func between(first: (Int, Int, Int), second: (Int, Int, Int), days: Int64) throws {
        let start = try #require(CivilDate(year: first.0, month: first.1, day: first.2))
        let end = try #require(CivilDate(year: second.0, month: second.1, day: second.2))
        #expect(end.daysSinceEpoch - start.daysSinceEpoch == days)
        #expect(CivilDate(daysSinceEpoch: start.daysSinceEpoch + days) == end)
    }

    @Test("A year is printed with at least four digits", arguments: [(0, "0000"), (7, "0007"), (476, "0476"), (2026, "2026")])
    func years(year: Int, digits: String) { #expect(CivilDate(year: year, month: 1, day: 1)?.description == "\(digits)-01-01") }
}
