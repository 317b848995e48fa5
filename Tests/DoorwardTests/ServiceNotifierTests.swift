import DoorwardTesting
import Glibc
import Testing

@testable import doorward

@Suite("States for the service manager", .timeLimit(.minutes(30))) struct ServiceNotifierTests {
    private func states(_ environment: [String: String], _ body: (ServiceNotifier, VirtualClock) async -> Void) async -> [String]
    {
        let clock = VirtualClock()
        let (states, continuation) = AsyncStream.makeStream(of: String.self)
        let notifier = ServiceNotifier(environment: environment, process: 7, clock: clock) { state in
            continuation.yield(state)
        }
        let running = Task { await notifier.run() }
        await clock.waitForSleepers(1)
        await body(notifier, clock)
        running.cancel()
        await running.value
        continuation.finish()
        return await states.reduce(into: []) { $0.append($1) }
    }

    @Test("a datagram reaches a path, and a name in the abstract namespace")
    func datagrams() async throws {
        let folder = try TemporaryFolder()
        for name in ["\(folder.path)/notify", "@doorward-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"] {
            let receiver = try DatagramReceiver(name)
            #expect(try #require(NotifySocket(name)).send("READY=1"))
            #expect(await receiver.next() == "READY=1")
        }
    }

    @Test("a name that is no address is ignored, and a manager that is away is not waited for")
    func noSocket() throws {
        for name in ["", "/", "@", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 107), "/a\0b"] {
            #expect(NotifySocket(name) == nil, "\(name)")
        }
        #expect(NotifySocket("/" + String(repeating: "x", count: 106)) != nil)
        #expect(try #require(NotifySocket("/nowhere/at/all")).send("READY=1") == false)
        #expect(try #require(NotifySocket("@doorward-test-nobody")).send("READY=1") == false)
    }

    @Test("a full socket is not waited for")
    func full() throws {
        let folder = try TemporaryFolder()
        let receiver = try DatagramReceiver("\(folder.path)/notify")
        let socket = try #require(NotifySocket("\(folder.path)/notify"))
        var sent = 0
        while sent < 1_000_000, socket.send("WATCHDOG=1") { sent += 1 }
        #expect(sent < 1_000_000)
        withExtendedLifetime(receiver) {}
    }

    @Test("ready, then a sign of life twice in the time of the watchdog, then stopping")
    func watchdog() async {
        let states = await states(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"]) { notifier, clock in
            notifier.ready()
            for _ in 0..<2 {
                clock.advance(by: .seconds(30))
                await clock.waitForSleepers(1)
            }
            clock.advance(by: .milliseconds(29_999))
        }
        #expect(states == ["WATCHDOG=1", "READY=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"])
    }

    @Test(
        "without a watchdog, and with one that is meant for another process, there is no sign of life",
        arguments: [
            [:], ["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"],
            ["WATCHDOG_USEC": "soon"],
        ])
    func none(_ environment: [String: String]) async {
        #expect(await states(environment) { _, clock in clock.advance(by: .seconds(1000)) } == ["STOPPING=1"])
    }
}
