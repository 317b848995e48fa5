internal import FoundationEssentials
internal import Glibc

/// A signed-in session as it is stored between calls. The description contains no secrets.
package struct Session: Codable, Equatable, Sendable, Confidential {
    /// The gateway that issued the tokens. The tokens are sent to no other gateway.
    package var server: String
    /// Email address of the user; `nil` with an API key.
    package var email: String?
    /// The bearer token: an access token or an API key.
    package var token: String
    /// Seconds since 1970 at which the access token expires by this machine's clock; `nil` with an API key.
    package var expiresAt: Int64?
    /// The refresh token, which is valid for one refresh; `nil` with an API key.
    package var refreshToken: String?
    /// The absolute path of a PEM file; only its certificates are trusted for this gateway. `nil` if the system's certificates
    /// are trusted.
    package var caFile: String?

    /// Makes a session that uses an API key.
    package init(server: ServerAddress, apiKey: String) {
        (self.server, token) = (server.description, apiKey)
    }

    /// - Parameter lifetime: seconds from now until the access token expires.
    package init(server: ServerAddress, email: String?, token: String, lifetime: Int, refreshToken: String) {
        (self.server, self.email, self.token) = (server.description, email, token)
        (expiresAt, self.refreshToken) = (Self.now + Int64(lifetime), refreshToken)
    }

    /// Whether the access token expires within 15 seconds, so that it should not be used.
    var expiresSoon: Bool { expiresAt.map { $0 - Self.now < 15 } ?? false }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// The user and the gateway.
    package var description: String { "\(email ?? "an API key") at \(server)" }
}

/// The file that stores a session, readable only by its owner, and the file lock that is held while the session is refreshed.
package struct SessionFile: Sendable {
    /// An absolute path of a `.json` file; its folder is created with mode 0700 when a session is stored.
    package let path: String

    /// The name of the sign-in.
    package let name: SessionName

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
        var bytes = [UInt8](repeating: 0, count: Int(min(status.st_size, 1 << 20)))
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw failure("it cannot be read: \(reason)") }
        guard let session = try? JSONDecoder().decode(Session.self, from: Data(bytes.prefix(count))) else {
            throw failure("it contains no session; remove it and sign in again")
        }
        return session
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

extension SessionFile {
    /// Makes the file of the default sign-in in a folder.
    package init(folder: String) { self = SessionFolder(folder).file(.default) }
}

/// The stored sign-ins of one person on this machine: `session.json` for the default sign-in, and `sessions/NAME.json` for each
/// named one.
package struct SessionFolder: Sendable {
    /// An absolute path.
    private let path: String

    /// - Parameter path: the folder, which is created when a session is stored.
    package init(_ path: String) { self.path = path }

    /// Returns the file of a sign-in, which need not exist.
    package func file(_ name: SessionName) -> SessionFile {
        SessionFile(path: name == .default ? "\(path)/session.json" : "\(path)/sessions/\(name).json", name: name)
    }

    /// Returns the names of the stored sign-ins, the default one first. Ignores files with other names.
    package func names() -> [SessionName] {
        let files = FileManager.default
        let entries = (try? files.contentsOfDirectory(atPath: "\(path)/sessions")) ?? []
        let named = entries.filter { $0.hasSuffix(".json") }.compactMap { SessionName(String($0.dropLast(".json".count))) }
            .filter { $0 != .default }
        return (files.fileExists(atPath: file(.default).path) ? [.default] : []) + named.sorted()
    }
}

/// The name of one of several sign-ins on a machine: 1 to 64 ASCII letters, digits, hyphens, underscores and dots.
package struct SessionName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as it is typed; upper and lower case differ.
    package let description: String

    /// The sign-in that commands use when no name is given.
    package static let `default` = SessionName(checked: "default")

    /// - Returns: `nil` for any other text, so that no name refers to a file in another folder.
    package init?(_ text: String) {
        let isAllowed = text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar || "-_.".unicodeScalars.contains(scalar))
        }
        guard isAllowed, (1...64).contains(text.utf8.count) else { return nil }
        self.init(checked: text)
    }

    private init(checked: String) { description = checked }

    /// Compares the bytes of the names.
    package static func < (first: Self, second: Self) -> Bool { first.description < second.description }
}
