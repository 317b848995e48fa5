import DoorwardStore
import Foundation
import Testing

@Suite struct CheckpointFileTests {
    private let database: TemporaryDatabase
    private let file: CheckpointFile

    init() throws {
        database = try TemporaryDatabase()
        file = CheckpointFile(path: database.folder.appending(path: "log.checkpoints").path)
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: database.folder.path).sorted()) ?? [] }

    @Test("a missing file is not created by reading or appending")
    func missing() async throws {
        #expect(try await file.read() == nil)
        await #expect(throws: CheckpointFile.Failure.self) { try await file.append([1]) }
        #expect(names == [])
    }

    @Test("a new file can be read by its owner only, and keeps its mode and its lines when it is replaced and extended")
    func lines() async throws {
        try await file.replace(by: [])
        #expect(try await file.read() == [])
        try await file.append(Array("one\n".utf8))
        try await file.append(Array("two\n".utf8))
        #expect(try await file.read() == Array("one\ntwo\n".utf8))
        try await file.replace(by: Array("two\n".utf8))
        try await file.append(Array("three\n".utf8))
        #expect(try await file.read() == Array("two\nthree\n".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(names == ["log.checkpoints"])
    }

    @Test("a draft that a crash left behind is replaced")
    func leftDraft() async throws {
        try Data("half".utf8).write(to: URL(filePath: file.path + ".new"))
        try await file.replace(by: Array("whole\n".utf8))
        #expect(try await file.read() == Array("whole\n".utf8))
        #expect(names == ["log.checkpoints"])
    }

    @Test("a file that cannot be written is reported with its path and the reason, and keeps its content")
    func failures() async throws {
        let elsewhere = CheckpointFile(path: database.folder.appending(path: "none/log.checkpoints").path)
        let error = await #expect(throws: CheckpointFile.Failure.self) { try await elsewhere.replace(by: [1]) }
        #expect(
            error?.description.hasPrefix("\(elsewhere.path): the file with the signed checkpoints cannot be opened: ") == true)
        let full = CheckpointFile(path: "/dev/full")
        await #expect(throws: CheckpointFile.Failure.self) { try await full.append([1]) }
        let folder = CheckpointFile(path: database.folder.path)
        await #expect(throws: CheckpointFile.Failure.self) { _ = try await folder.read() }
    }
}
