import DoorwardDomain
import Testing

@testable import DoorwardAdapterKit

@Suite("The settings of an adapter") struct AdapterSettingsTests {
    private static let bus = ConfigurationSection(
        "bus",
        [
            ConfigurationKey("port", .text, isRequired: true, description: "the port"),
            ConfigurationKey("baudRate", .integer(1200...115_200), default: .integer(9600), description: "bits in a second"),
            ConfigurationKey("isQuiet", .boolean, description: "whether it is quiet"),
            ConfigurationKey("folders", .folders, description: "folders"),
            ConfigurationKey("ca", .file, description: "a file"),
            ConfigurationKey("key", .secretFile, description: "a file with a secret"),
        ])
    private static let bridges = ConfigurationSection(
        "bridges", listOf: "bridges",
        [
            ConfigurationKey("name", .hostName, isRequired: true, description: "its name"),
            ConfigurationKey("tags", .texts, description: "tags"),
            ConfigurationKey("portfolio", .portfolio, description: "whose it is"),
        ])

    private func settings(_ environment: [String: String]) throws(ConfigurationError) -> AdapterSettings {
        try AdapterSettings([Self.bus, Self.bridges], environment: environment)
    }

    private func sentence(_ environment: [String: String], _ read: (AdapterSettings) throws(ConfigurationError) -> Void)
        -> String?
    {
        do {
            try read(settings(environment))
            return nil
        } catch {
            return error.description
        }
    }

