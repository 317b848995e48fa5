import DoorwardDomain

/// The records of the worked examples.
enum ExampleBodies {
    static let logs: [(log: LogID, bodies: [RecordBody])] = [
        (.gateway, [start, createUser, signInFailed]),
        (Samples.portfolioLog, [intent, outcome, stranger, thumbTurn, guestAccess, overridden, strange]),
    ]

    private static let at = Samples.at.milliseconds
    private static let portfolio: PortfolioID = Samples.id(1)
    private static let ada = RecordActor(
        kind: .user, id: Samples.ada.description, name: "Ada Lovelace", userID: Samples.ada)
    private static let device = DeviceSnapshot(
        deviceID: Samples.id(13), deviceName: "Front door", unitID: Samples.id(14), propertyID: Samples.id(15),
        portfolioID: portfolio)

    private static let start = RecordBody(
        log: .gateway, id: Samples.id(20), at: Timestamp(milliseconds: at), kind: .gateway, actor: .gateway, source: .gateway,
        event: .start, details: ["version": .string("0.1.0")])

    private static let createUser = RecordBody(
        log: .gateway, id: Samples.id(21), at: Timestamp(milliseconds: at + 1000), kind: .adminChange,
        actor: RecordActor(kind: .user, id: Samples.bob.description, name: "Bob", userID: Samples.bob), source: .api,
        clientAddress: "2001:db8::7", requestID: "req-21", action: .create,
        target: RecordTarget(type: "User", id: Samples.ada.description),
        details: [
            "before": .null,
            "after": .object([
                "email": .personal("ada@example.org", person: Samples.ada), "isEnabled": .bool(true),
                "firstName": .personal("Ada", person: Samples.ada),
            ]),
        ])

    private static let signInFailed = RecordBody(
        log: .gateway, id: Samples.id(22), at: Timestamp(milliseconds: at + 1000), kind: .session,
        actor: RecordActor(kind: .outside),
        source: .api, clientAddress: "198.51.100.9", event: .signInFailed,
        details: ["email": .personal("nobody@example.org", person: nil), "clock": .string("behind")])

    private static let intent = RecordBody(
        log: Samples.portfolioLog, id: Samples.id(30), at: Timestamp(milliseconds: at), kind: .commandIntent, actor: ada,
        source: .api, operation: .unlock, decision: .allowed, rule: .association(Samples.id(12), .tenant),
        clientAddress: "203.0.113.7", requestID: "req-30", device: device, commandID: Samples.id(16), statedReason: "Päckchen")

    private static let outcome = RecordBody(
        log: Samples.portfolioLog, id: Samples.id(31), at: Timestamp(milliseconds: at + 812), kind: .commandOutcome, actor: ada,
        source: .api, operation: .unlock, device: device, commandID: Samples.id(16), outcome: .confirmed, stateBefore: .locked,
        stateAfter: .unlocked, latencyMs: 640)

    private static let stranger = RecordBody(
        log: Samples.portfolioLog, id: Samples.id(32), at: Timestamp(milliseconds: at + 900), kind: .denial, actor: .outside,
        source: .api, operation: .unlock, decision: .denied, reason: .noAssociation, device: device)

    private static let thumbTurn = RecordBody(
        log: Samples.portfolioLog, id: Samples.id(33), at: Timestamp(milliseconds: at + 5000), kind: .deviceEvent,
        actor: RecordActor(kind: .device, id: device.deviceID.description, name: "Keypad slot 3: Grandma"), source: .device,
        device: device, stateAfter: .unlocked, event: .unlocked, method: .keypad)

    private static let guestAccess = RecordBody(
        log: Samples.portfolioLog, id: Samples.id(34), at: Timestamp(milliseconds: at + 6000), kind: .adminChange, actor: ada,
        source: .console, action: .grant, target: RecordTarget(type: "GuestAccess", id: "019ab3c0-0023-7000-8000-000000000023"),
        details: [
            "after": .object([
                "label": .personal("Plumber", person: nil), "maxUses": .integer(2),
                "deviceIds": .array([.string(device.deviceID.description)]),
            ])
        ])

    private static let overridden = RecordBody(
        log: Samples.portfolioLog, id: Samples.id(36), at: Timestamp(milliseconds: at + 7000), kind: .commandIntent,
        actor: RecordActor(kind: .guestLink, id: "019ab3c0-0023-7000-8000-000000000023"), source: .guestLink, operation: .unlatch,
        decision: .allowed, rule: .guestAccess(Samples.id(35)), device: DeviceSnapshot(deviceID: Samples.id(13)),
        commandID: Samples.id(37), override: "Fire drill")

