internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let clockChecks: [StoreConformanceCheck] = [
        .init("The clock's high-water mark only rises unless it is set; the unconfirmed step is kept") { store in
            let start = Timestamp(milliseconds: 1_795_248_000_000)
            let step = UnconfirmedStep(before: start, after: start.advanced(by: .seconds(86_400)))
            try require(try await store.storedClock(), is: nil, "the clock of a new store")
            let cases: [(StoredClockChange, StoredClock)] = [
                (.raiseMark(start), StoredClock(highWaterMark: start)),
                (.raiseMark(start.advanced(by: .seconds(-1))), StoredClock(highWaterMark: start)),
                (.setUnconfirmed(step), StoredClock(highWaterMark: start, unconfirmed: step)),
                (
                    .raiseMark(start.advanced(by: .seconds(1))),
                    StoredClock(highWaterMark: start.advanced(by: .seconds(1)), unconfirmed: step)
                ),
                (
                    .setMark(start.advanced(by: .seconds(-9))),
                    StoredClock(highWaterMark: start.advanced(by: .seconds(-9)), unconfirmed: step)
                ),
                (.setUnconfirmed(nil), StoredClock(highWaterMark: start.advanced(by: .seconds(-9)))),
            ]
            for (change, expected) in cases {
                _ = try await store.commit(StoreTransaction(clock: [change]))
                try require(try await store.storedClock(), is: expected, "the clock after \(change)")
            }
        }
    ]
}
