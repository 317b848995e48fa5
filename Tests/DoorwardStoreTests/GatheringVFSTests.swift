import DoorwardTesting
import Foundation
import GRDBSQLite
import Glibc
import Synchronization
import Testing

@testable import DoorwardStore

/// A SQLite VFS that records each write to a write-ahead log and fails on request.
private enum Disk {
    /// The recorded writes. The process has only one such value, because a C function cannot
    /// capture values. Therefore the tests of the suite run one after the other.
    struct Notes {
        /// The offset and the number of bytes of each write.
        var writes: [(offset: Int, count: Int)] = []
        /// The number of writes that still succeed; `nil` for all.
        var writesLeft: Int?
        /// Called after each write.
        var afterWrite: (@Sendable () -> Void)?
    }

    static let notes = Mutex(Notes())
    static let name = "doorward-tests"
    static let gathered = "doorward-tests-gathered"

    // `nonisolated(unsafe)`: written whenever a log is opened, under the lock of `notes`, with the same value each time.
    nonisolated(unsafe) static var original: UnsafePointer<sqlite3_io_methods>?

    /// Registers both VFS layers once: the recording layer, and the gathering layer above it.
    static let isRegistered: Bool = {
        guard let unix = sqlite3_vfs_find("unix") else { return false }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: unix.pointee)
        layer.pointee.pNext = nil
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.xOpen = { _, name, file, flags, outFlags in
            guard let unix = sqlite3_vfs_find("unix"), let file else { return SQLITE_ERROR }
            let result = unix.pointee.xOpen(unix, name, file, flags, outFlags)
            if result == SQLITE_OK, flags & SQLITE_OPEN_WAL != 0 {
                Disk.notes.withLock { _ in Disk.original = file.pointee.pMethods }
                file.pointee.pMethods = Disk.methods
            }
            return result
        }
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK
            && GatheringVFS.register(over: layer, as: gathered, isDefault: false) == SQLITE_OK
    }()

    // `nonisolated(unsafe)`: written once, and never freed.
    private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods>? = {
        guard var methods = original?.pointee else { return nil }
        methods.xWrite = { file, bytes, count, offset in
            let (isRefused, afterWrite) = Disk.notes.withLock { notes in
                if let left = notes.writesLeft {
                    guard left > 0 else { return (true, notes.afterWrite) }
                    notes.writesLeft = left - 1
                }
                notes.writes.append((Int(offset), Int(count)))
                return (false, notes.afterWrite)
            }
            guard !isRefused, let original = Disk.original else { return SQLITE_FULL }
            defer { afterWrite?() }
            return original.pointee.xWrite(file, bytes, count, offset)
        }
        let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        pointer.initialize(to: methods)
        return UnsafePointer(pointer)
    }()
}

/// A write-ahead log that is opened through the gathering layer.
private final class LogFile {
    let path: String
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>
    private let name: UnsafePointer<CChar>

    init(in folder: String) throws {
        path = folder + "/file-wal"
        // SQLite gives a log the file mode of its database, so the database must exist.
        try Data().write(to: URL(filePath: folder + "/file"))
        vfs = try #require(sqlite3_vfs_find(Disk.gathered))
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(vfs.pointee.szOsFile))
        file = memory.assumingMemoryBound(to: sqlite3_file.self)
        name = UnsafePointer(try #require(sqlite3_create_filename(folder + "/file", folder + "/file-journal", path, 0, nil)))
        let wal = try #require(sqlite3_filename_wal(name))
        try #require(
            vfs.pointee.xOpen(vfs, wal, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL, nil) == SQLITE_OK)
    }

    private var methods: sqlite3_io_methods { get throws { try #require(file.pointee.pMethods).pointee } }

    func write(_ bytes: [UInt8], at offset: Int) throws -> Int32 {
        try methods.xWrite(file, bytes, Int32(bytes.count), sqlite3_int64(offset))
    }

    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xFF, count: count)
        let result = try methods.xRead(file, &bytes, Int32(count), sqlite3_int64(offset))
        #expect(result == SQLITE_OK || result == SQLITE_IOERR | 2 << 8, "a complete read, or a short one filled with zeros")
        return bytes
    }

    func truncate(to size: Int) throws { #expect(try methods.xTruncate(file, sqlite3_int64(size)) == SQLITE_OK) }
    func sync() throws -> Int32 { try methods.xSync(file, SQLITE_SYNC_FULL) }

    func size() throws -> Int {
        var size: sqlite3_int64 = 0
        #expect(try methods.xFileSize(file, &size) == SQLITE_OK)
        return Int(size)
    }

    func close() throws {
        #expect(try methods.xClose(file) == SQLITE_OK)
        UnsafeMutableRawPointer(file).deallocate()
        sqlite3_free_filename(name)
    }

    /// The content of the file as another process reads it.
    var content: [UInt8] { get throws { Array(try Data(contentsOf: URL(filePath: path))) } }
}

