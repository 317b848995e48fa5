import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting

/// A running adapter that discovers locks on a real broker, and a recorder of its reports.
struct NukiDiscoveryFixture {
    let harness: NukiHarness
    let reports = ReportLog()

    init() async throws {
        harness = try await NukiHarness()
        try await harness.adapter.start(reports: reports)
        try await pass()
    }

    var adapter: any LockAdapter { harness.adapter }

    /// The ids of the discovered locks.
    var discoveredIDs: [String] { adapter.discovered.map(\.id) }

    static func id(_ number: Int) -> DeviceID { DeviceID(high: 0xF0, low: UInt64(number)) }

    func announce(_ number: Int, isPresent: Bool = true) async throws {
        _ = try await harness.announce(number, isPresent: isPresent)
        try await pass()
    }

    /// Attaches the only discovered lock.
    func attachDiscovered(as number: Int) async throws {
        let lock = adapter.discovered.count == 1 ? adapter.discovered[0] : nil
        adapter.attach(AttachedLock(id: Self.id(number), address: lock?.address ?? [:]))
        try await pass()
        harness.nuki.reportState("\(10_000 + number)")
        try await pass()
    }

    func send(_ operation: LockOperation, to number: Int) throws {
        try adapter.send(
            LockCommand(
                commandID: CommandID(high: 0xF1, low: UInt64(number)), deviceID: Self.id(number), operation: operation,
                deadline: harness.clock.now().advanced(by: .seconds(10))))
    }

    func pass() async throws { try await harness.pass(.seconds(1)) }
}
