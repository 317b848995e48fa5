import DoorwardAdapterKit
import Testing

@testable import doorward

@Suite("Errors in the configuration") struct ConfigurationMistakeTests {
    /// A configuration file, and the expected error after the file's path.
    struct FileMistake: Sendable, CustomTestStringConvertible {
        let yaml: String
        let sentence: String

        init(_ yaml: String, _ sentence: String) { (self.yaml, self.sentence) = (yaml, sentence) }

        var testDescription: String { yaml }
    }

    static let inFile: [FileMistake] = [
        .init("http:\n  prot: 8080\n", ", line 2: `http.prot` is not a key of the configuration; did you mean `http.port`?"),
        .init("htpp:\n  port: 8080\n", ", line 1: `htpp` is not a key of the configuration; did you mean `http`?"),
        .init("store: { paht: x.db }\n", ", line 1: `store.paht` is not a key of the configuration; did you mean `store.path`?"),
        .init("\n\nelephants: 3\n", ", line 3: `elephants` is not a key of the configuration"),
        .init("http:\n  port: eighty\n", ", line 2: `http.port` must be a whole number from 0 to 65535, not `eighty`"),
        .init("http:\n  port: \"8080\"\n", ", line 2: `http.port` must be a whole number from 0 to 65535, not the text \"8080\""),
        .init("http:\n  port: 65536\n", ", line 2: `http.port` must be a whole number from 0 to 65535, not `65536`"),
        .init("http:\n  port: 80.5\n", ", line 2: `http.port` must be a whole number from 0 to 65535, not `80.5`"),
        .init("http:\n  port:\n", ", line 2: `http.port` must be a whole number from 0 to 65535, not nothing"),
        .init("http:\n  port: [1, 2]\n", ", line 2: `http.port` must be a whole number from 0 to 65535, not a list"),
        .init("http:\n  port: { a: 1 }\n", ", line 2: `http.port` must be a whole number from 0 to 65535, not a section"),
        .init("http: 8080\n", ", line 1: `http` must be a section with keys of its own"),
        .init("http:\n  host: ''\n", ", line 2: `http.host` must be a text, not ``"),
        .init("http:\n  plainBehindProxy: yes\n", ", line 2: `http.plainBehindProxy` must be true or false, not `yes`"),
        .init(
            "http:\n  trustedProxies: 10.0.0.1\n",
            ", line 2: `http.trustedProxies` must be a list of IP addresses or networks such as 10.0.0.0/8, not `10.0.0.1`"),
        .init(
            "http:\n  trustedProxies: [10.0.0.300]\n",
            ", line 2: `http.trustedProxies` must be a list of IP addresses or networks such as 10.0.0.0/8, not this one"),
        .init(
            "audit:\n  witnesses: [witness.example+00000000+AAAA]\n",
            ", line 2: `audit.witnesses` must be a list of public keys of witnesses (`name+id+key`, algorithm 4), not this one"),
        .init("auth:\n  passwordCost: 13\n", ", line 2: `auth.passwordCost` must be a whole number from 14 to 20, not `13`"),
        .init("auth:\n  passwordCost: 21\n", ", line 2: `auth.passwordCost` must be a whole number from 14 to 20, not `21`"),
        .init(
            "commands: { timeoutSeconds: 61 }\n",
            ", line 1: `commands.timeoutSeconds` must be a whole number from 1 to 60, not `61`"),
        .init(
            "limits: { deniedPerMinute: 0 }\n",
            ", line 1: `limits.deniedPerMinute` must be a whole number from 1 to 100000, not `0`"),
        .init("log: { format: xml }\n", ", line 1: `log.format` must be one of text, json, not `xml`"),
        .init(
            "gateway: { name: 'two words' }\n",
            ", line 1: `gateway.name` must be a name of letters, digits, dots and hyphens, at most 253 long, not `two words`"),
        .init(
            "gateway: { publicUrl: doors.example }\n",
            ", line 1: `gateway.publicUrl` must be a web address such as https://doors.example, not `doors.example`"),
        .init("log: {}\niap: { audience: a }\n", ", line 2: `iap.audience` is not a key of the configuration"),
        .init(
            "iap:\n  rootCertificate: root.cer\n", ", line 2: `iap.rootCertificate` needs `iap.bundleId` beside it"),
        .init("iap: { bundleId: example.app }\n", ", line 1: `iap.bundleId` needs `iap.rootCertificate` beside it"),
        .init(
            "iap: { environments: [Sandbox] }\n", ", line 1: `iap.environments` needs `iap.rootCertificate` beside it"),
        .init(
            "iap: { environments: [production] }\n",
            ", line 1: `iap.environments` must be a list of Production, Sandbox, Xcode, LocalTesting, not this one"),
        .init("backup: { at: \"03:30\" }\n", ", line 1: `backup.at` needs `backup.folder` beside it"),
        .init("backup:\n  keepDays: 3\n", ", line 2: `backup.keepDays` needs `backup.folder` beside it"),
        .init(
            "backup: { folder: b, at: 3:30 }\n",
            ", line 1: `backup.at` must be a time of day such as 03:30, from 00:00 to 23:59, not `3:30`"),
        .init(
            "backup: { folder: b, at: \"24:00\" }\n",
            ", line 1: `backup.at` must be a time of day such as 03:30, from 00:00 to 23:59, not `24:00`"),
        .init(
            "backup: { folder: b, keepDays: 0 }\n",
            ", line 1: `backup.keepDays` must be a whole number from 1 to 3650, not `0`"),
        .init(
            "backup: { folder: b, keepDay: 3 }\n",
            ", line 1: `backup.keepDay` is not a key of the configuration; did you mean `backup.keepDays`?"),
        .init("- one\n- two\n", ", line 1: the file must consist of `key: value` lines"),
        .init("http:\n  port: 1\n port: 2\n", ", line 3: not YAML: did not find expected key"),
        .init("http: [\n", ", line 2: not YAML: did not find expected node content"),
        .init("http:\n  host: 0.0.0.0\n", exposure("0.0.0.0")),
        .init("http:\n  host: doors.example\n", exposure("doors.example")),
        .init("http:\n  host: '::'\n", exposure("::")),
        .init(
            "http:\n  tls:\n    certificate: a.pem\n",
            ", line 3: `http.tls.certificate` needs `http.tls.privateKey` beside it"),
        .init("http: { tls: { privateKey: a.pem } }\n", ", line 1: `http.tls.privateKey` needs `http.tls.certificate` beside it"),
    ]

