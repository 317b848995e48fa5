extension GatewayControl {
    /// Limits that the operator sets; the defaults are those of the configuration file.
    package struct Limits: Sendable {
        /// The maximum number of denied commands of one principal per minute; further ones are rejected before a decision.
        package var deniedPerMinute = 20
        /// The maximum number of failed sign-ins from one address per minute; further ones have to wait.
        package var signInFailuresPerMinute = 20
        /// The maximum number of LOCK commands of one lockdown in progress at the same time.
        package var concurrentLockdownLocks = 64
        /// log2 of scrypt's N.
        package var passwordCost = 17
        /// The largest step of the wall clock that leaves it trusted.
        package var maxClockStep = Duration.seconds(60)
        /// How long a session lasts without being refreshed.
        package var refreshTokenLifetime = Duration.seconds(30 * 86_400)

        package init() {}
    }
}
