/// What identifies a customer to an HTTPDNS service. Its text never shows the secret.
package struct Credentials: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The account ID of the service's console.
    package let accountID: String
    /// The ID of the AccessKey pair; nil when requests are not signed.
    package let accessKeyID: String?
    /// The secret of the AccessKey pair; nil when requests are not signed.
    package let secret: String?

    /// Credentials from the console's values. Requests are signed only when all three are present and not empty.
    package init(accountID: String, accessKeyID: String? = nil, secret: String? = nil) {
        self.accountID = accountID
        self.accessKeyID = accessKeyID
        self.secret = secret
    }

    /// Account and key ID, with a mark in place of the secret.
    package var description: String {
        "account \(accountID), access key \(accessKeyID ?? "none"), secret \(secret == nil ? "none" : "hidden")"
    }

    /// The same as `description`, so that printing a value that holds this one does not show the secret either.
    package var debugDescription: String { description }

    /// No children: a dump of the value shows nothing of the secret.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
