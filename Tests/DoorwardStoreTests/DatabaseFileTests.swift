import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

@testable import DoorwardStore

@Suite struct DatabaseFileTests {
    @Test("A second store that is rejected does not release the first one's locks on the file")
    func locksStay() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        #expect(try await isLocked(database.path))
        for _ in 0..<3 {
            #expect(throws: StoreOpenError.self) { try database.open() }
        }
        #expect(try await isLocked(database.path))
        try await store.close()
        #expect(try await isLocked(database.path) == false)
    }

    @Test(
        "`isFile` reports whether the file exists, throws if it could not be created, and has no side effects on an open database"
    )
    func isFile() async throws {
        let database = try TemporaryDatabase()
        #expect(try SQLiteStore.isFile(at: database.path) == false)
        #expect(!FileManager.default.fileExists(atPath: database.path))
        let store = try database.open()
        #expect(try SQLiteStore.isFile(at: database.path))
        #expect(try await isLocked(database.path))
        try await store.close()
        for path in [database.folder.path, database.folder.appending(path: "none/doorward.db").path] {
            #expect(throws: StoreOpenError.self) { try SQLiteStore.isFile(at: path) }
        }
    }

    @Test("A folder or a pipe is no database: nothing is opened, made beside it or changed", arguments: [true, false])
    func noFile(isFolder: Bool) throws {
        let database = try TemporaryDatabase()
        let path = database.folder.appending(path: "other").path
        if isFolder {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        } else {
            try #require(mkfifo(path, 0o644) == 0)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        func refuse(_ body: () throws -> Void) {
            let error = #expect(throws: StoreOpenError.self) { try body() }
            let hint = isFolder ? "it is a folder; name the database file, such as \(path)/doorward.db" : "it is not a file"
            #expect(error?.description.contains(hint) == true, "\(String(describing: error))")
        }
        refuse { _ = try database.open(path: path) }
        refuse { _ = try SQLiteStore.isFile(at: path) }
        refuse { _ = try StoreCheck.run(path: path) }
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
        #expect(try FileManager.default.contentsOfDirectory(atPath: database.folder.path) == ["other"])
    }

    @Test("A second store that opens the file by a hard link is rejected before it reads it, and the first one keeps its locks")
    func hardLink() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 8)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        let link = database.folder.appending(path: "link.db").path
        try FileManager.default.linkItem(atPath: database.path, toPath: link)
        for _ in 0..<3 {
            let error = #expect(throws: StoreOpenError.self) { try database.open(path: link) }
            guard case .inUseByAnotherName? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(throws: StoreOpenError.self) { try StoreCheck.run(path: link) }
        }
        #expect(!FileManager.default.fileExists(atPath: link + "-wal"))
        #expect(try await isLocked(database.path))
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        try await store.close()
        #expect(try await isLocked(database.path) == false)
        // The file can be opened by any of its names once no process holds its lock.
        try await database.open(path: link).close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test("A file that another process holds by another name is rejected, and can be opened once that process was killed")
    func hardLinkOfAnotherProcess() async throws {
        let database = try TemporaryDatabase()
        try await database.open().close()
        let holder = Process()
        let (output, input) = (Pipe(), Pipe())
        holder.executableURL = URL(filePath: "/usr/bin/env")
        holder.arguments = [
            "python3", "-c",
            "import fcntl, sys; f = open(sys.argv[1], 'r+'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()",
            database.path,
        ]
        (holder.standardOutput, holder.standardInput) = (output, input)
        try holder.start()
        #expect(try output.fileHandleForReading.read(upToCount: 4) == Data("held".utf8))
        let error = #expect(throws: StoreOpenError.self) { try database.open() }
        if case .inUseByAnotherName? = error {} else { Issue.record("\(String(describing: error))") }
        kill(holder.processIdentifier, SIGKILL)
        _ = await holder.exitCode()
        try await database.open().close()
    }

    @Test("A rejected store creates no file")
    func refusedMakesNothing() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        try FileManager.default.removeItem(atPath: database.path)
        #expect(throws: StoreOpenError.self) { try database.open() }
        #expect(!FileManager.default.fileExists(atPath: database.path))
        try? await store.close()
    }

    @Test("A released lock is free even if a copy of its descriptor is open, as in a forked child before `exec`")
    func copiedDescriptor() throws {
        let database = try TemporaryDatabase()
        let lock = try FileLock(for: database.path)
        let name = try #require(realpath(database.path + ".lock", nil))
        defer { free(name) }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let held = try #require(
            descriptors.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == String(cString: name)
            })
        let copy = dup(held)
        defer { close(copy) }
        lock.release()
        try FileLock(for: database.path).release()
    }

    @Test(
        "Files that other users could access are restricted to their owner when the store opens",
        arguments: [0o644, 0o640, 0o666, 0o602])
    func tightened(mode: Int) async throws {
        let database = try TemporaryDatabase()
        try await database.open().close()
        #expect(FileManager.default.createFile(atPath: database.path + "-wal", contents: Data()))
        for suffix in ["", "-wal"] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: database.path + suffix)
        }
        let store = try database.open()
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: database.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
        try await store.close()
    }

    @Test("A dangling symbolic link is rejected, and its target is not created")
    func danglingLink() throws {
        let database = try TemporaryDatabase()
        let target = database.folder.appending(path: "elsewhere.db").path
        try FileManager.default.createSymbolicLink(atPath: database.path, withDestinationPath: target)
        let expected =
            "\(database.path): the database could not be opened: its path cannot be resolved: there is no such file or folder; create it, or correct the path."
        #expect { try database.open() } throws: { "\($0)" == expected }
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("A folder is rejected as a database")
    func folder() throws {
        let database = try TemporaryDatabase()
        #expect { try database.open(path: database.folder.path) } throws: { error in
            if case .failed? = error as? StoreOpenError { true } else { false }
        }
    }

    /// Returns whether another process finds POSIX locks on the file.
    private func isLocked(_ path: String) async throws -> Bool {
        let other = Process()
        other.executableURL = URL(filePath: "/usr/bin/env")
        other.arguments = [
            "python3", "-c",
            """
            import fcntl, sys
            f = open(sys.argv[1], 'r+')
            try: fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError: sys.exit(7)
            """, path,
        ]
        try other.start()
        let code = await other.exitCode()
        #expect([0, 7].contains(code))
        return code == 7
    }
}
