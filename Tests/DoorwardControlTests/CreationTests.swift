import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Portfolios, properties, units, devices and users are created completely or not at all.
@Suite struct CreationTests {
    @Test("the users named for a new portfolio, property or unit have their roles as soon as it exists")
    func namedPeople() async throws {
        let staff = try await Staff()
        let (root, owner, stranger) = (
            try staff.caller(.superAdmin), try staff.caller(.owner), try staff.user(.stranger)
        )
        let portfolios = staff.control.portfolios
        let portfolio = try await portfolios.create(root, name: "New", owners: [stranger], repeatable: nil).executed
        let property = try await portfolios.createProperty(
            owner, in: staff.portfolio,
            NewProperty(name: "No. 9", address: nil, defaultTimeZone: nil, managers: [stranger, stranger]), repeatable: nil
        ).executed
        let unit = try await portfolios.createUnit(
            owner, in: try #require(property).id, NewUnit(name: "1", tenants: [stranger], devices: []), repeatable: nil
        ).executed
        let tenancy = staff.control.directory.current
        let held = Set(tenancy.associations(of: stranger).map { "\($0.role) \($0.entity.id)" })
        #expect(
            held == [
                "owner \(try #require(portfolio).id)", "propertyManager \(try #require(property).id)",
                "tenant \(try #require(unit).id)",
            ])
        #expect(tenancy.associations(of: stranger).count == 3, "a user who is named twice gets one role")
    }

    @Test(
        "a request that names an unknown user is not found, and nothing is written",
        arguments: [UserID(high: 1, low: 1), .nonexistent])
    func unknownPeople(nobody: UserID) async throws {
        let staff = try await Staff()
        let (root, owner, known) = (try staff.caller(.superAdmin), try staff.caller(.owner), try staff.user(.tenant))
        let portfolios = staff.control.portfolios
        let (commits, people) = (staff.store.commitCount, [known, nobody])
        let portfolio = await staff.verdict {
            _ = try await portfolios.create(root, name: "New", owners: people, repeatable: nil)
        }
        let property = await staff.verdict {
            let new = NewProperty(name: "New", address: nil, defaultTimeZone: nil, managers: people)
            _ = try await portfolios.createProperty(owner, in: staff.portfolio, new, repeatable: nil)
        }
        let unit = await staff.verdict {
            let new = NewUnit(name: "New", tenants: people, devices: [])
            _ = try await portfolios.createUnit(owner, in: staff.property, new, repeatable: nil)
        }
        #expect([portfolio, property, unit] == [.notFound, .notFound, .notFound])
        #expect(staff.store.commitCount == commits)
        #expect(staff.control.directory.current.portfolioIDs.count == 1)
    }

    @Test("attaching a lock adds it to the given unit and to its adapter, and it can then be operated")
    func attach() async throws {
        let staff = try await Staff()
        let owner = try staff.caller(.owner)
        let new = NewDevice.test(in: staff.property, unit: .some(staff.unit))
        let device = try #require(try await staff.control.attachedDevices.attach(owner, new, repeatable: nil).executed)
        #expect(staff.adapter.attached.contains(AttachedLock(id: device.id, address: new.address)))
        #expect(staff.control.directory.current.deviceIDs(of: staff.unit).contains(device.id))
        let told = try #require(staff.store.log(.portfolio(staff.portfolio)).last?.body)
        #expect(told.device == DeviceSnapshot(device))
        #expect(told.action == .create)
        let request = CommandRequest(
            caller: try staff.caller(.tenant), deviceID: device.id, attemptedID: "", operation: .unlock, timeout: .seconds(1))
        let finished = await (try #require(try await staff.control.locks.begin(request).running)).finished
        #expect(finished.command.state == .confirmed)
        // The gateway processes the reports of the new device, beginning with the first one.
        staff.adapter.report(.locked, from: device.id)
        #expect(staff.control.devices.status(of: device.id).state == .locked)
    }

    @Test("a lock with an invalid request is neither stored nor attached to its adapter")
    func attachRefused() async throws {
        let staff = try await Staff()
        let owner = try staff.caller(.owner)
        let devices = staff.control.attachedDevices
        let (commits, attached) = (staff.store.commitCount, staff.adapter.attached)
        func verdict(_ new: NewDevice) async -> Staff.Verdict {
            await staff.verdict { _ = try await devices.attach(owner, new, repeatable: nil) }
        }
        #expect(
            await verdict(.test(in: staff.property, adapter: "carrier pigeon"))
                == .invalid([FieldProblem(field: "adapter", problem: "unknown")]))
        #expect(
            await verdict(.test(in: staff.property, unit: .some(staff.otherUnit)))
                == .invalid([FieldProblem(field: "unitId", problem: "not_in_property")]))
        #expect(await verdict(.test(in: staff.property, unit: .nonexistent)) == .hidden)
        #expect(await verdict(.test(in: staff.property, unit: .some(UnitID(high: 1, low: 1)))) == .hidden)
        #expect(await verdict(.test(in: .nonexistent)) == .hidden)
        staff.adapter.set(
            errors: AddressErrors([
                .init(field: "address.line", problem: "out_of_range"), .init(field: "address.x", problem: "unknown_key"),
            ]))
        #expect(
            await verdict(.test(in: staff.property))
                == .invalid([
                    FieldProblem(field: "address.line", problem: "out_of_range"),
                    FieldProblem(field: "address.x", problem: "unknown_key"),
                ]))
        #expect(staff.store.commitCount == commits)
        #expect(staff.adapter.attached == attached)
    }

    @Test("a lock is not attached if the change cannot be written")
    func attachNotWritten() async throws {
        let staff = try await Staff()
        let owner = try staff.caller(.owner)
        let attached = staff.adapter.attached
        staff.store.failNext(.failed("disk I/O error"))
        let error = await failure {
            _ = try await staff.control.attachedDevices.attach(owner, .test(in: staff.property), repeatable: nil)
        }
        guard case .unavailable = error else {
            Issue.record("expected unavailable, got \(String(describing: error))")
            return
        }
        #expect(staff.adapter.attached == attached)
        #expect(staff.control.directory.current.deviceIDs(of: staff.property).count == attached.count)
    }

    @Test("a new unit cannot take a device of another property")
    func devicesOfANewUnit() async throws {
        let staff = try await Staff()
        let owner = try staff.caller(.owner)
        let commits = staff.store.commitCount
        let verdict = await staff.verdict {
            _ = try await staff.control.portfolios.createUnit(
                owner, in: staff.otherProperty, NewUnit(name: "X", tenants: [], devices: [staff.door]), repeatable: nil)
        }
        #expect(verdict == .invalid([FieldProblem(field: "deviceIds", problem: "not_in_property")]))
        #expect(staff.store.commitCount == commits)
        #expect(staff.control.directory.current.device(staff.door)?.unitID == staff.unit)
    }
}
