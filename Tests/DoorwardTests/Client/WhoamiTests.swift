import DoorwardClient
import FoundationEssentials
import Testing

@testable import doorward

@Suite("doorward whoami") struct WhoamiTests {
    private let pipe = OutputStyle(isTerminal: false, environment: [:])
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var access: ClientAccess { ClientAccess(environment: ["XDG_CONFIG_HOME": folder.path]) }

    private func user(_ more: String = "") throws -> Doorward.User {
        let text = #"{"id":"u","firstName":"Olga","lastName":"Owner","email":"olga@example.org"\#(more)}"#
        return try JSONDecoder().decode(Doorward.User.self, from: Data(text.utf8))
    }

    private func session(lifetime: Int = 900) throws -> Session {
        Session(
            server: try ServerAddress("https://doors.example"), email: "olga@example.org", token: "secret", lifetime: lifetime,
            refreshToken: "secret")
    }

    @Test("roles are shown with the names of their places, or with ids if the places are not visible")
    func roles() throws {
        func role(_ role: String, _ id: String) -> String {
            #"{"id":"r","userId":"u","associatedEntityType":"UNIT","associatedEntityId":"\#(id)","roleWithinEntity":"\#(role)","#
                + #""createdAt":"2030-01-01T00:00:00.000Z","updatedAt":"2030-01-01T00:00:00.000Z"}"#
        }
        let user = try user(
            #","isSuperAdmin":true,"roleAssociations":[\#(role("PROPERTY_MANAGER", "p")),\#(role("TENANT", "x"))]"#)
        let lines = Whoami.lines(
            user, server: "https://doors.example", Credential(.default, try session()), places: ["p": "Quay 1"], pipe)
        #expect(
            lines.dropLast() == [
                "email\tolga@example.org", "name\tOlga Owner", "roles\tsuper admin, property manager of Quay 1, tenant of x",
                "server\thttps://doors.example", "sign-in\tdefault",
            ])
        #expect(!lines.joined().contains("secret"))
    }

    @Test("the validity of each kind of credential is shown")
    func validity() throws {
        let session = Credential(.default, try session()).validity(pipe)
        #expect(session.wholeMatch(of: #/token until 20[0-9-]+T[0-9:.]+Z, renewed by itself/#) != nil, "\(session)")
        let key = Session(server: try ServerAddress("https://doors.example"), apiKey: "dw_secret")
        #expect(Credential(.default, key).validity(pipe) == "an API key")
        #expect(Credential(token: "dw_key").validity(pipe) == "an API key")
        let token = Credential(token: "a.eyJleHAiOjE3MDAwMDAwMDB9.c")
        #expect(token.validity(pipe) == "until 2023-11-14T22:13:20.000Z, not renewed")
    }

    @Test("an API key without a user is shown as `an API key`")
    func key() {
        let lines = Whoami.lines(nil, server: "s", Credential(token: "dw_key"), places: [:], pipe)
        #expect(
            lines == [
                "email\t-", "name\tan API key", "roles\t-", "server\ts", "sign-in\tDOORWARD_TOKEN", "session\tan API key",
            ])
    }

    @Test("all sign-ins are listed, with the one in use and the error of each unreadable one")
    func all() throws {
        #expect(try SignInList(access).lines(pipe) == [])
        #expect(
            try SignInList(access).lines(OutputStyle(isTerminal: true, environment: [:])) == [
                "There are no sign-ins on this machine."
            ])
        let sessions = try access.sessions()
        try sessions.file(.default).write(try session())
        let work = sessions.file(try #require(SessionName("work")))
        var key = Session(server: try ServerAddress("http://127.0.0.1:1"), apiKey: "dw_secret")
        key.caFile = "/ca.pem"
        try work.write(key)
        let broken = sessions.file(try #require(SessionName("broken")))
        try broken.write(try session())
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: broken.path)

        let access = ClientAccess(environment: ["XDG_CONFIG_HOME": folder.path, "DOORWARD_AS": "work"])
        let rows = try SignInList(access).lines(pipe).map { $0.split(separator: "\t").map(String.init) }
        #expect(rows.map(\.first) == ["default", "broken", "work"])
        #expect(rows.map(\.last) == ["no", "no", "yes"])
        #expect(rows[0][1...2] == ["olga@example.org", "https://doors.example"])
        #expect(rows[1][3].contains("others could read it"))
        #expect(rows[2] == ["work", "an API key", "http://127.0.0.1:1", "an API key", "yes"])

        let json = String(decoding: try SignInList(access).json, as: UTF8.self)
        #expect(json.contains(#"{"caFile":"/ca.pem","isInUse":true,"name":"work","server":"http://127.0.0.1:1"}"#), "\(json)")
        #expect(!json.contains("secret"))
        let machine = ["XDG_CONFIG_HOME": folder.path, "DOORWARD_TOKEN": "t", "DOORWARD_SERVER": "https://doors.example"]
        #expect(
            try SignInList(ClientAccess(environment: machine)).lines(pipe).allSatisfy { $0.hasSuffix("\tno") },
            "DOORWARD_TOKEN is in use")
    }
}
