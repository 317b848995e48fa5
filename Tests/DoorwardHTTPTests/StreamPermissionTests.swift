import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP
@testable import DoorwardKernel
@testable import DoorwardStreams
@testable import DoorwardTenancy

/// The name `permissions` of a stream: one change for each change of the caller's abilities, by a call or by the clock, and none for
/// anything else.
@Suite(.timeLimit(.minutes(30))) struct StreamPermissionTests {
    /// A stream of one person with the one name.
    private struct Watcher {
        let house: House
        let person: House.Person
        let lease: LiveStreams.Lease

        init(_ house: House, _ person: House.Person) throws {
            (self.house, self.person) = (house, person)
            let caller = Caller(userID: house.ids[person], sessionID: House.session(of: person))
            lease = try house.control.streams.open(
                caller, [StreamName(name: "me", query: .permissions, text: "permissions")], from: nil, wasSent: false,
                maxStreams: 100)
        }

        /// The sets of rules that are waiting.
        func taken() async throws -> [JSONValue] {
            house.control.streams.distributePending()
            var rules: [JSONValue] = []
            while let batch = await lease.stream.pendingBatch() {
                for event in batch.events {
                    if case .change(_, _, let object) = event.content { rules.append(try JSONValue.parse(object)) }
                    if case .snapshot(_, _, let objects, _) = event.content {
                        rules += try objects.map { try JSONValue.parse($0) }
                    }
                }
                lease.stream.written()
            }
            return rules
        }

        /// The next set of rules, which the clock or another task causes.
        func next() async throws -> JSONValue {
            while true {
                try Task.checkCancellation()
                if let rules = try await taken().last { return rules }
                await Task.yield()
            }
        }
    }

    /// What the API answers to the person now.
    private func expected(_ house: House, _ person: House.Person) async throws -> JSONValue {
        try await house.call(.get, "/users/me/permissions", as: person).data["rules"]
    }

    @Test("Each call that changes the abilities sends the whole new set once; others send nothing")
    func calls() async throws {
        let house = try await House()
        let (ids, person) = (house.ids, House.Person.coTenant)
        let watcher = try Watcher(house, person)
        #expect(try await watcher.taken().count == 1, "the snapshot")
        let managers = "/properties/\(ids.property)/managers"
        let user = "\(ids[person])"
        let calls: [(String, HTTPRequest.Method, String, String?, House.Person)] = [
            ("give", .post, managers, #"{"userId":"\#(user)","role":"MAINTENANCE"}"#, .owner),
            ("lockdown", .post, "/properties/\(ids.property)/lockdown", #"{"reason":"drill"}"#, .owner),
            ("lift", .delete, "/properties/\(ids.property)/lockdown", nil, .owner),
            ("take", .delete, "\(managers)/\(user)", nil, .owner),
            ("common area", .put, "/units/\(ids.unit)", #"{"commonAreaAccessIds":[]}"#, .owner),
            ("leave", .delete, "/units/\(ids.unit)/tenants/\(user)", nil, .owner),
        ]
        for (name, method, path, body, caller) in calls {
            // Something that concerns others.
            #expect(
                try await house.call(
                    .post, "/units", as: .stranger, #"{"name":"\#(name)","propertyId":"\#(ids.otherProperty)"}"#
                ).status == 201)
            house.adapter.report(.battery(level: 50, low: false), from: ids.frontDoor)
            #expect(try await watcher.taken().isEmpty, "before \(name)")
            let reply = try await house.call(method, path, as: caller, body)
            #expect(reply.status < 300, "\(name): \(reply.text)")
            let sets = try await watcher.taken()
            #expect(sets.count == 1, "\(name): \(sets.count)")
            #expect(try await sets.last?["rules"] == expected(house, person), "\(name)")
        }
    }

    @Test("The beginning and the end of a window, and a module that is switched off, change a guest's abilities by themselves")
    func windows() async throws {
        let house = try await House()
        let (ids, person) = (house.ids, House.Person.nobody)
        let watcher = try Watcher(house, person)
        let nothing = try #require(try await watcher.taken().last?["rules"])
        let now = house.clock.now()
        let granted = try await house.call(
            .post, "/guest-access", as: .owner,
            """
            {"guestUserId":"\(ids[person])","deviceIds":["\(ids.door)"],"operations":["UNLOCK"],
            "validFrom":"\(now.advanced(by: .seconds(600)))","validUntil":"\(now.advanced(by: .seconds(1200)))"}
            """)
        #expect(granted.status == 201, "\(granted.text)")
        let scheduled = try await watcher.next()
        #expect(scheduled["nextChangeAt"].text == "\(now.advanced(by: .seconds(600)))")
        house.clock.advance(by: .seconds(600))
        let open = try await watcher.next()
        #expect(open["rules"] != nothing && open["rules"] != scheduled["rules"])
        #expect(open["nextChangeAt"].text == "\(now.advanced(by: .seconds(1200)))")
        #expect(try await open["rules"] == expected(house, person))
        for (isOn, rules) in [(false, nil), (true, open["rules"])] as [(Bool, JSONValue?)] {
            #expect(
                try await house.call(
                    .put, "/portfolios/\(ids.portfolio)/subscription", as: .superAdmin,
                    #"{"modules":{"guestAccess":\#(isOn)}}"#
                ).status == 200)
            let changed = try await watcher.next()
            #expect(rules == nil ? changed["rules"] != open["rules"] : changed["rules"] == rules)
        }
        house.clock.advance(by: .seconds(600))
        let closed = try await watcher.next()
        #expect(try await closed["rules"] == expected(house, person))
        #expect(closed["rules"] != open["rules"])
        #expect(try await watcher.taken().isEmpty)
    }

    @Test("The last use of a guest access ends the ability, though the directory is the same one")
    func lastUse() async throws {
        let house = try await House()
        let (ids, person) = (house.ids, House.Person.nobody)
        let now = house.clock.now()
        let granted = try await house.call(
            .post, "/guest-access", as: .owner,
            """
            {"guestUserId":"\(ids[person])","deviceIds":["\(ids.door)"],"operations":["UNLOCK"],"maxUses":1,
            "validFrom":"\(now)","validUntil":"\(now.advanced(by: .seconds(1200)))"}
            """)
        #expect(granted.status == 201, "\(granted.text)")
        let watcher = try Watcher(house, person)
        let before = try await watcher.next()
        #expect(try await house.command(as: person, on: ids.door).status == 200)
        let after = try await watcher.next()
        #expect(before["rules"] != after["rules"])
        #expect(try await after["rules"] == expected(house, person))
    }

    @Test("Abilities are computed once for all streams of a user in a version of the directory, but each time for a guest")
    func shared() async throws {
        let house = try await House()
        let control = house.control
        func computed(_ person: House.Person) -> Int {
            let caller = Caller(userID: house.ids[person], sessionID: House.session(of: person))
            var count = 0
            for _ in 0..<3 {
                let view = StreamView(caller, in: control.directory.snapshot, devices: control.devices, clock: control.clock)
                _ = view.renderedAbilities { _ in
                    count += 1
                    return []
                }
            }
            return count
        }
        #expect([.owner, .owner, .tenant, .guest].map(computed) == [1, 0, 1, 3])
        let path = "/devices/\(house.ids.door)"
        #expect(try await house.call(.put, path, as: .owner, #"{"name":"Blue door"}"#).status == 200)
        #expect([.owner, .owner, .tenant, .guest].map(computed) == [1, 0, 1, 3])
    }

    @Test("The abilities of at most so many users are kept")
    func bounded() {
        let cache = CurrentDirectory.Snapshot(TenancyDirectory()).abilities
        var computed = 0
        for round in 0..<2 {
            for number in 0...1024 {
                _ = cache.value(of: UserID(high: 1, low: UInt64(number))) {
                    computed += 1
                    return [UInt8(round)]
                }
            }
        }
        #expect(computed > 1024 + 1, "those of the first round were dropped")
        let value = cache.value(of: UserID(high: 1, low: UInt64(1024))) { [9] }
        #expect(value != [9])
    }
}
