"""The program inside the sandbox: loads a bot and speaks the protocol for it."""
