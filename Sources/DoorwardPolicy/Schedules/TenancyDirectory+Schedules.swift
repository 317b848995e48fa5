package import DoorwardDomain
internal import HashTreeCollections

extension TenancyDirectory {
    /// The hours of an access in the zone of its schedule or, if that names none, in the zone that its property has now; `nil` if
    /// the access has no schedule or the zone is not known.
    func scheduleClock(of node: GuestAccessNode) -> ScheduleClock? {
        guard let hours = node.hours, let zone = zone(of: hours, property: node.access.propertyID) else { return nil }
        return ScheduleClock(hours: hours, zone: zone)
    }

    private func zone(of hours: ScheduleHours, property: PropertyID) -> TimeZoneRules? {
        hours.schedule.timeZone == nil ? zonesByProperty[property] : hours.ownZone
    }

    /// The failure of a guest access at an instant of its window that is outside the hours of its schedule; `nil` if the access
    /// has no schedule or the instant is within the hours. Without a known zone, every instant is outside.
    @inline(__always)
    func scheduleFailure(of node: GuestAccessNode, at instant: Timestamp) -> RuleFailure? {
        guard let hours = node.hours else { return nil }
        return scheduleFailure(of: node, hours, at: instant)
    }

    @inline(never)
    private func scheduleFailure(of node: GuestAccessNode, _ hours: ScheduleHours, at instant: Timestamp) -> RuleFailure? {
        let rule = Rule.guestAccess(node.id)
        guard let zone = zone(of: hours, property: node.access.propertyID) else { return RuleFailure(.outsideSchedule, of: rule) }
        let clock = ScheduleClock(hours: hours, zone: zone)
        if clock.contains(instant.second) { return nil }
        guard let opensAt = clock.nextChange(after: instant, before: node.window.validUntil) else {
            return RuleFailure(.outsideSchedule, of: rule)
        }
        let closesAt = clock.nextChange(after: opensAt, before: node.window.validUntil) ?? node.window.validUntil
        return RuleFailure(.outsideSchedule, of: rule, opensAt: opensAt, closesAt: closesAt)
    }

    /// The instant at which an access that is valid at `instant` stops being valid by time alone: the end of its window or of the
    /// hours of its schedule, at most `limit`. `instant` itself if the access does not exist, or is not within its window and hours.
    package func validityEnd(of access: GuestAccessID, from instant: Timestamp, before limit: Timestamp) -> Timestamp {
        guard let node = guestAccesses[access], node.window.contains(instant) else { return instant }
        let end = min(limit, node.window.validUntil)
        if node.hours == nil { return end }
        return scheduleClock(of: node)?.nextClosing(after: instant, before: end) ?? instant
    }

    /// The intervals in which an access is within its window and the hours of its schedule, in order: those that end after
    /// `instant`, clipped to the window, at most `count`. An access without a schedule has one interval, its window. None for an
    /// access that does not exist, or whose schedule has no known zone. Revocation is not considered.
    package func intervals(of access: GuestAccessID, endingAfter instant: Timestamp, count: Int) -> [Range<Timestamp>] {
        guestAccesses[access].map { intervals(of: $0.access, endingAfter: instant, count: count) } ?? []
    }

    /// The same for an access that need not be in the directory, such as one that is about to be granted.
    package func intervals(of access: GuestAccess, endingAfter instant: Timestamp, count: Int) -> [Range<Timestamp>] {
        let window = access.window
        guard window.validFrom < window.validUntil, instant < window.validUntil, count > 0 else { return [] }
        guard let schedule = access.schedule else { return [window.validFrom..<window.validUntil] }
        let hours = ScheduleHours(schedule, ownZone: schedule.timeZone.flatMap(zones.rules))
        guard let zone = zone(of: hours, property: access.propertyID) else { return [] }
        return ScheduleClock(hours: hours, zone: zone).intervals(endingAfter: instant, in: window, count: count)
    }

