import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

@testable import doorward

@Suite("The files of the signing keys") struct SigningKeyFileTests {
    private let folder: TemporaryFolder
    private let store: InMemoryStore
    private let file: SigningKeyFile

    init() throws {
        folder = try TemporaryFolder()
        store = InMemoryStore()
        var configuration = GatewayConfiguration()
        configuration.store.path = "\(folder.path)/doorward.db"
        file = SigningKeyFile.accessTokens(configuration)
    }

    private func publicHalf(_ seed: Secret<[UInt8]>) throws -> [UInt8] {
        try NoteSigner(name: "test", seed: seed.reveal()).verifierKey.key
    }

    private func refusal() async throws -> String {
        try await #require(throws: CommandFailure.self) { _ = try await file.seed(knownTo: StoreGuard(store: store)) }.sentence
    }

    @Test("the key is created at the first start, readable only by its owner, and read at the next start")
    func made() async throws {
        let first = try await file.seed(knownTo: StoreGuard(store: store))
        #expect(file.path == "\(folder.path)/doorward.db.signing-key")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try await store.publicKey(for: .accessTokens) == publicHalf(first))
        #expect(try await file.seed(knownTo: StoreGuard(store: store)).reveal() == first.reveal())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["doorward.db.signing-key"])
    }

    @Test("the path can be configured")
    func elsewhere() throws {
        var configuration = GatewayConfiguration()
        configuration.signingKeyFile = "/etc/doorward/key"
        #expect(SigningKeyFile.accessTokens(configuration).path == "/etc/doorward/key")
    }

    @Test("a key created before the database stored its public key is accepted")
    func adopted() async throws {
        let key = try await file.seed(knownTo: StoreGuard(store: InMemoryStore()))
        #expect(try await file.seed(knownTo: StoreGuard(store: store)).reveal() == key.reveal())
        #expect(try await store.publicKey(for: .accessTokens) == publicHalf(key))
    }

    @Test("a missing key that the database knows stops the start, and no new key is created")
    func missing() async throws {
        _ = try await file.seed(knownTo: StoreGuard(store: store))
        try FileManager.default.removeItem(atPath: file.path)
        #expect(try await refusal().contains("is missing"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("the key of another database stops the start")
    func foreign() async throws {
        _ = try await file.seed(knownTo: StoreGuard(store: store))
        try FileManager.default.removeItem(atPath: file.path)
        _ = try await file.seed(knownTo: StoreGuard(store: InMemoryStore()))
        #expect(try await refusal().contains("not the key that the database was used with"))
    }

    @Test("a key that others can read stops the start", arguments: [0o640, 0o604, 0o660])
    func readable(_ mode: Int) async throws {
        _ = try await file.seed(knownTo: StoreGuard(store: store))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        #expect(try await refusal().contains("run `chmod 600 \(file.path)`. Whoever has read it can make access tokens"))
    }

    @Test("a key path that cannot be checked is reported, and no key is created elsewhere")
    func unreachable() async throws {
        let plain = "\(folder.path)/plain"
        try Data().write(to: URL(filePath: plain))
        var configuration = GatewayConfiguration()
        configuration.signingKeyFile = "\(plain)/key"
        let error = try await #require(throws: CommandFailure.self) {
            _ = try await SigningKeyFile.accessTokens(configuration).seed(knownTo: StoreGuard(store: store))
        }
        #expect(
            error.sentence.contains(
                "cannot check for the key that signs access tokens: a part of the path is a file and not a folder"))
    }

    @Test("a file without a valid key stops the start", arguments: ["", "nonsense", "AAAA\n"])
    func broken(_ text: String) async throws {
        _ = try await file.seed(knownTo: StoreGuard(store: store))
        try Data(text.utf8).write(to: URL(filePath: file.path))
        #expect(try await refusal().contains("contains no key"))
    }

    @Test("a missing folder is reported")
    func noFolder() async throws {
        var configuration = GatewayConfiguration()
        configuration.signingKeyFile = "\(folder.path)/none/key"
        let error = try await #require(throws: CommandFailure.self) {
            _ = try await SigningKeyFile.accessTokens(configuration).seed(knownTo: StoreGuard(store: store))
        }
        #expect(
            error.sentence.contains("cannot be written here: there is no such file or folder; create it, or correct the path"))
    }

    // MARK: The key of the checkpoints

    private var audit: SigningKeyFile {
        var configuration = GatewayConfiguration()
        configuration.store.path = "\(folder.path)/doorward.db"
        return .checkpoints(configuration)
    }

    private func keys() async throws -> [[UInt8]] { try await store.publicKeys(for: .checkpoints) }

    @Test("the key of the checkpoints has a file of its own, and its messages name its own setting")
    func auditKey() async throws {
        let (tokens, checkpoints) = (
            try await file.seed(knownTo: StoreGuard(store: store)), try await audit.seed(knownTo: StoreGuard(store: store))
        )
        #expect(audit.path == "\(folder.path)/doorward.db.audit-key")
        #expect(tokens.reveal() != checkpoints.reveal())
        try FileManager.default.removeItem(atPath: audit.path)
        let error = try await #require(throws: CommandFailure.self) {
            _ = try await audit.seed(knownTo: StoreGuard(store: store))
        }
        #expect(error.sentence.contains("the key that signs checkpoints of the access log is missing"))
        #expect(error.sentence.contains("as audit.keyFile"))
    }

    @Test("a replacement of the key that was interrupted is completed if the store knows the new key, else discarded")
    func replacement() async throws {
        let first = try await audit.seed(knownTo: StoreGuard(store: store))
        let second = Secret([UInt8](repeating: 9, count: 32))
        try await audit.stage(second)
        // The process ended before the store knew the new key.
        #expect(try await audit.seed(knownTo: StoreGuard(store: store)).reveal() == first.reveal())
        #expect(!FileManager.default.fileExists(atPath: audit.path + ".new"))
        // The process ended after the store knew the new key, and before the file was renamed.
        try await audit.stage(second)
        try await audit.note(second, in: StoreGuard(store: store))
        #expect(try await audit.seed(knownTo: StoreGuard(store: store)).reveal() == second.reveal())
        #expect(!FileManager.default.fileExists(atPath: audit.path + ".new"))
        #expect(try await keys() == [publicHalf(first), publicHalf(second)])
        #expect(try FileManager.default.attributesOfItem(atPath: audit.path)[.posixPermissions] as? Int == 0o600)
    }
}
