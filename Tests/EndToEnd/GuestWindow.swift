import Foundation
import Testing

extension Caller {
    /// The fields `validFrom` and `validUntil` of a window in minutes from the time of the gateway's clock. Only for super admins.
    func window(minutes: Range<Int>) async throws -> String {
        let answer = try await get("/clock")
        let reading = try #require(answer.data["clock"]["at"].text, "\(answer.body)")
        let now = try Date(reading, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        func time(_ minutes: Int) -> String { now.addingTimeInterval(Double(minutes) * 60).formatted(.iso8601) }
        return #""validFrom":"\#(time(minutes.lowerBound))","validUntil":"\#(time(minutes.upperBound))""#
    }
}
