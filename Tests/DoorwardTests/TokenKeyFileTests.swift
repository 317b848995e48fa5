import DoorwardControl
import DoorwardHTTP
import DoorwardTesting
import FoundationEssentials
import Testing

@testable import doorward

@Suite("The token key file") struct TokenKeyFileTests {
    private let folder: TemporaryFolder
    private let store: InMemoryStore
    private let file: TokenKeyFile

    init() throws {
        folder = try TemporaryFolder()
        store = InMemoryStore()
        var configuration = GatewayConfiguration()
        configuration.store.path = "\(folder.path)/doorward.db"
        file = TokenKeyFile(configuration)
    }

    private func refusal() async throws -> String {
        try await #require(throws: CommandFailure.self) { _ = try await file.key(knownTo: StoreGuard(store: store)) }.sentence
    }

    @Test("the key is created at the first start, readable only by its owner, and read at the next start")
    func made() async throws {
        let first = try await file.key(knownTo: StoreGuard(store: store))
        #expect(file.path == "\(folder.path)/doorward.db.signing-key")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try await store.publicKey(for: .accessTokens) == first.publicRepresentation)
        #expect(try await file.key(knownTo: StoreGuard(store: store)).publicRepresentation == first.publicRepresentation)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["doorward.db.signing-key"])
    }

    @Test("the path can be configured")
    func elsewhere() throws {
        var configuration = GatewayConfiguration()
        configuration.auth.signingKeyFile = "/etc/doorward/key"
        #expect(TokenKeyFile(configuration).path == "/etc/doorward/key")
    }

    @Test("a key created before the database stored its public key is accepted")
    func adopted() async throws {
        let key = try await file.key(knownTo: StoreGuard(store: InMemoryStore()))
        #expect(try await file.key(knownTo: StoreGuard(store: store)).publicRepresentation == key.publicRepresentation)
        #expect(try await store.publicKey(for: .accessTokens) == key.publicRepresentation)
    }

    @Test("a missing key that the database knows stops the start, and no new key is created")
    func missing() async throws {
        _ = try await file.key(knownTo: StoreGuard(store: store))
        try FileManager.default.removeItem(atPath: file.path)
        #expect(try await refusal().contains("is missing"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("the key of another database stops the start")
    func foreign() async throws {
        _ = try await file.key(knownTo: StoreGuard(store: store))
        try FileManager.default.removeItem(atPath: file.path)
        _ = try await file.key(knownTo: StoreGuard(store: InMemoryStore()))
        #expect(try await refusal().contains("not the key that the database was used with"))
    }

    @Test("a key that others can read stops the start", arguments: [0o640, 0o604, 0o660])
    func readable(_ mode: Int) async throws {
        _ = try await file.key(knownTo: StoreGuard(store: store))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        #expect(try await refusal().contains("run `chmod 600 \(file.path)`. Whoever has read it can make access tokens"))
    }

    @Test("a key path that cannot be checked is reported, and no key is created elsewhere")
    func unreachable() async throws {
        let plain = "\(folder.path)/plain"
        try Data().write(to: URL(filePath: plain))
        var configuration = GatewayConfiguration()
        configuration.auth.signingKeyFile = "\(plain)/key"
        let error = try await #require(throws: CommandFailure.self) {
            _ = try await TokenKeyFile(configuration).key(knownTo: StoreGuard(store: store))
        }
        #expect(error.sentence.contains("cannot check for the token signing key: Not a directory; make the folder readable"))
    }

    @Test("a file without a valid key stops the start", arguments: ["", "nonsense", "AAAA\n"])
    func broken(_ text: String) async throws {
        _ = try await file.key(knownTo: StoreGuard(store: store))
        try Data(text.utf8).write(to: URL(filePath: file.path))
        #expect(try await refusal().contains("contains no key"))
    }

    @Test("a missing folder is reported")
    func noFolder() async throws {
        var configuration = GatewayConfiguration()
        configuration.auth.signingKeyFile = "\(folder.path)/none/key"
        let error = try await #require(throws: CommandFailure.self) {
            _ = try await TokenKeyFile(configuration).key(knownTo: StoreGuard(store: store))
        }
        #expect(error.sentence.contains("cannot be written here: No such file or directory"))
    }
}
