import DoorwardDomain
import Foundation
import Testing

@Suite struct CivilDateTests {
    @Test("Every day of eight centuries follows the one before")
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
        "Days that are known",
        arguments: [
            (0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (20_778, "2026-11-21"), (-719_162, "0001-01-01"),
        ])
    func known(days: Int64, text: String) { #expect(CivilDate(daysSinceEpoch: days).description == text) }

    @Test(
        "A day that does not exist is none",
        arguments: [
            (2026, 2, 29), (1900, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, 32),
        ])
    func missing(year: Int, month: Int, day: Int) { #expect(CivilDate(year: year, month: month, day: day) == nil) }

    @Test("Leap years are those of the Gregorian calendar", arguments: [2000, 2024, 2400, 4])
    func leap(year: Int) { #expect(CivilDate(year: year, month: 2, day: 29) != nil) }
}
