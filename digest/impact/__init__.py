"""Which changes affect what somebody depends on."""
