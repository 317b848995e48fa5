internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let placePromises: [ConformanceCheck] = [
        ConformanceCheck("Check names the lock that is attached at an address, and none where nobody is") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            for number in 0..<2 {
                let holder = try harness.adapter.check(address: harness.address(of: number)).holder
                let expected = harness.detectsDuplicates ? ConformanceRun.id(number) : nil
                try require(holder, is: expected, "who is attached at address \(number)")
            }
            let nobody = try harness.adapter.check(address: harness.address(of: 5)).holder
            try require(nobody, is: nil, "who is attached where nobody is")
            try await bench.carryOut(bench.opening, by: 0)
        },
        ConformanceCheck("A place is free again when its lock is detached, or has gone to another address") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            bench.detach(0)
            bench.attach(1, as: harness.address(of: 6))
            for number in 0..<2 {
                let holder = try harness.adapter.check(address: harness.address(of: number)).holder
                try require(holder, is: nil, "who is attached at address \(number)")
            }
            let holder = try harness.adapter.check(address: harness.address(of: 6)).holder
            try require(holder, is: harness.detectsDuplicates ? ConformanceRun.id(1) : nil, "who is attached at the new address")
        },
        ConformanceCheck("The owner of a way to locks is told as it is, and none for a way that there is not") { harness in
            guard let ways = harness.ways else {
                return try require(harness.adapter.owner(of: harness.address(of: 0)), is: .shared, "whose the way is")
            }
            for way in ways.owned {
                try require(harness.adapter.owner(of: way.address), is: way.owner, "whose the way of \(way.address) is")
            }
            try require(harness.adapter.owner(of: ways.missing), is: nil, "whose a way is that there is not")
            _ = try await ConformanceRun(harness)
            for way in ways.owned {
                try require(harness.adapter.owner(of: way.address), is: way.owner, "whose the way is while the adapter runs")
            }
        },
        ConformanceCheck("A way that is not the asker's is answered as one that does not exist, whatever else is wrong") {
            harness in
            guard let ways = harness.ways else { throw NotApplicable.ways }
            _ = try await ConformanceRun(harness)
            for way in ways.owned where way.owner != .shared {
                for extra in [[:], ["noSuchKey": .null]] as [[String: JSONValue]] {
                    let (hidden, missing) = (way.address.merging(extra) { $1 }, ways.missing.merging(extra) { $1 })
                    try require(
                        verdict(on: hidden, harness, within: .of([])), is: verdict(on: missing, harness),
                        "the verdict on another's way")
                }
                try require(verdict(on: ways.missing, harness) != verdict(on: way.address, harness), "one's own way is refused")
            }
        },
        ConformanceCheck("A way is open to its owner's scope, and to the scope of a place in its owner's portfolio alone") {
            harness in
            guard let ways = harness.ways else { throw NotApplicable.ways }
            let stranger = PortfolioID(high: 0xFEED, low: 1)
            for way in ways.owned {
                guard case .portfolio(let id) = way.owner else { continue }
                let open = verdict(on: way.address, harness)
                try require(verdict(on: way.address, harness, within: .of([id])), is: open, "the owner's verdict")
                try require(
                    verdict(on: way.address, harness, within: .everything.hanging(in: id)), is: open, "the verdict for its place")
                try require(
                    verdict(on: way.address, harness, within: .everything.hanging(in: stranger)),
                    is: verdict(on: ways.missing, harness), "the verdict for a place elsewhere")
            }
        },
    ]
}
