import AdapterMQTT
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import DoorwardMQTT
import Testing

@testable import doorward

@Suite("Configuration") struct ConfigurationSourcesTests {
    static let table = ConfigurationTable(adapters: ShippedAdapters.all)

    private static let witness = "witness.example/w1+05a4155f+BAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"

    static let everything = """
        gateway: { name: doors.example, publicUrl: https://doors.example }
        http:
          host: 0.0.0.0
          port: 8443
          trustedProxies: [127.0.0.1, "10.0.0.0/8", "::1"]
          plainBehindProxy: true
          tls: { certificate: chain.pem, privateKey: key.pem }
        store: { path: /var/lib/doorward/doorward.db }
        auth: { accessTokenMinutes: 5, refreshTokenDays: 7, signingKeyFile: signing.key, passwordCost: 15 }
        limits: { deniedPerMinute: 30, signInFailuresPerMinute: 10 }
        commands: { timeoutSeconds: 20 }
        audit:
          keyFile: audit.key
          checkpointFile: /mnt/log.checkpoints
          checkpointRecords: 10
          checkpointSeconds: 5
          witnesses: [\(witness)]
        iap: { rootCertificate: root.cer, bundleId: com.example.doors, environments: [Production, Sandbox] }
        mqtt:
          - name: home
            url: mqtts://broker.example:18883
            caFile: ca.pem
            certificate: gateway.pem
            privateKey: gateway.key
            usernameFile: name.txt
            passwordFile: password.txt
            portfolio: 01890000-0000-7000-8000-000000000001
            profiles: [zigbee2mqtt, homeassistant]
            discovery: true
          - { name: spare, url: "mqtt://[::1]" }
        profiles: { directories: [./profiles, /etc/doorward/profiles] }
        backup: { folder: /var/backups/doorward, at: 23:05, keepDays: 30 }
        log: { level: debug, format: json }
        """

    @Test("by default it listens on 127.0.0.1:8080 and uses doorward.db in the current folder")
    func defaults() throws {
        let configuration = try ConfigurationSources().load()
        #expect(configuration == GatewayConfiguration())
        #expect(configuration.http.host == "127.0.0.1")
        #expect(configuration.http.port == 8080)
        #expect(configuration.store.path == "doorward.db")
        #expect(configuration.limits.passwordCost == 17)
    }

