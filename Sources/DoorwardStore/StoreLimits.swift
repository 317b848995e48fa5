/// The limits of the store. Every queue and cache has one.
package struct StoreLimits: Sendable {
    /// The maximum number of transactions waiting for the writer; a further one fails with `.unavailable`.
    package var queuedTransactions = 4096
    /// The maximum number of transactions that share one flush.
    package var transactionsPerFlush = 128
    /// The maximum number of entries waiting to be projected into the posting lists. Lists read these entries from the log.
    package var entriesPerProjection = 1024
    /// Pages (4 KiB) written between two checkpoints; with the size of a batch this bounds the write-ahead log. With fewer pages each
    /// checkpoint is shorter, but the total cost is higher: a page that every batch changes is copied once per checkpoint (decision 0041).
    package var pagesPerCheckpoint = 4096
    /// Pages (4 KiB) in the write-ahead log above which the writer waits for readers, at most a second, to truncate it. If no reader
    /// blocks a checkpoint, the log is reused from its beginning afterwards.
    package var pagesBeforeCut = 32_768
    /// The maximum number of log heads, and likewise of person keys, cached in memory.
    package var cachedEntries = 16_384
    /// Connections reserved for reads by id or key.
    package var pointReaders = 2
    /// The maximum number of lists read at the same time.
    package var listReaders = 4
    /// The maximum number of lists read at the same time for the users of one portfolio. A user has at most one at a time.
    package var listReadersPerPortfolio = 2
    /// The maximum number of lists waiting for one user; a further one fails with `.tooManyReads`, as with the next two limits.
    package var waitingListsPerUser = 64
    /// The maximum number of lists waiting for the users of one portfolio.
    package var waitingListsPerPortfolio = 256
    /// The maximum number of waiting lists.
    package var waitingLists = 1024
    /// The approximate number of rows that one page of a list examines before it ends, however short it is.
    package var rowsPerPage = 20_000
    /// The time after which a page of records ends, however short it is.
    package var timePerPage = Duration.seconds(1)
    /// The time after which reading a list is interrupted.
    package var maxRead = Duration.seconds(5)
    /// The maximum number of commands that a page of commands may skip.
    package var commandsPassedOver = 50_000
    /// Pages that a backup copies per step. Between steps it checks whether the store is closing.
    package var pagesPerBackupStep = 1024
    /// The delay before the first attempt to reopen the database after a failure; it doubles up to `maxRetryDelay`.
    package var retryDelay = Duration.milliseconds(250)
    /// The maximum of that delay.
    package var maxRetryDelay = Duration.seconds(15)
    /// The maximum number of pages in the database file; `nil` for no limit.
    package var maximumPages: Int?

    /// The limits of the program; tests set others.
    package init() {}

    /// Includes one connection for a backup.
    var connectionsToRead: Int { pointReaders + listReaders + 1 }
}
