extension Wire {
    /// A link that was just created. No other response contains its URL.
    package struct GuestLink: Decodable, Sendable {
        /// The URL of the guest's page, with the token.
        package var url: String
        /// When the link ends with its guest access.
        package var expiresAt: String
        /// A QR code of the URL as an SVG image; `nil` for a URL that is too long.
        package var qr: String?
        /// What a person should know before handing the link on, as sentences; `nil` if there is nothing.
        package var warning: String?
    }

    /// `data` of the response to `POST /guest-access/:id/link`.
    package struct GuestLinkAnswer: Decodable, Sendable {
        /// The link.
        package var link: GuestLink
    }
}
