internal import FoundationEssentials
internal import Glibc

/// The file that stores a session, readable only by its owner, and the file lock that is held while the session is refreshed.
package struct SessionFile: Sendable {
    /// An absolute path.
    package let path: String

    /// The name of the sign-in.
    package let name: SessionName

    /// - Parameter path: the path of a `.json` file; its folder is created with mode 0700 when a session is stored.
    init(path: String, name: SessionName) { (self.path, self.name) = (path, name) }

    /// Makes the file of the default sign-in in a folder.
    package init(folder: String) { self = SessionFolder(folder).file(.default) }

    private var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    /// Reads the stored session; `nil` if there is none.
    ///
    /// - Throws: `ClientError.sessionFile` if other users can read the file, or if it contains no session.
    package func read() throws(ClientError) -> Session? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("it cannot be opened: \(reason)")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("its owner and mode cannot be read: \(reason)") }
        guard status.st_uid == getuid() else { throw failure("it belongs to another user; remove it and sign in again") }
        guard status.st_mode & 0o077 == 0 else {
            throw failure("others could read it; sign out everywhere, remove it, and sign in again")
        }
        guard let session = try? JSONDecoder().decode(Session.self, from: Data(try bytes(of: file))) else {
            throw failure("it contains no session; remove it and sign in again")
        }
        return session
    }

    private func bytes(of file: Int32) throws(ClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, bytes.count < 1 << 20 else { throw failure("it cannot be read: \(reason)") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Replaces the stored session atomically: a concurrent reader gets the old one or the new one.
    package func write(_ session: Session) throws(ClientError) {
        try makeFolder()
        guard let text = try? JSONEncoder().encode(session) else { throw failure("the session cannot be written as JSON") }
        let draft = "\(path).\(getpid()).new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("it cannot be written: \(reason)") }
        defer { close(file) }
        let written = text.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        // Blocks: the caller's thread, for the flush of one short file of the command line.
        guard written == text.count, fsync(file) == 0, rename(draft, path) == 0 else {
            let why = reason
            unlink(draft)
            throw failure("it cannot be written: \(why)")
        }
    }

    /// Deletes the stored session. Does nothing if there is none.
    package func remove() throws(ClientError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw failure("it cannot be removed: \(reason)") }
    }

    private func makeFolder() throws(ClientError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw failure("its folder cannot be created") }
    }

    // MARK: - Lock

    /// Runs `body` while holding a file lock that excludes other processes. The lock file is beside the session file and is never
    /// deleted.
    package func locked<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try makeFolder()
        let file = open("\(path.dropLast(".json".count)).lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("its lock cannot be opened: \(reason)") }
        // Closing the file releases the lock, as does the end of the process.
        defer { close(file) }
        // Polls, as waiting inside `flock` would block a thread of the cooperative pool.
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("its lock cannot be taken: \(reason)") }
            try await Task.sleep(for: .milliseconds(20))
        }
        return try await body()
    }

    private var reason: String { String(cString: strerror(errno)) }

    private func failure(_ why: String) -> ClientError { .sessionFile(path: path, why: why) }
}
