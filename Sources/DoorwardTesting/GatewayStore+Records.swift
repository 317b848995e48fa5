package import DoorwardControl
package import DoorwardDomain

extension GatewayStore {
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
