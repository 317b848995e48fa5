import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Logging
import Testing

@testable import DoorwardKernel
@testable import DoorwardRecords

/// A store with two portfolios, and the checkpoints of its logs. No task runs by itself: a test signs when it wants to.
struct CheckpointRig {
    static let gatewayName = "doorward.test"

    var script: StoreScript
    let clock = VirtualClock()
    var store = InMemoryStore()
    let files = InMemoryCheckpoints()
    private let random = RandomSource(SeededGenerator(seed: 0xC4EC))
    let lines = Seen<[String]>()

    init(seed: UInt64 = 31) async throws {
        script = StoreScript(seed: seed)
        _ = try await store.commit(script.tenancy)
        try await noteKey()
    }

    func noteKey() async throws {
        _ = try await store.commit(
            StoreTransaction(credentials: [.noteKey(.checkpoints, publicHalf: try signer.verifierKey.key)]))
    }

    var signer: NoteSigner {
        get throws { try NoteSigner(name: Self.gatewayName, seed: files.key.reveal()) }
    }

    var logs: [LogID] { [.gateway, .portfolio(script.portfolio), .portfolio(script.otherPortfolio)] }

    func setup(gatewayName: String = gatewayName) throws -> AuditSetup {
        try AuditSetup(gatewayName: gatewayName, key: files.key, keys: files, storage: files)
    }

    /// Makes the checkpoints of a new process, which has not started yet.
    func process(gatewayName: String = gatewayName) throws -> Checkpoints {
        let lines = lines
        return Checkpoints(
            storeGuard: StoreGuard(store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
            setup: try setup(gatewayName: gatewayName), clock: clock, random: random,
            logger: Logger(label: "test") { _ in LineHandler { line in lines.value = (lines.value ?? []) + [line] } })
    }

    /// Makes the checkpoints of a new process, and starts them.
    func started() async throws -> Checkpoints {
        let checkpoints = try process()
        try await checkpoints.start()
        return checkpoints
    }

    /// Appends records to a log.
    mutating func append(_ count: Int, to log: LogID) async throws {
        let records = (0..<count).map { _ in
            var body = log == .gateway ? script.gatewayEvent() : script.event(on: script.door)
            body.log = log
            return PendingRecord(body)
        }
        _ = try await store.commit(StoreTransaction(records: records))
    }

    /// The first contradiction with which a start is refused; `nil` if it is not.
    func refusal() async throws -> CheckpointMismatch? {
        do {
            _ = try await started()
            return nil
        } catch let error as RollbackError {
            #expect(error.description.hasSuffix("run `doorward store recover --accept-rollback`"))
            #expect(error.description.hasPrefix("memory.checkpoints: \(error.mismatches[0].description)"))
            return error.mismatches[0]
        }
    }

    /// The entries of everything that was ever written to the file.
    var everWritten: [CheckpointJournal.Entry] { CheckpointJournal(parsing: files.written).entries }

    /// The checkpoints in the records of the gateway's log, which have one each or an array of them.
    var recordedCheckpoints: [RecordValue] {
        store.log(.gateway).map(\.body).filter { $0.event == .checkpoint }.flatMap { body -> [RecordValue] in
            if case .array(let all)? = body.details["checkpoints"] { all } else { [.object(body.details)] }
        }
    }

    /// The root over the first records of a log by the definition, from the records' bytes.
    func naiveRoot(of log: LogID, size: UInt64) async throws -> [UInt8] {
        let entries = try await store.range(of: log, from: 0, limit: Int(size))?.entries ?? []
        #expect(entries.count == Int(size))
        return MerkleTree.root(ofLeafHashes: entries.map { MerkleTree.leafHash($0.bytes) })
    }

    private struct LineHandler: LogHandler {
        let write: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { write("\(event.level): \(event.message)") }
    }
}
