/// The bounds of the store. Every queue and cache has one.
package struct StoreLimits: Sendable {
    /// Transactions that may wait for the writer; one more is `.unavailable`.
    package var queuedTransactions = 4096
    /// Transactions that share one flush at most.
    package var transactionsPerFlush = 128
    /// Rows written between two checkpoints; with the size of a batch this bounds the write-ahead log.
    package var rowsPerCheckpoint = 4096
    /// Pages (4 KiB) that the write-ahead log may grow to before the writer waits for readers, a second at most, to cut it
    /// back. Without readers in the way it is used again from its beginning after each checkpoint.
    package var pagesBeforeCut = 32_768
    /// Log heads, and likewise person keys, that are kept in memory.
    package var cachedEntries = 16_384
    /// Connections that read at the same time.
    package var readers = 4
    /// Pages that a backup copies between two looks at whether the store closes.
    package var pagesPerBackupStep = 1024
    /// The wait before the first attempt to open the database anew after a failure; it doubles up to `longestRetryDelay`.
    package var retryDelay = Duration.milliseconds(250)
    /// What that wait doubles up to.
    package var longestRetryDelay = Duration.seconds(15)
    /// Pages that the database file may grow to; `nil` for no bound of ours.
    package var maximumPages: Int?

    /// The bounds of the program; a test sets others.
    package init() {}
}
