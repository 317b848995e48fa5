import BenchmarkSupport
import DoorwardPolicy

/// Runs the benchmarks of the policy module. The argument is the number of devices.
@main
enum PolicyBenchmarks {
    static func main() {
        Machine().report()
        let world = TenancyFixture(deviceCount: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000)
        let before = residentMemory()
        let watch = Stopwatch()
        let directory = world.directory()
        let size =
            "\(world.deviceCount) devices, \(world.userCount) users, \(world.associationCount + world.guestAccessCount) associations and guest accesses"
        Figure("decide", "memory", (residentMemory() - before) / 1_048_576, "MiB", goal: 1024, note: size).report()
        Figure("decide", "building the directory, a change at a time", Double(watch.wall) / 1e9, "s", note: size).report()
        DecideBenchmark(directory: directory, questions: Questions(1_000_000, of: world, in: directory, seed: 42)).run()
        ChangeBenchmark(world: world, directory: directory, name: "\(world.deviceCount) devices").run()
        let small = TenancyFixture(deviceCount: 1000)
        ChangeBenchmark(world: small, directory: small.directory(), name: "1000 devices").run()
    }
}
