import DoorwardDomain
import DoorwardKernel
import DoorwardTesting
import Testing

@testable import DoorwardRecords

@Suite struct AccessTimelineTests {
    private static let log = LogID.portfolio(PortfolioID(high: 1, low: 1))
    private static let unit = UnitID(high: 2, low: 1)
    private static let path = EntityPathIDs(unitID: unit, propertyID: PropertyID(high: 2, low: 2), portfolioID: log.portfolioID)
    private static let user = UserID(high: 3, low: 1)

    private static func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    /// An id that was created at a time.
    private static func id(_ number: UInt64, created seconds: UInt64 = 0) -> String {
        "\(RecordID(high: seconds * 1000 << 16 | 0x7000, low: 1 << 63 | number))"
    }

    private static func change(
        _ seq: UInt64, at seconds: Int64, _ action: ChangeAction, _ type: String, _ id: String,
        before: [String: RecordValue]? = nil, after: [String: RecordValue]? = nil
    ) -> AccessRecord {
        let details: [String: RecordValue] = [
            "before": before.map { .object($0) } ?? .null, "after": after.map { .object($0) } ?? .null,
        ]
        return AccessRecord(
            seq: seq,
            body: RecordBody(
                log: log, id: RecordID(high: 9, low: seq), at: at(seconds), kind: .adminChange,
                actor: RecordActor(kind: .user, id: "m", name: "Mona", userID: UserID(high: 3, low: 9)), source: .api,
                path: path,
                action: action, target: RecordTarget(type: type, id: id), details: details))
    }

    private static let role: [String: RecordValue] = [
        "userId": .string("\(user)"), "associatedEntityType": .string("UNIT"), "associatedEntityId": .string("\(unit)"),
        "roleWithinEntity": .string("TENANT"),
    ]

    private static func guest(_ from: Int64, _ until: Int64, under association: String? = nil) -> [String: RecordValue] {
        var fields: [String: RecordValue] = [
            "label": .personal("Cleaner", person: nil), "deviceIds": .array([.string("\(DeviceID(high: 4, low: 1))")]),
            "operations": .array([.string("UNLOCK")]), "validFrom": .string("\(at(from))"), "validUntil": .string("\(at(until))"),
        ]
        if let association { fields["grantedUnderAssociationId"] = .string(association) }
        return fields
    }

    /// The intervals in seconds of the rights in a period, in the order of their beginnings.
    private static func intervals(
        _ period: Range<Int64>, _ records: [AccessRecord], with present: [(id: String, span: AccessSpan)] = []
    ) -> [[Int64?]] {
        spans(period, records, with: present).map {
            [$0.interval.from.milliseconds / 1000, $0.interval.until.map { $0.milliseconds / 1000 }]
        }
    }

    private static func spans(
        _ period: Range<Int64>, _ records: [AccessRecord], with present: [(id: String, span: AccessSpan)] = []
    ) -> [AccessSpan] {
        var timeline = AccessTimeline(period: at(period.lowerBound)..<at(period.upperBound))
        for record in records { timeline.add(record) }
        return timeline.spans(with: present).spans.sorted { $0.interval.from < $1.interval.from }
    }

