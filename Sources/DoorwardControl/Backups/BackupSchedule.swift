package import DoorwardDomain

/// When the gateway backs itself up: once for each date, at a time of the clock on the wall.
package struct BackupSchedule: Sendable {
    /// The time of day, before 24:00.
    package let at: LocalTime
    /// The zone of that clock.
    package let zone: TimeZoneRules

    package init(at: LocalTime, zone: TimeZoneRules) { (self.at, self.zone) = (at, zone) }

    /// The latest instant up to `now` at which a backup was due: for each date, the first instant at which the clock showed that
    /// time or a later one. A time that the clock skips is due at the end of the gap, and one that it repeats only once.
    func latestDue(at now: Timestamp) -> Timestamp {
        let today = zone.local(at: now).date.daysSinceEpoch
        // Also tomorrow: a clock that is put back over midnight shows the old date again.
        return [1, 0].lazy.map { due(today + $0) }.first { $0 <= now } ?? due(today - 1)
    }

    private func due(_ day: Int64) -> Timestamp {
        zone.resolve(LocalDateTime(date: CivilDate(daysSinceEpoch: day), time: at)).instant
    }
}
