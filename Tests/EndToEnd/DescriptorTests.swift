import Dispatch
import DoorwardTesting
import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("A gateway with few file descriptors") struct DescriptorTests {
        /// Starts a gateway with a limit on open files, set by `ulimit`.
        private func start(_ limit: String, in folder: TemporaryFolder) async throws -> RunningGateway {
            let program = try Program(
                "/bin/sh", ["-c", "ulimit \(limit) && exec \"$0\" serve", Program.doorward],
                environment: RunningGateway.environment(for: folder), errors: folder.file("serve.log"))
            return try await RunningGateway(listening: program, folder: folder)
        }

        private func prepared() async throws -> (TemporaryFolder, House, door: String) {
            let folder = try TemporaryFolder()
            let gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            let door = try await house.lock("Front door")
            #expect(await gateway.stop() == 0)
            return (folder, house, door)
        }

        /// Returns the soft and the hard limit on open files of a process, from `/proc`.
        private func limits(of gateway: RunningGateway) throws -> (soft: Int, hard: Int) {
            let text = try String(contentsOfFile: "/proc/\(gateway.program.processID)/limits", encoding: .utf8)
            let line = try #require(text.firstMatch(of: /Max open files +([0-9]+) +([0-9]+)/))
            return (try #require(Int(line.1)), try #require(Int(line.2)))
        }

        private func setLimit(_ soft: Int, of gateway: RunningGateway) async throws {
            let result = try await Program.run(
                "/usr/bin/env", ["prlimit", "--pid", "\(gateway.program.processID)", "--nofile=\(soft):"], in: gateway.folder)
            try #require(result.code == 0, "\(result.errors)")
        }

        /// Lowers the limit so that three descriptors are free. Dispatch would end the process if it got no descriptor.
        private func exhaust(_ gateway: RunningGateway) async throws {
            let open = try descriptors(of: gateway)
            let limit = try #require((0...).lazy.filter { !open.contains($0) }.dropFirst(3).first { _ in true })
            try await setLimit(limit, of: gateway)
        }

        private func descriptors(of gateway: RunningGateway) throws -> [Int] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(gateway.program.processID)/fd").compactMap { Int($0) }
        }

        /// Returns the problems of brokers that are not connected, from `GET /adapters`.
        private func problems(of world: MQTTHouse) async throws -> [String] {
            try await world.admin.get("/adapters").data["adapters"].items
                .flatMap { $0["transports"].items }.compactMap { $0["problem"].text }
        }

        private func log(_ gateway: RunningGateway) throws -> String {
            try String(contentsOfFile: gateway.folder.file("serve.log"), encoding: .utf8)
        }

        @Test("it raises its soft limit itself")
        func raises() async throws {
            let folder = try TemporaryFolder()
            let gateway = try await start("-Sn 256", in: folder)
            let limit = try limits(of: gateway)
            #expect(limit.soft == min(limit.hard, 65_536))
            #expect(await gateway.stop() == 0)
        }

        @Test("it responds to every request although more idle connections are opened than it has descriptors")
        func flood() async throws {
            let (folder, house, door) = try await prepared()
            let gateway = try await start("-n 256", in: folder)
            #expect(try log(gateway).contains("the limit on open files leaves room for fewer connections"))
            let owner = house.owner.at(gateway)
            #expect(try await owner.post("/devices/\(door)/unlock", "{}").status == 200)
            var idle: [Idle] = []
            for _ in 0..<4 {
                for _ in 0..<100 { idle.append(try Idle(gateway)) }
                #expect(try await gateway.stranger.get("//healthz").status == 200)
                #expect(try await owner.post("/devices/\(door)/unlock", "{}").status == 200)
            }
            #expect(try await gateway.signIn("owner@doors.example").token != nil)
            #expect(!(try log(gateway).contains("too many open files")), "the limit on connections keeps descriptors free")
            #expect(await gateway.stop() == 0)
            withExtendedLifetime(idle) {}
        }

        @Test("it keeps the last descriptors free, serves open connections, and accepts new ones when descriptors are free again")
        func exhausted() async throws {
            let (folder, house, door) = try await prepared()
            let gateway = try await start("-n 1024", in: folder)
            let owner = house.owner.at(gateway)
            #expect(try await owner.post("/devices/\(door)/unlock", "{}").status == 200)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            try await exhaust(gateway)
            // One connection can still be accepted, because the gateway was already waiting for it. The signed-in connections are
            // not closed to make room for others.
            var (taken, connections): (Int, [Idle]) = (0, [])
            while !(try log(gateway).contains("too many open files: accepting connections is paused")) {
                let next = try Idle(gateway)
                connections.append(next)
                next.send(
                    "GET /api/v1/users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(try #require(owner.token))\r\n\r\n"
                )
                while !next.hasAnswer, !(try log(gateway).contains("too many open files: accepting connections is paused")) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                taken += next.hasAnswer ? 1 : 0
            }
            #expect(taken <= 1)
            let late = try Idle(gateway)
            late.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(try await owner.post("/devices/\(door)/lock", "{}").status == 200)
            #expect(try await admin.post("/store/backup", #"{"file":"\#(folder.file("early.db"))"}"#).status == 500)
            #expect(!late.hasAnswer)
            try await setLimit(1024, of: gateway)
            #expect(await late.answer().hasPrefix("HTTP/1.1 200"))
            withExtendedLifetime(connections) {}
            let backup = try await admin.post("/store/backup", #"{"file":"\#(folder.file("copy.db"))"}"#)
            #expect(backup.status == 200, "\(backup.body)")
            #expect(try await owner.post("/devices/\(door)/unlock", "{}").status == 200)
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("without free descriptors it still reads lists and signs users in, because the database is already open")
        func reading() async throws {
            let (folder, house, door) = try await prepared()
            let gateway = try await start("-n 1024", in: folder)
            let callers = [house.owner.at(gateway), try await gateway.signIn(RunningGateway.adminEmail)]
            let connections = try (0..<12).map { _ in try Idle(gateway) }
            func send(_ request: String, _ body: String, keepAlive: Bool, as caller: Caller, on connection: Idle) throws {
                connection.send(
                    "\(request) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(try #require(caller.token))\r\n"
                        + (keepAlive ? "" : "Connection: close\r\n")
                        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
            // Each connection is accepted and signed in, so that none is closed to make room.
            for (number, connection) in connections.enumerated() {
                try send("GET /api/v1/users/me", "", keepAlive: true, as: callers[number % 2], on: connection)
                while !connection.hasAnswer { await Task.yield() }
            }
            try await exhaust(gateway)
            let signIn = #"{"email":"owner@doors.example","password":"\#(RunningGateway.password)"}"#
            for (number, connection) in connections.enumerated() {
                let (request, body) =
                    number < 8 ? ("GET /api/v1/access-records?limit=100", "") : ("POST /api/v1/auth/login", signIn)
                try send(request, body, keepAlive: false, as: callers[number % 2], on: connection)
            }
            for connection in connections {
                let answer = await connection.answer()
                #expect(answer.split(separator: "HTTP/1.1 200").count == 2, "\(answer)")
            }
            #expect(try await callers[0].post("/devices/\(door)/unlock", "{}").status == 200)
            try await setLimit(1024, of: gateway)
            #expect(try await gateway.signIn("owner@doors.example").token != nil)
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test(
            "without a descriptor for its broker it reports the reason, and reconnects when one is free",
            arguments: ["127.0.0.1", "localhost"])
        func broker(host: String) async throws {
            let world = try await MQTTHouse.build(["--profile", "zigbee2mqtt:1"], host: host)
            let door = try #require(try await world.attachFound(1).first)
            _ = try await world.confirmed("unlock", door)
            let limit = try limits(of: world.gateway).soft
            world.broker.kill()
            try await world.untilHealth("down")
            // The socket of a connection attempt is closed again. Its descriptor is not in every
            // sample, so it counts as free here.
            let open = try (0..<50).map { _ in Set(try descriptors(of: world.gateway)) }
            let always = open.dropFirst().reduce(open[0]) { $0.intersection($1) }
            // The limit leaves fewer descriptors than a connection attempt needs, but enough for
            // Dispatch, which ends the process if it gets none.
            try await setLimit(4 + ((0...).first { !always.contains($0) } ?? 0), of: world.gateway)
            while try await !problems(of: world).contains(where: { $0.lowercased().contains("too many open files") }) {
                try Task.checkCancellation()
            }
            try await world.broker.restart()
            let refused = try await world.owner.post("/devices/\(door.id)/lock", "{}")
            #expect(refused.status == 503, "\(refused.body)")
            try await setLimit(limit, of: world.gateway)
            try await world.untilHealth("ok")
            try await world.untilOnline([door])
            _ = try await world.confirmed("lock", door)
            #expect(await world.gateway.stop() == 0)
            #expect(await world.fleet.stop() == 0)
            try await RunningGateway.verifyLogs(in: world.gateway.folder)
        }

        @Test(
            "without enough descriptors it does not open the database, prints the reason, and does not damage it",
            // With fewer descriptors Dispatch ends the process.
            arguments: [8, 10])
        func database(limit: Int) async throws {
            let (folder, _, _) = try await prepared()
            let check = ["store", "check", "--store-path", folder.file("doorward.db")]
            let result = try await Program.run(
                "/bin/sh", ["-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"", Program.doorward] + check, in: folder)
            #expect(result.code == 1)
            #expect(result.errors.contains("the database could not be opened: too many open files."), "\(result.errors)")
            #expect(try await Program.run(Program.doorward, check, in: folder).code == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("it does not start without enough descriptors for connections, and prints how many it needs")
        func tooFew() async throws {
            let folder = try TemporaryFolder()
            let result = try await Program.run(
                "/bin/sh", ["-c", "ulimit -n 64 && exec \"$0\" serve", Program.doorward],
                environment: RunningGateway.environment(for: folder), in: folder)
            #expect(result.code == 1)
            #expect(result.errors.contains("the limit on open files is 64"), "\(result.errors)")
            #expect(result.errors.contains("LimitNOFILE"))
        }
    }
}

/// A connection to a gateway. The connection is idle unless the test sends something.
private final class Idle: Sendable {
    private let descriptor: Int32

    init(_ gateway: RunningGateway) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(gateway.port)?.bigEndian ?? 0
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = descriptor
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0, "\(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Whether bytes have arrived that `answer()` has not read.
    var hasAnswer: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Reads until the gateway closes the connection.
    func answer() async -> String {
        let descriptor = descriptor
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "doorward.tests.idle").async {
                var (text, bytes) = ("", [UInt8](repeating: 0, count: 4096))
                while case let count = recv(descriptor, &bytes, bytes.count, 0), count > 0 {
                    text += String(decoding: bytes[..<count], as: UTF8.self)
                }
                continuation.resume(returning: text)
            }
        }
    }
}