    @Test("every key of a file is read")
    func everyKey() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.everything, to: "doorward.yaml")
        var expected = GatewayConfiguration()
        (expected.http.gatewayName, expected.http.publicURL) = ("doors.example", "https://doors.example")
        (expected.http.host, expected.http.port) = ("0.0.0.0", 8443)
        expected.http.trustedProxies = ["127.0.0.1", "10.0.0.0/8", "::1"]
        expected.isPlainBehindProxy = true
        expected.http.tls = .init(certificatePath: "chain.pem", privateKeyPath: "key.pem")
        expected.http.accessTokenLifetime = .seconds(5 * 60)
        expected.http.commandTimeout = .seconds(20)
        expected.store.path = "/var/lib/doorward/doorward.db"
        expected.signingKeyFile = "signing.key"
        (expected.limits.refreshTokenLifetime, expected.limits.passwordCost) = (.seconds(7 * 86_400), 15)
        (expected.limits.deniedPerMinute, expected.limits.signInFailuresPerMinute) = (30, 10)
        expected.audit = .init(
            keyFile: "audit.key", checkpointFile: "/mnt/log.checkpoints", checkpointRecords: 10, checkpointSeconds: 5,
            witnesses: [Self.witness])
        expected.purchases = .init(
            rootCertificate: "root.cer", bundleID: "com.example.doors", environments: ["Production", "Sandbox"])
        expected.backup = .init(folder: "/var/backups/doorward", at: "23:05", keepDays: 30)
        expected.log = .init(level: "debug", format: "json")
        let configuration = try ConfigurationSources(file: file).load()
        expected.adapters = configuration.adapters
        #expect(configuration == expected)
        let mqtt = try MQTTConfiguration(configuration.mqtt)
        #expect(mqtt.brokers.map(\.name) == ["home", "spare"])
        #expect(
            mqtt.brokers.map(\.address.description) == ["mqtts://broker.example:18883", "mqtt://[::1]:1883"])
        #expect(mqtt.brokers.map(\.portfolio) == [PortfolioID("01890000-0000-7000-8000-000000000001"), nil])
        #expect(mqtt.brokers.map(\.profiles) == [["zigbee2mqtt", "homeassistant"], []])
        #expect(mqtt.brokers.map(\.discovery) == [true, false])
        #expect(mqtt.descriptorCount == 16)
        #expect(mqtt.profileDirectories == ["./profiles", "/etc/doorward/profiles"])
    }

    @Test("every key can be set by its environment variable, with the same effect as in the file", arguments: Self.table.keys)
    func environment(_ key: ConfigurationKey) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.everything, to: "doorward.yaml")
        let samples = [
            "gateway.name": "other", "gateway.publicUrl": "http://other", "http.host": "::1", "http.port": "1",
            "http.trustedProxies": "192.168.0.1,192.168.1.0/24", "http.plainBehindProxy": "false",
            "http.maxConnections": "16", "http.maxConnectionsPerAddress": "1", "http.requestTimeoutSeconds": "5",
            "http.tls.certificate": "other",
            "http.tls.privateKey": "other", "store.path": "other", "auth.accessTokenMinutes": "1", "auth.refreshTokenDays": "1",
            "auth.signingKeyFile": "other", "auth.passwordCost": "20", "limits.deniedPerMinute": "1",
            "limits.signInFailuresPerMinute": "1", "commands.timeoutSeconds": "1", "audit.keyFile": "other",
            "audit.personKeyFile": "other",
            "audit.checkpointFile": "other", "audit.checkpointRecords": "1", "audit.checkpointSeconds": "1",
            "audit.witnesses": "other.example/w2+c1cbcb85+BAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC",
            "iap.rootCertificate": "other", "iap.bundleId": "other", "iap.environments": "Xcode",
            "clock.maxStepSeconds": "90", "mqtt.N.name": "other",
            "mqtt.N.url": "mqtts://other", "mqtt.N.caFile": "other", "mqtt.N.certificate": "other", "mqtt.N.privateKey": "other",
            "mqtt.N.usernameFile": "other", "mqtt.N.passwordFile": "other",
            "mqtt.N.portfolio": "01890000-0000-7000-8000-000000000002", "mqtt.N.profiles": "homie", "mqtt.N.discovery": "false",
            "backup.folder": "other", "backup.at": "00:00", "backup.keepDays": "1",
            "profiles.directories": "other", "metrics.tokenFile": "other", "log.level": "error", "log.format": "text",
        ]
        let value = try #require(samples[key.path])
        let fromFile = try ConfigurationSources(file: file).load()
        let overridden = try ConfigurationSources(file: file, environment: [key.ofEntry(0).variable: value]).load()
        #expect(overridden != fromFile)
    }

    @Test(
        "variables are named after their keys",
        arguments: [
            ("http.port", "DOORWARD_HTTP_PORT"), ("gateway.publicUrl", "DOORWARD_GATEWAY_PUBLIC_URL"),
            ("http.tls.privateKey", "DOORWARD_HTTP_TLS_PRIVATE_KEY"),
            ("limits.signInFailuresPerMinute", "DOORWARD_LIMITS_SIGN_IN_FAILURES_PER_MINUTE"),
            ("mqtt.0.url", "DOORWARD_MQTT_0_URL"), ("mqtt.12.caFile", "DOORWARD_MQTT_12_CA_FILE"),
        ])
    func variableNames(_ path: String, _ variable: String) throws {
        let key = try #require(Self.table.key(at: path))
        #expect(key.variable == variable)
        #expect(Self.table.key(of: variable)?.key.path == path)
    }

    @Test("lists of the file and the environment are merged by key and by item")
    func mergedList() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "mqtt:\n  - name: home\n    url: mqtt://one\n    profiles: [homie, tasmota]\nprofiles: { directories: [a, b] }\n",
            to: "doorward.yaml")
        let configuration = try ConfigurationSources(
            file: file,
            environment: [
                "DOORWARD_MQTT_0_URL": "mqtt://two:1884", "DOORWARD_MQTT_0_PROFILES_1": "esphome",
                "DOORWARD_MQTT_1_NAME": "spare", "DOORWARD_MQTT_1_URL": "mqtts://three",
                "DOORWARD_PROFILES_DIRECTORIES_1": "c", "DOORWARD_PROFILES_DIRECTORIES_2": "d,e",
            ]
        ).load()
        let mqtt = try MQTTConfiguration(configuration.mqtt)
        #expect(mqtt.brokers.map(\.name) == ["home", "spare"])
        #expect(mqtt.brokers.map(\.address) == [BrokerAddress("mqtt://two:1884"), BrokerAddress("mqtts://three:8883")])
        #expect(mqtt.brokers.first?.profiles == ["homie", "esphome"])
        #expect(mqtt.profileDirectories == ["a", "c", "d,e"], "an item may contain commas")
    }

    @Test("a broker has discovery off and no owning portfolio by default")
    func brokerDefaults() throws {
        let broker = try #require(
            try MQTTConfiguration(
                ConfigurationSources(
                    environment: ["DOORWARD_MQTT_0_NAME": "home", "DOORWARD_MQTT_0_URL": "mqtt://one"]
                ).load().mqtt
            ).brokers.first)
        #expect(!broker.discovery && broker.profiles.isEmpty && broker.portfolio == nil)
    }

    @Test("options override the environment, and the environment overrides the file")
    func precedence() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("http: { port: 1 }\nstore: { path: file.db }\nlog: { level: error }\n", to: "doorward.yaml")
        let configuration = try ConfigurationSources(
            file: file, environment: ["DOORWARD_HTTP_PORT": "2", "DOORWARD_STORE_PATH": "environment.db"],
            flags: ["http.port": "3"]
        ).load()
        #expect(configuration.http.port == 3)
        #expect(configuration.store.path == "environment.db")
        #expect(configuration.log.level == "error")
    }

    @Test("variables of other programs and of client commands are ignored")
    func foreignVariables() throws {
        let environment = [
            "PATH": "/bin", "DOORWARD_SERVER": "http://127.0.0.1:1", "DOORWARD_TOKEN": "x", "DOORWARD_AS": "work",
            "DOORWARD_CA_FILE": "/ca.pem",
        ]
        #expect(try ConfigurationSources(environment: environment).load() == GatewayConfiguration())
    }

    @Test("an empty file and empty sections change nothing", arguments: ["", "# only a remark\n", "http:\nstore: {}\n"])
    func empty(_ yaml: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(yaml, to: "doorward.yaml")
        #expect(try ConfigurationSources(file: file).load() == GatewayConfiguration())
    }

    @Test(
        "plain HTTP is accepted on loopback addresses",
        arguments: ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
    func loopback(_ host: String) throws {
        #expect(try ConfigurationSources(flags: ["http.host": host]).load().http.host == host)
    }

    @Test("any address is accepted behind a proxy or with TLS")
    func exposed() throws {
        let proxied = ["http.host": "0.0.0.0", "http.plainBehindProxy": "true"]
        #expect(try ConfigurationSources(flags: proxied).load().isPlainBehindProxy)
        let encrypted = ["http.host": "0.0.0.0", "http.tls.certificate": "a", "http.tls.privateKey": "b"]
        #expect(try ConfigurationSources(flags: encrypted).load().http.tls?.privateKeyPath == "b")
    }
}

extension GatewayConfiguration: Equatable {
    /// Compares the values of all settings, but not their origins.
    public static func == (one: Self, other: Self) -> Bool { one.adapters == other.adapters && one.shown == other.shown }

    /// All properties but the adapters and the origins, as text.
    private var shown: String {
        var copy = self
        (copy.adapters, copy.origins) = (AdapterSettings([], [:]), [:])
        return "\(copy)"
    }
}
