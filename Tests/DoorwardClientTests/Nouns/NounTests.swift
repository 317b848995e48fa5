import FoundationEssentials
import Testing

@testable import DoorwardClient

/// JSON as a value, to compare documents without regard to the order of members.
func value(_ json: String) throws -> Doorward.JSONValue {
    try JSONDecoder().decode(Doorward.JSONValue.self, from: Data(json.utf8))
}

func noun<Noun: Decodable>(_ json: String, as _: Noun.Type = Noun.self) throws -> Noun {
    try JSONDecoder().decode(Noun.self, from: Data(json.utf8))
}

func json(of noun: some Encodable) throws -> Doorward.JSONValue {
    try JSONDecoder().decode(Doorward.JSONValue.self, from: JSONEncoder().encode(noun))
}

@Suite struct NounTests {
    /// Texts of a newer gateway in every enumeration that the objects have.
    static let documents: [(any (Codable & Sendable).Type, String)] = [
        (
            Doorward.LockDevice.self,
            #"""
            {"id":"d","name":"Door","adapter":"x","address":{"a":[1,null,true,2.5]},"manufacturer":"M","model":"M1",
            "notes":"N","firmwareVersion":"1","portfolioId":"p","propertyId":"q","propertyName":"Q","unitId":"u","unitName":"U",
            "isRemoteOperationEnabled":true,"isOnline":false,"lastSeen":"2026-11-21T08:00:00.001Z","state":"HALF_OPEN",
            "stateQuality":"GUESSED","stateAt":"2026-11-21T08:00:00.000Z","doorState":"AJAR","batteryLevel":7,"batteryLow":true,
            "faults":["odd"],"capabilities":["FLY"],"settings":{"autoRelockSeconds":5,"hasCode":true},"metadata":{"k":"v"},
            "createdAt":"2026-11-21T08:00:00.000Z","updatedAt":"2026-11-21T08:00:00.000Z","viewLevel":"DEITY"}
            """#
        ),
        (
            Doorward.Portfolio.self,
            #"""
            {"id":"p","name":"P","administratorUserIds":["a"],"propertyIds":[],"createdAt":"1969-12-31T23:59:59.999Z",
            "updatedAt":"2026-11-21T08:00:00.000Z","viewLevel":"OWNER"}
            """#
        ),
        (
            Doorward.Property.self,
            #"""
            {"id":"p","name":"P","portfolioId":"f","address":{"street":"S","city":"C","state":"ST","postalCode":"01","country":"X"},
            "managerUserIds":[],"unitIds":["u"],"defaultTimeZone":"Europe/Rome","lockdown":{"active":true,
            "since":"2026-11-21T08:00:00.000Z","byUserId":"b","reason":"R"},"createdAt":"2026-11-21T08:00:00.000Z",
            "updatedAt":"2026-11-21T08:00:00.000Z","viewLevel":"MANAGEMENT"}
            """#
        ),
        (
            Doorward.Unit.self,
            #"""
            {"id":"u","name":"U","propertyId":"p","portfolioId":"f","tenantUserIds":["t"],"deviceIds":["d"],
            "commonAreaAccessIds":["c"],"createdAt":"2026-11-21T08:00:00.000Z","updatedAt":"2026-11-21T08:00:00.000Z",
            "viewLevel":"RESIDENT"}
            """#
        ),
        (
            Doorward.User.self,
            #"""
            {"id":"u","firstName":"F","lastName":"L","email":"e@x","isEnabled":true,"isSuperAdmin":false,"roleAssociations":[{"id":"r",
            "userId":"u","associatedEntityType":"CAMPUS","associatedEntityId":"c","roleWithinEntity":"CONCIERGE",
            "createdAt":"2026-11-21T08:00:00.000Z","updatedAt":"2026-11-21T08:00:00.000Z"}],"guestAccesses":[{"id":"g"}],
            "defaultPortfolioId":"p","defaultPropertyId":"q","defaultUnitId":"u","hasCompliancePack":true,
            "createdAt":"2026-11-21T08:00:00.000Z","updatedAt":"2026-11-21T08:00:00.000Z","viewLevel":"SELF"}
            """#
        ),
        (
            Doorward.GuestAccess.self,
            #"""
            {"id":"g","guestUserId":"u","guest":{"id":"u","name":"N","email":"E"},"label":"L","propertyId":"p","unitId":"u","deviceIds":["d"],"operations":["UNLOCK","WAVE"],
            "validFrom":"2026-11-21T08:00:00.000Z","validUntil":"2026-11-22T08:00:00.000Z","resolution":{"timeZone":"Z",
            "validFrom":"gap","validUntil":"none"},"schedule":{"timeZone":"Z","periods":[{"days":["MON"],"from":"09:00",
            "until":"17:00"}],"specialDays":[{"date":"2026-12-25","periods":[{"from":"10:00","until":"11:00"}]}],
            "specialDayCut":"instant"},"maxUses":3,"usesLeft":2,"grantedByUserId":"o","grantedUnderAssociationId":"r",
            "revokedAt":"2026-11-21T08:00:00.000Z","createdAt":"2026-11-21T08:00:00.000Z","viewLevel":"PUBLIC"}
            """#
        ),
        (
            Doorward.Command.self,
            #"""
            {"id":"c","deviceId":"d","operation":"WAVE","state":"TELEPORTED","actor":{"kind":"ROBOT","id":"r","name":null},
            "source":"S","rule":{"kind":"K","id":"i","role":"CONCIERGE"},"reason":"R","override":{"reason":"O"},"sent":true,
            "changed":false,"outcomeDetail":"x","stateBefore":"HALF_OPEN","stateAfter":"LOCKED",
            "requestedAt":"2026-11-21T08:00:00.000Z","deadline":"2026-11-21T08:00:00.000Z",
            "dispatchedAt":"2026-11-21T08:00:00.000Z","completedAt":"2026-11-21T08:00:00.000Z","viewLevel":"OWNER"}
            """#
        ),
        (
            Doorward.AccessRecord.self,
            #"""
            {"id":"r","at":"2026-11-21T08:00:00.000Z","kind":"NEW_KIND","logId":"l","seq":9,"operation":"WAVE","decision":"MAYBE",
            "reason":"mood","rule":{"kind":"K","id":"i","role":"OWNER"},"actor":"you","actorKind":"USER","actorId":"u","actorName":"N",
            "actorUserId":"u","source":"S","clientAddress":"::1","requestId":"q","deviceId":"d","deviceName":"D","unitId":"u",
            "propertyId":"p","portfolioId":"f","commandId":"c","outcome":"TELEPORTED","outcomeDetail":"x","stateBefore":"LOCKED",
            "stateAfter":"UNLOCKED","latencyMs":5,"statedReason":"R","override":{"reason":"O"},"event":"E","method":"M",
            "action":"A","targetType":"T","targetId":"t","details":{"a":{"b":[]}},"viewLevel":"MANAGEMENT"}
            """#
        ),
        (
            Doorward.Subscription.self,
            #"{"tier":"gold","modules":{"holograms":true},"limits":{"maxDragons":2},"usage":{"dragons":1}}"#
        ),
    ]

    @Test(arguments: 0..<documents.count) func unknownValuesSurviveARoundTrip(_ index: Int) throws {
        let (type, text) = Self.documents[index]
        let decoded = try JSONDecoder().decode(type, from: Data(text.utf8))
        #expect(try json(of: decoded) == value(text), "\(type)")
    }

    @Test(arguments: 0..<documents.count) func theRoundTripCoversEveryField(_ index: Int) throws {
        let (type, text) = Self.documents[index]
        let decoded = try JSONDecoder().decode(type, from: Data(text.utf8))
        let labels = Mirror(reflecting: decoded).children.compactMap(\.label)
        guard case .object(let document) = try value(text) else { throw CancellationError() }
        #expect(Set(labels) == Set(document.keys), "\(type)")
    }

    @Test func anOpenValueKnowsWhetherItIsKnown() {
        #expect(Doorward.LockState.jammed.isKnown)
        #expect(!Doorward.LockState(rawValue: "HALF_OPEN").isKnown)
        #expect(Doorward.LockState(rawValue: "LOCKED") == .locked)
        #expect("\(Doorward.Role.tenant)" == "TENANT")
        #expect(Doorward.CommandState.dispatched.isInProgress)
        #expect(!Doorward.CommandState(rawValue: "TELEPORTED").isInProgress)
    }

    /// A state that is not confirmed, or that this library does not know, is never secure.
    @Test func onlyAConfirmedLockedLockIsSecure() {
        for state in Doorward.LockState.known + [Doorward.LockState(rawValue: "HALF_OPEN")] {
            for quality in Doorward.StateQuality.known + [Doorward.StateQuality(rawValue: "GUESSED")] {
                var device = Doorward.LockDevice(id: "d", name: "D")
                (device.state, device.stateQuality) = (state, quality)
                #expect(device.isSecure == (state == .locked && quality == .confirmed))
            }
        }
        #expect(!Doorward.LockDevice(id: "d", name: "D").isSecure)
    }

    @Test func anActorIsALabelOrAnIdentity() throws {
        #expect(try noun(#""staff""#, as: Doorward.Actor.self) == .label("staff"))
        #expect(
            try noun(#"{"kind":"USER","id":"u"}"#, as: Doorward.Actor.self) == .identified(kind: "USER", id: "u", name: nil))
        #expect(throws: DecodingError.self) { try noun("{}", as: Doorward.Actor.self) }
        #expect(try json(of: Doorward.Actor.label("you")) == .string("you"))
    }
}

@Suite struct InstantTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
            ("2026-11-21T08:00:00.000Z", 1_795_248_000_000), ("2024-02-29T12:00:00.5Z", 1_709_208_000_500),
            ("2026-11-21T10:00:00+02:00", 1_795_248_000_000), ("2026-11-21T02:30:00.1239-05:30", 1_795_248_000_123),
            ("2000-03-01t00:00:00z", 951_868_800_000),
        ] as [(String, Int64)])
    func readsRFC3339(_ text: String, _ milliseconds: Int64) throws {
        #expect(Doorward.Instant(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-21", "2026-11-21T08:00:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:00:60Z", "2026-11-21T08:00:00.Z",
        "2026-11-21T08:00:00+2:00", "2026-11-21T08:00:00Zx", "2026-11-21 08:00:00Z", "+026-11-21T08:00:00Z",
        "2026-00-10T00:00:00Z",
        "2026-11-00T00:00:00Z", "2026-11-21T08:00:00+24:00",
    ])
    func refusesOtherTexts(_ text: String) { #expect(Doorward.Instant(text) == nil) }

    /// A day of each week of 800 years, at various times, against the text that the instant writes.
    @Test func writesWhatItReads() throws {
        var previous = ""
        for day in stride(from: -146_097, to: 146_097, by: 7) {
            let instant = Doorward.Instant(milliseconds: Int64(day) * 86_400_000 + Int64((day &* 7919) & 0x3FF_FFFF))
            let text = instant.description
            guard Doorward.Instant(text) == instant, text > previous else {
                Issue.record("\(text) of \(instant.milliseconds)")
                return
            }
            previous = text
        }
    }

    @Test func convertsToAndFromADate() {
        let instant = Doorward.Instant(milliseconds: 1_795_248_000_123)
        #expect(Doorward.Instant(instant.date) == instant)
        #expect(instant.date.timeIntervalSince1970 == 1_795_248_000.123)
    }

    @Test func aWrongTextIsADecodingError() {
        #expect(throws: DecodingError.self) { try noun(#""yesterday""#, as: Doorward.Instant.self) }
        #expect(throws: DecodingError.self) { try noun("5", as: Doorward.Instant.self) }
    }
}
