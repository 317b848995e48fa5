internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let placePromises: [ConformanceCheck] = [
        ConformanceCheck("`check` returns the lock that is attached at an address, or none if there is none") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            for number in 0..<2 {
                let holder = try harness.adapter.check(address: harness.address(of: number)).holder
                let expected = harness.detectsDuplicates ? ConformanceRun.id(number) : nil
                try require(holder, is: expected, "the lock attached at address \(number)")
            }
            let nobody = try harness.adapter.check(address: harness.address(of: 5)).holder
            try require(nobody, is: nil, "the lock attached at a free address")
            try await bench.carryOut(bench.opening, by: 0)
        },
        ConformanceCheck("An address is free again when its lock is detached or attached with another address") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            bench.detach(0)
            bench.attach(1, as: harness.address(of: 6))
            for number in 0..<2 {
                let holder = try harness.adapter.check(address: harness.address(of: number)).holder
                try require(holder, is: nil, "the lock attached at address \(number)")
            }
            let holder = try harness.adapter.check(address: harness.address(of: 6)).holder
            try require(
                holder, is: harness.detectsDuplicates ? ConformanceRun.id(1) : nil, "the lock attached at the new address")
        },
        ConformanceCheck("The owner of a transport is returned, and none for a transport that does not exist") { harness in
            guard let ways = harness.ways else {
                return try require(harness.adapter.owner(of: harness.address(of: 0)), is: .shared, "the owner of the transport")
            }
            for way in ways.owned {
                try require(harness.adapter.owner(of: way.address), is: way.owner, "the owner of the transport of \(way.address)")
            }
            try require(harness.adapter.owner(of: ways.missing), is: nil, "the owner of a transport that does not exist")
            _ = try await ConformanceRun(harness)
            for way in ways.owned {
                try require(harness.adapter.owner(of: way.address), is: way.owner, "the owner while the adapter runs")
            }
        },
        ConformanceCheck("A transport outside the caller's scope gives the same result as one that does not exist") { harness in
            guard let ways = harness.ways else { throw NotApplicable.ways }
            _ = try await ConformanceRun(harness)
            for way in ways.owned where way.owner != .shared {
                for extra in [[:], ["noSuchKey": .null]] as [[String: JSONValue]] {
                    let (hidden, missing) = (way.address.merging(extra) { $1 }, ways.missing.merging(extra) { $1 })
                    try require(
                        verdict(on: hidden, harness, within: .of([])), is: verdict(on: missing, harness),
                        "the result for another owner's transport")
                }
                try require(verdict(on: ways.missing, harness) != verdict(on: way.address, harness), "the transport is not found")
            }
        },
        ConformanceCheck("A portfolio's transport is accepted within its owner's scope, and only for locks in that portfolio") {
            harness in
            guard let ways = harness.ways else { throw NotApplicable.ways }
            let stranger = PortfolioID(high: 0xFEED, low: 1)
            for way in ways.owned {
                guard case .portfolio(let id) = way.owner else { continue }
                let open = verdict(on: way.address, harness)
                try require(verdict(on: way.address, harness, within: .of([id])), is: open, "the result in the owner's scope")
                try require(
                    verdict(on: way.address, harness, within: .everything.restricted(to: id)), is: open,
                    "the result in the portfolio")
                try require(
                    verdict(on: way.address, harness, within: .everything.restricted(to: stranger)),
                    is: verdict(on: ways.missing, harness), "the result in another portfolio")
            }
        },
    ]
}
