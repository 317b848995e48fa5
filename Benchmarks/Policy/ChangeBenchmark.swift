import BenchmarkSupport
import DoorwardDomain
import DoorwardPolicy
import Synchronization

/// Measures the directory's part of a tenancy change: from the commit until the new version takes effect, while readers still hold
/// the old one. The flush to disk is not included.
struct ChangeBenchmark {
    let world: TenancyFixture
    let directory: TenancyDirectory
    let name: String

    func run() {
        let published = Mutex(directory)
        var samples: [UInt64] = []
        var mixer = SplitMix(seed: 7)
        for round in 0..<20_000 {
            let change = change(round, &mixer)
            let reader = published.withLock { $0 }
            let start = Stopwatch.now()
            var next = reader
            next.apply(change)
            published.withLock { $0 = next }
            samples.append(Stopwatch.now() - start)
            blackHole(reader)
        }
        Figure(
            "change to tenancy", "apply and publish, p99, \(name)", Double(percentile(0.99, of: &samples)) / 1000, "µs",
            goal: 5000
        )
        .report()
        Figure("change to tenancy", "apply and publish, p50, \(name)", Double(percentile(0.5, of: &samples)) / 1000, "µs")
            .report()
    }

    private func change(_ round: Int, _ mixer: inout SplitMix) -> TenancyChange {
        switch round % 5 {
        case 0:
            var lock = world.lock(Int.random(in: 0..<world.deviceCount, using: &mixer))
            lock.name = "Renamed"
            return .putDevice(lock)
        case 1: return .removeAssociation(world.association(Int.random(in: 0..<world.associationCount, using: &mixer)).id)
        case 2: return .putAssociation(world.association(Int.random(in: 0..<world.associationCount, using: &mixer)))
        case 3:
            var access = world.guestAccess(Int.random(in: 0..<world.guestAccessCount, using: &mixer))
            access.revokedAt = TenancyFixture.now
            return .putGuestAccess(access)
        default:
            let id = world.user(Int.random(in: 0..<world.userCount, using: &mixer))
            return .putUser(
                User(
                    id: id, email: "\(id)@example.org", firstName: "Person", lastName: "", isEnabled: false,
                    createdAt: TenancyFixture.now,
                    updatedAt: TenancyFixture.now))
        }
    }
}
