"""Mail as it comes and goes: transports, reading, OAuth2. Start with `transports.protocols` and `reading.isolated_parser`."""
