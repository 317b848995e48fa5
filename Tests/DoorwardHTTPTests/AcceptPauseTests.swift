import DoorwardDomain
import DoorwardTesting
import Glibc
import NIOCore
import NIOEmbedded
import Testing

@testable import DoorwardHTTP

/// Without free file descriptors, accepting connections is paused: the listening socket is removed
/// from the selector, so that the event loop does not spin.
@Suite struct AcceptPauseTests {
    /// Counts the reads that reach the listening socket.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = any Channel

        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    private struct Bench {
        let channel = EmbeddedChannel()
        let reads = Reads()
        let lines = LogCatcher()
        /// How often the reserve was checked, and whether it is free.
        let reserve = Seen((checks: 0, isFree: false))

        init() throws {
            let table = ConnectionTable(
                ConnectionLimits(HTTPSettings()), proxies: try TrustedProxies([]), clock: VirtualClock(), logger: lines.logger)
            let handler = AcceptPauseHandler(table, lines.logger) { [reserve] in
                reserve.change { $0.checks += 1 }
                return reserve.value.isFree
            }
            try channel.pipeline.syncOperations.addHandlers([reads, handler])
        }

        /// The last value of `autoRead`; an embedded channel itself always reports true.
        var isReading: Bool { channel.options.first { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool ?? true }
        var warnings: Int { lines.text.split(separator: "\n").count { $0.contains("accepting connections is paused") } }
    }

    @Test("While the reserve is in use, it is checked ten times a second, nothing is accepted, and one line a minute is logged")
    func pause() throws {
        let bench = try Bench()
        for _ in 0..<1000 { bench.channel.read() }
        #expect(bench.reads.count == 0 && bench.reserve.value.checks == 1 && bench.isReading == false)
        bench.channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        for _ in 0..<1000 { bench.channel.read() }
        #expect(bench.reads.count == 0 && bench.reserve.value.checks == 1 + 300 && bench.warnings == 1)
        bench.channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(bench.reserve.value.checks == 1 + 600 && bench.warnings == 2)
        bench.reserve.change { $0.isFree = true }
        bench.channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
        #expect(bench.isReading == true)
        bench.channel.read()
        #expect(bench.reads.count == 1)
        // No further check is scheduled.
        bench.channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(bench.reserve.value.checks == 1 + 601 + 1 && bench.warnings == 2)
    }

    @Test("An `accept` that fails without a free descriptor or buffer pauses accepting", arguments: [EMFILE, ENOBUFS])
    func failure(code: CInt) throws {
        let bench = try Bench()
        bench.reserve.change { $0.isFree = true }
        for _ in 0..<1000 { bench.channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept")) }
        #expect(bench.isReading == false && bench.warnings == 1)
        bench.channel.read()
        #expect(bench.reads.count == 0)
        bench.channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
        #expect(bench.isReading == true && bench.reserve.value.checks == 1)
    }

    @Test("Another failure is passed on, and accepting is not paused")
    func otherFailure() throws {
        let bench = try Bench()
        bench.reserve.change { $0.isFree = true }
        bench.channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        #expect(throws: IOError.self) { try bench.channel.throwIfErrorCaught() }
        bench.channel.read()
        #expect(bench.reads.count == 1 && bench.warnings == 0)
    }
}
