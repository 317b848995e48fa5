/// The limits of the store. Every queue and cache has a limit.
package struct StoreLimits: Sendable {
    /// The maximum number of transactions waiting for the writer. A further transaction fails with `.unavailable`.
    package var queuedTransactions = 4096
    /// The maximum number of transactions that share one flush.
    package var transactionsPerFlush = 128
    /// The maximum number of entries waiting to be projected into the posting lists. Lists read these entries from the log.
    package var entriesPerProjection = 1024
    /// The number of pages (4 KiB) written between two checkpoints. Together with the size of a batch, this number bounds the
    /// size of the write-ahead log. With fewer pages, each checkpoint is shorter, but the total cost is higher: a page that every
    /// batch changes is copied once per checkpoint (decision 0041).
    package var pagesPerCheckpoint = 4096
    /// The number of pages (4 KiB) in the write-ahead log above which the writer truncates the log, if no reader needs it. A
    /// smaller log is not truncated: if no reader blocks a checkpoint, the log is reused from its beginning afterwards.
    package var pagesBeforeCut = 32_768
    /// The number of pages in the write-ahead log above which the writer waits for readers to truncate the log, for at most a
    /// second. Otherwise readers that overlap without a gap would make the log grow without a bound.
    package var pagesBeforeWaiting = 4 * 32_768
    /// The maximum number of log heads cached in memory. The same maximum applies to cached person keys.
    package var cachedEntries = 16_384
    /// The number of connections reserved for reads by id or key.
    package var pointReaders = 2
    /// The maximum number of lists read at the same time.
    package var listReaders = 4
    /// The maximum number of lists read at the same time for the users of one portfolio. A user has at most one at a time.
    package var listReadersPerPortfolio = 2
    /// The maximum number of lists waiting for one user. If this limit or one of the next two is exceeded, the list fails with
    /// `.tooManyReads`.
    package var waitingListsPerUser = 64
    /// The maximum number of lists waiting for the users of one portfolio.
    package var waitingListsPerPortfolio = 256
    /// The maximum number of waiting lists.
    package var waitingLists = 1024
    /// The approximate number of rows after which a page of a list ends, even if it contains fewer entries than requested.
    package var rowsPerPage = 20_000
    /// The time after which a page of records ends, even if it contains fewer records than requested.
    package var timePerPage = Duration.seconds(1)
    /// The time after which reading a list is interrupted.
    package var maxRead = Duration.seconds(5)
    /// The maximum number of commands that a page of commands may skip.
    package var commandsPassedOver = 50_000
    /// The number of pages that a backup copies per step. Between two steps, the backup checks whether the store is closing.
    package var pagesPerBackupStep = 1024
    /// The delay before the first attempt to reopen the database after a failure. Each failed attempt doubles it, up to
    /// `maxRetryDelay`.
    package var retryDelay = Duration.milliseconds(250)
    /// The maximum delay between two attempts to reopen the database.
    package var maxRetryDelay = Duration.seconds(15)
    /// The maximum number of pages in the database file; `nil` for no limit.
    package var maximumPages: Int?

    /// Creates the limits that the gateway uses. Tests change them.
    package init() {}

    /// The number of connections for reading, including one for a backup.
    var connectionsToRead: Int { pointReaders + listReaders + 1 }
}
