package import DoorwardControl
package import DoorwardDomain

extension GatewayStore {
    /// Returns the open commands of `.single`, the only gateway in the tests' stores.
    package func openCommands() async throws(StoreError) -> [StoredCommand] { try await openCommands(of: .single) }

    /// Fetches the first `limit` records of a query, over as many pages as the store returns.
    package func records(_ query: RecordQuery) async throws(StoreError) -> [AccessRecord] {
        var (query, records) = (query, [AccessRecord]())
        while true {
            let page = try await page(query)
            records += page.records
            query.limit -= page.records.count
            guard let next = page.next, query.limit > 0 else { return records }
            query.after = next
        }
    }
}
