import DoorwardClient
import Testing

@testable import doorward

@Suite("The gateway and session of a command") struct ClientAccessTests {
    @Test(
        "the session file is in the configuration folder",
        arguments: [
            (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/doorward/session.json"),
            (["HOME": "/h"], "/h/.config/doorward/session.json"),
            (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/doorward/session.json"),
            (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/doorward/session.json"),
        ])
    func folder(_ environment: [String: String], _ path: String) throws {
        #expect(try ClientAccess(environment: environment).sessionFile().path == path)
    }

    @Test("without a home folder there is no session file")
    func homeless() {
        #expect(throws: CommandFailure.self) { try ClientAccess(environment: [:]).sessionFile() }
    }

    @Test("DOORWARD_TOKEN requires DOORWARD_SERVER, and an empty variable counts as unset")
    func environment() throws {
        let home = ["HOME": "/nowhere"]
        func client(_ more: [String: String]) throws -> DoorwardClient {
            try ClientAccess(environment: home.merging(more) { _, new in new }).client()
        }
        #expect(
            try client(["DOORWARD_SERVER": "https://doors.example", "DOORWARD_TOKEN": "t"]).server.description
                == "https://doors.example")
        #expect(throws: CommandFailure.self) { try client(["DOORWARD_TOKEN": "t"]) }
        #expect(throws: ClientError.notSignedIn(server: nil)) { try client(["DOORWARD_TOKEN": "", "DOORWARD_SERVER": ""]) }
        #expect(throws: ClientError.self) { try client(["DOORWARD_SERVER": "http://doors.example", "DOORWARD_TOKEN": "t"]) }
    }

    // MARK: - Several sign-ins

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func access(
        _ environment: [String: String] = [:], as name: String? = nil, caFile: String? = nil
    ) -> ClientAccess {
        ClientAccess(
            environment: ["XDG_CONFIG_HOME": folder.path].merging(environment) { _, new in new }, signIn: name, caFile: caFile)
    }

    private func keep(_ name: String, at server: String = "https://doors.example", caFile: String? = nil) throws {
        var session = Session(server: try ServerAddress(server), apiKey: "key of \(name)")
        session.caFile = caFile
        try access().sessions().file(#require(SessionName(name))).write(session)
    }

    private func refusal(_ access: ClientAccess) throws -> CommandFailure {
        try #require(throws: CommandFailure.self) { _ = try access.client() }
    }

    @Test("the sign-in's name is taken from the command line, else from the environment, else it is `default`")
    func names() throws {
        #expect(try access().sessionFile().path == "\(folder.path)/doorward/session.json")
        #expect(try access(["DOORWARD_AS": ""]).sessionFile().path == "\(folder.path)/doorward/session.json")
        #expect(try access(["DOORWARD_AS": "home"]).sessionFile().path == "\(folder.path)/doorward/sessions/home.json")
        #expect(
            try access(["DOORWARD_AS": "home"], as: "work").sessionFile().path == "\(folder.path)/doorward/sessions/work.json")
        #expect(
            try access(["DOORWARD_AS": "home"], as: "default").sessionFile().path == "\(folder.path)/doorward/session.json")
    }

    @Test(
        "a sign-in named on the command line ignores DOORWARD_SERVER and DOORWARD_TOKEN; the token comes before DOORWARD_AS")
    func precedence() throws {
        try keep("work", at: "https://work.example")
        let token = ["DOORWARD_SERVER": "https://machine.example", "DOORWARD_TOKEN": "t"]
        #expect(try access(token, as: "work").client().server.description == "https://work.example")
        #expect(access(token, as: "work").token == nil)
        let machine = access(token.merging(["DOORWARD_AS": "work"]) { $1 })
        #expect(machine.token == "t")
        #expect(try machine.client().server.description == "https://machine.example")
        #expect(try access(["DOORWARD_AS": "work"]).client().server.description == "https://work.example")
    }

    @Test("an unknown sign-in is reported with the existing ones and the most similar name")
    func unknown() throws {
        let none = try refusal(access(as: "work"))
        #expect(none.sentence.hasPrefix("there is no sign-in `work`\n  there are none on this machine\n"))
        try keep("work")
        try keep("default")
        let typo = try refusal(access(["DOORWARD_AS": "wrok"]))
        #expect(
            typo
                == CommandFailure(
                    """
                    there is no sign-in `wrok`; did you mean `work`?
                      there are: default, work
                      to create it: doorward login --as wrok --server URL --email ADDRESS
                    """))
        let wrong = try refusal(access(["DOORWARD_AS": "../x"]))
        #expect(wrong.code == 2)
        #expect(wrong.sentence == "DOORWARD_AS `../x` is not a name: use 1 to 64 letters, digits, hyphens, underscores and dots")
    }

    @Test("without a name and without a default session, the user is not signed in")
    func nobody() throws {
        #expect(try access().session() == nil)
        try keep("work")
        #expect(throws: ClientError.notSignedIn(server: nil)) { try access().client() }
    }

    @Test("the CA file is taken from the command line, then the environment, then the session; a path is made absolute")
    func certificates() throws {
        #expect(access(["DOORWARD_CA_FILE": "/e.pem"], caFile: "/o.pem").caFile == "/o.pem")
        #expect(access(["DOORWARD_CA_FILE": "/e.pem"]).caFile == "/e.pem")
        #expect(access(["DOORWARD_CA_FILE": ""]).caFile == nil)
        #expect(access(caFile: "o.pem").caFile?.hasSuffix("/o.pem") == true)
        #expect(access(caFile: "o.pem").caFile?.hasPrefix("/") == true)
        let missing = "\(folder.path)/missing.pem"
        try keep("work", caFile: missing)
        let expected = ClientError.authorityFile(path: missing, why: "it cannot be read: No such file or directory")
        #expect(throws: expected) { try access(as: "work").client() }
    }

    @Test("a new sign-in keeps the CA file of the session if the gateway is the same")
    func kept() throws {
        try keep("work", at: "https://work.example", caFile: "/work.pem")
        #expect(access(as: "work").caFile(at: "https://WORK.example/") == "/work.pem")
        #expect(access(as: "work", caFile: "/new.pem").caFile(at: "https://work.example") == "/new.pem")
        #expect(access(as: "work").caFile(at: "https://other.example") == nil)
        #expect(access(as: "other").caFile(at: "https://work.example") == nil)
    }

    @Test(
        "completion reads the name and the CA file from the command line that is being typed",
        arguments: [
            ["doorward", "unlock", "--as", "work", "Fro"], ["doorward", "unlock", "--as=work"],
            ["doorward", "--as", "home", "--as", "work"],
        ])
    func words(_ words: [String]) throws {
        #expect(try ClientAccess(environment: ["HOME": "/h"], words: words).name().description == "work")
        #expect(try ClientAccess(environment: ["HOME": "/h"], words: ["doorward", "unlock", "--as"]).name() == .default)
        #expect(ClientAccess(environment: [:], words: words + ["--ca-file", "/c.pem"]).caFile == "/c.pem")
    }
}
