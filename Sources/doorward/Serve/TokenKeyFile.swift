import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import FoundationEssentials
import Glibc

/// The file with the key that signs access tokens: 32 bytes in base64, mode 0600, created at the first start.
///
/// The store contains the public half. The gateway does not start if the store has a public half and the file is missing or
/// contains another key. Otherwise the replacement of the key, for example by an attacker, would remain unnoticed.
struct TokenKeyFile {
    let path: String

    /// Uses a file in the database's folder unless the configuration contains another path.
    init(_ configuration: GatewayConfiguration) {
        path = configuration.auth.signingKeyFile ?? "\(configuration.store.path).signing-key"
    }

    /// Whether the file exists.
    ///
    /// - Throws: an error for a file that other users can read or that contains no key.
    func check() throws -> Bool {
        guard let mode = try fileMode() else { return false }
        try requirePrivate(mode)
        _ = try read()
        return true
    }

    /// Reads or creates the key, and writes its public half to the store if the store has none.
    func key(knownTo storeGuard: StoreGuard, random: RandomSource = RandomSource()) async throws -> TokenKey {
        let known = try await storeGuard.credentials.publicKey(for: .accessTokens)
        guard let mode = try fileMode() else {
            guard known == nil else {
                throw CommandFailure(
                    "\(path): the key that signs access tokens is missing, but the database was used with one; restore the file, "
                        + "or name the place where it is as auth.signingKeyFile")
            }
            let key = try TokenKey(random: random)
            try write(key)
            try await note(key, in: storeGuard)
            return key
        }
        try requirePrivate(mode)
        let key = try read()
        if known == nil { try await note(key, in: storeGuard) }
        guard known == nil || known == key.publicRepresentation else {
            throw CommandFailure(
                "\(path): this is not the key that the database was used with; restore the file that belongs to it")
        }
        return key
    }

    private func note(_ key: TokenKey, in storeGuard: StoreGuard) async throws {
        try await storeGuard.write(
            StoreTransaction(credentials: [.noteKey(.accessTokens, publicHalf: key.publicRepresentation)]))
    }

    private func requirePrivate(_ mode: mode_t) throws {
        guard mode & 0o077 == 0 else {
            throw CommandFailure(
                "\(path): others than its owner can read this key; run `chmod 600 \(path)`. Whoever has read it can make access "
                    + "tokens, and this version cannot exchange the key: docs/operating.md says what to do then")
        }
    }

    /// Returns the file's mode; `nil` if there is no such file.
    private func fileMode() throws -> mode_t? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason = errno
            if reason == ENOENT { return nil }
            throw CommandFailure(
                "\(path): cannot check for the token signing key: \(String(cString: strerror(reason))); "
                    + "make the folder readable, or name another file as auth.signingKeyFile")
        }
        return status.st_mode
    }

    private func read() throws -> TokenKey {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let data = Data(base64Encoded: text.filter { !$0.isNewline }),
            let key = try? TokenKey(rawRepresentation: Secret(Array(data)))
        else {
            throw CommandFailure("\(path): this file contains no key of Doorward; restore it from a copy")
        }
        return key
    }

    /// Writes the key to a temporary file, syncs it, and then renames it. The key is durable on return, and the file is never
    /// visible half written.
    private func write(_ key: TokenKey) throws {
        let draft = "\(path).new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        let text = Data(key.rawRepresentation.reveal()).base64EncodedString() + "\n"
        let written = text.withCString { Glibc.write(file, $0, text.utf8.count) }
        guard written == text.utf8.count, fsync(file) == 0, rename(draft, path) == 0 else { throw failure() }
        try syncFolder()
    }

    private func syncFolder() throws {
        let folder = open(path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) + "/" : ".", O_RDONLY)
        guard folder >= 0 else { throw failure() }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure() }
    }

    private func failure() -> CommandFailure {
        CommandFailure("\(path): the key that signs access tokens cannot be written here: \(String(cString: strerror(errno)))")
    }
}
