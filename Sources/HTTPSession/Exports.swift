// `import HTTPSession` is all that a program needs: the session manager and the values that its interface is made of.
@_exported public import Authentication
@_exported public import Cookies
@_exported public import Egress
@_exported public import FileSources
@_exported public import HTTPGrammar
@_exported public import HTTPTypes
@_exported public import RequestSerialization
@_exported public import ResponseSerialization
@_exported public import SessionCore
@_exported public import Transfer
