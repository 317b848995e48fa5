import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Synchronization
import Testing

@Suite struct GroupCommitTests {
    @Test("Transactions that wait for a flush share the next one, up to the maximum per flush", arguments: [1, 7, 64])
    func sharedFlush(bound: Int) async throws {
        let database = try TemporaryDatabase()
        let gate = FlushGate(openingAfter: 128)
        var limits = TemporaryDatabase.limits
        limits.transactionsPerFlush = bound
        let store = try database.open(limits: limits, hooks: gate.hooks())
        var script = StoreScript(seed: 1)
        let transactions = (0..<128).map { _ in StoreTransaction(records: [PendingRecord(script.gatewayEvent())]) }
        let places = try await withThrowingTaskGroup(of: [RecordPosition].self) { group in
            for transaction in transactions { group.addTask { try await store.commit(transaction) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(places.map(\.seq)) == Set(0..<128))
        #expect(gate.sizes.reduce(0, +) == 128)
        #expect(gate.sizes.allSatisfy { (1...bound).contains($0) })
        // All later transactions waited for the first flush, so every other flush except the last is full.
        #expect(gate.sizes.dropFirst().dropLast().allSatisfy { $0 == bound })
        #expect(gate.sizes.count <= 1 + (127 + bound - 1) / bound)
        try await store.close()
    }

    @Test("Of the transactions that share a flush, only those that violate a constraint are rolled back")
    func refusedAlone() async throws {
        let database = try TemporaryDatabase()
        let gate = FlushGate(openingAfter: 40)
        let store = try database.open(hooks: gate.hooks())
        var script = StoreScript(seed: 2)
        let good = (0..<20).map { _ in StoreTransaction(records: [PendingRecord(script.gatewayEvent())]) }
        let bad = (0..<20).map { _ in
            StoreTransaction(
                commands: [.end(script.confirmed(script.command(on: script.door)))],
                records: [PendingRecord(script.gatewayEvent()), PendingRecord(script.event(on: script.door))])
        }
        let results = await withTaskGroup(of: Result<[RecordPosition], StoreError>.self) { group in
            for transaction in zip(good, bad).flatMap({ [$0, $1] }) {
                group.addTask { await Result { () async throws(StoreError) in try await store.commit(transaction) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let taken = results.compactMap { try? $0.get() }.flatMap { $0 }
        #expect(Set(taken.map(\.seq)) == Set(0..<20))
        #expect(results.filter { if case .failure(.refused(.commandUnknown)) = $0 { true } else { false } }.count == 20)
        try await store.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.sizes == [.gateway: 20])
        #expect(logs.faults.isEmpty)
    }

    @Test("If a rejected transaction makes its batch start again, the keys of the accepted records are still stored")
    func keysOfBatchBegunAnew() async throws {
        let database = try TemporaryDatabase()
        let gate = FlushGate()
        let store = try database.open(hooks: gate.hooks())
        var script = StoreScript(seed: 5)
        gate.open()
        _ = try await store.commit(script.tenancy)
        // All records name one person. The first record in each log creates the person's key, and its transaction is rejected.
        let good = (0..<8).map { index in script.begin(script.command(on: index < 4 ? script.door : script.otherDoor)) }
        let bad = good.map { StoreTransaction(commands: [.end(script.command(on: script.door))], records: $0.records) }
        await withTaskGroup(of: Void.self) { group in
            for transaction in zip(bad, good).flatMap({ [$0, $1] }) { group.addTask { _ = try? await store.commit(transaction) } }
        }
        try await store.close()
        let reopened = try database.open()
        let scopes = [script.portfolio, script.otherPortfolio].map { RecordScope.portfolioLog($0) }
        let names = try await reopened.records(RecordQuery(scopes: scopes, limit: 20)).map(\.body.actor.name)
        #expect(names == Array(repeating: "Ada Lovelace", count: 8))
        try await reopened.close()
    }

    @Test("Transactions take effect in the order of the calls to `commit`")
    func order() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 3)
        for seq in 0..<50 {
            let transaction = StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
            #expect(try await store.commit(transaction).map(\.seq) == [UInt64(seq)])
        }
        try await store.close()
    }

    @Test("Transactions that were queued before the store is closed are written, and a later one is rejected")
    func closing() async throws {
        let database = try TemporaryDatabase()
        let gate = FlushGate()
        let store = try database.open(hooks: gate.hooks())
        var script = StoreScript(seed: 5)
        let transactions = (0..<4).map { _ in StoreTransaction(records: [PendingRecord(script.gatewayEvent())]) }
        let first = Task { try await store.commit(transactions[0]) }
        await gate.untilHeld()
        // The flush of the first is held back, so these wait in the queue.
        let waiting = transactions[1...2].map { transaction in Task { try await store.commit(transaction) } }
        while gate.accepted.load(ordering: .acquiring) < 3 { await Task.yield() }
        let closing = Task { try await store.close() }
        gate.open()
        for task in [first] + waiting { #expect(try await task.value.count == 1) }
        try await closing.value
        let late = await Result { () async throws(StoreError) in try await store.commit(transactions[3]) }
        #expect(late == .failure(.unavailable))
        #expect(try StoredLogs(path: database.path).sizes == [.gateway: 3])
    }

    @Test("If the queue is full, further transactions are rejected, and queued ones are not")
    func fullQueue() async throws {
        let database = try TemporaryDatabase()
        let gate = FlushGate()
        var limits = TemporaryDatabase.limits
        (limits.queuedTransactions, limits.transactionsPerFlush) = (5, 1)
        let store = try database.open(limits: limits, hooks: gate.hooks())
        var script = StoreScript(seed: 4)
        let transactions = (0..<40).map { _ in StoreTransaction(records: [PendingRecord(script.gatewayEvent())]) }
        let results = await withTaskGroup(of: Result<[RecordPosition], StoreError>.self) { group in
            for transaction in transactions {
                group.addTask { await Result { () async throws(StoreError) in try await store.commit(transaction) } }
            }
            var results: [Result<[RecordPosition], StoreError>] = []
            for await result in group {
                results.append(result)
                // While the gate is closed only rejected transactions return; at most six are accepted.
                if results.count == 34 { gate.open() }
            }
            return results
        }
        let taken = results.compactMap { try? $0.get() }
        #expect(results.filter { $0 == .failure(.unavailable) }.count + taken.count == 40)
        #expect(taken.count >= 5)
        #expect(results.prefix(34).allSatisfy { $0 == .failure(.unavailable) })
        try await store.close()
        #expect(try StoredLogs(path: database.path).sizes == [.gateway: taken.count])
    }
}

extension Result where Failure == StoreError {
    init(_ body: () async throws(StoreError) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
