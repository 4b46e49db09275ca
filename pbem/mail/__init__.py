"""Mail in and out: transports, reading, OAuth2. Start with `transports.protocols` and `reading.isolated_parser`."""
