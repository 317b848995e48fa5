internal import BenchmarkSupport
import Foundation
internal import NIOCore
internal import NIOPosix

/// The load: a process of its own with one thread, so that it shares no thread with the server that it measures.
package enum Load {
    /// The word on the command line that makes this program the load.
    package static let word = "load"

    /// Runs a plan in a child process, which ends by itself when its time is over.
    package static func run(_ plan: LoadPlan) async throws -> LoadResult {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [word]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: try JSONEncoder().encode(plan))
        try input.fileHandleForWriting.close()
        return try await withCheckedThrowingContinuation { continuation in
            // Waits on a thread of its own: Swift's few belong to the server.
            Thread.detachNewThread {
                let answer = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(with: Result { try JSONDecoder().decode(LoadResult.self, from: answer) })
            }
        }
    }

    /// The child process: plan in, result out.
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
            // The connections take turns.
            let pace = interval.map { (start + $0 * UInt64(index) / UInt64(plan.connections.count), $0) }
            let done = group.next().makePromise(of: LoadConnection.Log.self)
            logs.append(done.futureResult)
            _ = try await ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            // Numbers that no earlier load has used: each key of a repeat is a new one.
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
