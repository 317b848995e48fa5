import Logging

extension Logger {
    /// For commands whose own words tell the rest: errors alone, on standard error.
    static var errorsOnly: Logger {
        var logger = Logger(label: "doorward") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        return logger
    }
}
