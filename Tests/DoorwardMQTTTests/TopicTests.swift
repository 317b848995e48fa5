import DoorwardMQTT
import Testing

@Suite struct TopicTests {
    @Test(
        "rejects a topic with a wildcard, NUL or leading `$`, and one that is empty, too long or not stream-safe",
        arguments: [
            "", "a/+", "+", "#", "a/#", "a#b", "a+", "$SYS/x", "a\0b", String(repeating: "x", count: 65_536),
            String(repeating: "\u{345}", count: 31),
        ])
    func noTopic(text: String) { #expect(MQTTTopic(text) == nil) }

    @Test("accepts a topic with spaces, empty levels and any letter", arguments: ["a", "/", "a//b", "tür/☂/x", " ", "a/$b"])
    func topic(text: String) throws { #expect(try #require(MQTTTopic(text)).description == text) }

    @Test(
        "rejects a filter that is empty or has NUL, a wildcard within a level, or a # before the last level",
        arguments: [
            "", "a/b+", "+a", "#/a", "a/#/b", "a#", "##", "a\0", "a/+#",
        ])
    func noFilter(text: String) { #expect(MQTTFilter(text) == nil) }

    @Test(
        "filters match as MQTT 5.0, section 4.7, specifies",
        arguments: [
            ("sport/tennis/player1/#", "sport/tennis/player1", true),
            ("sport/tennis/player1/#", "sport/tennis/player1/ranking", true),
            ("sport/#", "sport", true), ("#", "a/b", true), ("sport/tennis/+", "sport/tennis/player1", true),
            ("sport/tennis/+", "sport/tennis/player1/ranking", false), ("sport/+", "sport", false), ("sport/+", "sport/", true),
            ("+/+", "/finance", true), ("/+", "/finance", true), ("+", "/finance", false), ("#", "$SYS/x", false),
            ("+/x", "$SYS/x", false), ("$SYS/#", "$SYS/x", true), ("a/b", "a/b", true), ("a/b", "a/B", false),
            ("a/b", "a/b/", false),
        ])
    func matching(filter: String, topic: String, isMatch: Bool) throws {
        #expect(try #require(MQTTFilter(filter)).matches(topic) == isMatch)
    }
}
