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

    private static func rig(_ list: String, _ lines: KeptLines = KeptLines()) async throws -> BrokerFixture {
        let broker = try await MosquittoProcess.start(["allow_anonymous true", "acl_file FOLDER/acl"], files: ["acl": list])
        return try await BrokerFixture(broker, logger: lines.logger)
    }

    private static let gate = DeviceID(high: 0xD4, low: 1)

    private static func attachGate(_ rig: BrokerFixture) {
        let address = [
            "broker": "home", "profile": "homeassistant", "command_topic": "gate/set", "state_topic": "gate/state",
        ]
        rig.adapter.attach(AttachedLock(id: gate, address: address.mapValues { .string($0) }))
    }

    private static func faults(_ rig: BrokerFixture, of lock: DeviceID) -> Set<String> {
        for report in rig.reports.all(of: lock).reversed() { if case .faults(let faults) = report.fact { return faults } }
        return []
    }

    private static func untilFaults(_ faults: Set<String>, _ rig: BrokerFixture, of lock: DeviceID) async {
        let _: Bool = await rig.reports.until { _ in Self.faults(rig, of: lock) == faults ? true : nil }
    }

    @Test("a command that the broker rejects is refused at once as not authorised; the log and the problem name the topic")
    func rejected() async throws {
        let lines = KeptLines()
        let rig = try await Self.rig(Self.narrow, lines)
        let door = try await rig.attach("A")
        let order = try rig.send(.unlock, to: door)
        await rig.reports.first(of: door) { $0.fact == .refusal(.notAuthorised) && $0.after == order }
        #expect(Self.faults(rig, of: door) == ["commandNotDelivered"])
        #expect(lines.holding("error", "rejected", "device=\(door)", "topic=nuki/A/lockAction", "broker=home").count == 1)
        let problem = try #require(rig.adapter.problem(of: order, for: door))
        #expect(
            problem.detail.contains("`home`") && problem.detail.contains("not authorized to publish to topic `nuki/A/lockAction`")
        )
        #expect(!problem.summary.contains("home") && !problem.summary.contains("nuki"))
        #expect(rig.nuki.orders(at: "A") == [])
        // Correct the list. The next command is then confirmed.
        try rig.broker.write(Self.narrow + "topic write nuki/A/lockAction\n", to: "acl")
        rig.broker.kill()
        await rig.untilHealth(.down)
        try await rig.broker.restart()
        await rig.untilHealth(.ok)
        await rig.nuki.listen()
        rig.nuki.appear("A")
        await rig.confirmation(of: try await rig.sendOnceHeard(.unlock, to: door), by: door)
        await Self.untilFaults([], rig, of: door)
        await rig.end()
    }

    @Test("a QoS 0 command that the broker drops silently is reported as not delivered after its deadline, with its topic")
    func dropped() async throws {
        let lines = KeptLines()
        let rig = try await Self.rig(Self.narrow, lines)
        Self.attachGate(rig)
        try await rig.settle()
        let order = try await rig.sendOnceHeard(.unlock, to: Self.gate)
        var problem: TransportProblem?
        while problem == nil {
            await rig.clock.pass()
            problem = rig.adapter.problem(of: order, for: Self.gate)
        }
        #expect(problem?.detail.contains("`gate/set`") == true && problem?.detail.contains("`home`") == true)
        #expect(Self.faults(rig, of: Self.gate) == ["commandNotDelivered"])
        #expect(lines.holding("error", "not delivered", "device=\(Self.gate)", "topic=gate/set").count == 1)
        await rig.end()
    }

    /// Attaches an ESPHome lock that is online and unlocked. It does not report an unchanged state again.
    private static func attachNode(_ rig: BrokerFixture, _ node: String, _ id: DeviceID) async {
        let address = ["broker": "home", "profile": "esphome", "node": node, "object_id": "door"]
        rig.adapter.attach(AttachedLock(id: id, address: address.mapValues { .string($0) }))
        rig.nuki.keep("\(node)/status", "online")
        await rig.reports.first(of: id) { $0.fact == .availability(true) }
        rig.nuki.say("\(node)/lock/door/state", "UNLOCKED")
        await rig.reports.first(of: id) { $0.isLive && $0.state == .unlocked }
    }

    @Test("a lock that stays silent confirms a command that the broker has delivered, and not one that the broker dropped")
    func silentAndDropped() async throws {
        let list = Self.narrow + "topic write +/status\ntopic write +/lock/door/state\ntopic write porch/lock/door/command\n"
        let rig = try await Self.rig(list)
        let (hall, porch) = (DeviceID(high: 0xD6, low: 1), DeviceID(high: 0xD6, low: 2))
        await Self.attachNode(rig, "hall", hall)
        await Self.attachNode(rig, "porch", porch)
        let dropped = try await rig.sendOnceHeard(.unlock, to: hall)
        let delivered = try await rig.sendOnceHeard(.unlock, to: porch)
        for _ in 0..<9 {
            rig.clock.advance(by: .milliseconds(1_050))
            for _ in 0..<2 { try await rig.settle() }
        }
        rig.clock.advance(by: .milliseconds(300))
        await rig.confirmation(of: delivered, by: porch)
        try await rig.settle()
        #expect(!rig.reports.all(of: hall).contains { $0.after == dropped && $0.isLive })
        #expect(rig.adapter.problem(of: dropped, for: hall)?.detail.contains("`hall/lock/door/command`") == true)
        #expect(Self.faults(rig, of: hall) == ["commandNotDelivered"] && Self.faults(rig, of: porch) == [])
        await rig.end()
    }

    @Test("the broker is not blamed for a command that it delivered back to the gateway, nor for one that the lock answered")
    func delivered() async throws {
        // The second list allows no client to read the gate's command topic.
        for list in [
            "topic readwrite #\n",
            Self.narrow.replacing("topic read #", with: "topic read +/state\ntopic read settle/#\ntopic read nuki/#")
                + "topic write gate/set\n",
        ] {
            let rig = try await Self.rig(list)
            Self.attachGate(rig)
            try await rig.settle()
            let first = try await rig.sendOnceHeard(.unlock, to: Self.gate)
            rig.nuki.say("gate/state", "UNLOCKED")
            await rig.confirmation(of: first, by: Self.gate)
            let second = try rig.send(.lock, to: Self.gate)
            for _ in 0..<200 {
                await rig.clock.pass()
                #expect(rig.adapter.problem(of: second, for: Self.gate) == nil)
            }
            #expect(Self.faults(rig, of: Self.gate) == [])
            await rig.end()
        }
    }

    @Test("a refused subscription is logged and reported as a fault of each lock on the topic")
    func subscription() async throws {
        let lines = KeptLines()
        let broker = try await MosquittoProcess.start(
            [
                "allow_anonymous true", "plugin /usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so",
                "plugin_opt_config_file FOLDER/dynamic-security.json",
            ], files: ["dynamic-security.json": Self.hidden("nuki/A/state")])
        let rig = try await BrokerFixture(broker, logger: lines.logger)
        rig.nuki.appear("A")
        let door = DeviceID(high: 0xD5, low: 1)
        rig.adapter.attach(AttachedLock(id: door, address: BrokerFixture.address(of: "A")))
        await Self.untilFaults(["subscriptionRefused"], rig, of: door)
        #expect(lines.holding("error", "subscription refused", "nuki/A/state", "\(door)", "broker=home").count >= 1)
        await rig.end()
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
        let (clock, reports) = (VirtualClock(), KeptReports())
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
        let lines = KeptLines()
        let attic = try await MosquittoProcess.start()
        let rig = try await BrokerFixture(MosquittoProcess.start(), more: ["attic": attic.port], logger: lines.logger)
        let door = try await rig.attach("A")
        attic.kill()
        await rig.untilHealth(.degraded)
        rig.broker.kill()
        await rig.untilHealth(.down)
        while rig.adapter.transports[1].problem != "Broker `home` is not connected (connection refused)" {
            await rig.clock.pass()
        }
        #expect(
            rig.adapter.problem(of: CommandID(high: 0, low: 1), for: door)?.detail
                == "Broker `home` is not connected (connection refused).")
        // The adapter writes the log line after it has published the problem.
        while lines.holding("warning", "broker is not connected (connection refused)", "broker=home").isEmpty {
            await rig.clock.pass()
        }
        try await rig.broker.restart()
        await rig.untilHealth(.degraded)
        await rig.end()
    }
}
