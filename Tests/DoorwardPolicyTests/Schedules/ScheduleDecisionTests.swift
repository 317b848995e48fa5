import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Decisions on a guest access that has a schedule, in a property in Berlin.
@Suite struct ScheduleDecisionTests {
    /// 2026-11-24, a Tuesday.
    static let day = "2026-11-24T"

    struct Guest {
        var fixture: TenancyFixture
        var directory = TenancyDirectory()
        let user: UserID
        let door: DeviceID
        let property: PropertyID
        let access: GuestAccessID

        /// - Parameter window: of the access, in UTC.
        init(
            _ schedule: Schedule?, window: (String, String) = ("2026-11-23T00:00:00Z", "2026-11-30T12:00:00Z"),
            propertyZone: String? = "Europe/Berlin"
        ) throws {
            fixture = TenancyFixture(seed: 3, createdAt: try Timestamp(rfc3339: "2026-11-20T00:00:00Z"))
            property = fixture.property("No. 5", in: fixture.portfolio("Oak Street"))
            door = fixture.device("Door", in: .property(property))
            let manager = fixture.assign(fixture.user("Max"), .propertyManager, .property(property))
            user = fixture.user("Gus")
            let granted = fixture.guestAccess(for: user, to: [door], schedule: schedule, under: manager)
            access = try #require(granted)
            for change in fixture.changes { directory.apply(change) }
            try setZone(propertyZone)
            try change {
                $0.window = GuestWindow(validFrom: try Timestamp(rfc3339: window.0), validUntil: try Timestamp(rfc3339: window.1))
            }
        }

        mutating func setZone(_ zone: String?) throws {
            var changed = try #require(directory.property(property))
            changed.defaultTimeZone = zone
            directory.apply(.putProperty(changed))
        }

        mutating func change(_ body: (inout GuestAccess) throws -> Void) throws {
            var changed = try #require(directory.guestAccess(access))
            try body(&changed)
            directory.apply(.putGuestAccess(changed))
        }

        func decide(_ at: String, _ operation: LockOperation = .unlock) throws -> Decision {
            SecurityService.decide(
                .user(user), operation, on: door, at: .trusted(try Timestamp(rfc3339: at)), override: false, in: directory)
        }

        func denial(_ at: String) throws -> Denial? { try decide(at).denial }
    }

    static let office = ScheduleVectorTests.daily("09:00-17:00")

    @Test("Outside the hours the guest is denied, with the next opening and its end; inside them the guest is allowed")
    func hours() throws {
        let guest = try Guest(Self.office)
        #expect(try guest.decide("2026-11-24T08:00:00Z").rule == .guestAccess(guest.access))
        #expect(try guest.decide("2026-11-24T15:59:59.999Z").isAllowed)
        for (at, opens) in [
            ("2026-11-24T07:59:59.999Z", "2026-11-24T08:00:00Z"), ("2026-11-24T16:00:00Z", "2026-11-25T08:00:00Z"),
        ] {
            let denial = try #require(try guest.denial(at))
            let opensAt = try Timestamp(rfc3339: opens)
            #expect(denial.reason == .outsideSchedule && denial.hasReach && denial.rule == .guestAccess(guest.access))
            #expect(denial.opensAt == opensAt && denial.closesAt == opensAt.advanced(by: .seconds(8 * 3600)))
            // Seeing the status needs the hours too, as it needs the window.
            #expect(try guest.decide(at, .viewStatus).denial?.reason == .outsideSchedule)
        }
    }

