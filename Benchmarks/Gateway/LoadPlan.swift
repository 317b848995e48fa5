package import DoorwardDomain

/// The load generator's input, read from standard input.
package struct LoadPlan: Codable {
    package var port: Int
    /// The time during which requests are sent. Their responses are awaited even after this time.
    package var seconds: Double
    /// For each connection, the requests (as bytes) that it sends in order, each after the response to the preceding request.
    package var connections: [[String]]
    /// The total number of requests per second of all connections; `nil` for as many as possible.
    package var rate: Double?

    package init(port: Int, seconds: Double, connections: [[String]], rate: Double? = nil) {
        (self.port, self.seconds, self.connections, self.rate) = (port, seconds, connections, rate)
    }

    /// Returns the request that sends a command, `unlock` or `lock`, to a device.
    ///
    /// - Parameter headers: additional header lines, each with its line end.
    package static func order(
        _ word: String, _ device: DeviceID, token: String, port: Int, headers: String = ""
    ) -> String {
        "POST /api/v1/devices/\(device)/\(word) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: application/json\r\n"
            + "Authorization: Bearer \(token)\r\n\(headers)Content-Length: 0\r\n\r\n"
    }

    /// A placeholder in a request. It is replaced by the number of the request, padded with zeros to the same length.
    package static let numberMark = "################"
}

/// The load generator's result, printed to standard output.
package struct LoadResult: Codable {
    /// The number of responses with any status.
    package var answered = 0
    /// The number of responses with a status other than 200.
    package var failed = 0
    /// The time from the first connection to the last response.
    package var seconds = 0.0
    /// The median time in microseconds from sending a request to receiving its complete response. With a given rate, the time is
    /// measured from the instant at which the request was due.
    package var p50 = 0.0
    /// The 99th percentile of the same time.
    package var p99 = 0.0
    /// The maximum of the same time, in microseconds.
    package var longest = 0.0

    /// Responses per second.
    package var rate: Double { seconds > 0 ? Double(answered) / seconds : 0 }
}
