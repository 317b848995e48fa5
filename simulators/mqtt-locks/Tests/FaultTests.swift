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
            (.zwave, OrderTests.mode + "/targetMode/set", "0", #"/Lock_state {"time":1755955220100,"value":11}"#),
            (.zwave, OrderTests.api + "/set", OrderTests.call, #""result":{"status":2}"#),
            (.esphome, "esphome-1/lock/front_door/command", "UNLOCK", "/state JAMMED"),
            (.homie, "homie/5/homie-1/lock/command/set", "unlock", "/state jammed"),
            (.homekey, "homekey-esp32-1/homekit/set_target_state", "0", "/set_current_state 2"),
            // A relay and ring-mqtt cannot report a jam.
            (.tasmota, "cmnd/tasmota-1/POWER", "ON", "/POWER ON"),
            (.ring, OrderTests.ring + "/lock/command", "unlock", "/lock/state UNLOCKING"),
        ])
    func jam(profile: Profile, topic: String, payload: String, said: String) throws {
        var played = PlayedFleet(profile)
        try played.obey("jam \(played.name)")
        played.receive(OrderTests.filled(topic, played), payload)
        played.pass(.seconds(5))
        let rows = played.takeRows()
        #expect(rows.contains { $0.contains(said) }, "\(rows)")
        #expect(played.fleet.locks[0].context.mechanism.position == .jammed)
        // The fault applies once: the next movement succeeds.
        played.receive(OrderTests.filled(topic, played), payload)
        played.pass(.seconds(5))
        #expect(played.fleet.locks[0].context.mechanism.position == .unlocked)
    }

    @Test("a dropped command has no effect, in any dialect", arguments: Profile.allCases)
    func drop(profile: Profile) {
        var played = PlayedFleet(profile) { $0.rates = [.drop: 1] }
        let row =
            OrderTests.rows.first { $0.profile == profile } ?? OrderTests.Row(.nukiHub, "nuki-hub-1/lock/action", "unlock", [])
        played.receive(OrderTests.filled(row.topic, played), row.payload)
        played.pass(.seconds(60))
        // ring-mqtt publishes an optimistic state before it sends the command.
        #expect(played.takeRows().count == (profile == .ring ? 1 : 0))
        #expect(played.fleet.locks[0].context.mechanism.position == .locked)
    }

    @Test("with `duplicate` one report is published twice, and the next ones once")
    func duplicate() throws {
        var played = PlayedFleet(.homeassistant)
        try played.obey("duplicate homeassistant-1")
        played.receive(Self.set, "UNLOCK")
        played.pass(.seconds(1))
        #expect(played.takeRows() == ["UNLOCKING", "UNLOCKING", "UNLOCKED"].map { "\(Self.state) \($0)" })
    }

    @Test("with `late` the lock moves only after the delay")
    func late() throws {
        var played = PlayedFleet(.zigbee2mqtt)
        try played.obey("late zigbee2mqtt-1")
        played.receive("zigbee2mqtt/zigbee2mqtt-1/set", "unlock")
        played.pass(.seconds(15))
        #expect(played.takeRows() == [])
        played.pass(.milliseconds(100))
        #expect(played.takeRows().first?.contains(#""lock_state":"unlocked""#) == true)
    }

    @Test("with `wrong-state` the lock reports the opposite position, while the event reports the real movement")
    func wrongState() throws {
        var played = PlayedFleet(.zigbee2mqtt)
        try played.obey("wrong-state zigbee2mqtt-1")
        try played.obey("thumb-turn zigbee2mqtt-1")
        let said = played.takeRows()
        #expect(said.last?.contains(#""action":"manual_unlock""#) == true)
        #expect(said.allSatisfy { $0.contains(#""lock_state":"locked""#) })
        #expect(played.fleet.locks[0].context.mechanism.position == .unlocked)
        var relay = PlayedFleet(.tasmota) { $0.rates = [.wrongState: 1] }
        relay.receive("cmnd/tasmota-1/POWER", "ON")
        relay.pass(.seconds(1))
        #expect(relay.takeRows().last == "stat/tasmota-1/POWER OFF")
    }

    @Test("garbage is published on the state topic, at once or before each report", arguments: Profile.allCases)
    func garbage(profile: Profile) throws {
        var played = PlayedFleet(profile) { $0.rates = [.garbage: 1] }
        let topic = played.fleet.locks[0].dialect.stateTopic
        try played.obey("garbage \(played.name)")
        let now = played.takeFrames()
        #expect(now.map(\.topic) == [topic] && !now[0].isRetained)
        guard profile != .tasmota, profile != .homekey else { return }
        try played.obey("thumb-turn \(played.name)")
        let said = played.takeFrames().filter { $0.topic == topic }
        #expect(said.count >= 2 && said[0].payload != said[1].payload && !said[0].isRetained)
    }

    @Test("a stale retained state stays on the broker, because later states are not retained", arguments: [true, false])
    func retained(byRate: Bool) throws {
        var played = PlayedFleet([.init(profile: .homeassistant, count: 1), .init(profile: .zigbee2mqtt, count: 1)]) {
            $0.rates = byRate ? [.retained: 1] : [:]
        }
        played.connect()
        if !byRate { for lock in ["homeassistant-1", "zigbee2mqtt-1"] { try played.obey("retained \(lock)") } }
        let kept = played.takeFrames().filter { $0.isRetained }
        #expect(kept.last { $0.topic == "locks/homeassistant-1/state" }?.payload == Array("LOCKED".utf8))
        #expect(kept.contains { $0.topic == "zigbee2mqtt/zigbee2mqtt-1" })
        for lock in ["homeassistant-1", "zigbee2mqtt-1"] { try played.obey("thumb-turn \(lock)") }
        let later = played.takeFrames()
        #expect(later.count == 3 && later.allSatisfy { !$0.isRetained })
    }

    @Test(
        "the stale state is the one already retained, or is published once if the dialect does not retain states",
        arguments: [(Profile.esphome, false), (.nukiHub, false), (.tasmota, true), (.ring, true), (.zigbee2mqtt, true)])
    func retainedAtOnce(profile: Profile, isSaid: Bool) throws {
        var played = PlayedFleet(profile)
        try played.obey("retained \(played.name)")
        let topic = played.fleet.locks[0].dialect.stateTopic
        #expect(played.takeFrames().filter(\.isRetained).map(\.topic) == (isSaid ? [topic] : []))
        try played.obey("thumb-turn \(played.name)")
        #expect(played.takeFrames().allSatisfy { $0.topic != topic || !$0.isRetained })
    }

    @Test("a lock that goes offline at a command is disconnected, does not move, and reports its full state when it is back")
    func offline() {
        var played = PlayedFleet(.homeassistant) { $0.rates = [.offline: 1] }
        played.receive(Self.set, "UNLOCK")
        #expect(played.takeDeeds() == [.cut(client: 0)])
        played.pass(.seconds(19))
        #expect(played.takeDeeds() == [])
        played.pass(.seconds(1))
        #expect(played.takeRows().contains("\(Self.state) LOCKED"))
    }

    @Test("a lock of a bridge goes offline alone, and the bridge reports it as offline and rejects its commands")
    func bridgedOffline() throws {
        var played = PlayedFleet(.zigbee2mqtt)
        try played.obey("offline zigbee2mqtt-1")
        #expect(played.takeRows() == [#"!*zigbee2mqtt/zigbee2mqtt-1/availability {"state":"offline"}"#])
        played.receive("zigbee2mqtt/zigbee2mqtt-1/set", "unlock")
        played.receive("zigbee2mqtt/zigbee2mqtt-1/get", #"{"state":""}"#)
        let errors = played.takeRows()
        #expect(
            errors.count == 2 && errors[0].contains("bridge/logging")
                && errors[0].contains("Publish 'set' 'state' to 'zigbee2mqtt-1' failed"))
        #expect(errors[1].contains("Publish 'get' 'state'"))
        // A manual turn is not reported until the lock is back.
        try played.obey("thumb-turn zigbee2mqtt-1")
        #expect(played.takeRows() == [])
        try played.obey("online zigbee2mqtt-1")
        #expect(played.takeRows().last?.contains(#""lock_state":"unlocked""#) == true)
    }

    @Test("a call for a dead Z-Wave lock is answered, but does not move the lock")
    func deadNode() throws {
        var played = PlayedFleet(.zwave)
        try played.obey("offline zwave-js-ui-1")
        #expect(played.takeRows().first?.contains(#""value":false,"status":"Dead","nodeId":2"#) == true)
        played.receive(OrderTests.api + "/set", OrderTests.call)
        #expect(played.takeRows().first?.contains(#""success":true"#) == true)
        #expect(played.fleet.locks[0].context.mechanism.position == .locked)
    }

    @Test("a lock that restarts forgets its movement in progress")
    func reboot() throws {
        var played = PlayedFleet(.esphome)
        played.receive("esphome-1/lock/front_door/command", "UNLOCK")
        played.pass(.milliseconds(50))
        #expect(played.takeRows() == ["*esphome-1/lock/front_door/state UNLOCKING"])
        try played.obey("reboot esphome-1")
        #expect(played.takeDeeds() == [.cut(client: 0)])
        played.pass(.seconds(4))
        #expect(played.takeRows().contains("*esphome-1/lock/front_door/state LOCKED"))
    }

    @Test("a bridge that restarts disconnects all its locks, and reports everything again")
    func bridgeReboot() throws {
        var played = PlayedFleet([.init(profile: .zigbee2mqtt, count: 3)])
        played.connect()
        _ = played.takeDeeds()
        try played.obey("reboot zigbee2mqtt")
        try played.obey("thumb-turn zigbee2mqtt-2")
        #expect(played.takeDeeds() == [.cut(client: 0)])
        #expect(played.fleet.counts.unsaid == 2)
        played.pass(.seconds(3))
        let said = played.takeRows()
        #expect(said.first == #"!*zigbee2mqtt/bridge/state {"state":"online"}"#)
        #expect(said.filter { $0.contains("lock_state") && !$0.contains("bridge/devices") }.count == 3)
    }

    @Test("a rate of one half affects about half of the commands")
    func rates() {
        var played = PlayedFleet(.tasmota) { $0.rates = [.drop: 0.5] }
        for _ in 0..<400 {
            played.receive("cmnd/tasmota-1/POWER", "TOGGLE")
            played.pass(.seconds(1))
        }
        #expect((150...250).contains(played.takeRows().count / 2))
    }

    @Test("the battery drains with each motor movement, and each whole percent is reported")
    func drain() {
        var played = PlayedFleet(.nukiNative) { $0.drain = 0.5 }
        let topic = OrderTests.filled("nuki/ID/lockAction", played)
        for action in ["1", "2", "1", "2"] {
            played.receive(topic, action)
            played.pass(.seconds(1))
        }
        #expect(played.takeRows().filter { $0.contains("batteryChargeState") }.count == 2)
    }
}