    @Test("An opening outside the window is not named, and an end is at most that of the window")
    func withinWindow() throws {
        let guest = try Guest(Self.office)
        // The window ends on Monday at 13:00 in Berlin.
        let last = try #require(try guest.denial("2026-11-29T20:00:00Z"))
        #expect(
            last.opensAt?.description == "2026-11-30T08:00:00.000Z" && last.closesAt?.description == "2026-11-30T12:00:00.000Z")
        #expect(try guest.denial("2026-11-30T12:00:00Z")?.reason == .guestWindowEnded)
        let early = try Guest(Self.office, window: ("2026-11-23T00:00:00Z", "2026-11-24T08:00:00Z"))
        let denial = try #require(try early.denial("2026-11-23T17:00:00Z"))
        #expect(denial.reason == .outsideSchedule && denial.opensAt == nil && denial.closesAt == nil)
    }

    @Test("The window is tested before the schedule, and the schedule before the subscription")
    func order() throws {
        var guest = try Guest(Self.office)
        #expect(try guest.denial("2026-11-22T20:00:00Z")?.reason == .guestWindowNotStarted)
        #expect(try guest.denial("2026-12-24T20:00:00Z")?.reason == .guestWindowEnded)
        let portfolioID = try #require(guest.directory.property(guest.property)?.portfolioID)
        var portfolio = try #require(guest.directory.portfolio(portfolioID))
        portfolio.subscription.modules.remove(.guestAccess)
        guest.directory.apply(.putPortfolio(portfolio))
        #expect(try guest.denial("2026-11-24T20:00:00Z")?.reason == .outsideSchedule)
        #expect(try guest.denial("2026-11-24T12:00:00Z")?.reason == .featureUnavailable)
        try guest.change { $0.operations = [.lock] }
        #expect(try guest.denial("2026-11-24T20:00:00Z")?.reason == .operationNotGranted)
        try guest.change { $0.revokedAt = $0.window.validUntil }
        #expect(try guest.denial("2026-11-24T20:00:00Z")?.reason == .guestAccessRevoked)
    }

    @Test(
        "A schedule without hours denies at every instant",
        arguments: [
            Schedule(periods: []), Schedule(periods: [ScheduleVectorTests.period([], "09:00-17:00")]),
            Schedule(periods: [], specialDays: [ScheduleVectorTests.special("2026-11-24")]),
        ])
    func empty(schedule: Schedule) throws {
        let guest = try Guest(schedule)
        for hour in 10..<24 {
            let denial = try #require(try guest.denial("\(Self.day)\(hour):00:00Z"))
            #expect(denial.reason == .outsideSchedule && denial.opensAt == nil)
        }
    }

    @Test("Without a schedule the whole window is valid, and a removed schedule no longer narrows it")
    func noSchedule() throws {
        var guest = try Guest(nil)
        #expect(try guest.decide("2026-11-24T20:00:00Z").isAllowed)
        try guest.change { $0.schedule = Self.office }
        #expect(try !guest.decide("2026-11-24T20:00:00Z").isAllowed)
        try guest.change { $0.schedule = nil }
        #expect(try guest.decide("2026-11-24T20:00:00Z").isAllowed)
    }

    @Test("A change of the property's zone holds from the next decision, unless the schedule names a zone")
    func zoneOfProperty() throws {
        var guest = try Guest(Self.office)
        #expect(try !guest.decide("2026-11-24T20:00:00Z").isAllowed)
        try guest.setZone("America/Los_Angeles")
        #expect(try guest.decide("2026-11-24T20:00:00Z").isAllowed)
        #expect(try !guest.decide("2026-11-24T12:00:00Z").isAllowed)
        try guest.change { $0.schedule = Schedule(timeZone: "Asia/Tokyo", periods: Self.office.periods) }
        #expect(try guest.decide("2026-11-24T00:00:00Z").isAllowed)
        try guest.setZone("Europe/Berlin")
        #expect(try guest.decide("2026-11-24T00:00:00Z").isAllowed)
    }

    @Test(
        "Without a known zone a schedule denies, also one around the clock",
        arguments: [nil, "Mars/Olympus", "EST", "localtime", ""])
    func unknownZone(zone: String?) throws {
        let always = ScheduleVectorTests.daily("00:00-24:00")
        var guest = try Guest(always, propertyZone: zone)
        let denial = try #require(try guest.denial("2026-11-24T12:00:00Z"))
        #expect(denial.reason == .outsideSchedule && denial.opensAt == nil)
        #expect(guest.directory.intervals(of: guest.access, endingAfter: Timestamp(milliseconds: 0), count: 5).isEmpty)
        try guest.setZone("UTC")
        #expect(try guest.decide("2026-11-24T12:00:00Z").isAllowed)
        if let zone {
            try guest.change { $0.schedule = Schedule(timeZone: zone, periods: always.periods) }
            #expect(try !guest.decide("2026-11-24T12:00:00Z").isAllowed)
        }
        guest.directory.apply(.removeProperty(guest.property))
        #expect(try !guest.decide("2026-11-24T12:00:00Z").isAllowed)
    }

    @Test("The holder of the access's link is denied outside the hours too")
    func link() throws {
        let guest = try Guest(Self.office)
        for (at, isAllowed) in [("2026-11-24T12:00:00Z", true), ("2026-11-24T20:00:00Z", false)] {
            let decision = SecurityService.decide(
                .guestLink(guest.access), .unlock, on: guest.door, at: .trusted(try Timestamp(rfc3339: at)), override: false,
                in: guest.directory)
            #expect(decision.isAllowed == isAllowed)
        }
    }

    @Test("Of two accesses outside their hours the one that opens first is named")
    func nearest() throws {
        var guest = try Guest(Self.office)
        let other = try #require(guest.directory.guestAccess(guest.access))
        let second = GuestAccess(
            id: GuestAccessID(high: .max, low: .max), guestUserID: other.guestUserID, propertyID: other.propertyID,
            deviceIDs: other.deviceIDs, operations: other.operations, window: other.window,
            schedule: ScheduleVectorTests.daily("07:00-08:00"), grantedByUserID: other.grantedByUserID,
            grantedUnderAssociationID: other.grantedUnderAssociationID, grantedUnderRole: other.grantedUnderRole,
            createdAt: other.createdAt)
        guest.directory.apply(.putGuestAccess(second))
        #expect(try guest.denial("2026-11-24T20:00:00Z")?.rule == .guestAccess(second.id))
        #expect(try guest.denial("2026-11-24T07:30:00Z")?.rule == .guestAccess(guest.access))
    }

    @Test("The preview lists the intervals that have not ended, clipped to the window")
    func preview() throws {
        let guest = try Guest(Self.office)
        func preview(_ at: String, _ count: Int) throws -> [String] {
            guest.directory.intervals(of: guest.access, endingAfter: try Timestamp(rfc3339: at), count: count)
                .map { "\($0.lowerBound) \($0.upperBound)" }
        }
        #expect(
            try preview("2026-11-24T12:00:00Z", 2) == [
                "2026-11-24T08:00:00.000Z 2026-11-24T16:00:00.000Z", "2026-11-25T08:00:00.000Z 2026-11-25T16:00:00.000Z",
            ])
        #expect(try preview("2026-11-01T00:00:00Z", 100).count == 8)
        #expect(try preview("2026-11-30T11:59:59.999Z", 100) == ["2026-11-30T08:00:00.000Z 2026-11-30T12:00:00.000Z"])
        #expect(try preview("2026-11-30T12:00:00Z", 100).isEmpty && preview("2026-11-24T12:00:00Z", 0).isEmpty)
        let whole = try Guest(nil)
        let window = whole.directory.intervals(of: whole.access, endingAfter: Timestamp(milliseconds: 0), count: 3)
        #expect(window.map(\.lowerBound.description) == ["2026-11-23T00:00:00.000Z"])
        #expect(
            guest.directory.intervals(of: GuestAccessID(high: 0, low: 1), endingAfter: Timestamp(milliseconds: 0), count: 3)
                .isEmpty)
    }

    @Test("A valid access ends with its hours, its window or the limit, whichever is first")
    func validityEnd() throws {
        let guest = try Guest(Self.office)
        func end(_ from: String, _ limit: String, of guest: Guest) throws -> String {
            guest.directory.validityEnd(
                of: guest.access, from: try Timestamp(rfc3339: from), before: try Timestamp(rfc3339: limit)
            ).description
        }
        #expect(try end("2026-11-24T15:59:55Z", "2026-11-24T16:00:05Z", of: guest) == "2026-11-24T16:00:00.000Z")
        #expect(try end("2026-11-24T15:59:55Z", "2026-11-24T15:59:59.5Z", of: guest) == "2026-11-24T15:59:59.500Z")
        #expect(try end("2026-11-30T11:59:55Z", "2026-11-30T12:00:05Z", of: guest) == "2026-11-30T12:00:00.000Z")
        #expect(try end("2026-11-24T16:00:00Z", "2026-11-24T16:00:05Z", of: guest) == "2026-11-24T16:00:00.000Z")
        #expect(try end("2026-12-24T16:00:00Z", "2026-12-24T16:00:05Z", of: guest) == "2026-12-24T16:00:00.000Z")
        #expect(try end("2026-11-24T20:00:00Z", "2026-11-24T20:00:05Z", of: Guest(nil)) == "2026-11-24T20:00:05.000Z")
        let abutting = try Guest(ScheduleVectorTests.daily("09:00-17:00", "17:00-18:00"))
        #expect(try end("2026-11-24T15:59:55Z", "2026-11-24T16:00:05Z", of: abutting) == "2026-11-24T16:00:05.000Z")
    }

    @Test("Every opening and closing is an edge of the access, until its window ends or it is revoked")
    func edges() throws {
        var guest = try Guest(Self.office)
        func edges(from start: String) throws -> [String] {
            var (edges, instant): ([String], Timestamp) = ([], try Timestamp(rfc3339: start))
            while let next = guest.directory.nextEdge(of: guest.access, after: instant) {
                edges.append(next.description)
                instant = next
            }
            return edges
        }
        let all = try edges(from: "2026-11-29T00:00:00Z")
        #expect(
            all == [
                "2026-11-29T08:00:00.000Z", "2026-11-29T16:00:00.000Z", "2026-11-30T08:00:00.000Z", "2026-11-30T12:00:00.000Z",
                "2026-12-30T12:00:00.000Z",
            ])
        try guest.change { $0.revokedAt = try Timestamp(rfc3339: "2026-11-29T10:00:00Z") }
        #expect(try edges(from: "2026-11-29T11:00:00Z") == ["2026-12-29T10:00:00.000Z"])
    }

    @Test("Only accesses whose schedule names no zone follow the property")
    func followers() throws {
        var guest = try Guest(Self.office)
        #expect(guest.directory.guestAccessIDs(followingZoneOf: guest.property) == [guest.access])
        try guest.change { $0.schedule = Schedule(timeZone: "UTC", periods: Self.office.periods) }
        #expect(guest.directory.guestAccessIDs(followingZoneOf: guest.property).isEmpty)
        try guest.change { $0.schedule = nil }
        #expect(guest.directory.guestAccessIDs(followingZoneOf: guest.property).isEmpty)
    }
}
