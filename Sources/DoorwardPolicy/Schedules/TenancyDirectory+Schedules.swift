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
