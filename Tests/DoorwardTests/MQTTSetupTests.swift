import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import FoundationEssentials
import Logging
import Synchronization
import Testing

@testable import AdapterMQTT
@testable import doorward

@Suite("MQTT brokers from the configuration") struct MQTTSetupTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func secret(_ text: String, mode: Int = 0o600) throws -> String {
        let path = try folder.write(text, to: "secret-\(UUID().uuidString)")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func setup(_ yaml: String) throws -> MQTTSetup {
        let file = try folder.write(yaml, to: "doorward.yaml")
        return try MQTTSetup(MQTTConfiguration(ConfigurationSources(file: file).load().mqtt), random: RandomSource())
    }

    private func refusal(_ yaml: String) throws -> String {
        try #require(throws: ConfigurationError.self) { _ = try setup(yaml) }.description
    }

    @Test("a broker is configured from its keys and its files, without the final line break of a file")
    func whole() throws {
        let (name, password) = (try secret("doors\n", mode: 0o644), try secret(" pass word \n"))
        let pem = folder.path
        for file in ["ca.pem", "gateway.pem", "gateway.key"] { _ = try folder.write("", to: file) }
        let setup = try setup(
            """
            mqtt:
              - name: home
                url: mqtts://broker.example
                caFile: \(pem)/ca.pem
                certificate: \(pem)/gateway.pem
                privateKey: \(pem)/gateway.key
                usernameFile: \(name)
                passwordFile: \(password)
                portfolio: 01890000-0000-7000-8000-000000000001
                profiles: [zigbee2mqtt]
                discovery: true
              - { name: spare, url: "mqtt://[::1]" }
            """)
        let home = try #require(setup.brokers.first)
        #expect(home.name == "home" && home.isDiscovering && home.profiles == ["zigbee2mqtt"])
        #expect(home.portfolioID?.description == "01890000-0000-7000-8000-000000000001")
        #expect(home.settings.host == "broker.example" && home.settings.port == 8883)
        #expect(home.settings.tls?.authorityFile == "\(pem)/ca.pem")
        #expect(home.settings.tls?.certificate?.file == "\(pem)/gateway.pem")
        #expect(home.settings.tls?.certificate?.keyFile == "\(pem)/gateway.key")
        #expect(home.settings.user?.name == "doors" && home.settings.user?.password?.reveal() == " pass word ")
        let spare = try #require(setup.brokers.last)
        #expect(spare.settings.host == "::1" && spare.settings.port == 1883)
        #expect(spare.settings.tls == nil && spare.settings.user == nil && spare.portfolioID == nil && !spare.isDiscovering)
    }

    @Test("each gateway has its own client id, so that the broker does not disconnect another client")
    func clientIDs() throws {
        let yaml = "mqtt: [{ name: home, url: mqtt://one }]"
        let ids = try (0..<2).map { _ in try setup(yaml).brokers[0].settings.clientID }
        #expect(Set(ids).count == 2)
        // MQTT 3.1.1 requires every broker to accept up to 23 characters (section 3.1.3.1).
        #expect(ids.allSatisfy { $0.hasPrefix("doorward-") && $0.utf8.count <= 23 })
    }

