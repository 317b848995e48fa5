/// The limits on requests and responses. A request that exceeds a limit is rejected before further processing.
package enum WireLimits {
    /// Maximum bytes of a body; a larger body is rejected with status 413.
    package static let bodyBytes = 64 * 1024
    /// Maximum bytes of the body of a bulk. Each of its requests is limited to `bodyBytes`, too.
    package static let bulkBytes = 128 * 1024
    /// Maximum requests of a bulk.
    package static let bulkRequests = 200
    /// Maximum requests of a bulk that are in progress at the same time.
    package static let bulkAtOnce = 16
    /// The seconds after the arrival of a bulk in which its requests begin. One that has not begun by then is not carried out.
    package static let bulkSeconds = 60
    /// Maximum bulks in progress, of one principal and in all.
    package static let bulksInProgress = (ofOne: 2, inAll: 16)
    /// Maximum bytes of the path of a request of a bulk, with its query.
    package static let bulkPathBytes = 8 * 1024
    /// Maximum characters of a name or a label, after trimming.
    package static let nameCharacters = 200
    /// Maximum characters of a stated reason.
    package static let reasonCharacters = 500
    /// Maximum bytes of an email address (RFC 5321, section 4.5.3.1.3, without the angle brackets).
    package static let emailBytes = 254
    /// Maximum bytes of a device's `address`, and of its `metadata`, as JSON without white space.
    package static let freeObjectBytes = 8 * 1024
    /// Maximum elements of a list of ids in a body.
    package static let listElements = 200
    /// Maximum periods of a schedule, and of one of its special days.
    package static let schedulePeriods = 100
    /// Maximum special days of a schedule.
    package static let scheduleSpecialDays = 400
    /// The range of `maxUses` of a guest access.
    package static let guestUses = 1...1_000_000
    /// The range of `preview`: the intervals of a guest access in one response.
    package static let previewIntervals = 1...100
    /// The range of a command's timeout in milliseconds.
    package static let timeoutMs = 100...60_000
    /// The range of `autoRelockSeconds` of a lock's settings; 0 for a lock that does not lock itself.
    package static let autoRelockSeconds = 0...3600
    /// The range of `limit`: items on a page.
    package static let pageSize = 1...200
    /// Items on a page if the request contains no `limit`.
    package static let defaultPageSize = 20
    /// Maximum bytes of a page's items. A page of access records ends before it exceeds this limit;
    /// a request for any other page that exceeds it is rejected.
    package static let pageBytes = 4 * 1024 * 1024
    /// The range of `limit` for access records.
    package static let recordPageSize = 1...500
    /// Access records on a page if the request contains no `limit`.
    package static let defaultRecordPageSize = 50
    /// Maximum buckets of a summary of access records.
    package static let summaryBuckets = 1000
    /// The number of characters of an `Idempotency-Key`.
    package static let idempotencyKeyCharacters = 1...255
    /// The number of characters of an `X-Request-Id`; any other id is replaced by a generated one.
    package static let requestIDCharacters = 1...128
}
