internal import Dispatch
internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

extension AdapterConformance {
    static let fleetPromises: [ConformanceCheck] = [
        ConformanceCheck("A command moves its own lock and no other") { harness in
            let bench = try await ConformanceRun(harness, locks: 3)
            try await bench.carryOut(bench.opening, by: 1)
            for number in [0, 2] {
                try bench.requireNoReports(of: number, "after a command for another lock")
                try await bench.requireOrders([], at: number, "after a command for another lock")
            }
        },
        ConformanceCheck("A lock that is silent, jammed, refusing, late or offline delays no other lock") { harness in
            let manners = LockBehavior.allCases.filter { $0 != .prompt }
            let bench = try await ConformanceRun(harness, locks: manners.count + 1)
            for (number, manner) in manners.enumerated() {
                try await bench.set(manner, of: number)
                _ = bench.failure(of: bench.opening, to: number)
            }
            try await bench.carryOut(bench.opening, by: manners.count)
        },
        ConformanceCheck("Two hundred locks each confirm their own command once") { harness in
            let bench = try await ConformanceRun(harness, locks: 200)
            for number in 0..<200 { try bench.send(number % 2 == 0 ? .lock : bench.opening, to: number) }
            try await bench.pass(harness.promptTime)
            for number in 0..<200 {
                let expected = number % 2 == 0 ? .locked : bench.opening.rest
                try require(bench.heard.restingStates(of: number), is: [expected], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Commands to different locks from many threads at once each arrive once") { harness in
            let bench = try await ConformanceRun(harness, locks: 64)
            let failures = Mutex<[AdapterError]>([])
            DispatchQueue.concurrentPerform(iterations: 64) { number in
                if let failure = bench.failure(of: bench.opening, to: number) { failures.withLock { $0.append(failure) } }
            }
            try require(failures.withLock { $0 }, is: [], "the errors of the commands")
            try await bench.pass(harness.promptTime)
            for number in 0..<64 {
                try require(bench.heard.restingStates(of: number), is: [bench.opening.rest], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Locks can be attached and detached on any thread while commands are sent to others") { harness in
            let bench = try await ConformanceRun(harness, locks: 8)
            DispatchQueue.concurrentPerform(iterations: 64) { turn in
                let number = turn % 8
                switch turn / 8 % 4 {
                case 0: bench.detach(number)
                case 1: bench.attach(number)
                case 2: _ = bench.failure(of: .lock, to: number)
                default: _ = bench.refreshFailure(number)
                }
            }
            for number in 0..<8 { bench.attach(number) }
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            for number in 0..<8 {
                try await bench.carryOut(bench.opening, by: number)
                try require(bench.heard.restingStates(of: number), is: [bench.opening.rest], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Reports are delivered for attached locks only") { harness in
            let bench = try await ConformanceRun(harness, locks: 4)
            bench.detach(3)
            for number in 0..<4 { _ = try? await bench.happen(.speaks, at: number) }
            for number in 0..<3 { try bench.send(bench.opening, to: number) }
            try await bench.pass(harness.promptTime)
            let attached = Set((0..<3).map(ConformanceRun.id))
            try require(Set(bench.heard.reports.map(\.deviceID)), is: attached, "the locks that reports come from")
        },
    ]
}
