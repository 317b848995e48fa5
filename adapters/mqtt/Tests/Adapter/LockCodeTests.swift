import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

/// Tests of locks that need or accept a code, with a real broker.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LockCodeTests {
    private static let gate = DeviceID(high: 0xD6, low: 1)

    /// Waits until the client is subscribed, that is, until it receives its own message.
    private static func untilSubscribed(_ spy: MQTTTestClient) async throws {
        await spy.connected()
        try spy.connection.publish(try MQTTPublish("spy/ready", "yes"))
        _ = await spy.message(on: "spy/ready")
    }

    @Test(
        "a lock that needs a code rejects commands with the fault `needsCode` until one is stored; then each command contains it")
    func needed() async throws {
        let lines = LogRecorder()
        let fixture = try await BrokerFixture(MosquittoProcess.start(), logger: lines.logger)
        let spy = MQTTTestClient(port: fixture.broker.port, ["gate/set", "spy/ready"])
        try await Self.untilSubscribed(spy)
        let address = [
            "broker": "home", "profile": "homeassistant", "command_topic": "gate/set", "state_topic": "gate/state",
            "code_format": "^\\d+$", "command_template": #"{"do":"{{ value }}","code":"{{ code }}"}"#,
        ]
        fixture.adapter.attach(AttachedLock(id: Self.gate, address: address.mapValues { .string($0) }))
        await fixture.reports.first(of: Self.gate) { $0.fact == .faults(["needsCode"]) }
        #expect(throws: AdapterError.codeRequired) { try fixture.send(.unlock, to: Self.gate) }
        let problem = fixture.adapter.problem(of: CommandID(high: 0, low: 9), for: Self.gate)
        #expect(problem?.summary == "The lock needs a code, and none is stored.")
        fixture.adapter.setCode(Secret(#"47"11"#), for: Self.gate)
        await fixture.reports.first(of: Self.gate) { $0.fact == .faults([]) }
        _ = try await fixture.sendWhenSubscribed(.unlock, to: Self.gate)
        let message = try #require(await spy.message(on: "gate/set"))
        #expect(String(decoding: message.payload, as: UTF8.self) == #"{"do":"UNLOCK","code":"47\"11"}"#)
        fixture.adapter.setCode(nil, for: Self.gate)
        #expect(throws: AdapterError.codeRequired) { try fixture.send(.lock, to: Self.gate) }
        #expect(lines.containing("11").filter { $0.contains("47") }.isEmpty)
        await spy.connection.stop()
        await fixture.end()
    }

    @Test("a stored code is sent to a lock with an optional code, and not to a lock that takes no code")
    func optional() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let spy = MQTTTestClient(port: fixture.broker.port, ["zigbee2mqtt/front/set", "spy/ready"])
        try await Self.untilSubscribed(spy)
        let address = ["broker": "home", "profile": "zigbee2mqtt", "name": "front"]
        fixture.adapter.attach(AttachedLock(id: Self.gate, address: address.mapValues { .string($0) }))
        _ = try await fixture.sendWhenSubscribed(.unlock, to: Self.gate)
        fixture.adapter.setCode(Secret("4711"), for: Self.gate)
        _ = try await fixture.sendWhenSubscribed(.unlock, to: Self.gate)
        let texts = await spy.texts(2, on: "zigbee2mqtt/front/set")
        #expect(texts == [#"{"state":"UNLOCK"}"#, #"{"state":{"state":"UNLOCK","code":"4711"}}"#])
        let door = try await fixture.attach("A")
        fixture.adapter.setCode(Secret("4711"), for: door)
        let command = try await fixture.sendWhenSubscribed(.unlock, to: door)
        await fixture.confirmation(of: command, by: door)
        #expect(fixture.nuki.commands(at: "A") == [1])
        await spy.connection.stop()
        await fixture.end()
    }
}

extension MQTTTestClient {
    /// Waits for the first `count` messages on a topic, and returns their payloads as text.
    fileprivate func texts(_ count: Int, on topic: String) async -> [String] {
        var (texts, next): ([String], Int) = ([], 0)
        while texts.count < count {
            let (event, after) = await event(from: next) {
                if case .message(let message) = $0 { message.topic == topic } else { false }
            }
            next = after
            if case .message(let message) = event { texts.append(String(decoding: message.payload, as: UTF8.self)) }
        }
        return texts
    }
}
