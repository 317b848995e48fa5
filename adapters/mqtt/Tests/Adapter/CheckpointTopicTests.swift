import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Testing

/// Checkpoints on the topics of a real broker.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CheckpointTopicTests {
    private static let portfolio = PortfolioID(high: 1, low: 2)

    private static func settings(_ port: Int, _ name: String) -> MQTTSettings {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: name)
        (settings.initialBackoff, settings.maximumBackoff) = (.milliseconds(20), .milliseconds(50))
        return settings
    }

    /// - Parameter topicOfShared: the topic of the broker `home`.
    private static func topics(
        _ port: Int, topicOfShared: String = "doorward/checkpoint", clock: VirtualClock = VirtualClock()
    ) throws -> CheckpointTopics {
        var own = MQTTBroker(name: "oak", settings: settings(port, "oak"), portfolioID: portfolio)
        var shared = MQTTBroker(name: "home", settings: settings(port, "home"))
        own.checkpointTopic = MQTTTopic("oak/checkpoint")
        shared.checkpointTopic = MQTTTopic(topicOfShared)
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let without = MQTTBroker(name: "without", settings: settings(port, "without"))
        return CheckpointTopics([own, shared, without], clock: clock, random: RandomSource(), logger: silent)
    }

    /// Subscribes as a new client, and returns the first message on each topic. A checkpoint may be published twice.
    private static func messages(_ count: Int, _ port: Int) async throws -> [MQTTMessage] {
        let (stream, continuation) = AsyncStream.makeStream(of: MQTTMessage.self)
        let client = MQTTConnection(settings(port, "witness-\(UInt64.random(in: 0 ... .max))")) { event in
            if case .message(let message) = event { continuation.yield(message) }
        }
        client.start()
        client.subscribe(to: [try #require(MQTTFilter("+/checkpoint"))])
        var found: [String: MQTTMessage] = [:]
        for await message in stream {
            found[message.topic] = found[message.topic] ?? message
            if found.count == count { break }
        }
        await client.stop()
        return found.values.sorted { $0.topic < $1.topic }
    }

    @Test("each broker has the newest checkpoint of its own log retained, published before or after it was connected")
    func retained() async throws {
        let broker = try await MosquittoProcess.start()
        let topics = try Self.topics(broker.port)
        topics.publish("old", of: .gateway)
        topics.publish("first\n\u{2014} note", of: .gateway)
        topics.start()
        topics.publish("second", of: .portfolio(Self.portfolio))
        topics.publish("third", of: .portfolio(PortfolioID(high: 3, low: 4)))
        let found = try await Self.messages(2, broker.port)
        #expect(found.map(\.topic) == ["doorward/checkpoint", "oak/checkpoint"])
        #expect(found.map { String(decoding: $0.payload, as: UTF8.self) } == ["first\n\u{2014} note", "second"])
        // The messages stay when the gateway stops.
        await topics.stop()
        let kept = try await Self.messages(2, broker.port)
        #expect(kept.map(\.payload) == found.map(\.payload))
        #expect(!kept.contains { !$0.isRetained })
        broker.kill()
    }

    @Test(
        "no checkpoint is published on a broker where a lock uses the topic, and those of other brokers are",
        arguments: [false, true])
    func excluded(isSameTopic: Bool) async throws {
        let broker = try await MosquittoProcess.start()
        let topics = try Self.topics(broker.port, topicOfShared: isSameTopic ? "oak/checkpoint" : "doorward/checkpoint")
        topics.start(except: ["oak"])
        topics.publish("second", of: .portfolio(Self.portfolio))
        topics.publish("first", of: .gateway)
        // The connection that both would use is there once the first checkpoint has arrived.
        let found = try await Self.messages(1, broker.port)
        #expect(found.map(\.topic) == [isSameTopic ? "oak/checkpoint" : "doorward/checkpoint"])
        #expect(found.map { String(decoding: $0.payload, as: UTF8.self) } == ["first"])
        await topics.stop()
        broker.kill()
    }
}