/// A connection of SQLite's C interface.
private final class Connection {
    private var handle: OpaquePointer?

    init(_ path: String, vfs: String?) throws {
        try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs) == SQLITE_OK)
    }

    func run(_ sql: String) -> Int32 { sqlite3_exec(handle, sql, nil, nil, nil) }

    func text(_ sql: String) throws -> String {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        return String(cString: try #require(sqlite3_column_text(statement, 0)))
    }

    func close() { sqlite3_close(handle) }
}

@Suite("Gathering the writes to the write-ahead log", .serialized) struct GatheringVFSTests {
    private let folder: String

    init() throws {
        try #require(Disk.isRegistered)
        Disk.notes.withLock { $0 = Disk.Notes() }
        folder = NSTemporaryDirectory() + "doorward-gathering-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func removed() { try? FileManager.default.removeItem(atPath: folder) }

    /// Returns a frame header. Bytes 4 to 7 are zero unless its page is the last of a commit.
    private func header(isLast: Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 7, count: 24)
        bytes.replaceSubrange(4..<8, with: isLast ? [0, 0, 1, 0] : [0, 0, 0, 0])
        return bytes
    }

    @Test(
        "after random writes, reads, truncations and size queries the log is the same as a plain file",
        arguments: 1...20 as ClosedRange<UInt64>)
    func asPlain(seed: UInt64) throws {
        defer { removed() }
        var (random, plain) = (SeededGenerator(seed: seed), [UInt8]())
        let log = try LogFile(in: folder)
        func write(_ bytes: [UInt8], at offset: Int) throws {
            #expect(try log.write(bytes, at: offset) == SQLITE_OK)
            if plain.count < offset + bytes.count { plain += Array(repeating: 0, count: offset + bytes.count - plain.count) }
            plain.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        }
        for _ in 0..<200 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<12:
                let isLast = Int.random(in: 0..<4, using: &random) == 0
                // Mostly append; sometimes overwrite, or write beyond the end.
                let end = plain.count
                let at = Int.random(in: 0..<6, using: &random) > 0 ? end : Int.random(in: 0...(end + 100), using: &random)
                let size = [512, 4096, 65536].randomElement(using: &random) ?? 512
                let page = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
                try write(header(isLast: isLast), at: at)
                try write(page, at: at + 24)
                if isLast { #expect(try log.content == plain, "the file contains a commit once its last page has been written") }
            case 12..<15:
                let (at, count) = (
                    Int.random(in: 0...(plain.count + 10), using: &random), Int.random(in: 1...5000, using: &random)
                )
                let there = plain.dropFirst(at).prefix(count)
                #expect(try log.read(count, at: at) == Array(there) + Array(repeating: 0, count: count - there.count))
            case 15:
                let size = Int.random(in: 0...plain.count, using: &random)
                try log.truncate(to: size)
                plain = Array(plain.prefix(size))
                #expect(try log.content == plain)
            case 16, 17: #expect(try log.size() == plain.count)
            default:
                #expect(try log.sync() == SQLITE_OK)
                #expect(try log.content == plain, "after a sync the file contains everything")
            }
        }
        #expect(try log.read(plain.count, at: 0) == plain)
        try log.close()
    }

    @Test("a commit of many pages takes one write for every 31 pages, where SQLite takes two for every page")
    func calls() throws {
        defer { removed() }
        var counts: [String: (calls: Int, bytes: Int)] = [:]
        for vfs in [Disk.name, Disk.gathered] {
            let connection = try Connection(folder + "/" + vfs, vfs: vfs)
            defer { connection.close() }
            #expect(connection.run("PRAGMA journal_mode = WAL; CREATE TABLE t (b BLOB)") == SQLITE_OK)
            Disk.notes.withLock { $0.writes = [] }
            #expect(connection.run("INSERT INTO t VALUES (zeroblob(4096 * 100))") == SQLITE_OK)
            counts[vfs] = Disk.notes.withLock { ($0.writes.count, $0.writes.map(\.count).reduce(0, +)) }
        }
        let (plain, gathered) = (try #require(counts[Disk.name]), try #require(counts[Disk.gathered]))
        #expect(plain.bytes == gathered.bytes)
        let pages = plain.bytes / (4096 + 24)
        #expect(pages > 100)
        #expect(plain.calls == 2 * pages)
        #expect(gathered.calls == (pages + 30) / 31)
    }

    @Test("a process that ends at any write leaves complete commits: all that had returned, and at most the one in progress")
    func ended() throws {
        defer { removed() }
        let (path, folder) = (folder + "/db", folder)
        let connection = try Connection(path, vfs: Disk.gathered)
        // With a cache far smaller than a transaction, SQLite writes pages before the commit.
        let begun = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 20;"
        #expect(connection.run(begun + "CREATE TABLE t (n INTEGER, b BLOB)") == SQLITE_OK)
        let states = Mutex<(answered: Int, files: [(answered: Int, database: Data?, log: Data?)])>((0, []))
        let keep: @Sendable () -> Void = {
            let files = ["", "-wal"].map { FileManager.default.contents(atPath: path + $0) }
            states.withLock { $0.files.append(($0.answered, files[0], files[1])) }
        }
        Disk.notes.withLock { $0.afterWrite = keep }
        for number in 1...12 {
            // Thirty rows of three pages each; every third transaction is rolled back.
            let rows = (0..<30).map { _ in "INSERT INTO t VALUES (\(number), randomblob(12000));" }.joined()
            #expect(connection.run("BEGIN; \(rows) \(number % 3 == 0 ? "ROLLBACK" : "COMMIT")") == SQLITE_OK)
            states.withLock { $0.answered = number }
            keep()
        }
        Disk.notes.withLock { $0.afterWrite = nil }
        connection.close()
        let files = states.withLock { $0.files }
        #expect(files.count > 40, "the pages of a transaction are written in several calls")
        func commits(of number: Int) -> Int { number - number / 3 }
        for (index, state) in files.enumerated() {
            let copy = folder + "/copy\(index)"
            for (name, data) in [("", state.database), ("-wal", state.log)] {
                if let data { try data.write(to: URL(filePath: copy + name)) }
            }
            let opened = try Connection(copy, vfs: nil)
            #expect(try opened.text("PRAGMA integrity_check") == "ok")
            let rows = try #require(Int(try opened.text("SELECT count(*) FROM t")))
            #expect(rows % 30 == 0)
            #expect((commits(of: state.answered)...commits(of: state.answered + 1)).contains(rows / 30), "state \(index)")
            opened.close()
            for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + name) }
        }
    }

    @Test("a commit whose write fails is reported and never written later, and earlier commits are kept", arguments: 0...5)
    func refused(writes: Int) throws {
        defer { removed() }
        let path = folder + "/db"
        let connection = try Connection(path, vfs: Disk.gathered)
        #expect(connection.run("PRAGMA journal_mode = WAL; CREATE TABLE t (b BLOB); INSERT INTO t VALUES ('first')") == SQLITE_OK)
        Disk.notes.withLock { $0.writesLeft = writes }
        let result = connection.run("INSERT INTO t VALUES (zeroblob(4096 * 180))")
        #expect(result == SQLITE_FULL, "the commit needs six writes, and one of them fails")
        Disk.notes.withLock { $0.writesLeft = nil }
        #expect(try connection.text("SELECT count(*) FROM t") == "1")
        let other = try Connection(path, vfs: nil)
        #expect(try other.text("SELECT count(*) FROM t") == "1")
        other.close()
        #expect(connection.run("INSERT INTO t VALUES ('second')") == SQLITE_OK)
        connection.close()
        let opened = try Connection(path, vfs: nil)
        #expect(try opened.text("SELECT group_concat(b) FROM t") == "first,second")
        #expect(try opened.text("PRAGMA integrity_check") == "ok")
        opened.close()
    }

    @Test("the store's connections use the gathering VFS")
    func installed() async throws {
        defer { removed() }
        let database = try TemporaryDatabase()
        let store = try database.open()
        #expect(sqlite3_vfs_find(nil).map { String(cString: $0.pointee.zName) } == GatheringVFS.name)
        try await store.close()
    }
}
