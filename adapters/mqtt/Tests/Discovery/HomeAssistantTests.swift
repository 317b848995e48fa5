import AdapterMQTT
import DoorwardDomain
import Testing

@Suite struct HomeAssistantTests {
    static let c06 = #"{"~":"x/abc","stat_t":"~/state","cmd_t":"~/set","pl_unlk":"OPENIT","uniq_id":"abc"}"#

    @Test("C06: an abbreviated announcement adds a lock with its topics and payloads, without unlatch")
    func c06() {
        var broker = DiscoveryFixture()
        let lock = AnnouncedLock(
            id: "homeassistant:abc", profile: "homeassistant",
            variables: ["command_topic": "x/abc/set", "state_topic": "x/abc/state", "payload_unlock": "OPENIT"])
        #expect(broker.receive("homeassistant/lock/abc/config", Self.c06) == [lock])
        #expect(broker.discovery.locks == [lock])
        #expect(lock.variables["payload_open"] == nil && lock.problem == nil)
    }

    @Test("C07: an empty payload removes the lock, and the same announcement adds it again")
    func c07() throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/abc/config", Self.c06)
        var gone = try #require(broker.only)
        gone.isRemoved = true
        #expect(broker.receive("homeassistant/lock/abc/config", "", isRetained: false) == [gone])
        #expect(broker.discovery.locks.isEmpty)
        #expect(broker.receive("homeassistant/lock/abc/config", "", isRetained: false) == [], "it is reported as gone only once")
        gone.isRemoved = false
        #expect(broker.receive("homeassistant/lock/abc/config", Self.c06) == [gone])
    }

    @Test("every key of the profile is read by its full name, and other keys are ignored")
    func fullKeys() throws {
        var broker = DiscoveryFixture()
        broker.receive(Fixture.topic("homeassistant-lock"), try Fixture.bytes("homeassistant-lock"))
        let lock = try #require(broker.only)
        #expect(lock.id == "homeassistant:cellar/bolt")
        #expect(lock.name == "Cellar door Bolt")
        #expect(lock.product == LockProduct(manufacturer: "Ironworks", model: "B2", firmwareVersion: "1.4"))
        #expect(lock.problem == nil)
        #expect(
            lock.variables == [
                "command_topic": "cellar/bolt/set", "state_topic": "cellar/bolt/state", "payload_lock": "CLOSE",
                "payload_unlock": "OPEN UP", "payload_open": "LATCH", "state_locked": "closed", "state_unlocked": "opened",
                "state_locking": "closing", "state_unlocking": "opening up", "state_jammed": "stuck",
                "value_template": "{{ value_json.bolt.position }}", "code_format": #"^\d{4}$"#, "optimistic": .bool(false),
                "qos": .integer(1), "availability_mode": "all",
                "availability": .array([
                    .object(["topic": "cellar/bolt/link", "payload_available": "up", "payload_not_available": "down"]),
                    .object(["topic": "cellar/bridge", "value_template": "{{ value_json['state'] }}"]),
                ]),
            ])
    }

    @Test("every abbreviation is read, also in device, origin and availability")
    func abbreviations() throws {
        var broker = DiscoveryFixture()
        broker.receive(Fixture.topic("homeassistant-lock-short"), try Fixture.bytes("homeassistant-lock-short"))
        let lock = try #require(broker.only)
        #expect(lock.name == "Shed" && lock.product == LockProduct(manufacturer: "Ironworks", model: "S7", firmwareVersion: "3"))
        #expect(
            lock.variables == [
                "command_topic": "shed/7/set", "state_topic": "shed/7/state", "payload_lock": "1", "payload_unlock": "0",
                "payload_open": "2", "payload_reset": "forget", "state_locked": "on", "state_unlocked": "off",
                "state_locking": "turning on", "state_unlocking": "turning off", "state_open": "wide",
                "state_opening": "widening", "state_jammed": "stuck",
                "value_template": #"{{ value_json["s"] | default('') }}"#, "command_template": "{{ value }}",
                "optimistic": .bool(false), "encoding": "utf-8", "availability_mode": "any",
                "availability": .array([
                    .object([
                        "topic": "shed/7/link", "payload_available": "yes", "payload_not_available": "no",
                        "value_template": "{{ value }}",
                    ])
                ]),
            ])
    }

    @Test(
        "`~` is replaced only at the beginning and at the end of topics",
        arguments: [
            (#"{"~":"b","cmd_t":"~/set"}"#, "command_topic", "b/set"),
            (#"{"~":"b","cmd_t":"set/~"}"#, "command_topic", "set/b"),
            (#"{"~":"b","cmd_t":"~"}"#, "command_topic", "b"),
            (#"{"~":"b","cmd_t":"a/~/c"}"#, "command_topic", "a/~/c"),
            (#"{"~":"b","cmd_t":"c","pl_lock":"~"}"#, "payload_lock", "~"),
            (#"{"~":"b","cmd_t":"c","avty_t":"~/link"}"#, "availability_topic", "b/link"),
            (#"{"cmd_t":"~/set"}"#, "command_topic", "~/set"),
        ])
    func topicBase(payload: String, key: String, value: String) throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", payload)
        #expect(try #require(broker.only).variables[key] == .string(value))
    }

    @Test("a number or Boolean is converted to the same text as in Home Assistant")
    func words() throws {
        var broker = DiscoveryFixture()
        broker.receive(
            "homeassistant/lock/a/config",
            DiscoveryFixture.announcement("a", #""pl_lock":255,"pl_unlk":true,"opt":"off","qos":"2","avty":{"t":"x/link"}"#))
        let variables = try #require(broker.only).variables
        #expect(variables["payload_lock"] == "255" && variables["payload_unlock"] == "True")
        #expect(variables["optimistic"] == .bool(false) && variables["qos"] == .integer(2))
        #expect(variables["availability"] == .array([.object(["topic": "x/link"])]))
    }

    @Test("`retain` in an announcement is ignored and is not part of the address")
    func retain() throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a", #""ret":true"#))
        let lock = try #require(broker.only)
        #expect(lock.problem == nil)
        #expect(Set(lock.variables.keys) == ["command_topic", "state_topic"])
    }

    @Test("a different announcement on the same topic changes the discovered lock, and an equal one does not")
    func update() throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a"))
        #expect(broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a")) == [])
        let changes = broker.receive("homeassistant/lock/a/config", #"{"cmd_t":"evil/set","uniq_id":"a"}"#)
        let lock = try #require(broker.only)
        #expect(changes == [lock])
        #expect(lock.id == "homeassistant:a" && lock.variables == ["command_topic": "evil/set"])
    }

    @Test("`migrate_discovery` removes the lock of a single announcement", arguments: ["migrate_discovery", "migr_discvry"])
    func migrate(key: String) {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a"))
        let changes = broker.receive("homeassistant/lock/a/config", #"{"\#(key)":true}"#)
        #expect(changes.map(\.isRemoved) == [true])
        #expect(broker.discovery.locks.isEmpty)
    }

    @Test(
        "the name of a lock combines the names of the device and the lock",
        arguments: [
            (#""name":"Bolt","dev":{"ids":"1","name":"Gate"}"#, "Gate Bolt"),
            (#""name":"Gate bolt","dev":{"ids":"1","name":"Gate"}"#, "Gate bolt"),
            (#""name":null,"dev":{"ids":"1","name":"Gate"}"#, "Gate"),
            (#""dev":{"cns":[["mac","02:00:00:00:00:01"]],"name":"Gate"}"#, "Gate"),
            (#""name":"Bolt""#, "Bolt"),
            (#""name":"a\u001b[2J\nb\u202ec""#, "a [2J b c"),
        ])
    func names(fields: String, name: String) throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a", fields))
        #expect(try #require(broker.only).name == name)
    }
}
