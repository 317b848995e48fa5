import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import DoorwardTesting
import Testing

@Suite struct TenancyTests {
    @Test("After random changes a reopened store loads the same tenancy", arguments: 1...12 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let changes = RandomTenancy(seed: seed, steps: 150).changes
        var random = SeededGenerator(seed: seed)
        let store = try database.open()
        var rest = changes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...20, using: &random)
            _ = try await store.commit(StoreTransaction(changes: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        try await store.close()

        var loaded: [TenancyChange] = []
        let reopened = try database.open()
        try await reopened.loadTenancy { loaded.append($0) }
        try await reopened.close()
        #expect(Set(loaded) == lastForms(of: changes))
        #expect(loaded.count == Set(loaded).count)
        #expect(rank(loaded) == rank(loaded).sorted(), "parents are loaded before children")
    }

    /// Returns the last version of each entity that was not removed, computed naively from the same changes.
    private func lastForms(of changes: [TenancyChange]) -> Set<TenancyChange> {
        var forms: [String: TenancyChange] = [:]
        for change in changes {
            switch change {
            case .putPortfolio(let value): forms["portfolio \(value.id)"] = change
            case .putProperty(let value): forms["property \(value.id)"] = change
            case .putUnit(let value): forms["unit \(value.id)"] = change
            case .putDevice(let value): forms["device \(value.id)"] = change
            case .removePortfolio(let id): forms["portfolio \(id)"] = nil
            case .removeProperty(let id): forms["property \(id)"] = nil
            case .removeUnit(let id): forms["unit \(id)"] = nil
            case .removeDevice(let id): forms["device \(id)"] = nil
            // The tombstone of a user is loaded as the removal.
            case .removeUser(let id): forms["user \(id)"] = change
            case .removeGuestAccess(let id):
                forms["guest \(id)"] = nil
                forms["link \(id)"] = nil
            case .putUser(let value): forms["user \(value.id)"] = change
            case .putAssociation(let value): forms["association \(value.id)"] = change
            case .removeAssociation(let id): forms["association \(id)"] = nil
            case .putGuestAccess(let value): forms["guest \(value.id)"] = change
            case .putAPIKey(let value): forms["key \(value.id)"] = change
            case .removeAPIKey(let id): forms["key \(id)"] = nil
            case .putInvitation(let value): forms["invitation \(value.id)"] = change
            case .removeInvitation(let id): forms["invitation \(id)"] = nil
            case .putGuestLink(let value): forms["link \(value.accessID)"] = change
            case .removeGuestLink(let id): forms["link \(id)"] = nil
            }
        }
        return Set(forms.values)
    }

    private func rank(_ changes: [TenancyChange]) -> [Int] {
        changes.map { change in
            switch change {
            case .putPortfolio, .removePortfolio: 0
            case .putProperty, .removeProperty: 1
            case .putUnit, .removeUnit: 2
            case .putDevice, .removeDevice: 3
            case .putUser: 4
            case .putAssociation, .removeAssociation: 5
            case .putGuestAccess, .removeGuestAccess: 6
            case .removeUser: 7
            case .putAPIKey, .removeAPIKey: 8
            case .putInvitation, .removeInvitation: 9
            case .putGuestLink, .removeGuestLink: 10
            }
        }
    }

    @Test("A table is loaded completely, whether or not its last page is full", arguments: [0, 1, 4095, 4096, 4097])
    func pages(count: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var world = TenancyFixture(seed: 1)
        for index in 0..<count { _ = world.portfolio("Portfolio \(index)") }
        _ = try await store.commit(StoreTransaction(changes: world.changes))
        var loaded: [TenancyChange] = []
        try await store.loadTenancy { loaded.append($0) }
        #expect(loaded.count == count)
        #expect(Set(loaded) == Set(world.changes))
        try await store.close()
    }

    @Test("An error thrown by the receiver ends the loading")
    func receiverGivesUp() async throws {
        struct Enough: Error {}
        let database = try TemporaryDatabase()
        let store = try database.open()
        _ = try await store.commit(StoreScript(seed: 1).tenancy)
        var received = 0
        let result = await Result { () async throws(StoreError) in
            try await store.loadTenancy { _ in
                received += 1
                if received == 3 { throw Enough() }
            }
        }
        guard case .failure(.failed) = result else {
            Issue.record("the error was swallowed")
            return
        }
        #expect(received == 3)
        try await store.close()
    }
}
