import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Changes of a user: names, enabling and disabling, default places.
@Suite struct PeopleTests {
    @Test("users can change their own names; only a super admin can change those of others", arguments: Staff.Person.allCases)
    func names(person: Staff.Person) async throws {
        let staff = try await Staff()
        let (caller, own, tenant) = (try staff.caller(person), try staff.user(person), try staff.user(.tenant))
        let verdict = await staff.verdict {
            _ = try await staff.control.users.update(caller, own, UserChanges(lastName: "Renamed"))
        }
        #expect(verdict == .done)
        #expect(staff.control.directory.current.user(own)?.lastName == "Renamed")
        guard person != .tenant else { return }
        let other = await staff.verdict {
            _ = try await staff.control.users.update(caller, tenant, UserChanges(lastName: "Other"))
        }
        let readers: Set<Staff.Person> = [.owner, .portfolioAdmin, .propertyManager]
        #expect(other == (person == .superAdmin ? .done : readers.contains(person) ? .insufficient : .hidden))
        #expect((staff.control.directory.current.user(tenant)?.lastName == "Other") == (person == .superAdmin))
    }

    @Test(
        "only a super admin can enable or disable a user; other users cannot even disable themselves",
        arguments: Staff.Person.allCases)
    func standing(person: Staff.Person) async throws {
        guard person != .superAdmin else { return }
        let staff = try await Staff()
        let (caller, own) = (try staff.caller(person), try staff.user(person))
        let verdict = await staff.verdict {
            _ = try await staff.control.users.update(caller, own, UserChanges(isEnabled: false))
        }
        #expect(verdict == .insufficient)
        #expect(staff.control.directory.current.user(own)?.isEnabled == true)
    }

    @Test("a change without effect writes nothing")
    func nothing() async throws {
        let staff = try await Staff()
        let tenant = try staff.caller(.tenant)
        let before = try #require(staff.control.directory.current.user(staff.user(.tenant)))
        let commits = staff.store.commitCount
        staff.clock.advance(by: .seconds(60))
        let same = UserChanges(firstName: before.firstName, lastName: before.lastName)
        #expect(try await staff.control.users.update(tenant, staff.user(.tenant), same) == before)
        #expect(staff.store.commitCount == commits)
    }

    @Test("a default place must be visible, can be cleared, and is recorded by id")
    func defaults() async throws {
        let staff = try await Staff()
        let tenant = try staff.caller(.tenant)
        let users = staff.control.users
        var changes = UserChanges()
        changes.defaultUnitID = .set(staff.unit)
        #expect(try await users.update(tenant, staff.user(.tenant), changes).defaultUnitID == staff.unit)
        let record = try #require(staff.store.log(.gateway).last?.body)
        #expect(record.details["before"] == .object(["defaultUnitId": .null]))
        #expect(record.details["after"] == .object(["defaultUnitId": .string(staff.unit.description)]))
        for unit in [staff.otherUnit, UnitID(high: 1, low: 1), .nonexistent] {
            changes.defaultUnitID = .set(unit)
            #expect(await staff.verdict { _ = try await users.update(tenant, try staff.user(.tenant), changes) } == .hidden)
        }
        changes.defaultUnitID = .cleared
        #expect(try await users.update(tenant, staff.user(.tenant), changes).defaultUnitID == nil)
    }

    @Test("a name in a record is stored as the user's personal value, so that it is erased with the user")
    func namesInRecords() async throws {
        let staff = try await Staff()
        let tenant = try staff.caller(.tenant)
        _ = try await staff.control.users.update(tenant, staff.user(.tenant), UserChanges(firstName: "Thomas"))
        let record = try #require(staff.store.log(.gateway).last?.body)
        #expect(record.action == .update)
        #expect(record.details["after"] == .object(["firstName": .personal("Thomas", person: tenant.userID)]))
    }

    @Test("a user who is disabled and enabled again has the same rights as before")
    func enabledAgain() async throws {
        let staff = try await Staff()
        let (root, tenant) = (try staff.caller(.superAdmin), try staff.user(.tenant))
        let request = CommandRequest(
            caller: try staff.caller(.tenant), deviceID: staff.door, attemptedID: "", operation: .lock, timeout: .seconds(1))
        _ = try await staff.control.users.update(root, tenant, UserChanges(isEnabled: false))
        #expect(await denial { _ = try await staff.control.locks.begin(request) }?.reason == .userDisabled)
        _ = try await staff.control.users.update(root, tenant, UserChanges(isEnabled: true))
        let running = try #require(try await staff.control.locks.begin(request).running)
        #expect(await running.finished.command.state == .confirmed)
        let actions = staff.store.log(.portfolio(staff.portfolio)).compactMap(\.body.action)
        #expect(actions == [.disable, .enable])
    }
}
