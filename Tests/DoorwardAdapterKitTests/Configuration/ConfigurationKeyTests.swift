import Testing

@testable import DoorwardAdapterKit

@Suite("Keys of the configuration") struct ConfigurationKeyTests {
    @Test(
        "the row of the page has path, variable, default, range and meaning",
        arguments: [
            (ConfigurationKey("bus.port", .text, isRequired: true, description: "the port"), "– | required; the port |"),
            (
                ConfigurationKey("bus.baudRate", .integer(1200...115_200), default: .integer(9600), description: "bits"),
                "`9600` | 1,200–115,200; bits |"
            ),
            (ConfigurationKey("bus.wait", .integer(0...9), description: "seconds; 0 for none"), "– | seconds; 0 for none |"),
            (ConfigurationKey("bus.tags", .texts, shownDefault: "all", description: "tags"), "all | tags |"),
            (ConfigurationKey("bus.isOn", .boolean, default: .boolean(false), description: "whether"), "`false` | whether |"),
            (ConfigurationKey("bus.many", .integer(1...1_000_007), description: "many"), "– | 1–1,000,007; many |"),
        ])
    func row(_ key: ConfigurationKey, _ end: String) {
        #expect(key.row == "| `\(key.path)` | `\(key.variable)` | \(end)")
    }

    @Test("a section has its keys below its name, those of a list below the number of an entry")
    func paths() {
        let key = ConfigurationKey("caFile", .file, description: "a file")
        #expect(ConfigurationSection("bus", [key]).configurationKeys.map(\.path) == ["bus.caFile"])
        let list = ConfigurationSection("bridges", listOf: "bridges", [key]).configurationKeys
        #expect(list.map(\.path) == ["bridges.N.caFile"] && list.map(\.variable) == ["DOORWARD_BRIDGES_N_CA_FILE"])
        #expect(list[0].ofEntry(12).path == "bridges.12.caFile")
    }

    @Test(
        "a type takes its values and no other",
        arguments: [
            (SettingType.text, ["a", " "], [""]), (.file, ["/a"], [""]), (.secretFile, ["/a"], [""]),
            (.hostName, ["a-1.b"], ["", "a b", "ä", String(repeating: "a", count: 254)]),
            (.integer(1...9), ["1", "9"], ["0", "10", "x", "1.5", ""]), (.boolean, ["true", "false"], ["yes", "TRUE", ""]),
            (.choice(["a", "b"]), ["a"], ["c", ""]), (.texts, ["a", "a,b"], ["", "a,,b"]), (.folders, ["/a,/b"], [""]),
            (.portfolio, ["01890000-0000-7000-8000-000000000001"], ["home", ""]),
            (.formatted(SettingFormat("an even word") { $0.count.isMultiple(of: 2) }), ["ab"], ["abc"]),
            (.list(SettingFormat("a list of even words") { $0.count.isMultiple(of: 2) }), ["ab,cdef"], ["ab,c"]),
        ] as [(SettingType, [String], [String])])
    func values(_ type: SettingType, _ right: [String], _ wrong: [String]) {
        for text in right { #expect(type.value(of: text) != nil, "\(text)") }
        for text in wrong { #expect(type.value(of: text) == nil, "\(text)") }
        #expect(!type.expectation.isEmpty)
    }

    @Test("only a list takes a list")
    func lists() {
        #expect(SettingType.texts.value(of: ["a", "b,c"]) == .texts(["a", "b,c"]))
        #expect(SettingType.text.value(of: ["a"]) == nil)
        #expect(SettingType.texts.isList && SettingType.folders.isList && !SettingType.text.isList)
    }

    @Test("a value that may hold a secret is not repeated")
    func secret() throws {
        let format = SettingFormat("an address", secretProblem: { $0.contains("@") ? "must hold no password" : nil }) { _ in true
        }
        let key = ConfigurationKey("bus.url", .formatted(format), description: "where it is")
        let mistake = #expect(throws: ConfigurationError.self) {
            try Setting.checked("me:hunter2@bus", for: key, at: .file("doorward.yaml", line: 3))
        }
        #expect(mistake?.description == "doorward.yaml, line 3: `bus.url` must hold no password")
        #expect(try Setting.checked("bus", for: key, at: .standard).value == .text("bus"))
    }

    @Test("of two keys with one path the first counts: no adapter takes over a key of the gateway")
    func twice() {
        let table = ConfigurationTable([
            ConfigurationKey("http.port", .integer(1...9), description: "one"),
            ConfigurationKey("http.port", .text, description: "two"),
        ])
        #expect(table.key(at: "http.port")?.description == "one" && table.key(of: "DOORWARD_HTTP_PORT")?.key.description == "one")
    }
}
