package api

// Text is a string of any characters, line breaks included: a script, or a secret such as a private key.
type Text string

// Base64 is a string of bytes in base64.
type Base64 string
