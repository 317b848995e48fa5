internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let reportPromises: [ConformanceCheck] = [
        ConformanceCheck("What an order brought about is said to be remote") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.carryOut(bench.opening, by: 0)
            let methods = bench.heard.states(of: 0).filter { $0.state == bench.opening.rest }.map(\.method)
            try require(methods.allSatisfy { $0 == nil || $0 == .remote }, "an order is said to be \(methods)")
        },
        ConformanceCheck("What happens at the door is reported live, and not as remote") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.happen(.turnedByHand, at: 0) else { throw NotApplicable.hands }
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0), is: [.unlocked], "what is heard of a turned bolt")
            let methods = bench.heard.states(of: 0).map(\.method)
            try require(methods.allSatisfy { $0 != .remote }, "a hand at the door is said to be remote")
        },
        ConformanceCheck("Reports of one lock come in the order in which it said them") { harness in
            let bench = try await ConformanceRun(harness)
            for _ in 0..<4 { guard try await bench.happen(.turnedByHand, at: 0) else { throw NotApplicable.hands } }
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0), is: [.unlocked, .locked, .unlocked, .locked], "four turns")
        },
        ConformanceCheck("A lock that speaks is heard under its own id alone") { harness in
            let bench = try await ConformanceRun(harness, locks: 3)
            guard try await bench.happen(.speaks, at: 1) else { throw NotApplicable.reports }
            try await bench.pass(harness.promptTime)
            try require(Set(bench.heard.reports.map(\.deviceID)), is: [ConformanceRun.id(1)], "who is heard")
            try require(bench.heard.restingStates(of: 1), is: [.locked], "where its bolt is")
        },
        ConformanceCheck("A word that the transport kept is not passed off as live") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.happen(.repeatedFromBefore, at: 0) else { throw NotApplicable.retained }
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0), is: [], "what is said to be live")
        },
        ConformanceCheck("A question brings the lock's state where it can be asked, and moves nothing") { harness in
            let bench = try await ConformanceRun(harness)
            guard harness.capabilities.contains(.refresh) else {
                try require(bench.refreshFailure(0).map { $0 == .unsupported } ?? true, "a question throws another error")
                try await bench.requireOrders([], at: 0, "after a question")
                throw NotApplicable("locks of this kind cannot be asked for their state")
            }
            try harness.adapter.refresh(ConformanceRun.id(0))
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0), is: [.locked], "the answer")
            try await bench.pass(settlingTime)
            try await bench.requireOrders([], at: 0, "after a question")
        },
        ConformanceCheck("A question does not disturb a movement under way") { harness in
            let bench = try await ConformanceRun(harness)
            try bench.send(bench.opening, to: 0)
            _ = bench.refreshFailure(0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0).last, is: bench.opening.rest, "what is confirmed")
            try await bench.requireOrders([bench.opening], at: 0, "after a question")
        },
        ConformanceCheck("A lock that goes away and comes back is reported so, and says nothing between") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.away, of: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.availabilities(of: 0).last.map { $0 != true }, is: true, "whether it is said to be away")
            bench.heard.forget()
            _ = try? await bench.happen(.turnedByHand, at: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0), is: [], "what is heard while it is away")
            try await bench.set(.prompt, of: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.availabilities(of: 0).last, is: .some(true), "whether it is said to be back")
        },
        ConformanceCheck("A battery has from 0 to 100 percent") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.happen(.speaks, at: 0) else { throw NotApplicable.reports }
            try await bench.pass(harness.promptTime)
            for case .battery(let level?, _) in bench.heard.facts(of: 0) {
                try require((0...100).contains(level), "a battery of \(level) percent")
            }
        },
        ConformanceCheck("Rubbish is dropped: nothing is made of it, and the lock obeys as before") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.happen(.rubbish, at: 0) else {
                throw NotApplicable("nothing but a lock's own words can arrive")
            }
            try await bench.pass(harness.promptTime)
            try require(bench.heard.states(of: 0).isEmpty, "rubbish says where a bolt is")
            try require(bench.heard.refusals(of: 0), is: 0, "the refusals")
            try await bench.requireOrders([], at: 0, "after rubbish")
            try await bench.carryOut(bench.opening, by: 0)
        },
        ConformanceCheck("What is wrong with a lock is told in words in camel case, and that it is over") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.happen(.tampered, at: 0) else { throw NotApplicable("locks of this kind report no faults") }
            try await bench.pass(harness.promptTime)
            let words = bench.heard.faults(of: 0).last ?? []
            try require(!words.isEmpty, "nothing is said to be wrong")
            try require(words.allSatisfy(isCamelCase), "a fault is no word: \(words)")
            _ = try await bench.happen(.calmed, at: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.faults(of: 0).last, is: [], "what is said to be wrong when it is over")
            try await bench.requireOrders([], at: 0, "after a fault")
        },
    ]

    /// Whether this is a word such as `notFullyLocked`.
    private static func isCamelCase(_ word: String) -> Bool {
        word.first.map { ("a"..."z").contains($0) } ?? false && word.allSatisfy { $0.isASCII && $0.isLetter }
    }
}
