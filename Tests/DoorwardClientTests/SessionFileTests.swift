import FoundationEssentials
import Synchronization
import Testing

@testable import DoorwardClient

@Suite("The session file") struct SessionFileTests {
    private func session(_ token: String = "t") throws -> Session {
        Session(
            server: try ServerAddress("https://doors.example"), email: "a@b.example", token: token, lifetime: 900,
            refreshToken: "r")
    }

    @Test("the file and its folder are accessible only to their owner, and the session can be read again")
    func written() throws {
        let folder = try TemporaryFolder()
        let file = SessionFile(folder: "\(folder.path)/config/doorward")
        #expect(try file.read() == nil)
        try file.write(try session())
        #expect(try file.read() == session())
        #expect(try folder.mode(of: file.path) == 0o600)
        #expect(try folder.mode(of: "\(folder.path)/config/doorward") == 0o700)
        try file.write(try session("newer"))
        #expect(try file.read()?.token == "newer")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/config/doorward")
        #expect(names == ["session.json"], "no temporary file remains")
        try file.remove()
        #expect(try file.read() == nil)
        try file.remove()
    }

    @Test("the file is rejected if other users could read or change it", arguments: [0o640, 0o604, 0o620, 0o666])
    func openToOthers(_ mode: Int) throws {
        let folder = try TemporaryFolder()
        let file = SessionFile(folder: folder.path)
        try file.write(try session())
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let error = #expect(throws: ClientError.self) { try file.read() }
        guard case .sessionFile(file.path, let why) = error else { throw try #require(error) }
        #expect(why.contains("others could read it"))
    }

    @Test(
        "the file is rejected if it is a symbolic link or does not contain a session",
        arguments: ["", "{}", "null", #"{"token":"t"}"#])
    func nonsense(_ text: String) throws {
        let folder = try TemporaryFolder()
        let file = SessionFile(folder: folder.path)
        try file.write(try session())
        let elsewhere = "\(folder.path)/elsewhere"
        try FileManager.default.moveItem(atPath: file.path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: elsewhere)
        #expect(throws: ClientError.self) { try file.read() }
        try FileManager.default.removeItem(atPath: file.path)
        try Data(text.utf8).write(to: URL(filePath: file.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(throws: ClientError.self) { try file.read() }
    }

    @Test("a session file that cannot be written is reported as an error")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: "\(folder.path)/config"))
        let file = SessionFile(folder: "\(folder.path)/config")
        let error = #expect(throws: ClientError.self) { try file.write(try session()) }
        guard case .sessionFile(file.path, _) = error else { throw try #require(error) }
    }

    @Test("the file lock is exclusive although each task opens it itself, and an error releases it")
    func locked() async throws {
        let folder = try TemporaryFolder()
        let holders = ConcurrencyCounter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await SessionFile(folder: folder.path).locked {
                        #expect(holders.enter() == 1)
                        for _ in 0..<20 { await Task.yield() }
                        holders.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        let file = SessionFile(folder: folder.path)
        await #expect(throws: CancellationError.self) { try await file.locked { throw CancellationError() } }
        #expect(try await file.locked { true })
    }
}

/// Counts the tasks that are inside the lock at the same time.
private final class ConcurrencyCounter: Sendable {
    private let count = Mutex(0)

    func enter() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
