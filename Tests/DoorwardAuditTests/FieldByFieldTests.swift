import DoorwardAudit
import DoorwardDomain
import Testing

/// Each field alone: it is written under its own number and in its own form, and read back into the same property.
@Suite struct FieldByFieldTests {
    /// A field and the value that it has in the test.
    struct Case: Sendable, CustomTestStringConvertible {
        let field: RecordField
        /// The field's bytes in the record; `nil` for a commitment.
        let bytes: [UInt8]?
        let set: @Sendable (inout RecordBody) -> Void
        var testDescription: String { "\(field)" }

        init(_ field: RecordField, _ text: String?, _ set: @escaping @Sendable (inout RecordBody) -> Void) {
            (self.field, self.set) = (field, set)
            bytes = text.map { Array($0.utf8) }
        }

        init(_ field: RecordField, bytes: [UInt8], _ set: @escaping @Sendable (inout RecordBody) -> Void) {
            (self.field, self.bytes, self.set) = (field, bytes, set)
        }
    }

    private static let id = Samples.id(77, User.self)

    static let optional: [Case] = [
        Case(.operation, "UNLATCH") { $0.operation = .unlatch },
        Case(.decision, "DENIED") { $0.decision = .denied },
        Case(.reason, "outside_schedule") { $0.reason = .outsideSchedule },
        Case(.rule, "ASSOCIATION/\(id)/OWNER") { $0.rule = .association(id.cast(), .owner) },
        Case(.actorID, "whoever") { $0.actor.id = "whoever" },
        Case(.actorName, nil) { $0.actor.name = "Ada" },
        Case(.actorUserID, id.description) { $0.actor.userID = id },
        Case(.clientAddress, nil) { $0.clientAddress = "203.0.113.7" },
        Case(.requestID, "req-7") { $0.requestID = "req-7" },
        Case(.deviceID, id.description) { $0.device = DeviceSnapshot(deviceID: id.cast()) },
        Case(.unitID, id.description) { $0.path = EntityPathIDs(unitID: id.cast()) },
        Case(.propertyID, id.description) { $0.path = EntityPathIDs(propertyID: id.cast()) },
        Case(.portfolioID, id.description) { $0.path = EntityPathIDs(portfolioID: id.cast()) },
        Case(.commandID, id.description) { $0.commandID = id.cast() },
        Case(.outcome, "TIMED_OUT") { $0.outcome = .timedOut },
        Case(.outcomeDetail, "low_power") { $0.outcomeDetail = "low_power" },
        Case(.stateBefore, "LOCKING") { $0.stateBefore = .locking },
        Case(.stateAfter, "JAMMED") { $0.stateAfter = .jammed },
        Case(.latencyMs, bytes: [0, 0, 0, 0, 0, 0, 1, 2]) { $0.latencyMs = 258 },
        Case(.statedReason, nil) { $0.statedReason = "Parcel" },
        Case(.override, nil) { $0.override = "Fire drill" },
        Case(.event, "KEYPAD_LOCKOUT") { $0.event = .keypadLockout },
        Case(.method, "FINGERPRINT") { $0.method = .fingerprint },
        Case(.action, "REVOKE") { $0.action = .revoke },
        Case(.details, "{\"k\":null}") { $0.details = ["k": .null] },
    ]

    /// The fields of every record.
    private static let always: Set<UInt8> = [1, 2, 3, 4, 5, 10, 14]

    private var smallest: RecordBody {
        var body = Samples.start()
        body.event = nil
        return body
    }

    @Test("a field with a value adds exactly one field in its form, and is read back", arguments: optional)
    func alone(_ one: Case) throws {
        var body = smallest
        one.set(&body)
        let encoded = try Samples.encode(body, seq: 4)
        let list = FieldList(splitting: encoded.bytes)
        #expect(Set(list.fields.map(\.number)) == Self.always.union([one.field.rawValue]))
        if let bytes = one.bytes {
            #expect(list[one.field.rawValue] == bytes)
            #expect(encoded.personal.isEmpty)
        } else {
            #expect(list[one.field.rawValue]?.count == 32)
            #expect(encoded.personal.count == 1)
        }
        #expect(try Samples.decode(encoded, log: .gateway).record == AccessRecord(seq: 4, body: body))
        #expect(list.bytes == encoded.bytes)
    }

