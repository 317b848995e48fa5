import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT
import FoundationEssentials
import Logging
import Testing

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
        return try MQTTSetup(
            try ConfigurationSources(file: file).load(), random: RandomSource(),
            logger: Logger(label: "test") { _ in
                SwiftLogNoOpLogHandler()
            })
    }

    private func refusal(_ yaml: String) throws -> String {
        try #require(throws: CommandFailure.self) { _ = try setup(yaml) }.sentence
    }

    @Test("a broker is made of its keys and of what its files hold, without the line's end")
    func whole() throws {
        let (name, password) = (try secret("doors\n", mode: 0o644), try secret(" pass word \n"))
        let setup = try setup(
            """
            mqtt:
              - name: home
                url: mqtts://broker.example
                caFile: ca.pem
                certificate: gateway.pem
                privateKey: gateway.key
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
        #expect(home.settings.tls?.authorityFile == "ca.pem")
        #expect(home.settings.tls?.certificate?.file == "gateway.pem" && home.settings.tls?.certificate?.keyFile == "gateway.key")
        #expect(home.settings.user?.name == "doors" && home.settings.user?.password?.reveal() == " pass word ")
        let spare = try #require(setup.brokers.last)
        #expect(spare.settings.host == "::1" && spare.settings.port == 1883)
        #expect(spare.settings.tls == nil && spare.settings.user == nil && spare.portfolioID == nil && !spare.isDiscovering)
    }

    @Test("without a client's id of its own a gateway would throw another off the broker")
    func clientIDs() throws {
        let yaml = "mqtt: [{ name: home, url: mqtt://one }]"
        let ids = try (0..<2).map { _ in try setup(yaml).brokers[0].settings.clientID }
        #expect(Set(ids).count == 2)
        // What every broker of MQTT 3.1.1 takes (section 3.1.3.1) is 23 characters.
        #expect(ids.allSatisfy { $0.hasPrefix("doorward-") && $0.utf8.count <= 23 })
    }

    @Test("a file with the password that others can read stops the start, and says what to do", arguments: [0o640, 0o604, 0o660])
    func readable(_ mode: Int) throws {
        let (name, password) = (try secret("doors"), try secret("secret", mode: mode))
        let sentence = try refusal(
            "mqtt: [{ name: home, url: mqtt://one, usernameFile: \(name), passwordFile: \(password) }]")
        #expect(
            sentence == "\(password): the file with the password for the broker `home` can be read by others than its owner; run "
                + "`chmod 600 \(password)`")
    }

    @Test("a file that is missing, empty or more than a line is named, and not repeated", arguments: ["", "\n", "one\ntwo\n"])
    func unusable(_ text: String) throws {
        let path = try secret(text)
        let sentence = try refusal("mqtt: [{ name: home, url: mqtt://one, usernameFile: \(path) }]")
        #expect(sentence == "\(path): the file with the user name for the broker `home` must hold one line, and nothing else")
        let missing = try refusal("mqtt: [{ name: home, url: mqtt://one, usernameFile: \(path).txt }]")
        #expect(missing.hasSuffix("cannot be read: No such file or directory"))
    }

    @Test("a profile that there is not stops the start by key, file and line, with the nearest")
    func unknownProfile() throws {
        let sentence = try refusal("mqtt:\n  - name: home\n    url: mqtt://one\n    profiles: [zigbe2mqtt]\n")
        #expect(
            sentence.hasPrefix(
                "\(folder.path)/doorward.yaml, line 4: `mqtt.0.profiles`: there is no profile `zigbe2mqtt`; did you mean "
                    + "`zigbee2mqtt`?"))
    }
}
