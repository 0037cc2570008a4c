/// What a person asked of a verification.
public struct VerifyOptions: Sendable {
    /// Which share of the files is read to their end.
    public var readData = ReadShare.none
    /// Compare with the server.
    public var remote = false
    /// Mend what is wrong.
    public var repair = false
    /// Chooses the sample of ``readData``; another one each time unless said otherwise.
    public var seed = UInt64.random(in: .min ... .max)

    public init() {}
}