    @Test("a password file that others can read stops the start, with advice", arguments: [0o640, 0o604, 0o660])
    func readable(_ mode: Int) throws {
        let (name, password) = (try secret("doors"), try secret("secret", mode: mode))
        let sentence = try refusal(
            "mqtt: [{ name: home, url: mqtt://one, usernameFile: \(name), passwordFile: \(password) }]")
        #expect(
            sentence
                == "\(folder.path)/doorward.yaml, line 1: `mqtt.0.passwordFile`: the file `\(password)` can be read by others "
                + "than its owner; run `chmod 600 \(password)`")
    }

    @Test(
        "a secret file that is empty or has more than one line is reported without its contents",
        arguments: ["", "\n", "one\ntwo\n"])
    func unusable(_ text: String) throws {
        let path = try secret(text)
        let sentence = try refusal("mqtt: [{ name: home, url: mqtt://one, usernameFile: \(path) }]")
        #expect(
            sentence == "\(folder.path)/doorward.yaml, line 1: `mqtt.0.usernameFile`: the file `\(path)` must contain exactly "
                + "one line")
    }

    @Test(
        "an unreadable file stops the start, and the error names key, file and line",
        arguments: ["caFile", "certificate", "privateKey", "usernameFile", "passwordFile"], [true, false])
    func unreadable(_ key: String, isFolder: Bool) throws {
        let (there, other) = (try secret("x"), isFolder ? folder.path : "\(folder.path)/missing")
        let files = ["caFile", "certificate", "privateKey", "usernameFile", "passwordFile"]
        let sentence = try refusal(
            """
            mqtt:
              - name: home
                url: mqtts://one
            \(files.map { "    \($0): \($0 == key ? other : there)" }.joined(separator: "\n"))
            """)
        let line = try #require(files.firstIndex(of: key)) + 4
        let begin = "\(folder.path)/doorward.yaml, line \(line): `mqtt.0.\(key)`: the file `\(other)` "
        #expect(sentence.hasPrefix(begin))
        if !isFolder {
            #expect(sentence == begin + "cannot be read: there is no such file or folder; create it, or correct the path")
        }
    }

    @Test("an unreadable file set in the environment is reported with its variable")
    func environment() throws {
        let file = try folder.write("mqtt: [{ name: home, url: mqtts://one }]", to: "doorward.yaml")
        let environment = ["DOORWARD_MQTT_0_CA_FILE": "/no/such.pem"]
        let configuration = try ConfigurationSources(file: file, environment: environment).load()
        let failure = try #require(throws: ConfigurationError.self) {
            _ = try ConfiguredAdapters(configuration).make(AdapterEnvironment(clock: VirtualClock()))
        }
        #expect(
            failure.description
                == "environment variable DOORWARD_MQTT_0_CA_FILE: `mqtt.0.caFile`: the file `/no/such.pem` cannot be "
                + "read: there is no such file or folder; create it, or correct the path")
    }

    @Test("an unreadable profile folder stops the start, and the error names key, file and line")
    func folders() throws {
        let file = try folder.write("", to: "file")
        for (path, why) in [
            ("\(folder.path)/missing", "there is no such file or folder; create it, or correct the path"),
            (file, "it is not a folder"),
        ] {
            let sentence = try refusal("profiles:\n  directories: [\(folder.path), \(path)]\n")
            #expect(
                sentence == "\(folder.path)/doorward.yaml, line 2: `profiles.directories`: the folder `\(path)` cannot be read: "
                    + why)
        }
    }

    @Test("the log names each shipped profile that a folder's file replaces, unless the two are equal")
    func replaced() throws {
        let profiles = try TemporaryFolder()
        let shipped = try String(contentsOf: Self.profiles.appending(path: "homie.yaml"), encoding: .utf8)
        _ = try profiles.write(shipped, to: "homie.yaml")
        let text = try String(contentsOf: Self.profiles.appending(path: "tasmota.yaml"), encoding: .utf8)
        _ = try profiles.write(text.replacing("description: ", with: "description: My own. "), to: "tasmota.yaml")
        let file = try folder.write("profiles: { directories: [\(profiles.path)] }\n", to: "doorward.yaml")
        let lines = Mutex<[String]>([])
        let logger = Logger(label: "test") { label in
            JSONLogHandler(
                label: label, now: { Timestamp(milliseconds: 0) }, write: { line in lines.withLock { $0.append(line) } })
        }
        try MQTTSetup(MQTTConfiguration(ConfigurationSources(file: file).load().mqtt), random: RandomSource()).log(to: logger)
        let said = lines.withLock { $0 }
        #expect(said.count == 1)
        #expect(said.first?.contains(#""level":"notice""#) == true && said.first?.contains("tasmota") == true)
    }

    private static var profiles: URL {
        (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
            .appending(path: "adapters/mqtt/Sources/Profiles")
    }

    @Test("an unknown profile stops the start, and the error names key, file, line and the most similar profile")
    func unknownProfile() throws {
        let sentence = try refusal("mqtt:\n  - name: home\n    url: mqtt://one\n    profiles: [zigbe2mqtt]\n")
        #expect(
            sentence.hasPrefix(
                "\(folder.path)/doorward.yaml, line 4: `mqtt.0.profiles`: there is no profile `zigbe2mqtt`; did you mean "
                    + "`zigbee2mqtt`?"))
    }
}

extension GatewayConfiguration {
    /// The settings in the sections of the MQTT adapter.
    var mqtt: AdapterSettings { adapters.of(MQTTAdapterFactory().sections) }
}
