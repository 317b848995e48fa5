package import DoorwardControl
package import DoorwardDomain

extension GatewayStore {
    /// Returns the open commands of `.single`, the only gateway that uses the stores of tests.
    package func openCommands() async throws(StoreError) -> [StoredCommand] { try await openCommands(of: .single) }

    /// Returns the first `limit` records of a query. Reads several pages if the store returns smaller ones.
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
