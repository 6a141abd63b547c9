// Programs need only `import HTTPSession`: the session manager and all types of its interface are exported.
@_exported public import ErrandAuthentication
@_exported public import ErrandCertificateTrust
@_exported public import ErrandCookies
@_exported public import ErrandDownloads
@_exported public import ErrandEgress
@_exported public import ErrandFileSources
@_exported public import ErrandHTTPGrammar
@_exported public import ErrandRequestSerialization
@_exported public import ErrandResponseSerialization
@_exported public import ErrandSessionCore
@_exported public import ErrandTransfer
@_exported public import HTTPTypes
