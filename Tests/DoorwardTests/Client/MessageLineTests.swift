import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT
@testable import doorward

@Suite("Lines of recorded messages") struct MessageLineTests {
    private static func read(_ line: String, isRetained: Bool = false, known: Set<String> = []) -> MQTTMessage? {
        MessageLine(Array(line.utf8), isRetained: isRetained) { known.contains($0) }?.message
    }

    @Test("a line of `mosquitto_sub -v` is a topic, a space and the payload, which may contain spaces")
    func verbose() {
        let message = Self.read(#"a/b {"state": "LOCK", "x": 1}"#)
        #expect(message?.topic == "a/b" && message?.payload == Array(#"{"state": "LOCK", "x": 1}"#.utf8))
        #expect(message?.isRetained == false)
        #expect(Self.read("a/b x", isRetained: true)?.isRetained == true)
        #expect(Self.read("a/b  x")?.payload == Array(" x".utf8))
    }

    @Test("a topic with spaces is recognised by the lock's topics, and the longest match is used")
    func spaces() {
        let known: Set = ["hall", "hall door", "hall door/get"]
        #expect(Self.read("hall door LOCK", known: known)?.topic == "hall door")
        #expect(Self.read("hall LOCK", known: known)?.topic == "hall")
        #expect(Self.read("attic door LOCK", known: known)?.topic == "attic", "not a topic of the lock")
        #expect(Self.read("hall door/get x y", known: known)?.payload == Array("x y".utf8))
    }

    @Test("`(null)`, an empty rest and a JSON null are empty payloads")
    func empty() {
        #expect(Self.read("a/b (null)")?.payload == [])
        #expect(Self.read("a/b ")?.payload == [])
        #expect(Self.read(#"{"topic":"a/b","payload":null}"#)?.payload == [])
        #expect(Self.read(#"{"topic":"a/b","qos":0,"retain":0,"payloadlen":0}"#)?.payload == [])
    }

    @Test("a line of `mosquitto_sub -F %j` contains its own retain flag")
    func object() {
        let line =
            #"{"tst":"2026-03-01T12:00:00.000000Z+0000","topic":"hall door","qos":0,"retain":1,"payloadlen":2,"payload":"a\nb"}"#
        let message = Self.read(line)
        #expect(message?.topic == "hall door" && message?.payload == Array("a\nb".utf8) && message?.isRetained == true)
        #expect(Self.read(line.replacing("\"retain\":1", with: "\"retain\":0"), isRetained: true)?.isRetained == false)
        #expect(Self.read(#"{"topic":"a","payload":"x"}"#, isRetained: true)?.isRetained == true)
    }

    @Test("a payload that is not valid UTF-8 is passed on unchanged", arguments: [[0xff, 0xfe], [0x80]] as [[UInt8]])
    func bytes(_ payload: [UInt8]) {
        let line = Array("a/b ".utf8) + payload
        #expect(MessageLine(line, isRetained: false) { _ in false }?.message.payload == payload)
    }

    @Test(
        "a line without a valid topic and a payload is rejected",
        arguments: ["a/b", " x", "$SYS/x y", "a/+ x", #"{"topic":"a/#","payload":"x"}"#, "{\"x\":1}"])
    func none(_ line: String) { #expect(Self.read(line) == nil) }

    @Test("state is kept from line to line, and a command in the stream is in flight until its confirmation")
    func remembered() throws {
        let profile = try #require(ProfileLibrary.shipped["zigbee2mqtt"])
        var decoder = MessageStreamDecoder(try Dialect(profile, variables: ["name": .string("front")]), prev: nil, isStream: true)
        func receive(_ topic: String, _ payload: String) -> DecodedMessage {
            decoder.receive(MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: false))
        }
        #expect(receive("zigbee2mqtt/front", #"{"lock_state":"unlocked","battery":70}"#).command == nil)
        #expect(receive("zigbee2mqtt/front/set", #"{"state":"LOCK"}"#).publish == [])
        #expect(receive("zigbee2mqtt/front", #"{"lock_state":"unlocked","battery":69}"#).command == nil, "the cached state")
        #expect(receive("zigbee2mqtt/front", #"{"lock_state":"locked","battery":69}"#).command == .confirmed)
        #expect(receive("zigbee2mqtt/front", #"{"lock_state":"locked","battery":69}"#).command == nil, "the command has ended")
        let again = receive("zigbee2mqtt/front/set", #"{"state":"LOCK"}"#)
        #expect(again.publish.map(\.topic.description) == ["zigbee2mqtt/front/get"], "already locked: the state is requested")
        #expect(receive("zigbee2mqtt/front", #"{"lock_state":"locked","battery":68}"#).command == nil)
    }

    @Test("an acknowledgement belongs to the command with the same reference")
    func reference() throws {
        let profile = try #require(ProfileLibrary.shipped["zwave-js-ui"])
        let address = ["node": "front", "gateway": "office", "nodeId": "5"]
        let dialect = try Dialect(profile, variables: address.mapValues { .string($0) })
        var decoder = MessageStreamDecoder(dialect, prev: .unlocked, isStream: true)
        let api = "zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/writeValue"
        func receive(_ topic: String, _ payload: String) -> DecodedMessage {
            decoder.receive(MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: false))
        }
        let order = #"{"args":[{"nodeId":5,"commandClass":98,"endpoint":0,"property":"targetMode"},255],"ref":"b2"}"#
        #expect(receive(api + "/set", order).command == nil)
        #expect(receive(api, #"{"success":true,"result":{"status":2},"origin":{"ref":"b3"}}"#).diagnostics == [.unexpectedAck])
        #expect(receive(api, #"{"success":true,"result":{"status":2},"origin":{"ref":"b2"}}"#).command == .rejected(.unknown))
    }

    @Test("a file is read line by line, without line endings and empty lines")
    func lines() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a\r\n\nb c\nd", to: "lines")
        var lines: [String] = []
        var file = try InputFile(path)
        try file.forEachLine { lines.append("\($1) \(String(decoding: $0, as: UTF8.self))") }
        #expect(lines == ["1 a", "3 b c", "4 d"])
        let failure = #expect(throws: CommandFailure.self) { try InputFile.bytes(path + "x") }
        #expect(failure?.sentence.hasSuffix("the file cannot be read") == true)
    }
}