    /// The accesses of a property whose schedule names no zone, so that a change of the property's zone changes their hours.
    package func guestAccessIDs(followingZoneOf property: PropertyID) -> [GuestAccessID] {
        (guestAccessesByProperty[property] ?? []).filter { id in
            guestAccesses[id]?.hours.map { $0.schedule.timeZone == nil } ?? false
        }.sorted()
    }
}

/// The interval engine: the hours of a schedule in one zone, as half-open intervals of instants.
///
/// The beginning and the end of hours are each resolved by `TimeZoneRules.resolve`. Hours are therefore contiguous when the clock
/// is set back, shorter when it is set forward, and empty if they are in the skipped time. Instants here are whole seconds since
/// 1970; no hours begin or end within a second.
struct ScheduleClock: Sendable {
    let hours: ScheduleHours
    /// The zone of the schedule or, if it names none, of the property.
    let zone: TimeZoneRules

    /// The instants of a segment at which the hours depend on the reading of the clock alone: hours last at most 24 hours, so those
    /// that can cover such an instant begin and end in the same segment.
    func stableInstants(of segment: TimeZoneRules.Segment) -> Range<Int64> {
        let start = segment.start == .min ? .min : segment.start + 86_400 + TimeZoneRules.maxOffset + 1
        return start..<max(start, segment.end - 86_400)
    }

    /// Whether an instant is within the hours.
    func contains(_ instant: Int64) -> Bool {
        let segment = zone.segment(at: instant)
        if stableInstants(of: segment).contains(instant) { return hours.days.contains(instant + segment.offset) }
        return containsNearTransition(instant, offset: segment.offset)
    }

    /// The same by the instants of all bounds: correct at every instant, but slower.
    func containsNearTransition(_ instant: Int64, offset: Int64) -> Bool {
        let today = (instant + offset).flooredQuotient(by: 86_400)
        let isSpecialDay = hours.occurrences.isSpecial(today)
        for day in today - 2...today + 2 {
            let found = hours.occurrences.contains(on: day) { occurrence in
                hours.occurrences.applies(occurrence, isSpecialDay: isSpecialDay, on: today)
                    && zone.resolve(local: occurrence.from).instant <= instant
                    && instant < zone.resolve(local: occurrence.until).instant
            }
            if found { return true }
        }
        return false
    }

    /// The first instant after `instant` at which the hours begin or end; `nil` if there is none before `limit`. Hours that abut
    /// or overlap neither end nor begin in between.
    func nextChange(after instant: Int64, before limit: Int64) -> Int64? {
        guard instant < limit else { return nil }
        let segment = zone.segment(at: instant)
        let stable = stableInstants(of: segment)
        guard stable.contains(instant) else { return nextChangeNearTransition(after: instant, before: limit) }
        let end = min(limit, stable.upperBound)
        if let reading = hours.days.nextChange(after: instant + segment.offset, before: end + segment.offset) {
            return reading - segment.offset
        }
        return end == limit ? nil : nextChangeNearTransition(after: end - 1, before: limit)
    }

    /// The same by testing each instant at which a change is possible: correct after every instant, but slower.
    func nextChangeNearTransition(after instant: Int64, before limit: Int64) -> Int64? {
        let isOpen = contains(instant)
        var current = instant
        var day = date(at: instant)
        var candidates: [Int64] = []
        while current < limit - 1, let next = hours.nextDayOfChange(from: day) {
            if next > day { current = max(current, zone.resolve(local: next * 86_400).instant) }
            day = next
            let end = zone.resolve(local: (day + 1) * 86_400).instant
            candidates.removeAll(keepingCapacity: true)
            collectCandidates(day, after: current, upTo: min(end, limit - 1), into: &candidates)
            candidates.sort()
            for candidate in candidates where contains(candidate) != isOpen { return candidate }
            current = max(current, end)
            day += 1
        }
        return nil
    }

