"""Commands about other players: seeks, who plays here, how matches ended, and what somebody wants none of."""
