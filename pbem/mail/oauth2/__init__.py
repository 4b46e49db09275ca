"""OAuth2: logging in at mail servers with a token that a provider gives, in place of a password (RFC 6749).

`pbem login` gets the tokens once; the server renews them. oauthlib writes the requests and reads the answers.
"""