    @Test("a role lasts from its assignment to its removal, and is listed for every period that it overlaps")
    func role() throws {
        let records = [
            Self.change(0, at: 100, .assign, "UserRoleAssociation", Self.id(1), after: Self.role),
            Self.change(1, at: 200, .remove, "UserRoleAssociation", Self.id(1), before: Self.role),
        ]
        for (period, expected) in [
            (0..<100, []), (0..<101, [[100, 200]]), (150..<160, [[100, 200]]), (199..<300, [[100, 200]]), (200..<300, []),
        ] as [(Range<Int64>, [[Int64?]])] { #expect(Self.intervals(period, records) == expected, "\(period)") }
        let span = try #require(Self.spans(0..<300, records).first)
        #expect(span.right == .role(.tenant, .init(userID: Self.user, entity: .unit(Self.unit))))
        #expect(span.begin.seq == 0 && span.end?.seq == 1 && span.begin.by?.name == "Mona")
        // Before its removal it is in force, and the tenancy has it.
        let present = (Self.id(1), span)
        #expect(Self.intervals(0..<300, Array(records.prefix(1)), with: [present]) == [[100, nil]])
        #expect(Self.spans(0..<300, Array(records.prefix(1)), with: [present]).first?.isMissing == false)
        #expect(Self.spans(0..<300, Array(records.prefix(1))).first?.isMissing == true)
        // A right that has ended is not added again from a tenancy that was read earlier.
        #expect(Self.intervals(0..<300, records, with: [present]) == [[100, 200]])
    }

    @Test("a role whose assignment the log no longer has begins when its id was created")
    func withoutBeginning() throws {
        let id = Self.id(1, created: 50)
        let removed = Self.change(7, at: 200, .remove, "UserRoleAssociation", id, before: Self.role)
        let span = try #require(Self.spans(60..<70, [removed]).first)
        #expect(span.begin.at == Self.at(50) && span.begin.seq == nil && span.end?.seq == 7)
        #expect(Self.spans(0..<50, [removed]).isEmpty)
        let held = AccessSpan(right: .role(.owner, .init()), begin: .init(at: Self.at(10), seq: nil, by: nil))
        #expect(Self.intervals(60..<70, [removed], with: [(Self.id(2), held)]) == [[10, nil], [50, 200]])
    }

    @Test("a guest access lasts for the part of its window after it was granted and before it was revoked")
    func guest() throws {
        let granted = Self.change(0, at: 100, .grant, "GuestAccess", Self.id(1), after: Self.guest(50, 300))
        #expect(Self.intervals(0..<1000, [granted]) == [[100, 300]])
        #expect(Self.intervals(300..<1000, [granted]).isEmpty)
        let revoked = Self.change(
            1, at: 200, .revoke, "GuestAccess", Self.id(1), after: ["revokedAt": .string("\(Self.at(200))")])
        #expect(Self.intervals(0..<1000, [granted, revoked]) == [[100, 200]])
        #expect(Self.intervals(200..<1000, [granted, revoked]).isEmpty)
        let early = Self.change(1, at: 120, .revoke, "GuestAccess", Self.id(2))
        let later = Self.change(0, at: 100, .grant, "GuestAccess", Self.id(2), after: Self.guest(150, 300))
        #expect(Self.intervals(0..<1000, [later, early]).isEmpty, "It was revoked before its window began.")
        let span = try #require(Self.spans(0..<1000, [granted, revoked]).first)
        let guest = try #require(span.right.guest)
        #expect(guest.label == "Cleaner" && guest.deviceIDs == [DeviceID(high: 4, low: 1)] && guest.operations == ["UNLOCK"])
        #expect(guest.propertyID == Self.path.propertyID && guest.unitID == Self.unit)
    }

    @Test("each version of a changed guest access is a right of its own")
    func versions() throws {
        let records = [
            Self.change(0, at: 100, .grant, "GuestAccess", Self.id(1), after: Self.guest(100, 1000)),
            Self.change(
                1, at: 200, .update, "GuestAccess", Self.id(1), before: ["validUntil": .string("\(Self.at(1000))")],
                after: ["validUntil": .string("\(Self.at(400))"), "maxUses": .integer(3)]),
            Self.change(2, at: 250, .update, "GuestAccess", Self.id(1), after: ["link": .string("issued")]),
        ]
        #expect(Self.intervals(0..<2000, records) == [[100, 200], [200, 400]])
        let spans = Self.spans(0..<2000, records)
        #expect(spans[0].endReason == .changed && spans[1].isChange && spans[1].begin.seq == 1)
        let last = try #require(spans[1].right.guest)
        #expect(last.maxUses == 3 && last.label == "Cleaner")
    }

    @Test("a guest access of a tenant ends with the last role that carries it; one of a manager does not")
    func carriers() throws {
        func assign(_ seq: UInt64, _ id: String, _ role: String) -> AccessRecord {
            var fields = Self.role
            fields["roleWithinEntity"] = .string(role)
            return Self.change(seq, at: 10, .assign, "UserRoleAssociation", id, after: fields)
        }
        func remove(_ seq: UInt64, at seconds: Int64, _ id: String) -> AccessRecord {
            Self.change(seq, at: seconds, .remove, "UserRoleAssociation", id, before: Self.role)
        }
        var two = Self.guest(0, 1000, under: Self.id(1))
        two["carriedByAssociationIds"] = .array([.string(Self.id(1)), .string(Self.id(2))])
        let records = [
            assign(0, Self.id(1), "TENANT"), assign(1, Self.id(2), "TENANT"), assign(2, Self.id(3), "PROPERTY_MANAGER"),
            Self.change(3, at: 20, .grant, "GuestAccess", Self.id(11), after: Self.guest(0, 1000, under: Self.id(1))),
            Self.change(4, at: 21, .grant, "GuestAccess", Self.id(12), after: two),
            Self.change(5, at: 22, .grant, "GuestAccess", Self.id(13), after: Self.guest(0, 1000, under: Self.id(3))),
            remove(6, at: 100, Self.id(1)), remove(7, at: 200, Self.id(2)), remove(8, at: 300, Self.id(3)),
        ]
        let guests = Self.spans(0..<2000, records).filter { $0.right.guest != nil }
        #expect(guests.map { $0.interval.until?.milliseconds } == [100_000, 200_000, 1_000_000])
        #expect(guests.map(\.endReason) == [.grantorLeft, .grantorLeft, .record])
    }

    @Test("the time in which an account was disabled is noted at the rights of its user")
    func suspensions() throws {
        let user = "\(Self.user)"
        let records = [
            Self.change(0, at: 100, .assign, "UserRoleAssociation", Self.id(1), after: Self.role),
            Self.change(1, at: 150, .disable, "User", user), Self.change(2, at: 160, .enable, "User", user),
            Self.change(3, at: 500, .disable, "User", user),
        ]
        func suspensions(_ period: Range<Int64>) -> [[Int64?]] {
            Self.spans(period, records).flatMap(\.suspensions).map {
                [$0.from.milliseconds / 1000, $0.until.map { $0.milliseconds / 1000 }]
            }
        }
        #expect(suspensions(0..<1000) == [[150, 160], [500, nil]])
        #expect(suspensions(160..<200) == [])
        #expect(suspensions(600..<700) == [[500, nil]])
    }

    @Test("API keys are listed with their expiry")
    func keys() throws {
        let fields: [String: RecordValue] = [
            "name": .string("Door panel"), "entityType": .string("UNIT"), "entityId": .string("\(Self.unit)"),
            "role": .string("TENANT"), "userId": .string("\(Self.user)"), "expiresAt": .string("\(Self.at(300))"),
        ]
        let created = Self.change(0, at: 100, .create, "APIKey", Self.id(1), after: fields)
        let deleted = Self.change(1, at: 200, .delete, "APIKey", Self.id(1), before: fields)
        #expect(Self.intervals(0..<1000, [created]) == [[100, 300]])
        #expect(Self.intervals(0..<1000, [created, deleted]) == [[100, 200]])
        let span = try #require(Self.spans(0..<1000, [created]).first)
        #expect(
            span.right
                == .key(.tenant, .init(userID: Self.user, entity: .unit(Self.unit)), name: "Door panel", expiresAt: Self.at(300)))
    }