    private static func mistyped(_ variable: String) -> String {
        "environment variable \(variable): this is not a key of the configuration; did you mean DOORWARD_MQTT_0_URL?"
    }

    static func exposure(_ host: String) -> String {
        ", line 2: `http.host` is `\(host)`, which is not a loopback address; set `http.tls`, or "
            + "`http.plainBehindProxy: true` behind a proxy that ends TLS, or a loopback address"
    }

    @Test("an error in the file is one sentence with key, file and line", arguments: inFile)
    func mistakeInFile(_ mistake: FileMistake) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(mistake.yaml, to: "doorward.yaml")
        #expect(throws: ConfigurationError(file + mistake.sentence)) { try ConfigurationSources(file: file).load() }
    }

    @Test("a duplicate key is rejected, and the error has the line of the second one")
    func duplicateKey() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("log:\n  level: info\nlog:\n  level: debug\n", to: "doorward.yaml")
        #expect(throws: ConfigurationError("\(file), line 3: `log` occurs more than once")) {
            try ConfigurationSources(file: file).load()
        }
    }

    @Test("an error names a configuration file that is missing or is a folder")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let missing = "\(folder.path)/missing.yaml"
        #expect(throws: ConfigurationError("\(missing): the file cannot be read: it does not exist")) {
            try ConfigurationSources(file: missing).load()
        }
        #expect(throws: ConfigurationError("\(folder.path): the file cannot be read: it is not a readable file")) {
            try ConfigurationSources(file: folder.path).load()
        }
    }

    @Test(
        "an error in the environment names the variable",
        arguments: [
            (
                "DOORWARD_HTTP_PROT", "1",
                "environment variable DOORWARD_HTTP_PROT: this is not a key of the configuration; did you mean DOORWARD_HTTP_PORT?"
            ),
            ("DOORWARD_", "1", "environment variable DOORWARD_: this is not a key of the configuration"),
            (
                "DOORWARD_HTTP_PORT", "x",
                "environment variable DOORWARD_HTTP_PORT: `http.port` must be a whole number from 0 to 65535, not `x`"
            ),
            (
                "DOORWARD_STORE_PATH", "", "environment variable DOORWARD_STORE_PATH: `store.path` must be a text, not ``"
            ),
            (
                "DOORWARD_IAP_AUDIENCE", "a",
                "environment variable DOORWARD_IAP_AUDIENCE: this is not a key of the configuration; did you mean DOORWARD_IAP_BUNDLE_ID?"
            ),
            (
                "DOORWARD_MQTT_0_ULR", "mqtt://127.0.0.1",
                "environment variable DOORWARD_MQTT_0_ULR: this is not a key of the configuration; did you mean DOORWARD_MQTT_0_URL?"
            ),
            ("DOORWARD_MQTT_00_URL", "mqtt://127.0.0.1", mistyped("DOORWARD_MQTT_00_URL")),
            ("DOORWARD_MQTT_N_URL", "mqtt://127.0.0.1", mistyped("DOORWARD_MQTT_N_URL")),
            ("DOORWARD_MQTT_100_URL", "mqtt://127.0.0.1", mistyped("DOORWARD_MQTT_100_URL")),
            (
                "DOORWARD_MQTT_0_URL", "mqtt://127.0.0.1", "environment variable DOORWARD_MQTT_0_URL: `mqtt.0.name` is missing"
            ),
            (
                "DOORWARD_MQTT_1_NAME", "home",
                "environment variable DOORWARD_MQTT_1_NAME: there is no `mqtt.0` before it"
            ),
            (
                "DOORWARD_MQTT_0_URL", "mqtt://me:hunter2@127.0.0.1",
                "environment variable DOORWARD_MQTT_0_URL: `mqtt.0.url` must not contain a user name or password; write each into a "
                    + "file, and name the files as `usernameFile` and `passwordFile`"
            ),
            (
                "DOORWARD_PROFILES_DIRECTORIES_1", "x",
                "environment variable DOORWARD_PROFILES_DIRECTORIES_1: `profiles.directories` has no item 0, so it can have no item 1"
            ),
        ])
    func mistakeInEnvironment(_ variable: String, _ value: String, _ sentence: String) {
        #expect(throws: ConfigurationError(sentence)) { try ConfigurationSources(environment: [variable: value]).load() }
    }

    @Test("an error in an option names the option")
    func mistakeInFlag() {
        var mistake = ConfigurationError("option --http-port: `http.port` must be a whole number from 0 to 65535, not `-1`")
        mistake.isUsageError = true
        #expect(throws: mistake) { try ConfigurationSources(flags: ["http.port": "-1"]).load() }
    }

    private static let home = "mqtt:\n  - name: home\n    url: mqtt://one\n"

    static let inBrokers: [FileMistake] = [
        .init("mqtt:\n  name: home\n", ", line 1: `mqtt` must be a list of sections, each with keys of its own"),
        .init("mqtt: home\n", ", line 1: `mqtt` must be a list of sections, each with keys of its own"),
        .init("mqtt:\n  - home\n", ", line 2: `mqtt` must be a list of sections, each with keys of its own"),
        .init("mqtt:\n  - {}\n", ", line 2: `mqtt` must be a list of sections, each with keys of its own"),
        .init(home + "    ulr: x\n", ", line 4: `mqtt.0.ulr` is not a key of the configuration; did you mean `mqtt.0.url`?"),
        .init("mqtt:\n  - name: home\n", ", line 2: `mqtt.0.url` is missing"),
        .init("mqtt:\n  -\n    url: mqtt://one\n", ", line 3: `mqtt.0.name` is missing"),
        .init(
            "mqtt:\n  - { name: home, url: 'http://one' }\n",
            ", line 2: `mqtt.0.url` must be a broker's address such as mqtt://127.0.0.1:1883 or mqtts://broker.example, not `http://one`"
        ),
        .init(
            home + "  - name: home\n    url: mqtt://two\n",
            ", line 4: `mqtt.1.name` is `home`, as `mqtt.0.name` is; two brokers need two names"),
        .init(
            home + "    caFile: ca.pem\n",
            ", line 4: `mqtt.0.caFile` is a setting of TLS, but `mqtt.0.url` begins with mqtt://; write mqtts://"),
        .init(
            "mqtt:\n  - name: home\n    url: mqtts://one\n    certificate: a.pem\n",
            ", line 4: `mqtt.0.certificate` needs `mqtt.0.privateKey` beside it"),
        .init(
            "mqtt:\n  - name: home\n    url: mqtts://one\n    privateKey: a.pem\n",
            ", line 4: `mqtt.0.privateKey` needs `mqtt.0.certificate` beside it"),
        .init(home + "    passwordFile: p\n", ", line 4: `mqtt.0.passwordFile` needs `mqtt.0.usernameFile` beside it"),
        .init(
            home + "    portfolio: ours\n", ", line 4: `mqtt.0.portfolio` must be an id that the gateway issued, not `ours`"),
        .init(home + "    profiles: homie\n", ", line 4: `mqtt.0.profiles` must be a list of texts, not `homie`"),
        .init(home + "    discovery: 'true'\n", ", line 4: `mqtt.0.discovery` must be true or false, not the text \"true\""),
        .init("profiles: { folders: [x] }\n", ", line 1: `profiles.folders` is not a key of the configuration"),
    ]

    @Test("an error in a broker is one sentence with the broker's index, file and line", arguments: inBrokers)
    func mistakeInBroker(_ mistake: FileMistake) throws { try mistakeInFile(mistake) }

    @Test("a password in a broker's address is not repeated in the error")
    func secretInAddress() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("mqtt:\n  - { name: home, url: 'mqtt://me:hunter2@one' }\n", to: "doorward.yaml")
        let error = try #require(throws: ConfigurationError.self) { try ConfigurationSources(file: file).load() }
        #expect(error.description.contains("usernameFile"))
        #expect(!error.description.contains("hunter2"))
    }
}
