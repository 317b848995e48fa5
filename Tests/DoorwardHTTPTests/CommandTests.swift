import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct CommandTests {
    @Test("An unlock responds with the command and the device when the lock has confirmed")
    func unlock() async throws {
        let house = try await House()
        let reply = try await house.command(as: .tenant)
        #expect(reply.status == 200)
        #expect(reply.data["command"]["state"] == .string("CONFIRMED"))
        #expect(reply.data["command"]["sent"] == .bool(true))
        #expect(reply.data["command"]["actor"]["id"].text == house.ids[.tenant].description)
        #expect(reply.data["device"]["state"] == .string("UNLOCKED"))
        #expect(house.adapter.sentCommands.count == 1)
        let read = try await house.call(.get, "/commands/\(reply.data["command"]["id"].text ?? "")", as: .tenant)
        #expect(read.data["command"] == reply.data["command"])
    }

    @Test("Each operation has its own path", arguments: [("lock", "LOCK"), ("unlock", "UNLOCK"), ("unlatch", "UNLATCH")])
    func movements(_ word: String, _ operation: String) async throws {
        let house = try await House()
        let reply = try await house.command(word, as: .owner)
        #expect(reply.status == 200)
        #expect(reply.data["command"]["operation"].text == operation)
    }

    @Test("The outcome of a command determines status and code, and the response contains the command")
    func ends() async throws {
        let ends: [(ScriptedAdapter.Behaviour, Int, String, String?, JSONValue)] = [
            (.jam(after: .zero), 502, "lock_jammed", "jammed", .bool(true)),
            (.refuse(.lowPower, after: .zero), 502, "adapter_failure", "low_power", .bool(true)),
            (.fail(.offline), 503, "device_offline", "device_offline", .bool(false)),
            (.fail(.unsupported), 502, "adapter_failure", "unsupported", .bool(false)),
        ]
        let house = try await House()
        for (behaviour, status, code, detail, sent) in ends {
            house.adapter.set(behaviour, for: house.ids.door)
            let reply = try await house.command(as: .tenant)
            #expect(reply.status == status)
            #expect(reply.code == code)
            #expect(reply.details["command"]["outcomeDetail"].text == detail)
            #expect(reply.details["command"]["sent"] == sent)
            #expect((reply.headers[.retryAfter] != nil) == (status == 503))
        }
    }

    @Test(
        "A transport problem is explained with broker and topic to callers who may see the address, else without them",
        arguments: [(ScriptedAdapter.Behaviour.fail(.offline), 503), (.refuse(.notAuthorised, after: .zero), 502)])
    func transportProblem(_ behaviour: ScriptedAdapter.Behaviour, _ status: Int) async throws {
        let house = try await House(behaviour: behaviour)
        house.adapter.set(problem: TransportProblem(detail: "Broker `home` is away.", summary: "The broker is away."))
        let door = try await house.call(.get, "/devices/\(house.ids.door)", as: .owner).data["device"]["name"].text ?? ""
        let toOwner = try await house.command(as: .owner)
        #expect(toOwner.status == status && toOwner.json["message"].text == "\(door): Broker `home` is away.")
        let toTenant = try await house.command(as: .tenant)
        #expect(toTenant.status == status && toTenant.json["message"].text == "\(door): The broker is away.")
        house.adapter.set(problem: nil)
        #expect(try await house.command(as: .owner).json["message"].text?.contains("Broker") == false)
    }

    @Test("A command that the lock does not answer is a confirmation timeout after timeoutMs")
    func timeout() async throws {
        let house = try await House(behaviour: .silent)
        let start = house.clock.now()
        let running = Task { try await house.command(as: .tenant, #"{"timeoutMs":1500}"#) }
        let reply = try await house.clock.drive(running)
        #expect(reply.status == 504)
        #expect(reply.code == "confirmation_timeout")
        #expect(house.clock.now().duration(since: start) == .milliseconds(1500))
    }

    @Test("Without timeoutMs a command has the configured timeout")
    func configuredTimeout() async throws {
        var settings = HTTPSettings()
        settings.commandTimeout = .seconds(3)
        let house = try await House(behaviour: .silent, settings: settings)
        let start = house.clock.now()
        for body in ["{}", #"{"reason":"parcel"}"#] {
            let running = Task { try await house.command(as: .tenant, body) }
            #expect(try await house.clock.drive(running).code == "confirmation_timeout")
        }
        #expect(house.clock.now().duration(since: start) == .seconds(6))
    }

    @Test("With respond-async a command is accepted with 202 and its location")
    func respondAsync() async throws {
        let house = try await House()
        let reply = try await house.command(as: .tenant, headers: [.prefer: "wait=5, Respond-Async"])
        #expect(reply.status == 202)
        #expect(reply.data.keys == ["command"])
        let id = try #require(reply.data["command"]["id"].text)
        #expect(reply.headers[.location] == "/api/v1/commands/\(id)")
        #expect(reply.headers[.preferenceApplied] == "respond-async")
        let command = try #require(CommandID(id))
        let caller = Caller(userID: house.ids[.tenant])
        while try await house.control.commands.command(command, for: caller).command.state != .confirmed { await Task.yield() }
    }

    @Test("A denied command is answered with the reason, and nothing is sent to the lock")
    func denied() async throws {
        let house = try await House()
        let reply = try await house.command(as: .auditor)
        #expect(reply.status == 403)
        #expect(reply.code == "role_insufficient")
        #expect(reply.details["reason"].text == "role_insufficient")
        #expect(reply.details["operation"].text == "UNLOCK")
        #expect(reply.details["deviceId"].text == house.ids.door.description)
        #expect(reply.details["rule"]["role"].text == "AUDITOR")
        #expect(!reply.details.keys.contains("opensAt"))
        #expect(house.adapter.sentCommands.isEmpty)
    }

    @Test(
        "timeoutMs may be any JSON number with an integer value",
        arguments: [
            ("1500.0", nil), ("1.5e3", nil), ("1500.5", "timeoutMs: wrong_type"), ("1e30", "timeoutMs: out_of_range"),
            ("-1e30", "timeoutMs: out_of_range"), ("\"1500\"", "timeoutMs: wrong_type"),
        ] as [(String, String?)])
    func wholeNumbers(_ number: String, _ problem: String?) async throws {
        let house = try await House()
        let reply = try await house.command(as: .tenant, #"{"timeoutMs":\#(number)}"#)
        #expect(reply.status == (problem == nil ? 200 : 400))
        #expect(reply.problems == (problem.map { [$0] } ?? []))
    }

    @Test(
        "A right that ends while the command is queued is a denial; its reason is given only if the lock is still visible",
        arguments: [true, false])
    func deniedAtTurn(_ keepsReach: Bool) async throws {
        let house = try await House(behaviour: .silent)
        let log = LogID.portfolio(house.ids.portfolio)
        let first = Task { try await house.command(as: .manager, #"{"timeoutMs":1500}"#) }
        // The command is sent after its intent is recorded; if the time advanced before, the command would not be sent.
        while house.adapter.sentCommands.isEmpty { await Task.yield() }
        let key: [HTTPField.Name: String] = [.idempotencyKey: "key-1"]
        let second = Task { try await house.command(as: .tenant, #"{"timeoutMs":60000}"#, headers: key) }
        while house.store.log(log).count(where: { $0.body.kind == .commandIntent }) < 2 { await Task.yield() }
        let owner = Caller(userID: house.ids[.owner])
        try await house.control.roles.remove(owner, house.ids[.tenant], from: .unit(house.ids.unit))
        if keepsReach {
            _ = try await house.control.roles.assign(owner, .auditor, to: house.ids[.tenant], on: .property(house.ids.property))
        }
        house.clock.advance(by: .milliseconds(1500))
        #expect(try await first.value.code == "confirmation_timeout")
        let reply = try await second.value
        #expect(reply.status == 403)
        #expect(reply.details["command"]["state"].text == "DENIED")
        #expect(house.adapter.sentCommands.count == 1)
        guard keepsReach else {
            #expect(reply.details.keys == ["command"])
            return
        }
        #expect(reply.code == "role_insufficient")
        #expect(reply.details["reason"].text == "role_insufficient")
        #expect(reply.details["operation"].text == "UNLOCK")
        #expect(reply.details["deviceId"].text == house.ids.door.description)
        #expect(reply.details["rule"]["role"].text == "AUDITOR")
        let repeated = try await house.command(as: .tenant, #"{"timeoutMs":60000}"#, headers: key)
        #expect(repeated.status == 403)
        #expect(repeated.details == reply.details)
    }

    @Test("A denial because of an ended guest window contains the end of the window")
    func windowEnded() async throws {
        let house = try await House()
        house.clock.advance(by: .seconds(86_400 - 1))
        #expect(try await house.command(as: .guest).status == 200)
        let end = house.clock.now().advanced(by: .seconds(1))
        house.clock.advance(by: .seconds(1))
        let reply = try await house.command(as: .guest)
        #expect(reply.status == 403)
        #expect(reply.code == "guest_window_ended")
        #expect(reply.details["closesAt"].text == end.description)
    }

    @Test("The list contains the caller's own commands and all others that they may read, newest first, with exact totals")
    func list() async throws {
        let house = try await House()
        for _ in 0..<3 {
            _ = try await house.command(as: .tenant)
            house.clock.advance(by: .seconds(1))
        }
        _ = try await house.command(as: .manager, on: house.ids.frontDoor)
        let all = try await house.call(.get, "/commands?limit=2", as: .owner)
        #expect(all.data["pagination"]["totalItems"].number == 4)
        #expect(all.data["pagination"]["totalPages"].number == 2)
        #expect(all.data["commands"][0]["deviceId"].text == house.ids.frontDoor.description)
        let ofUnit = try await house.call(.get, "/commands?sortBy=-createdAt", as: .tenant)
        #expect(ofUnit.data["pagination"]["totalItems"].number == 3)
        #expect(try await house.command(as: .guest).status == 200)
        let own = try await house.call(.get, "/commands", as: .guest)
        #expect(own.data["pagination"]["totalItems"].number == 1)
        #expect(own.data["commands"][0]["actor"]["id"].text == house.ids[.guest].description, "own commands show all fields")
        let filtered = try await house.call(.get, "/commands?deviceId=\(house.ids.door)", as: .owner)
        #expect(filtered.data["pagination"]["totalItems"].number == 4)
        let none = try await house.call(.get, "/commands?deviceId=\(house.ids.door)", as: .stranger)
        #expect(none.status == 200)
        #expect(none.data["pagination"]["totalItems"].number == 0)
        #expect(try await house.call(.get, "/commands?sortBy=createdAt", as: .owner).problems == ["sortBy: unknown_value"])
    }

    @Test("A full queue responds with device_busy and Retry-After")
    func busy() async throws {
        let house = try await House(behaviour: .silent)
        let waiting = (0..<5).map { _ in Task { try await house.command(as: .tenant, #"{"timeoutMs":60000}"#) } }
        let log = LogID.portfolio(house.ids.portfolio)
        while house.store.log(log).count(where: { $0.body.kind == .commandIntent }) < 5 { await Task.yield() }
        let reply = try await house.command(as: .tenant)
        #expect(reply.status == 429)
        #expect(reply.code == "device_busy")
        #expect(reply.headers[.retryAfter] == "1")
        for task in waiting { _ = try await house.clock.drive(task) }
    }
}

extension VirtualClock {
    /// Advances the clock from sleeper to sleeper until `task` has ended.
    func drive<Value: Sendable>(
        _ task: Task<Value, any Error>, within limit: Duration = .seconds(120)
    ) async throws -> Value {
        let isDone = Seen(false)
        let watched = Task {
            defer { isDone.change { $0 = true } }
            return try await task.value
        }
        while !isDone.value {
            await Task.yield()
            // Skip the timer for guest windows: it fires in up to five minutes and is not part of a command.
            guard !isDone.value, let next = nextSleeper, next.duration(since: monotonicNow()) <= limit else { continue }
            advance(to: next)
        }
        return try await watched.value
    }
}
