import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

/// Tests with a real mosquitto whose access control list denies the gateway topics of a lock.
@Suite(.serialized, .timeLimit(.minutes(30))) struct AccessListTests {
    /// Grants write access only to the topics that the simulated locks and the marker lock publish on.
    private static let narrow = """
        topic read #
        topic write settle/#
        topic write nuki/FFFFFFFF/#
        topic write nuki/+/state
        topic write nuki/+/connected
        topic write gate/state

        """

    private static func makeFixture(_ list: String, _ lines: LogRecorder = LogRecorder()) async throws -> BrokerFixture {
        let broker = try await MosquittoProcess.start(["allow_anonymous true", "acl_file FOLDER/acl"], files: ["acl": list])
        return try await BrokerFixture(broker, logger: lines.logger)
    }

    private static let gate = DeviceID(high: 0xD4, low: 1)

    private static func attachGate(_ fixture: BrokerFixture) {
        let address = [
            "broker": "home", "profile": "homeassistant", "command_topic": "gate/set", "state_topic": "gate/state",
        ]
        fixture.adapter.attach(AttachedLock(id: gate, address: address.mapValues { .string($0) }))
    }

    private static func faults(_ fixture: BrokerFixture, of lock: DeviceID) -> Set<String> {
        for report in fixture.reports.all(of: lock).reversed() { if case .faults(let faults) = report.fact { return faults } }
        return []
    }

    private static func untilFaults(_ faults: Set<String>, _ fixture: BrokerFixture, of lock: DeviceID) async {
        let _: Bool = await fixture.reports.until { _ in Self.faults(fixture, of: lock) == faults ? true : nil }
    }

    @Test("a command that the broker rejects is refused at once as not authorised; the log and the problem name the topic")
    func rejected() async throws {
        let lines = LogRecorder()
        let fixture = try await Self.makeFixture(Self.narrow, lines)
        let door = try await fixture.attach("A")
        let command = try fixture.send(.unlock, to: door)
        await fixture.reports.first(of: door) { $0.fact == .refusal(.notAuthorised) && $0.after == command }
        #expect(Self.faults(fixture, of: door) == ["commandNotDelivered"])
        #expect(lines.containing("error", "rejected", "device=\(door)", "topic=nuki/A/lockAction", "broker=home").count == 1)
        let problem = try #require(fixture.adapter.problem(of: command, for: door))
        #expect(
            problem.detail.contains("`home`") && problem.detail.contains("not authorized to publish to topic `nuki/A/lockAction`")
        )
        #expect(!problem.summary.contains("home") && !problem.summary.contains("nuki"))
        #expect(fixture.nuki.commands(at: "A") == [])
        // The list is corrected, and the next command is confirmed.
        try fixture.broker.write(Self.narrow + "topic write nuki/A/lockAction\n", to: "acl")
        fixture.broker.kill()
        await fixture.untilHealth(.down)
        try await fixture.broker.restart()
        await fixture.untilHealth(.ok)
        await fixture.nuki.waitUntilSubscribed()
        fixture.nuki.addLock("A")
        await fixture.confirmation(of: try await fixture.sendWhenSubscribed(.unlock, to: door), by: door)
        await Self.untilFaults([], fixture, of: door)
        await fixture.end()
    }

    @Test("a QoS 0 command that the broker drops silently is reported as not delivered after its deadline, with its topic")
    func dropped() async throws {
        let lines = LogRecorder()
        let fixture = try await Self.makeFixture(Self.narrow, lines)
        Self.attachGate(fixture)
        try await fixture.settle()
        let command = try await fixture.sendWhenSubscribed(.unlock, to: Self.gate)
        var problem: TransportProblem?
        while problem == nil {
            await fixture.clock.pass()
            problem = fixture.adapter.problem(of: command, for: Self.gate)
        }
        #expect(problem?.detail.contains("`gate/set`") == true && problem?.detail.contains("`home`") == true)
        #expect(Self.faults(fixture, of: Self.gate) == ["commandNotDelivered"])
        #expect(lines.containing("error", "not delivered", "device=\(Self.gate)", "topic=gate/set").count == 1)
        await fixture.end()
    }

    /// Attaches an ESPHome lock that is online and unlocked. It does not report an unchanged state again.
    private static func attachNode(_ fixture: BrokerFixture, _ node: String, _ id: DeviceID) async {
        let address = ["broker": "home", "profile": "esphome", "node": node, "object_id": "door"]
        fixture.adapter.attach(AttachedLock(id: id, address: address.mapValues { .string($0) }))
        fixture.nuki.publishRetained("\(node)/status", "online")
        await fixture.reports.first(of: id) { $0.fact == .availability(true) }
        fixture.nuki.publish("\(node)/lock/door/state", "UNLOCKED")
        await fixture.reports.first(of: id) { $0.isLive && $0.state == .unlocked }
    }

    @Test("a lock without acknowledgements confirms a command that the broker has delivered, but not one that the broker dropped")
    func silentAndDropped() async throws {
        let list = Self.narrow + "topic write +/status\ntopic write +/lock/door/state\ntopic write porch/lock/door/command\n"
        let fixture = try await Self.makeFixture(list)
        let (hall, porch) = (DeviceID(high: 0xD6, low: 1), DeviceID(high: 0xD6, low: 2))
        await Self.attachNode(fixture, "hall", hall)
        await Self.attachNode(fixture, "porch", porch)
        let dropped = try await fixture.sendWhenSubscribed(.unlock, to: hall)
        let delivered = try await fixture.sendWhenSubscribed(.unlock, to: porch)
        for _ in 0..<9 {
            fixture.clock.advance(by: .milliseconds(1_050))
            for _ in 0..<2 { try await fixture.settle() }
        }
        fixture.clock.advance(by: .milliseconds(300))
        await fixture.confirmation(of: delivered, by: porch)
        try await fixture.settle()
        #expect(!fixture.reports.all(of: hall).contains { $0.after == dropped && $0.isLive })
        #expect(fixture.adapter.problem(of: dropped, for: hall)?.detail.contains("`hall/lock/door/command`") == true)
        #expect(Self.faults(fixture, of: hall) == ["commandNotDelivered"] && Self.faults(fixture, of: porch) == [])
        await fixture.end()
    }

    @Test("the broker is not blamed for a command that it delivered back to the gateway, nor for one that the lock answered")
    func delivered() async throws {
        // The second list allows no client to read the gate's command topic.
        for list in [
            "topic readwrite #\n",
            Self.narrow.replacing("topic read #", with: "topic read +/state\ntopic read settle/#\ntopic read nuki/#")
                + "topic write gate/set\n",
        ] {
            let fixture = try await Self.makeFixture(list)
            Self.attachGate(fixture)
            try await fixture.settle()
            let first = try await fixture.sendWhenSubscribed(.unlock, to: Self.gate)
            fixture.nuki.publish("gate/state", "UNLOCKED")
            await fixture.confirmation(of: first, by: Self.gate)
            let second = try fixture.send(.lock, to: Self.gate)
            for _ in 0..<200 {
                await fixture.clock.pass()
                #expect(fixture.adapter.problem(of: second, for: Self.gate) == nil)
            }
            #expect(Self.faults(fixture, of: Self.gate) == [])
            await fixture.end()
        }
    }

    @Test("a refused subscription is logged and reported as a fault of each lock on the topic")
    func subscription() async throws {
        let lines = LogRecorder()
        let broker = try await MosquittoProcess.start(
            [
                "allow_anonymous true", "plugin /usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so",
                "plugin_opt_config_file FOLDER/dynamic-security.json",
            ], files: ["dynamic-security.json": Self.hidden("nuki/A/state")])
        let fixture = try await BrokerFixture(broker, logger: lines.logger)
        fixture.nuki.addLock("A")
        let door = DeviceID(high: 0xD5, low: 1)
        fixture.adapter.attach(AttachedLock(id: door, address: BrokerFixture.address(of: "A")))
        await Self.untilFaults(["subscriptionRefused"], fixture, of: door)
        #expect(lines.containing("error", "subscription refused", "nuki/A/state", "\(door)", "broker=home").count >= 1)
        await fixture.end()
    }

    @Test("the fault of a refused subscription ends when the broker grants it later on the same connection")
    func grantedLater() async throws {
        let topic = "nuki/A/state"
        let isHidden = Mutex(true)
        let broker = try ScriptedBroker { packet in
            switch packet[0] & 0xF0 {
            case 0x10: return .send(ScriptedPacket.connack())
            case 0x80:
                let isRefused = isHidden.withLock { $0 } && ScriptedPacket.filters(of: packet).contains(topic)
                return .send(ScriptedPacket.suback(packet, isRefused ? 0x87 : 1))
            case 0xA0: return .send(ScriptedPacket.unsuback(packet))
            default: return .nothing
            }
        }
        defer { broker.close() }
        let (clock, reports) = (VirtualClock(), RecordedReports())
        let adapter = BrokerFixture.adapter(["home": broker.port], clock)
        try await adapter.start(reports: reports)
        while adapter.health != .ok { await clock.pass() }
        let (door, other) = (DeviceID(high: 0xD7, low: 1), DeviceID(high: 0xD7, low: 2))
        adapter.attach(AttachedLock(id: door, address: BrokerFixture.address(of: "A")))
        await reports.first(of: door) { $0.fact == .faults(["subscriptionRefused"]) }
        isHidden.withLock { $0 = false }
        // Attaching a second lock with the same topics makes the adapter subscribe to them again.
        adapter.attach(AttachedLock(id: other, address: BrokerFixture.address(of: "A")))
        await reports.first(of: door) { $0.fact == .faults([]) }
        await adapter.stop()
    }

    private static func hidden(_ topic: String) -> String {
        """
        {"defaultACLAccess":{"publishClientSend":true,"publishClientReceive":true,"subscribe":true,"unsubscribe":true},
        "anonymousGroup":"all","groups":[{"groupname":"all","roles":[{"rolename":"hidden"}]}],
        "roles":[{"rolename":"hidden","acls":[{"acltype":"subscribeLiteral","topic":"\(topic)","priority":1,"allow":false}]}]}
        """
    }

    @Test("the adapter is down while none of its brokers is connected, and degraded while one of several is not")
    func health() async throws {
        let lines = LogRecorder()
        let attic = try await MosquittoProcess.start()
        let fixture = try await BrokerFixture(MosquittoProcess.start(), more: ["attic": attic.port], logger: lines.logger)
        let door = try await fixture.attach("A")
        attic.kill()
        await fixture.untilHealth(.degraded)
        fixture.broker.kill()
        await fixture.untilHealth(.down)
        while fixture.adapter.transports[1].problem != "Broker `home` is not connected (connection refused)" {
            await fixture.clock.pass()
        }
        #expect(
            fixture.adapter.problem(of: CommandID(high: 0, low: 1), for: door)?.detail
                == "Broker `home` is not connected (connection refused).")
        // The adapter writes the log line after it has published the problem.
        while lines.containing("warning", "broker is not connected (connection refused)", "broker=home").isEmpty {
            await fixture.clock.pass()
        }
        try await fixture.broker.restart()
        await fixture.untilHealth(.degraded)
        await fixture.end()
    }
}
