"""An account: joining, its address, its settings, its data, and leaving."""
