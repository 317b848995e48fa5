import Testing

@testable import doorward_mqtt_locks

/// Each fault, injected directly or by its rate.
@Suite struct FaultTests {
    static let set = "locks/homeassistant-1/set"
    static let state = "!*locks/homeassistant-1/state"

    @Test(
        "a jam is reported if the ecosystem can report it",
        arguments: [
            (Profile.homeassistant, "locks/homeassistant-1/set", "UNLOCK", "/state JAMMED"),
            (
                .zigbee2mqtt, "zigbee2mqtt/zigbee2mqtt-1/set", #"{"state":"UNLOCK"}"#,
                #""lock_state":"not_fully_locked","state":"UNLOCK""#
            ),
            (.nukiNative, "nuki/ID/lockAction", "1", "/commandResponse 66"),
            (.nukiNative, "nuki/ID/lockAction", "1", "/state 254"),
            (.nukiHub, "nuki-hub-1/lock/action", "unlock", "/hastate jammed"),
            (.nukiHub, "nuki-hub-1/lock/action", "unlock", "/completionStatus motorBlocked"),
            (.zwave, CommandTests.mode + "/targetMode/set", "0", #"/Lock_state {"time":1755955220100,"value":11}"#),
            (.zwave, CommandTests.api + "/set", CommandTests.call, #""result":{"status":2}"#),
            (.esphome, "esphome-1/lock/front_door/command", "UNLOCK", "/state JAMMED"),
            (.homie, "homie/5/homie-1/lock/command/set", "unlock", "/state jammed"),
            (.homekey, "homekey-esp32-1/homekit/set_target_state", "0", "/set_current_state 2"),
            // A relay and ring-mqtt cannot report a jam.
            (.tasmota, "cmnd/tasmota-1/POWER", "ON", "/POWER ON"),
            (.ring, CommandTests.ring + "/lock/command", "unlock", "/lock/state UNLOCKING"),
        ])
    func jam(profile: Profile, topic: String, payload: String, expected: String) throws {
        var fixture = FleetFixture(profile)
        try fixture.execute("jam \(fixture.name)")
        fixture.receive(CommandTests.filled(topic, fixture), payload)
        fixture.advance(by: .seconds(5))
        let lines = fixture.takeLines()
        #expect(lines.contains { $0.contains(expected) }, "\(lines)")
        #expect(fixture.fleet.locks[0].context.mechanism.position == .jammed)
        // The fault applies once: the next movement succeeds.
        fixture.receive(CommandTests.filled(topic, fixture), payload)
        fixture.advance(by: .seconds(5))
        #expect(fixture.fleet.locks[0].context.mechanism.position == .unlocked)
    }

    @Test(
        "with `half-way` a lock reports a bolt between its ends, and the end of the movement afterwards",
        arguments: [
            (
                Profile.zigbee2mqtt, "zigbee2mqtt/zigbee2mqtt-1/set", #"{"state":"UNLOCK"}"#,
                [#""lock_state":"not_fully_locked","state":"UNLOCK""#, #""lock_state":"unlocked","state":"UNLOCK""#]
            ),
            (.zwave, CommandTests.mode + "/targetMode/set", "0", ["/RF_not_fully_locked_operation", "/RF_unlock_operation"]),
        ])
    func halfWay(profile: Profile, topic: String, payload: String, expected: [String]) throws {
        var fixture = FleetFixture(profile)
        try fixture.execute("half-way \(fixture.name)")
        fixture.receive(CommandTests.filled(topic, fixture), payload)
        fixture.advance(by: .seconds(5))
        let lines = fixture.takeLines()
        let positions = expected.compactMap { part in lines.firstIndex { $0.contains(part) } }
        #expect(positions.count == 2 && positions[0] < positions[1], "\(lines)")
        #expect(fixture.fleet.locks[0].context.mechanism.position == .unlocked)
    }

    @Test("a dropped command has no effect, in any dialect", arguments: Profile.allCases)
    func drop(profile: Profile) {
        var fixture = FleetFixture(profile) { $0.rates = [.drop: 1] }
        let command =
            CommandTests.cases.first { $0.profile == profile }
            ?? CommandTests.Case(.nukiHub, "nuki-hub-1/lock/action", "unlock", [])
        fixture.receive(CommandTests.filled(command.topic, fixture), command.payload)
        fixture.advance(by: .seconds(60))
        // ring-mqtt publishes an optimistic state before it sends the command.
        #expect(fixture.takeLines().count == (profile == .ring ? 1 : 0))
        #expect(fixture.fleet.locks[0].context.mechanism.position == .locked)
    }

    @Test("with `duplicate` one report is published twice, and the next ones once")
    func duplicate() throws {
        var fixture = FleetFixture(.homeassistant)
        try fixture.execute("duplicate homeassistant-1")
        fixture.receive(Self.set, "UNLOCK")
        fixture.advance(by: .seconds(1))
        #expect(fixture.takeLines() == ["UNLOCKING", "UNLOCKING", "UNLOCKED"].map { "\(Self.state) \($0)" })
    }

    @Test("with `late` the lock moves only after the delay")
    func late() throws {
        var fixture = FleetFixture(.zigbee2mqtt)
        try fixture.execute("late zigbee2mqtt-1")
        fixture.receive("zigbee2mqtt/zigbee2mqtt-1/set", "unlock")
        fixture.advance(by: .seconds(15))
        #expect(fixture.takeLines() == [])
        fixture.advance(by: .milliseconds(100))
        #expect(fixture.takeLines().first?.contains(#""lock_state":"unlocked""#) == true)
    }

    @Test("with `wrong-state` the lock reports the opposite position, while the event reports the real movement")
    func wrongState() throws {
        var fixture = FleetFixture(.zigbee2mqtt)
        try fixture.execute("wrong-state zigbee2mqtt-1")
        try fixture.execute("thumb-turn zigbee2mqtt-1")
        let published = fixture.takeLines()
        #expect(published.last?.contains(#""action":"manual_unlock""#) == true)
        #expect(published.allSatisfy { $0.contains(#""lock_state":"locked""#) })
        #expect(fixture.fleet.locks[0].context.mechanism.position == .unlocked)
        var relay = FleetFixture(.tasmota) { $0.rates = [.wrongState: 1] }
        relay.receive("cmnd/tasmota-1/POWER", "ON")
        relay.advance(by: .seconds(1))
        #expect(relay.takeLines().last == "stat/tasmota-1/POWER OFF")
    }

    @Test("garbage is published on the state topic, at once or before each report", arguments: Profile.allCases)
    func garbage(profile: Profile) throws {
        var fixture = FleetFixture(profile) { $0.rates = [.garbage: 1] }
        let topic = fixture.fleet.locks[0].dialect.stateTopic
        try fixture.execute("garbage \(fixture.name)")
        let now = fixture.takeMessages()
        #expect(now.map(\.topic) == [topic] && !now[0].isRetained)
        guard profile != .tasmota, profile != .homekey else { return }
        try fixture.execute("thumb-turn \(fixture.name)")
        let published = fixture.takeMessages().filter { $0.topic == topic }
        #expect(published.count >= 2 && published[0].payload != published[1].payload && !published[0].isRetained)
    }

    @Test("a stale retained state stays on the broker, because later states are not retained", arguments: [true, false])
    func retained(byRate: Bool) throws {
        var fixture = FleetFixture([.init(profile: .homeassistant, count: 1), .init(profile: .zigbee2mqtt, count: 1)]) {
            $0.rates = byRate ? [.retained: 1] : [:]
        }
        fixture.connect()
        if !byRate { for lock in ["homeassistant-1", "zigbee2mqtt-1"] { try fixture.execute("retained \(lock)") } }
        let retained = fixture.takeMessages().filter { $0.isRetained }
        #expect(retained.last { $0.topic == "locks/homeassistant-1/state" }?.payload == Array("LOCKED".utf8))
        #expect(retained.contains { $0.topic == "zigbee2mqtt/zigbee2mqtt-1" })
        for lock in ["homeassistant-1", "zigbee2mqtt-1"] { try fixture.execute("thumb-turn \(lock)") }
        let later = fixture.takeMessages()
        #expect(later.count == 3 && later.allSatisfy { !$0.isRetained })
    }

    @Test(
        "the stale state is the one already retained, or is published once if the dialect does not retain states",
        arguments: [(Profile.esphome, false), (.nukiHub, false), (.tasmota, true), (.ring, true), (.zigbee2mqtt, true)])
    func retainedAtOnce(profile: Profile, isPublished: Bool) throws {
        var fixture = FleetFixture(profile)
        try fixture.execute("retained \(fixture.name)")
        let topic = fixture.fleet.locks[0].dialect.stateTopic
        #expect(fixture.takeMessages().filter(\.isRetained).map(\.topic) == (isPublished ? [topic] : []))
        try fixture.execute("thumb-turn \(fixture.name)")
        #expect(fixture.takeMessages().allSatisfy { $0.topic != topic || !$0.isRetained })
    }

    @Test("a lock that goes offline at a command is disconnected, does not move, and reports its full state when it is back")
    func offline() {
        var fixture = FleetFixture(.homeassistant) { $0.rates = [.offline: 1] }
        fixture.receive(Self.set, "UNLOCK")
        #expect(fixture.takeEffects() == [.cut(client: 0)])
        fixture.advance(by: .seconds(19))
        #expect(fixture.takeEffects() == [])
        fixture.advance(by: .seconds(1))
        #expect(fixture.takeLines().contains("\(Self.state) LOCKED"))
    }

    @Test("a lock of a bridge goes offline alone, and the bridge reports it as offline and rejects its commands")
    func bridgedOffline() throws {
        var fixture = FleetFixture(.zigbee2mqtt)
        try fixture.execute("offline zigbee2mqtt-1")
        #expect(fixture.takeLines() == [#"!*zigbee2mqtt/zigbee2mqtt-1/availability {"state":"offline"}"#])
        fixture.receive("zigbee2mqtt/zigbee2mqtt-1/set", "unlock")
        fixture.receive("zigbee2mqtt/zigbee2mqtt-1/get", #"{"state":""}"#)
        let errors = fixture.takeLines()
        #expect(
            errors.count == 2 && errors[0].contains("bridge/logging")
                && errors[0].contains("Publish 'set' 'state' to 'zigbee2mqtt-1' failed"))
        #expect(errors[1].contains("Publish 'get' 'state'"))
        // A manual turn is not reported until the lock is back.
        try fixture.execute("thumb-turn zigbee2mqtt-1")
        #expect(fixture.takeLines() == [])
        try fixture.execute("online zigbee2mqtt-1")
        #expect(fixture.takeLines().last?.contains(#""lock_state":"unlocked""#) == true)
    }

    @Test("a call for a dead Z-Wave lock is answered, but does not move the lock")
    func deadNode() throws {
        var fixture = FleetFixture(.zwave)
        try fixture.execute("offline zwave-js-ui-1")
        #expect(fixture.takeLines().first?.contains(#""value":false,"status":"Dead","nodeId":2"#) == true)
        fixture.receive(CommandTests.api + "/set", CommandTests.call)
        #expect(fixture.takeLines().first?.contains(#""success":true"#) == true)
        #expect(fixture.fleet.locks[0].context.mechanism.position == .locked)
    }

    @Test("a lock that restarts forgets its movement in progress")
    func reboot() throws {
        var fixture = FleetFixture(.esphome)
        fixture.receive("esphome-1/lock/front_door/command", "UNLOCK")
        fixture.advance(by: .milliseconds(50))
        #expect(fixture.takeLines() == ["*esphome-1/lock/front_door/state UNLOCKING"])
        try fixture.execute("reboot esphome-1")
        #expect(fixture.takeEffects() == [.cut(client: 0)])
        fixture.advance(by: .seconds(4))
        #expect(fixture.takeLines().contains("*esphome-1/lock/front_door/state LOCKED"))
    }

    @Test("a bridge that restarts disconnects all its locks, and reports everything again")
    func bridgeReboot() throws {
        var fixture = FleetFixture([.init(profile: .zigbee2mqtt, count: 3)])
        fixture.connect()
        _ = fixture.takeEffects()
        try fixture.execute("reboot zigbee2mqtt")
        try fixture.execute("thumb-turn zigbee2mqtt-2")
        #expect(fixture.takeEffects() == [.cut(client: 0)])
        #expect(fixture.fleet.counts.lost == 2)
        fixture.advance(by: .seconds(3))
        let published = fixture.takeLines()
        #expect(published.first == #"!*zigbee2mqtt/bridge/state {"state":"online"}"#)
        #expect(published.filter { $0.contains("lock_state") && !$0.contains("bridge/devices") }.count == 3)
    }

    @Test("a rate of one half affects about half of the commands")
    func rates() {
        var fixture = FleetFixture(.tasmota) { $0.rates = [.drop: 0.5] }
        for _ in 0..<400 {
            fixture.receive("cmnd/tasmota-1/POWER", "TOGGLE")
            fixture.advance(by: .seconds(1))
        }
        #expect((150...250).contains(fixture.takeLines().count / 2))
    }

    @Test("the battery drains with each motor movement, and each whole percent is reported")
    func drain() {
        var fixture = FleetFixture(.nukiNative) { $0.drain = 0.5 }
        let topic = CommandTests.filled("nuki/ID/lockAction", fixture)
        for action in ["1", "2", "1", "2"] {
            fixture.receive(topic, action)
            fixture.advance(by: .seconds(1))
        }
        #expect(fixture.takeLines().filter { $0.contains("batteryChargeState") }.count == 2)
    }
}
