/// The bounds of the store. Every queue and cache has one.
package struct StoreLimits: Sendable {
    /// Transactions that may wait for the writer; one more is `.unavailable`.
    package var queuedTransactions = 4096
    /// Transactions that share one flush at most.
    package var transactionsPerFlush = 128
    /// Entries that may wait to be projected into the posting lists. A list reads them from the log itself.
    package var entriesPerProjection = 1024
    /// Pages (4 KiB) written between two checkpoints; with the size of a batch this bounds the write-ahead log. Fewer are moved sooner,
    /// but cost more in all, as a page that every batch changes is moved as often as there are checkpoints (decision 0041).
    package var pagesPerCheckpoint = 4096
    /// Pages (4 KiB) that the write-ahead log may grow to before the writer waits for readers, a second at most, to cut it
    /// back. Without readers in the way it is used again from its beginning after each checkpoint.
    package var pagesBeforeCut = 32_768
    /// Log heads, and likewise person keys, that are kept in memory.
    package var cachedEntries = 16_384
    /// Connections for reads by id or key, which no list can occupy.
    package var pointReaders = 2
    /// Lists that are read at the same time.
    package var listReaders = 4
    /// Of these, lists for users of the same portfolio. One user has one at a time.
    package var listReadersPerPortfolio = 2
    /// Lists that may wait for one user; one more is `.tooManyReads`, as in the next two.
    package var waitingListsPerUser = 64
    /// Lists that may wait for the users of one portfolio.
    package var waitingListsPerPortfolio = 256
    /// Lists that may wait.
    package var waitingLists = 1024
    /// Rows that one page of a list examines, about. Then it ends, however short it is.
    package var rowsPerPage = 20_000
    /// Time after which a page of records ends, however short it is.
    package var timePerPage = Duration.seconds(1)
    /// Time after which reading a list is interrupted.
    package var longestRead = Duration.seconds(5)
    /// Commands that a page of them may pass over.
    package var commandsPassedOver = 50_000
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

    /// One connection is for a backup.
    var connectionsToRead: Int { pointReaders + listReaders + 1 }
}