    @Test("a field without a value is absent instead of empty", arguments: optional)
    func absent(_ one: Case) throws {
        var whole = Samples.outcome()
        (whole.reason, whole.event, whole.method, whole.action) = (.lockdownActive, .jammed, .keypad, .update)
        (whole.target, whole.details) = (RecordTarget(type: "Unit", id: "u"), ["k": .null])
        let list = FieldList(splitting: try Samples.encode(whole).bytes)
        #expect(list.fields.count == RecordField.allCases.count)
        let number = one.field.rawValue
        // A device name requires a device, so it is removed together with the device.
        let without = one.field == .deviceID ? list.without(number).without(18) : list.without(number)
        let record = try RecordEncoding.decode(without.bytes).record
        let again = FieldList(splitting: try Recommitted.bytes(of: without.bytes))
        #expect(again[number] == nil)
        #expect(again.bytes == without.bytes)
        #expect(record.body != (try RecordEncoding.decode(list.bytes).record.body) || Self.isPersonal(one.field))
    }

    private static func isPersonal(_ field: RecordField) -> Bool {
        [.actorName, .clientAddress, .statedReason, .override].contains(field)
    }

    @Test("an empty text is encoded as a field of length 0", arguments: [11, 16, 18, 24, 33, 34] as [UInt8])
    func empty(number: UInt8) throws {
        var body = smallest
        switch number {
        case 11: body.actor.id = ""
        case 16: body.requestID = ""
        case 18: body.device = DeviceSnapshot(deviceID: Self.id.cast(), deviceName: "")
        case 24: body.outcomeDetail = ""
        case 33: body.target = RecordTarget(type: "", id: "x")
        default: body.target = RecordTarget(type: "x", id: "")
        }
        let encoded = try Samples.encode(body)
        #expect(FieldList(splitting: encoded.bytes)[number] == [])
        #expect(try Samples.decode(encoded, log: .gateway).record.body == body)
    }

    @Test("an empty personal value is not treated as absent: it is committed to, encrypted and decrypted")
    func emptyPersonal() throws {
        var body = smallest
        (body.actor.name, body.clientAddress, body.statedReason, body.override) = ("", "", "", "")
        body.details = ["p": .personal("", person: Samples.ada)]
        let encoded = try Samples.encode(body)
        #expect(encoded.personal.count == 5)
        #expect(Set(encoded.personal.map(\.ciphertext)).count == 5)
        #expect(encoded.personal.allSatisfy { $0.ciphertext.count == 12 + 16 })
        #expect(try Samples.decode(encoded, log: .gateway).record.body == body)
    }

    @Test("records of every kind, actor and source are read back unchanged", arguments: RecordKind.allCases)
    func kinds(kind: RecordKind) throws {
        for actor in ActorKind.allCases {
            for source in RecordSource.allCases {
                var body = Samples.outcome()
                (body.kind, body.actor.kind, body.source) = (kind, actor, source)
                let encoded = try Samples.encode(body, seq: 1)
                #expect(try Samples.decode(encoded, log: Samples.portfolioLog).record.body == body)
                let list = FieldList(splitting: encoded.bytes)
                #expect(list[5] == Array(kind.rawValue.utf8))
                #expect(list[10] == Array(actor.rawValue.utf8))
                #expect(list[14] == Array(source.rawValue.utf8))
            }
        }
    }

    @Test("a length is encoded in two bytes, the high byte first", arguments: [0, 1, 127, 128, 255, 256, 257, 511, 512, 40_000])
    func lengths(count: Int) throws {
        var body = smallest
        body.requestID = String(repeating: "r", count: count)
        let encoded = try Samples.encode(body)
        let start = try #require(encoded.bytes.firstRange(of: [14, 0, 7] + Array("GATEWAY".utf8))).upperBound
        #expect(Array(encoded.bytes[start..<start + 3]) == [16, UInt8(count / 256), UInt8(count % 256)])
        #expect(encoded.bytes.count == start + 3 + count)
        #expect(try RecordEncoding.decode(encoded.bytes).record.body == body)
    }

    @Test(
        "a record of the maximum size can be encoded, and one with one more byte cannot",
        arguments: [11, 16, 24, 34, 35] as [UInt8])
    func full(number: UInt8) throws {
        func body(_ count: Int) -> RecordBody {
            var body = smallest
            let text = String(repeating: "x", count: count)
            switch number {
            case 11: body.actor.id = text
            case 16: body.requestID = text
            case 24: body.outcomeDetail = text
            case 34: body.target = RecordTarget(type: "T", id: text)
            default: body.details = ["k": .string(text)]
            }
            return body
        }
        let room = 65_535 - (try Samples.encode(body(0)).bytes.count)
        let encoded = try Samples.encode(body(room))
        #expect(encoded.bytes.count == 65_535)
        #expect(try RecordEncoding.decode(encoded.bytes).record.body == body(room))
        #expect(throws: RecordEncodingError.tooLarge) { try Samples.encode(body(room + 1)) }
        // A length of more than two bytes must not wrap around to a small one.
        #expect(throws: RecordEncodingError.tooLarge) { try Samples.encode(body(65_536 + 10)) }
        #expect(throws: RecordEncodingError.tooLarge) { try Samples.encode(body(131_072 + 10)) }
    }
}
