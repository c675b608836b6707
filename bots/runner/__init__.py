"""The program inside the sandbox: loads a Python bot and speaks the protocol for it.

`bots.sandbox` starts `runner`, alone or forked by `forkserver`; nothing imports them."""
