internal import BenchmarkSupport
import Foundation
internal import NIOCore
internal import NIOPosix

/// The load generator: a separate process with one thread, so that it shares no thread with the measured server.
package enum Load {
    /// The command-line argument that starts this program as the load generator.
    package static let word = "load"

    /// A child process that waits for its plan. Start it before thousands of connections are opened: `Process` fails if its pipes
    /// have descriptors above 1,023.
    package struct Child {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        package init() throws {
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [word]
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
        }

        /// Runs the plan. The process ends when the time of the plan is over.
        package func run(_ plan: LoadPlan) async throws -> LoadResult {
            try input.fileHandleForWriting.write(contentsOf: try JSONEncoder().encode(plan))
            try input.fileHandleForWriting.close()
            return try await withCheckedThrowingContinuation { continuation in
                // Wait on a separate thread, because the server needs the few threads of Swift's pool.
                Thread.detachNewThread { [process, output] in
                    let answer = output.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    continuation.resume(with: Result { try JSONDecoder().decode(LoadResult.self, from: answer) })
                }
            }
        }
    }

    /// Runs a plan in a child process, which ends when the time of the plan is over.
    package static func run(_ plan: LoadPlan) async throws -> LoadResult { try await Child().run(plan) }

    /// Runs the child process: reads the plan and prints the result.
    package static func serve() async throws {
        let plan = try JSONDecoder().decode(LoadPlan.self, from: FileHandle.standardInput.readDataToEndOfFile())
        try FileHandle.standardOutput.write(contentsOf: try JSONEncoder().encode(try await drive(plan)))
    }

    private static func drive(_ plan: LoadPlan) async throws -> LoadResult {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let start = Stopwatch.now()
        let end = start + UInt64(plan.seconds * 1e9)
        var logs: [EventLoopFuture<LoadConnection.Log>] = []
        for (index, requests) in plan.connections.enumerated() {
            let interval = plan.rate.map { UInt64(Double(plan.connections.count) / $0 * 1e9) }
            // The connections send their requests evenly distributed in time.
            let pace = interval.map { (start + $0 * UInt64(index) / UInt64(plan.connections.count), $0) }
            let done = group.next().makePromise(of: LoadConnection.Log.self)
            logs.append(done.futureResult)
            _ = try await ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            // Start at a number that no earlier load has used, so that each idempotency key is new.
                            LoadConnection(requests, number: Int(Stopwatch.now()), end: end, pace: pace, done: done))
                    }
                }
                .connect(host: "127.0.0.1", port: plan.port).get()
        }
        var (result, times) = (LoadResult(), [UInt64]())
        for log in logs {
            let log = try await log.get()
            times += log.times
            result.failed += log.failed
        }
        result.answered = times.count
        result.seconds = Double(Stopwatch.now() - start) / 1e9
        result.p50 = Double(percentile(0.5, of: &times)) / 1000
        result.p99 = Double(percentile(0.99, of: &times)) / 1000
        result.longest = Double(times.max() ?? 0) / 1000
        try await group.shutdownGracefully()
        return result
    }
}
