import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel

/// Concurrent changes of the tenancy are applied one after the other, each of them completely.
@Suite struct WriterTests {
    /// Returns the tenancy as stored, as another process would read it now.
    private static func reread(_ store: InMemoryStore) async throws -> TenancyDirectory {
        var directory = TenancyDirectory()
        try await store.loadTenancy { directory.apply($0) }
        return directory
    }

    @Test("a hundred units created concurrently are all in memory and in the store, and each is recorded once in both logs")
    func manyUnits() async throws {
        let staff = try await Staff()
        let owner = try staff.caller(.owner)
        let made = try await withThrowingTaskGroup(of: UnitID?.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let new = NewUnit(name: "\(number)", tenants: [try staff.user(.stranger)], devices: [])
                    return try await staff.control.portfolios.createUnit(owner, in: staff.property, new, repeatable: nil)
                        .executed?
                        .id
                }
            }
            return try await group.reduce(into: Set<UnitID>()) { if let id = $1 { $0.insert(id) } }
        }
        #expect(made.count == 100)
        for directory in [staff.control.directory.current, try await Self.reread(staff.store)] {
            #expect(made.isSubset(of: directory.unitIDs(of: staff.property)))
            #expect(directory.associations(of: try staff.user(.stranger)).count == 100)
        }
        for log in [LogID.gateway, .portfolio(staff.portfolio)] {
            let records = staff.store.log(log)
            #expect(records.count { $0.body.action == .create } == 100)
            #expect(records.count { $0.body.action == .assign } == 100)
            #expect(records.enumerated().allSatisfy { $0.offset == Int($0.element.seq) })
        }
    }

    @Test("assigning the same role many times concurrently creates one association", arguments: 0..<10)
    func sameRole(round: UInt64) async throws {
        let staff = try await Staff(seed: round)
        let (owner, stranger) = (try staff.caller(.owner), try staff.user(.stranger))
        let ids = try await withThrowingTaskGroup(of: AssociationID.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try await staff.control.roles.assign(owner, .tenant, to: stranger, on: .unit(staff.unit)).id
                }
            }
            return try await group.reduce(into: Set<AssociationID>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try await Self.reread(staff.store).associations(of: stranger).map(\.id) == Array(ids))
    }

    @Test("if two owners remove each other concurrently, one remains", arguments: 0..<30)
    func lastOwners(round: UInt64) async throws {
        let staff = try await Staff(seed: round)
        let (owner, other) = (try staff.caller(.owner), try staff.caller(.stranger))
        let entity = AssociatedEntity.portfolio(staff.portfolio)
        let (ownerID, otherID) = (try staff.user(.owner), try staff.user(.stranger))
        _ = try await staff.control.roles.assign(owner, .owner, to: otherID, on: entity)
        async let first = staff.verdict { try await staff.control.roles.remove(owner, otherID, from: entity) }
        async let second = staff.verdict { try await staff.control.roles.remove(other, ownerID, from: entity) }
        let verdicts = await [first, second]
        #expect(verdicts.count { $0 == .done } == 1, "\(verdicts)")
        let owners = try await Self.reread(staff.store).associations(on: entity).filter { $0.role == .owner }
        #expect(owners.count == 1)
        #expect(staff.control.directory.current.associations(on: entity).filter { $0.role == .owner } == owners)
    }

    @Test("if several requests create a user with the same address concurrently, one succeeds", arguments: 0..<5)
    func sameAddress(round: UInt64) async throws {
        let staff = try await Staff(seed: round)
        let root = try staff.caller(.superAdmin)
        let verdicts = await withTaskGroup(of: Staff.Verdict.self) { group in
            for number in 0..<6 {
                group.addTask {
                    await staff.verdict {
                        let new = NewUser(
                            email: number.isMultiple(of: 2) ? "a@example.com" : "A@Example.com", firstName: "A", lastName: "",
                            password: Secret("a long enough passphrase"))
                        _ = try await staff.control.users.create(root, new, repeatable: nil)
                    }
                }
            }
            return await group.reduce(into: [Staff.Verdict]()) { $0.append($1) }
        }
        #expect(verdicts.count { $0 == .done } == 1)
        let directory = try await Self.reread(staff.store)
        #expect(directory.userIDs.count == Staff.Person.allCases.count + 1)
    }

    @Test("a change that the store did not write does not take effect")
    func refusedByTheStore() async throws {
        let staff = try await Staff()
        let (owner, stranger) = (try staff.caller(.owner), try staff.user(.stranger))
        for error in [StoreError.refused(.parentUnknown), .failed("disk I/O error")] {
            staff.store.failNext(error)
            let failed = await failure {
                _ = try await staff.control.roles.assign(owner, .tenant, to: stranger, on: .unit(staff.unit))
            }
            #expect(failed != nil)
            #expect(staff.control.directory.current.associations(of: stranger).isEmpty)
        }
    }

    @Test("readers see each change completely or not at all while changes are published")
    func wholeSnapshots() async {
        let published = CurrentDirectory(feed: ChangeFeed(clock: VirtualClock()))
        let at = Timestamp(milliseconds: 0)
        let halves = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                var directory = TenancyDirectory()
                for number in 1...500 as ClosedRange<UInt64> {
                    // Each change adds a portfolio and a user.
                    let portfolio = Portfolio(id: PortfolioID(high: 1, low: number), name: "P", createdAt: at, updatedAt: at)
                    directory.apply(.putPortfolio(portfolio))
                    let user = User(
                        id: UserID(high: 1, low: number), email: "\(number)@example.com", firstName: "U", lastName: "",
                        createdAt: at,
                        updatedAt: at)
                    directory.apply(.putUser(user))
                    published.publish(directory, after: nil)
                }
                return 0
            }
            for _ in 0..<4 {
                group.addTask {
                    var halves = 0
                    var last = 0
                    while last < 500 {
                        let seen = published.current
                        if seen.portfolioIDs.count != seen.userIDs.count || seen.userIDs.count < last { halves += 1 }
                        last = seen.userIDs.count
                        await Task.yield()
                    }
                    return halves
                }
            }
            return await group.reduce(0, +)
        }
        #expect(halves == 0)
    }
}
