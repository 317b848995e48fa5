import FoundationEssentials
import Testing

@testable import DoorwardClient

@Suite("Several sessions in one folder") struct SessionFolderTests {
    private let folder: TemporaryFolder
    private let sessions: SessionFolder

    init() throws {
        folder = try TemporaryFolder()
        sessions = SessionFolder("\(folder.path)/doorward")
    }

    private func name(_ text: String) throws -> SessionName { try #require(SessionName(text)) }

    private func session(_ token: String) throws -> Session {
        Session(server: try ServerAddress("https://doors.example"), apiKey: token)
    }

    @Test("a name has 1 to 64 letters, digits, hyphens, underscores and dots", arguments: ["a", "Work-2_b.c", ".", ".."])
    func names(_ text: String) throws {
        #expect(SessionName(text)?.description == text)
        #expect(SessionName(String(repeating: "a", count: 64)) != nil)
    }

    @Test(
        "no other text is a name, so that none can lead out of the folder",
        arguments: ["", "a/b", "../a", "a b", "ä", "a\n", "a\0", String(repeating: "a", count: 65)])
    func noNames(_ text: String) { #expect(SessionName(text) == nil) }

    @Test("the default session is in session.json, any other in a file of its name; each is accessible only to its owner")
    func files() throws {
        let (work, plain) = (sessions.file(try name("work")), sessions.file(.default))
        #expect(plain.path == "\(folder.path)/doorward/session.json")
        #expect(work.path == "\(folder.path)/doorward/sessions/work.json")
        try work.write(try session("of work"))
        #expect(try folder.mode(of: work.path) == 0o600)
        #expect(try folder.mode(of: "\(folder.path)/doorward") == 0o700)
        #expect(try folder.mode(of: "\(folder.path)/doorward/sessions") == 0o700)
        #expect(try plain.read() == nil)
        try plain.write(try session("of default"))
        #expect(try work.read()?.token == "of work")
        try work.remove()
        #expect(try plain.read()?.token == "of default")
    }

    @Test("stored sessions are listed, the default one first; other files are ignored")
    func listed() async throws {
        #expect(sessions.names() == [])
        for text in ["work", "Home", "a.b"] {
            let file = sessions.file(try name(text))
            try await file.locked { try file.write(try session(text)) }
        }
        #expect(sessions.names().map(\.description) == ["Home", "a.b", "work"])
        try sessions.file(.default).write(try session("d"))
        for other in ["no name.json", "notes.txt", "default.json"] {
            try Data().write(to: URL(filePath: "\(folder.path)/doorward/sessions/\(other)"))
        }
        #expect(sessions.names().map(\.description) == ["default", "Home", "a.b", "work"])
    }

    @Test("each session has its own lock")
    func locks() async throws {
        let (work, home) = (sessions.file(try name("work")), sessions.file(try name("home")))
        let both = try await work.locked { try await home.locked { try await sessions.file(.default).locked { true } } }
        #expect(both)
    }
}
