import AdapterMQTT
import DoorwardDomain
import Testing

@Suite struct HomeAssistantRefusalTests {
    @Test(
        "an announcement that Home Assistant would drop changes no known lock and adds none",
        arguments: [
            #"{"cmd_t":"#, "LOCK", "[]", "3", #""text""#, "\u{0}", #"{"uniq_id":"a","stat_t":"x/a/state"}"#,
            #"{"cmd_t":["x"]}"#, #"{"cmd_t":null}"#, #"{"cmd_t":"x","qos":3}"#, #"{"cmd_t":"x","opt":"perhaps"}"#,
            #"{"cmd_t":"x","pl_lock":{}}"#, #"{"cmd_t":"x","avty_mode":"most"}"#, #"{"cmd_t":"x","avty":[{}]}"#,
            #"{"cmd_t":"x","avty":["x/link"]}"#, #"{"cmd_t":"x","avty":[{"t":"l"}],"avty_t":"l"}"#, #"{"cmd_t":"x","o":{}}"#,
            #"{"cmd_t":"x","o":{"sw":"1"}}"#, #"{"cmd_t":"x","o":"me"}"#, #"{"cmd_t":"x","dev":{"name":"n"}}"#,
            #"{"cmd_t":"x","dev":{"ids":[],"cns":[]}}"#, #"{"cmd_t":"x","dev":"d"}"#,
        ])
    func dropped(payload: String) throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a"))
        let before = try #require(broker.only)
        #expect(broker.receive("homeassistant/lock/a/config", payload) == [])
        #expect(broker.receive("homeassistant/lock/b/config", payload) == [])
        #expect(broker.discovery.locks == [before])
    }

    @Test(
        "an announcement on an invalid discovery topic is ignored",
        arguments: [
            "homeassistant/lock/a b/config", "homeassistant/lock/ä/config", "homeassistant/lock//config",
            "homeassistant/lock/a/b/c/config", "homeassistant/lock/config", "homeassistant/lock/a/config/",
            "homeassistant/lock/a/Config", "homeassistant/switch/a/config", "other/lock/a/config", "/homeassistant/lock/a/config",
            "homeassistant/lock/\(String(repeating: "a", count: 257))/config",
        ])
    func illegalPlaces(topic: String) {
        var broker = DiscoveryFixture()
        #expect(broker.receive(topic, DiscoveryFixture.announcement("a")) == [])
        #expect(broker.discovery.locks.isEmpty)
    }

    @Test(
        "a lock that the profile cannot control is listed with a `problem`",
        arguments: [
            (#"{"cmd_t":"x/+/set"}"#, "command topic"), (##"{"cmd_t":"#"}"##, "command topic"),
            (#"{"cmd_t":""}"#, "command topic"),
            (#"{"cmd_t":"$SYS/broker/x"}"#, "command topic"), (#"{"cmd_t":"x","stat_t":"+/state"}"#, "state topic"),
            (#"{"cmd_t":"x","avty_t":"$SYS/x"}"#, "availability topic"),
            (#"{"cmd_t":"x","avty":[{"t":"x/#"}]}"#, "availability topic"),
            (#"{"cmd_t":"x","val_tpl":"{{ value | upper }}"}"#, "needs a profile"),
            (#"{"cmd_t":"x","val_tpl":"LOCKED"}"#, "needs a profile"), (#"{"cmd_t":"x","val_tpl":""}"#, "needs a profile"),
            (#"{"cmd_t":"x","avty_t":"l","avty_tpl":"{{ 'online' if value }}"}"#, "needs a profile"),
            (#"{"cmd_t":"x","avty":[{"t":"l","val_tpl":"{% if value %}"}]}"#, "needs a profile"),
            (#"{"cmd_t":"x","cmd_tpl":"{% if code %}{{ value }}{% endif %}"}"#, "needs a profile"),
            (#"{"cmd_t":"x","avty":[{"t":"l","pl_avail":"a","pl_not_avail":"a"}]}"#, "`availability`"),
            (#"{"cmd_t":"x","cmd_tpl":"{{ value_json.a }}"}"#, "needs a profile"),
            (#"{"cmd_t":"x","e":"latin-1"}"#, "needs a profile"), (#"{"cmd_t":"x","e":""}"#, "needs a profile"),
        ])
    func problems(payload: String, reason: String) throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", payload)
        #expect(try #require(broker.only?.problem).contains(reason))
    }

    @Test("two announcements with one unique_id both have a `problem` until one of them is removed")
    func uniqueID() throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", #"{"cmd_t":"x/set","uniq_id":"a"}"#)
        let alone = try #require(broker.only)
        let changes = broker.receive("homeassistant/lock/b/config", #"{"cmd_t":"evil/set","uniq_id":"a"}"#)
        #expect(changes.map(\.id) == ["homeassistant:a", "homeassistant:b"])
        #expect(broker.discovery.locks.allSatisfy { $0.problem?.contains("unique_id `a`") == true })
        #expect(broker.receive("homeassistant/lock/b/config", "").contains(alone))
        #expect(broker.discovery.locks == [alone])
    }

    @Test("two announcements with one command topic both have a `problem` until one of them changes")
    func commandTopic() throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/a/config", #"{"cmd_t":"x/set","stat_t":"x/state"}"#)
        let alone = try #require(broker.only)
        broker.receive("homeassistant/lock/b/config", #"{"cmd_t":"x/set","stat_t":"evil/state"}"#)
        #expect(broker.discovery.locks.allSatisfy { $0.problem?.contains("command topic `x/set`") == true })
        broker.receive("homeassistant/lock/b/config", #"{"cmd_t":"y/set","stat_t":"evil/state"}"#)
        #expect(broker.discovery.locks.map(\.problem) == [nil, nil])
        #expect(broker.discovery.locks.first == alone)
    }
}
