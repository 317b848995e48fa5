import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

/// A mosquitto with the configuration in docs/mqtt.md, except for the paths of files and the port.
final class PageBroker: Sendable {
    /// A user with all rights. The configuration on the page does not contain this user.
    static let host = "host"
    private static let password = "a password of the tests"

    struct Refused: Error {}

    private let broker: MosquittoProcess
    private let folder: URL

    init() async throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        folder = FileManager.default.temporaryDirectory.appending(path: "doorward-page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let rights = try Self.block("acl", of: page) + "\nuser \(Self.host)\ntopic readwrite #\n"
        try rights.write(to: folder.appending(path: "doors.acl"), atomically: true, encoding: .utf8)
        try await Self.writePasswords(to: folder.appending(path: "doors.passwords"))
        let lines = try Self.block("conf", of: page).replacing("/etc/mosquitto", with: folder.path)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("listener") }
        broker = try await MosquittoProcess.start(lines)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// - Parameter name: the user name; `nil` to connect without one.
    func guest(_ name: String?) async throws -> Guest {
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: UUID().uuidString)
        settings.user = name.map { MQTTSettings.User(name: $0, password: Secret(Self.password)) }
        return try await Guest(settings)
    }

    private static var page: URL {
        (0..<5).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }.appending(path: "docs/mqtt.md")
    }

    private static func block(_ language: String, of page: String) throws -> String {
        let parts = page.components(separatedBy: "```\(language)\n")
        return String(try #require(parts.count == 2 ? parts[1].components(separatedBy: "```").first : nil))
    }

    private static func writePasswords(to file: URL) async throws {
        let lines = (BrokerPageTests.users + [host]).map { "\($0):\(password)\n" }
        try lines.joined().write(to: file, atomically: true, encoding: .utf8)
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        program.arguments = ["-U", file.path]
        try program.start()
        try #require(await program.exitCode() == 0)
        // If root runs the tests, mosquitto reads the file as another user.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }
}

/// A client that subscribes to all topics.
final class Guest: Sendable {
    private let connection: MQTTConnection
    private let events: AsyncStream<MQTTEvent>

    fileprivate init(_ settings: MQTTSettings) async throws {
        let (events, continuation) = AsyncStream<MQTTEvent>.makeStream()
        self.events = events
        // Virtual time is not advanced, so that no publish is rejected on a slow machine.
        connection = MQTTConnection(settings, clock: VirtualClock(), random: RandomSource()) { continuation.yield($0) }
        connection.subscribe(to: [try #require(MQTTFilter("#"))])
        connection.start()
        for await event in events {
            if case .connected = event { return }
            if case .disconnected = event { break }
        }
        await connection.stop()
        throw PageBroker.Refused()
    }

    func disconnect() async { await connection.stop() }

    /// Publishes with QoS 1, and returns whether the broker accepts the message.
    func mayWrite(_ topic: String) async throws -> Bool {
        let topic = try #require(MQTTTopic(topic))
        let publish = MQTTPublish(topic: topic, payload: [1], qos: .atLeastOnce, lifetime: .seconds(30))
        let id = try #require(try connection.publish(publish).id)
        for await event in events {
            guard case .acknowledged(id, let answer) = event else { continue }
            if case .rejected = answer { return false }
            return true
        }
        return false
    }

    /// Publishes a retained message.
    func publishRetained(_ topic: String) async throws {
        let topic = try #require(MQTTTopic(topic))
        let id = try #require(
            try connection.publishRetainable(
                MQTTRetainablePublish(topic: topic, payload: [1], qos: .atLeastOnce, isRetained: true)))
        for await event in events { if case .acknowledged(id, _) = event { return } }
    }

    /// Publishes on `echo`, and returns all topics received until that message, which arrives after the retained messages.
    func receivedTopics(until echo: String) async throws -> Set<String> {
        var topics: Set<String> = []
        let publish = MQTTPublish(topic: try #require(MQTTTopic(echo)), payload: [1], lifetime: .seconds(30))
        try connection.publish(publish)
        for await event in events {
            guard case .message(let message) = event else { continue }
            topics.insert(message.topic)
            if message.topic == echo { break }
        }
        return topics
    }
}
