import FoundationEssentials
import Testing

@testable import DoorwardClient

@Suite("Decoding of responses") struct AnswerTests {
    private func read<Value: Decodable>(_ json: String, as _: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }

    @Test("a field above the reader's level is absent and a field without a value is null: both are decoded as nil")
    func projection() throws {
        let guest: Doorward.LockDevice = try read(#"{"id":"d","name":"Front","state":"LOCKED"}"#)
        let manager: Doorward.LockDevice = try read(
            #"{"id":"d","name":"Front","state":"LOCKED","batteryLevel":null,"unitId":null,"isOnline":null}"#)
        #expect(guest == manager)
    }

    @Test("unknown keys and unknown enum values of a newer gateway are accepted")
    func newer() throws {
        let answer: Doorward.EndedCommand = try read(
            #"{"command":{"id":"c","deviceId":"d","operation":"POLISH","state":"SHINING","shine":{"a":[1]}},"more":1}"#)
        #expect((answer.command.operation, answer.command.state) == ("POLISH", "SHINING"))
        #expect(answer.device == nil)
    }

    @Test("decoding fails if a field that every response has is absent")
    func required() {
        #expect(throws: DecodingError.self) { try read(#"{"name":"Front"}"#, as: Doorward.LockDevice.self) }
        #expect(throws: DecodingError.self) { try read(#"{"accessRecords":[{"id":"r"}]}"#, as: AccessRecordPage.self) }
        #expect(throws: DecodingError.self) { try read(#"{"devices":[]}"#, as: Page<Doorward.LockDevice>.self) }
    }

    @Test(
        "the keys of an error's details decide how they are decoded",
        arguments: [
            ("{}", 0, nil), (#"{"fields":[{"field":"a","problem":"required"}]}"#, 1, nil),
            (#"{"reason":"user_disabled"}"#, 0, "user_disabled"),
            (#"{"dependents":{"devices":2}}"#, 0, nil),
        ] as [(String, Int, String?)])
    func details(_ details: String, _ fields: Int, _ reason: String?) throws {
        let error: APIError = try read(
            #"{"status":"error","code":"c","message":"m","details":\#(details),"requestId":"r"}"#)
        #expect(error.fields.count == fields)
        #expect(error.denial?.reason?.rawValue == reason)
    }

    @Test("a command's body contains only the given values, and the reason of an override")
    func order() throws {
        func members(_ order: Doorward.CommandParameters) throws -> [String: Doorward.JSONValue] {
            try JSONDecoder().decode([String: Doorward.JSONValue].self, from: JSONEncoder().encode(order))
        }
        #expect(try members(Doorward.CommandParameters()) == [:])
        #expect(
            try members(Doorward.CommandParameters(reason: "post", override: "fire", timeoutMs: 500))
                == ["reason": .string("post"), "override": .object(["reason": .string("fire")]), "timeoutMs": .integer(500)])
    }

    @Test(
        "any JSON value is decoded and encoded unchanged",
        arguments: [
            "null", "true", "-7", "0.25", #""a\nb""#, "[]", #"[1,"1",[true,null]]"#, #"{"a":{"b":[{}]}}"#, "9007199254740993",
        ])
    func values(_ json: String) throws {
        let value: Doorward.JSONValue = try read(json)
        #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == json)
    }

    @Test("the description of a sign-in response contains no tokens")
    func masked() throws {
        let signedIn: Doorward.SignedIn = try read(
            #"{"user":{"id":"u"},"token":"secret-1","expiresIn":900,"refreshToken":"secret-2"}"#)
        var dumped = "\(signedIn)\(String(reflecting: signedIn))"
        dump(signedIn, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test(
        "a full name consists of the visible parts of the name",
        arguments: [
            ("Olga", "Example", "Olga Example"), ("Olga", nil, "Olga"), (nil, "Example", "Example"), (nil, nil, nil),
            ("", "", nil),
        ] as [(String?, String?, String?)])
    func names(_ first: String?, _ last: String?, _ full: String?) throws {
        var user: Doorward.User = try read(#"{"id":"u"}"#)
        (user.firstName, user.lastName) = (first, last)
        #expect(user.fullName == full)
    }
}
