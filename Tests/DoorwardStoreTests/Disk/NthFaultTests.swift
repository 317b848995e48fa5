import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import GRDBSQLite
import Testing

@testable import DoorwardStore

/// A gateway over a database on a disk of which the Nth write or flush fails, for every N in the life of a command.
@Suite(.timeLimit(.minutes(60))) struct NthFaultTests {
    enum Fault: CaseIterable, Sendable {
        case failedWrite, failedFlush, fullDisk, swallowedWrite

        var isFlush: Bool { self == .failedFlush }

        var outcome: DiskRecorder.Outcome {
            switch self {
            case .failedWrite: .error(SQLITE_IOERR | 3 << 8)
            case .failedFlush: .error(SQLITE_IOERR | 4 << 8)
            case .fullDisk: .torn(SQLITE_FULL)
            case .swallowedWrite: .swallowed
            }
        }
    }

    private struct Result {
        var hits = 0
        /// Commands that were not sent, because their intent was not durable.
        var unsent = 0
        var violations: [String] = []
    }

    /// A closed database with a house: a tenant, a door, and one record.
    private struct House {
        var database: TemporaryDatabase
        let door: DeviceID
        let tenant: UserID
        let known: RecordID

        init() async throws {
            database = try TemporaryDatabase()
            var world = TenancyFixture(seed: 7, createdAt: database.clock.now())
            let portfolio = world.portfolio("Oak Street")
            let unit = world.unit("2B", in: world.property("No. 5", in: portfolio))
            door = world.device("Flat door", in: .unit(unit))
            tenant = world.user("Tom", lastName: "Tenant")
            world.assign(tenant, .tenant, .unit(unit))
            var script = StoreScript(seed: 9)
            let event = script.gatewayEvent()
            known = event.id
            let store = try database.open()
            _ = try await store.commit(StoreTransaction(changes: world.changes))
            _ = try await store.commit(StoreTransaction(records: [PendingRecord(event)]))
            try await store.close()
        }

        /// The house in another file.
        func copied() throws -> House {
            var copy = self
            copy.database = try TemporaryDatabase()
            for suffix in ["", ".person-keys"] {
                try FileManager.default.copyItem(atPath: database.path + suffix, toPath: copy.database.path + suffix)
            }
            return copy
        }
    }

    /// Runs the life of a command with a fault in the operation with this number.
    ///
    /// - Returns: whether the fault was hit.
    private func run(_ fault: Fault, number: Int, in house: House, _ result: inout Result) async throws -> Bool {
        let recorder = try DiskRecorder(house.database.path)
        defer { recorder.stop() }
        var limits = TemporaryDatabase.limits
        limits.pagesPerCheckpoint = 5
        recorder.fail(number, isFlush: fault.isFlush, fault.outcome)
        func report(_ violation: String) { result.violations.append("\(fault) \(number): \(violation)") }
        let adapter = ScriptedAdapter(clock: house.database.clock)
        var answered: Command?
        if let store = try? house.database.open(limits: limits) {
            var gatewayLimits = GatewayControl.Limits()
            gatewayLimits.passwordCost = 10
            let control = GatewayControl(
                store: store, adapters: [adapter], clock: house.database.clock, random: RandomSource(SeededGenerator(seed: 3)),
                limits: gatewayLimits)
            if (try? await control.start()) != nil {
                let before = recorder.hits
                let request = CommandRequest(
                    caller: Caller(userID: house.tenant), deviceID: house.door, attemptedID: house.door.description,
                    operation: .unlock, timeout: .seconds(10))
                answered = try? await control.locks.begin(request).executed?.finished.command
                if recorder.hits > before, fault != .swallowedWrite {
                    // The disk is still failing: health says so, and reading goes on.
                    if await control.isReadyToServe { report("the gateway is ready, although its disk fails") }
                    if try await store.record(house.known) == nil { report("a record cannot be read any more") }
                    if answered == nil, adapter.sentCommands.isEmpty { result.unsent += 1 }
                }
            }
            recorder.recover()
            house.database.clock.advance(by: limits.maxRetryDelay)
            await control.stop()
            try? await store.close()
        }
        recorder.stop()
        let sent = adapter.sentCommands.map(\.command.commandID)
        try await check(house, sent: sent, answered: answered, report)
        result.hits += recorder.hits > 0 ? 1 : 0
        return recorder.hits > 0
    }

    /// Checks the file after the next process has opened it.
    private func check(
        _ house: House, sent: [CommandID], answered: Command?, _ report: (String) -> Void
    ) async throws {
        do {
            let store = try house.database.open()
            for id in sent where try await store.command(id) == nil { report("a command was sent without an intent") }
            if let answered, try await store.command(answered.id)?.command.state != answered.state, answered.state == .confirmed {
                report("an answered outcome is lost")
            }
            if try await store.record(house.known) == nil { report("an earlier record is lost") }
            try await store.close()
            for violation in try Promises().violations(of: house.database.path) { report(violation) }
        } catch {
            report("the next process: \(error)")
        }
    }

    private func sweep(_ fault: Fault) async throws -> Result {
        var (result, number) = (Result(), 1)
        let house = try await House()
        // One violation is enough to find the defect of the layer.
        while fault != .swallowedWrite || result.violations.isEmpty {
            guard try await run(fault, number: number, in: house.copied(), &result) else { break }
            number += 1
        }
        return result
    }

    @Test(
        "whichever write or flush fails in the life of a command, nothing is sent without a durable intent, and nothing is lost",
        arguments: [Fault.failedWrite, .failedFlush, .fullDisk])
    func everyNumber(fault: Fault) async throws {
        let result = try await sweep(fault)
        print("\(fault): \(result.hits) faults hit, \(result.unsent) commands not sent, \(result.violations.count) violations")
        #expect(result.violations.isEmpty)
        #expect(result.hits > 4, "too few operations: nothing was tested")
        #expect(result.unsent > 0, "no fault came before the command was sent")
    }

    @Test("a disk that reports success for writes that it loses is found out")
    func planted() async throws {
        #expect(try await !sweep(.swallowedWrite).violations.isEmpty)
    }
}

extension Answered {
    fileprivate var executed: Value? { isReplay ? nil : value }
}