    /// The last instant up to `instant` at which the hours began or ended; `nil` if there is none after `limit`.
    func lastChange(upTo instant: Int64, after limit: Int64) -> Int64? {
        let isOpen = contains(instant)
        var day = date(at: instant) + 1
        var candidates: [Int64] = []
        while true {
            let (start, end) = (zone.resolve(local: day * 86_400).instant, zone.resolve(local: (day + 1) * 86_400).instant)
            candidates.removeAll(keepingCapacity: true)
            collectCandidates(day, after: max(start - 1, limit), upTo: min(end, instant), into: &candidates)
            candidates.sort(by: >)
            for candidate in candidates where contains(candidate - 1) != isOpen { return candidate }
            if start <= limit { return nil }
            day -= 1
        }
    }

    private func date(at instant: Int64) -> Int64 { (instant + zone.offset(at: instant)).flooredQuotient(by: 86_400) }

    /// Adds each instant in `(start, end]` at which hours may begin or end: the bounds of all hours, midnights, and changes of the
    /// offset. Both bounds are in the day `day`, or at its end.
    private func collectCandidates(_ day: Int64, after start: Int64, upTo end: Int64, into candidates: inout [Int64]) {
        guard start < end else { return }
        func add(_ instant: Int64) { if start < instant && instant <= end { candidates.append(instant) } }
        var segment = zone.segment(at: start)
        let isStable = segment.start < start - 2 * 86_400 - TimeZoneRules.maxOffset && segment.end > end + 2 * 86_400
        while segment.end <= end {
            add(segment.end)
            segment = zone.segment(at: segment.end)
        }
        add(isStable ? day * 86_400 - segment.offset : zone.resolve(local: day * 86_400).instant)
        add(isStable ? (day + 1) * 86_400 - segment.offset : zone.resolve(local: (day + 1) * 86_400).instant)
        for other in day - 2...day + 1 {
            _ = hours.occurrences.contains(on: other) { occurrence in
                add(isStable ? occurrence.from - segment.offset : zone.resolve(local: occurrence.from).instant)
                add(isStable ? occurrence.until - segment.offset : zone.resolve(local: occurrence.until).instant)
                return false
            }
        }
    }
}

// The same for instants with milliseconds, as windows and decisions have them.
extension ScheduleClock {
    /// Whether an instant is within the hours.
    func contains(_ instant: Timestamp) -> Bool { contains(instant.second) }

    /// The next instant after `instant` at which the hours begin or end; `nil` if there is none before `limit`.
    func nextChange(after instant: Timestamp, before limit: Timestamp) -> Timestamp? {
        nextChange(after: instant.second, before: limit.secondRoundedUp).map(Timestamp.init(second:))
    }

    /// The first instant after `instant`, which is within the hours, that is not: `limit` if there is none before.
    func nextClosing(after instant: Timestamp, before limit: Timestamp) -> Timestamp {
        contains(instant) ? nextChange(after: instant, before: limit) ?? limit : instant
    }

    /// The intervals of the hours that end after `instant`, clipped to a window, in order; at most `count`.
    func intervals(endingAfter instant: Timestamp, in window: GuestWindow, count: Int) -> [Range<Timestamp>] {
        var found: [Range<Timestamp>] = []
        var start: Timestamp? = max(instant, window.validFrom)
        if let now = start, now < window.validUntil {
            if contains(now) {
                let opened = lastChange(upTo: now.second, after: window.validFrom.second).map(Timestamp.init(second:))
                start = opened ?? window.validFrom
            } else {
                start = nextChange(after: now, before: window.validUntil)
            }
        }
        while found.count < count, let opening = start, opening < window.validUntil {
            let end = nextChange(after: max(opening, instant), before: window.validUntil)
            found.append(opening..<(end ?? window.validUntil))
            start = end.flatMap { nextChange(after: $0, before: window.validUntil) }
        }
        return found
    }
}

extension Timestamp {
    /// The second that contains the instant, since 1970.
    var second: Int64 { milliseconds.flooredQuotient(by: 1000) }

    fileprivate var secondRoundedUp: Int64 { -(-milliseconds).flooredQuotient(by: 1000) }

    fileprivate init(second: Int64) { self.init(milliseconds: second * 1000) }
}