    /// Details that are difficult to encode as JSON.
    private static let strange = RecordBody(
        log: Samples.portfolioLog, id: Samples.id(38), at: Timestamp(milliseconds: at + 7000), kind: .adminChange,
        actor: .gateway,
        source: .gateway, rule: .superAdmin, requestID: "", latencyMs: -1,
        details: [
            "": .string("\0\u{8}\t\n\u{C}\r\u{1F}\"\\/\u{7F}\u{2028}"), "$commitment": .string("an ordinary key"),
            "numbers": .array([.integer(0), .integer(-9_007_199_254_740_991), .integer(9_007_199_254_740_991)]),
            "\u{1F600}": .string("before the next key"), "\u{FB33}": .string("e\u{301}, not é"),
            "a.b[0]\\\0": .array([.null, .personal("Zoë", person: Samples.bob)]), "a": .object([:]), "b": .array([]),
        ])
}

/// Bytes that every implementation must reject, each with a single defect.
enum ExampleRefusals {
    /// - Parameter sound: the portfolio's first record, which is valid.
    static func make(from sound: [UInt8]) throws -> [WorkedExamples.Refusal] {
        var version2 = sound
        version2[4] = 2
        var lowerCase = sound
        lowerCase[3] = UInt8(ascii: "d")
        // The first field is the log's id: a header of 3 bytes and 36 bytes of text.
        let (first, rest) = (Array(sound[5..<44]), Array(sound[44...]))
        let cases: [(String, [UInt8])] = [
            ("nothing", []), ("version 2", version2), ("another beginning", lowerCase),
            ("cut inside a field", Array(sound.dropLast())), ("a byte after the end", sound + [35]),
            ("the log's id missing", Array(sound[..<5]) + rest), ("a field twice", Array(sound[..<5]) + first + first + rest),
            ("fields in another order", Array(sound[..<5]) + rest + first), ("an unknown field", sound + [36, 0, 0]),
            ("empty details", sound + details("{}")), ("white space", sound + details("{\"a\": 1}")),
            ("a fraction", sound + details("{\"a\":1.5}")),
            ("a number out of range", sound + details("{\"a\":9007199254740992}")),
            ("keys in another order", sound + details("{\"b\":1,\"a\":1}")),
            ("a key twice", sound + details("{\"a\":1,\"a\":1}")),
            ("an escape too many", sound + details("{\"a\":\"\\u0061\"}")), ("a reserved key", sound + details("{\"$a\":1}")),
            ("a short commitment", sound + details("{\"a\":{\"$commitment\":\"AAAA\"}}")),
            (
                "33 containers",
                sound + details("{\"a\":" + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}")
            ),
        ]
        return (cases + forms).map { WorkedExamples.Refusal(name: $0.0, bytes: $0.1.hex) }
    }

    /// The smallest valid record. `forms` are variants with one invalid field.
    static let smallest = record()
    private static let id = "019ab3c0-000a-7000-8000-00000000000a"

    private static var forms: [(String, [UInt8])] {
        let (digest, loose) = (String(repeating: "A", count: 43) + "=", String(repeating: "A", count: 42) + "B=")
        return [
            ("seq is 2^63", record(seq: [0x80, 0, 0, 0, 0, 0, 0, 0])),
            ("seq is 2^64 - 1", record(seq: [UInt8](repeating: 0xFF, count: 8))),
            ("an id in upper case", record(id: id.uppercased())),
            ("base64 with bits after the end", record(details("{\"a\":{\"$commitment\":\"\(loose)\"}}"))),
            ("base64 without its padding", record(details("{\"a\":{\"$commitment\":\"\(digest.dropLast())\"}}"))),
            (
                "the person of a commitment in upper case",
                record(details("{\"a\":{\"$commitment\":\"\(digest)\",\"$person\":\"\(id.uppercased())\"}}"))
            ),
            ("a person without a commitment", record(details("{\"a\":{\"$person\":\"\(id)\"}}"))),
            ("the name of a device without its id", record(deviceName: field(18, "Door"))),
        ]
    }

    private static func record(
        seq: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 5], id: String = id, deviceName: [UInt8] = [], _ details: [UInt8] = []
    ) -> [UInt8] {
        let head = Array("DWRD".utf8) + [1] + field(1, "gateway") + [2, 0, 8] + seq + field(3, id)
        let middle = [4, 0, 8, 0, 0, 1, 0xA1, 0xFD, 0xF1, 0x86, 0x7B] + field(5, "GATEWAY") + field(10, "GATEWAY")
        return head + middle + field(14, "GATEWAY") + deviceName + details
    }

    private static func details(_ json: String) -> [UInt8] { field(35, json) }

    private static func field(_ number: UInt8, _ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [number, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
}