    @Test("the number of rights is bounded, and those left out are counted")
    func bound() throws {
        var caps = ComplianceFigures.Caps()
        caps.spans = 10
        var timeline = AccessTimeline(period: Self.at(0)..<Self.at(1000), caps: caps)
        for number in 0..<100 as Range<UInt64> {
            timeline.add(Self.change(number * 2, at: 10, .assign, "UserRoleAssociation", Self.id(number), after: Self.role))
            guard number.isMultiple(of: 2) else { continue }
            timeline.add(Self.change(number * 2 + 1, at: 20, .remove, "UserRoleAssociation", Self.id(number), before: Self.role))
        }
        let (spans, omitted) = timeline.spans(with: [])
        #expect(spans.count == 10 && omitted == 90)
    }

    @Test("the number of rights that are followed is bounded, and records of further ones are counted and make no right")
    func followed() throws {
        var caps = ComplianceFigures.Caps()
        caps.followed = 10
        var timeline = AccessTimeline(period: Self.at(0)..<Self.at(1000), caps: caps)
        for number in 0..<15 as Range<UInt64> {
            timeline.add(Self.change(number, at: 10, .assign, "UserRoleAssociation", Self.id(number), after: Self.role))
        }
        #expect(timeline.unfollowed == 5)
        for number in 9..<15 as Range<UInt64> {
            timeline.add(Self.change(number + 15, at: 20, .remove, "UserRoleAssociation", Self.id(number), before: Self.role))
        }
        #expect(timeline.unfollowed == 10)
        let (spans, omitted) = timeline.spans(with: [])
        #expect(spans.count == 10 && omitted == 0)
        // Rights that have ended before the period take no place, however many there were.
        var later = AccessTimeline(period: Self.at(100)..<Self.at(1000), caps: caps)
        for number in 0..<50 as Range<UInt64> {
            later.add(Self.change(2 * number, at: 10, .assign, "UserRoleAssociation", Self.id(number), after: Self.role))
            later.add(Self.change(2 * number + 1, at: 20, .remove, "UserRoleAssociation", Self.id(number), before: Self.role))
        }
        // Revoked guest accesses of tenants, and the roles that they depended on, take no place either.
        for number in 50..<100 as Range<UInt64> {
            let guest = Self.guest(10, 2000, under: Self.id(1000 + number))
            let widened: [String: RecordValue] = ["widenedUnderAssociationIds": .array([.string(Self.id(2000 + number))])]
            later.add(Self.change(3 * number, at: 30, .grant, "GuestAccess", Self.id(number), after: guest))
            later.add(Self.change(3 * number + 1, at: 40, .update, "GuestAccess", Self.id(number), after: widened))
            later.add(Self.change(3 * number + 2, at: 50, .revoke, "GuestAccess", Self.id(number)))
        }
        #expect(later.unfollowed == 0 && later.spans(with: []).spans.isEmpty)
        #expect(later.keptCount == 0)
        #expect(spans.count { $0.end != nil } == 1)
        // A right that is in force now is known from the tenancy.
        let present = try #require(spans.first)
        #expect(timeline.spans(with: [(Self.id(12), present)]).spans.count == 11)
    }
}

extension AccessSpan.Right {
    fileprivate var guest: AccessSpan.Guest? { if case .guest(let guest) = self { guest } else { nil } }
}
