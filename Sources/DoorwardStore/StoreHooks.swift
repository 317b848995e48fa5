/// Where tests and measurements look into the writer, or make it fail. The program sets none of them.
package struct StoreHooks: Sendable {
    /// Called on the writer when it begins a batch of so many transactions.
    package var beforeBatch: @Sendable (_ transactions: Int) -> Void
    /// Called on the writer before each COMMIT with the number of transactions in the batch. An error that it throws
    /// counts as a failure of the disk.
    package var beforeCommit: @Sendable (_ transactions: Int) throws -> Void
    /// Called on the writer after each COMMIT that succeeded, before any caller is resumed.
    package var afterCommit: @Sendable (_ transactions: Int) -> Void

    package init(
        beforeBatch: @escaping @Sendable (_ transactions: Int) -> Void = { _ in },
        beforeCommit: @escaping @Sendable (_ transactions: Int) throws -> Void = { _ in },
        afterCommit: @escaping @Sendable (_ transactions: Int) -> Void = { _ in }
    ) {
        (self.beforeBatch, self.beforeCommit, self.afterCommit) = (beforeBatch, beforeCommit, afterCommit)
    }
}