    @Test("a section has what was set, and the defaults of the other keys")
    func section() throws {
        let section = try #require(
            try settings(["DOORWARD_BUS_PORT": "ttyS0", "DOORWARD_BUS_IS_QUIET": "true"]).section("bus"))
        #expect(section.text("port") == "ttyS0" && section.flag("isQuiet") && section.integer("baudRate") == 9600)
        #expect(section.texts("folders").isEmpty && section.text("ca") == nil && section.portfolio("port") == nil)
        #expect(section.path("port") == "bus.port")
        #expect(section.subject("port") == "environment variable DOORWARD_BUS_PORT: `bus.port`")
        #expect(section.subject("ca") == "default: `bus.ca`")
    }

    @Test("a section of which nothing was set is not there, nor is one that was not declared")
    func absent() throws {
        #expect(try settings([:]).section("bus") == nil)
        #expect(try settings(["DOORWARD_BUS_PORT": "x"]).section("train") == nil)
        #expect(try settings([:]).entries("bridges").isEmpty)
    }

    @Test("entries are read in their order, each with its own keys")
    func entries() throws {
        let id = "01890000-0000-7000-8000-000000000001"
        let entries = try settings([
            "DOORWARD_BRIDGES_1_NAME": "hall", "DOORWARD_BRIDGES_0_NAME": "gate", "DOORWARD_BRIDGES_0_TAGS": "a,b",
            "DOORWARD_BRIDGES_1_PORTFOLIO": id,
        ]).entries("bridges")
        #expect(entries.map { $0.text("name") } == ["gate", "hall"])
        #expect(entries.map { $0.texts("tags") } == [["a", "b"], []])
        #expect(entries.map { $0.portfolio("portfolio") } == [nil, PortfolioID(id)])
        #expect(entries[1].path("name") == "bridges.1.name")
    }

    @Test("a missing, unread or duplicate key is an error that names the key")
    func mistakes() {
        #expect(
            sentence(["DOORWARD_BUS_BAUD_RATE": "9600"]) { (settings) throws(ConfigurationError) in
                _ = try settings.section("bus")
            } == "environment variable DOORWARD_BUS_BAUD_RATE: `bus.port` is missing")
        let list = { (settings: AdapterSettings) throws(ConfigurationError) in _ = try settings.entries("bridges") }
        #expect(
            sentence(["DOORWARD_BRIDGES_0_TAGS": "a"], list)
                == "environment variable DOORWARD_BRIDGES_0_TAGS: `bridges.0.name` is missing")
        #expect(
            sentence(["DOORWARD_BRIDGES_1_NAME": "hall"], list)
                == "environment variable DOORWARD_BRIDGES_1_NAME: there is no `bridges.0` before it")
        #expect(
            sentence(["DOORWARD_BRIDGES_0_NAME": "hall", "DOORWARD_BRIDGES_1_NAME": "hall"], list)
                == "environment variable DOORWARD_BRIDGES_1_NAME: `bridges.1.name` is `hall`, as `bridges.0.name` is; two "
                + "bridges need two names")
    }

    @Test("a key may need another beside it")
    func beside() throws {
        let read = { (settings: AdapterSettings) throws(ConfigurationError) in
            if let bus = try settings.section("bus") { try bus.require("ca", beside: "key") }
        }
        let begin = ["DOORWARD_BUS_PORT": "x"]
        #expect(sentence(begin, read) == nil)
        #expect(
            sentence(begin.merging(["DOORWARD_BUS_KEY": "k"]) { $1 }, read)
                == "environment variable DOORWARD_BUS_KEY: `bus.key` needs `bus.ca` beside it")
        #expect(sentence(begin.merging(["DOORWARD_BUS_KEY": "k", "DOORWARD_BUS_CA": "c"]) { $1 }, read) == nil)
    }

    @Test("an unknown key and a value of another type are told with what would be right")
    func unknown() {
        let nothing = { (_: AdapterSettings) throws(ConfigurationError) in }
        #expect(
            sentence(["DOORWARD_BUS_PROT": "x"], nothing)
                == "environment variable DOORWARD_BUS_PROT: this is not a key of the configuration; did you mean "
                + "DOORWARD_BUS_PORT?")
        #expect(
            sentence(["DOORWARD_BRIDGES_3_TAG": "x"], nothing)
                == "environment variable DOORWARD_BRIDGES_3_TAG: this is not a key of the configuration; did you mean "
                + "DOORWARD_BRIDGES_3_TAGS?")
        #expect(
            sentence(["DOORWARD_BUS_BAUD_RATE": "300"], nothing)
                == "environment variable DOORWARD_BUS_BAUD_RATE: `bus.baudRate` must be a whole number from 1200 to 115200, "
                + "not `300`")
    }

    @Test("a file or folder that cannot be read is named by its key, and one that can is taken")
    func files() throws {
        let (file, folder) = (#filePath, "/tmp")
        let section = try #require(
            try settings([
                "DOORWARD_BUS_PORT": "x", "DOORWARD_BUS_CA": file, "DOORWARD_BUS_KEY": "/no/such",
                "DOORWARD_BUS_FOLDERS": "\(folder),\(file)",
            ]).section("bus"))
        #expect(try section.readableFile("ca") == file)
        #expect(try section.readableFile("nothing") == nil && section.line("nothing") == nil)
        let begin = "environment variable DOORWARD_BUS_"
        #expect(
            throws: ConfigurationError(
                "\(begin)KEY: `bus.key`: the file `/no/such` cannot be read: there is no such file or folder; create it, or correct the path"
            )
        ) { try section.line("key") }
        #expect(throws: ConfigurationError("\(begin)CA: `bus.ca`: the file `\(file)` must contain exactly one line")) {
            try section.line("ca")
        }
        #expect(
            throws: ConfigurationError("\(begin)FOLDERS: `bus.folders`: the folder `\(file)` cannot be read: it is not a folder")
        ) { try section.readableFolders("folders") }
    }

    @Test("an adapter sees its own sections alone, and settings are equal that say the same")
    func own() throws {
        let environment = ["DOORWARD_BUS_PORT": "x", "DOORWARD_BRIDGES_0_NAME": "hall"]
        let (all, same) = (try settings(environment), try settings(environment))
        #expect(all == same)
        #expect(try all.of([Self.bridges]).section("bus") == nil)
        #expect(try all.of([Self.bridges]).entries("bridges").count == 1)
        #expect(try all.of([Self.bus]) != all && all != settings(["DOORWARD_BUS_PORT": "x"]))
    }
}

extension SectionSettings: Equatable {
    public static func == (one: Self, other: Self) -> Bool { one.path("") == other.path("") }
}
